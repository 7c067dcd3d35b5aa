"""Schemathesis over the live service, all checks: no 5xx, no undocumented answer, nothing taken that should not be."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.store import keys
from service.store.database import Database
from tests.api import serving
from tests.story import tell
from tests.worker_stub import stub_worker

ROOT = Path(__file__).resolve().parents[1]
CASES = 1_000  # at least so many on each database
# Cursors are signed and settings have rules between them, so a fitting request may get 400, 412 or 422; which rules may
# refuse it is checked by a check of our own.
COMMON = """
seed = 4

[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "412", "422", "429"]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx"]
"""
FIXED = """
[parameters]
"path.stream" = "default"
"path.document" = "mail-1"
"path.thread" = "thr_1"
"""
DESTRUCTIVE = "streams_delete|documents_delete|documents_erase|keys_.*"


@pytest.mark.timeout(900)
def test_every_case_gets_a_declared_answer(database: Database, database_url: str, tmp_path: Path) -> None:
    """First with whatever streams and documents there are, then deep into a stream that has threads."""
    tell(database)
    with database.write() as connection:
        _, secret = keys.create(connection, "schemathesis", ["ingest", "read", "manage"])
    needed = database.dialect == "postgresql"
    options: dict[str, Any] = {"keys_required": needed, "sse_connections": 0, "streams": 10_000}
    key = ["--header", f"Authorization: Bearer {secret}", "--exclude-operation-id", "keys_revoke"] if needed else []
    with serving(database, tmp_path, database_url, **options) as server, stub_worker(database):
        deep = ["--exclude-operation-id-regex", DESTRUCTIVE, "--phases", "examples,fuzzing", "--max-examples", "5"]
        cases = _run(server.url, tmp_path, COMMON + FIXED, key[:2] + deep)
        cases += _run(server.url, tmp_path, COMMON, [*key, "--max-examples", "2"])
    assert cases >= CASES


def _run(url: str, folder: Path, configuration: str, options: list[str]) -> int:
    (folder / "schemathesis.toml").write_text(configuration)
    program = Path(sys.executable).with_name("schemathesis")
    command = [str(program), "--config-file", "schemathesis.toml", "run", f"{url}/openapi.json", "--checks", "all"]
    ended = subprocess.run(
        [*command, "--no-color", "--warnings", "off", *options],
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "tests.schemathesis_hooks", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"(\d+) generated", ended.stdout)
    assert ended.returncode == 0, ended.stdout[-20_000:] + ended.stderr
    assert found, ended.stdout
    return int(found[1])
