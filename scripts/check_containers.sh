#!/usr/bin/env bash
# Builds the image and runs the compose file's parts for real, without a Docker engine or an image registry:
# a Debian base from debootstrap, buildah for the build, podman with runc for the run. Needs root and takes minutes.
#   apt-get install -y buildah podman runc debootstrap
# BASE_IMAGE names a local base and skips debootstrap; KEEP=1 leaves storage behind for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."

work=${WORK:-/var/tmp/threadline-containers}
mkdir -p "$work"
storage=(--root "$work/storage" --runroot "$work/run" --storage-driver "${STORAGE_DRIVER:-overlay}")
podman=(podman "${storage[@]}" --runtime runc --cgroup-manager cgroupfs)
limits=(--ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network host)
image=localhost/threadline:check
url=postgresql://threadline@127.0.0.1:54329/threadline
started=()

finish() {
    for name in "${started[@]}"; do "${podman[@]}" rm --force --time 5 "$name" >/dev/null 2>&1 || true; done
    [ -n "${KEEP:-}" ] || rm -rf "$work/root" 2>/dev/null || true
}
trap finish EXIT

say() { printf '\n== %s\n' "$*"; }

run() { # run NAME ARGUMENTS...: a container in the background
    started+=("$1")
    "${podman[@]}" run --detach --name "$1" "${limits[@]}" "${@:2}" >/dev/null
}

until_true() { # until_true SECONDS COMMAND...
    local deadline=$((SECONDS + $1))
    until "${@:2}" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || { echo "never happened: ${*:2}" >&2; "${podman[@]}" ps -a >&2; return 1; }
        sleep 0.5
    done
}

if [ -z "${BASE_IMAGE:-}" ]; then
    BASE_IMAGE=localhost/threadline-base:check
    if ! "${podman[@]}" image exists "$BASE_IMAGE"; then
        say "a Debian base"
        debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates,postgresql "${SUITE:-bookworm}" "$work/root"
        tar -C "$work/root" -c . | "${podman[@]}" import - "$BASE_IMAGE"
        rm -rf "$work/root"
    fi
fi

say "build"
buildah "${storage[@]}" bud --isolation chroot --network host --layers --volume /etc/ssl/certs:/etc/ssl/certs:ro \
    --build-arg BASE_IMAGE="$BASE_IMAGE" --format docker -t "$image" .
"${podman[@]}" image inspect --format 'image: {{.Size}} bytes, user {{.Config.User}}' "$image"

say "one container on SQLite"
run threadline-alone --env THREADLINE_HOST=127.0.0.1 --env THREADLINE_PORT=8471 "$image"
began=$SECONDS
until_true 60 curl -fsS http://127.0.0.1:8471/readyz
echo "ready after $((SECONDS - began)) s"
curl -fsS http://127.0.0.1:8471/v1/streams/default/documents -H 'Content-Type: application/json' \
    -d '{"id": "a", "time": "2026-03-02T08:14:00Z", "text": "the river is rising at the bridge"}'
until_true 30 sh -c 'curl -fsS http://127.0.0.1:8471/v1/streams/default/threads | grep -q thr_'
"${podman[@]}" exec threadline-alone sh -c 'id -u; threadline doctor'
"${podman[@]}" stop --time 30 threadline-alone >/dev/null
[ "$("${podman[@]}" inspect --format '{{.State.ExitCode}}' threadline-alone)" = 0 ]

say "a container beyond loopback without a key is refused"
if "${podman[@]}" run --rm "${limits[@]}" --env THREADLINE_PORT=8471 "$image"; then exit 1; fi

say "PostgreSQL, migrate, API, two workers"
server='set -e; bin=$(echo /usr/lib/postgresql/*/bin); install -d -o postgres /tmp/pg; cd /tmp
su postgres -c "$bin/initdb -A trust -U threadline -E UTF8 -D /tmp/pg/data"
su postgres -c "$bin/postgres --single -D /tmp/pg/data postgres" <<< "CREATE DATABASE threadline"
exec su postgres -c "exec $bin/postgres -D /tmp/pg/data -p 54329 -c listen_addresses=127.0.0.1 -k /tmp/pg"'
run threadline-postgres "$BASE_IMAGE" bash -c "$server"
common=(--env THREADLINE_DATABASE_URL="$url")
sealed=(--read-only --tmpfs /tmp "${common[@]}")
until_true 60 "${podman[@]}" exec threadline-postgres sh -c 'pg_isready -h 127.0.0.1 -p 54329 -U threadline'
"${podman[@]}" run --rm "${limits[@]}" "${sealed[@]}" "$image" migrate
run threadline-api "${sealed[@]}" --env THREADLINE_HOST=127.0.0.1 --env THREADLINE_PORT=8470 "$image" serve --no-worker
run threadline-worker-1 "${common[@]}" "$image" worker
run threadline-worker-2 "${common[@]}" "$image" worker
until_true 60 "${podman[@]}" healthcheck run threadline-api
curl -fsS http://127.0.0.1:8470/v1/streams/default/documents -H 'Content-Type: application/json' \
    -d '{"id": "a", "time": "2026-03-02T08:14:00Z", "text": "the river is rising at the bridge"}'
until_true 60 sh -c 'curl -fsS http://127.0.0.1:8470/v1/streams/default/threads | grep -q thr_'
"${podman[@]}" exec threadline-api threadline doctor
for name in threadline-api threadline-worker-1 threadline-worker-2; do
    "${podman[@]}" stop --time 30 "$name" >/dev/null
    [ "$("${podman[@]}" inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || { "${podman[@]}" logs "$name"; exit 1; }
done
say "containers are fine"
