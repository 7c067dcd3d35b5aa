ARG BASE_IMAGE=python:3.11-slim
# Any image with Python 3.11 or later; the same one builds and runs.

FROM ${BASE_IMAGE} AS build
ENV UV_SYSTEM_CERTS=1 UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_PYTHON_DOWNLOADS=never
WORKDIR /opt/threadline
RUN python3 -m venv /opt/uv && /opt/uv/bin/pip install --quiet --no-cache-dir uv==0.13.8
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN /opt/uv/bin/uv sync --frozen --quiet --no-default-groups --extra postgres --no-install-project
COPY core core
COPY service service
COPY migrations migrations
COPY examples/demo.jsonl examples/
RUN /opt/uv/bin/uv sync --frozen --quiet --no-default-groups --extra postgres --no-editable
# The kernels of every model are compiled here, so that the first document does not wait for them.
COPY scripts/compile_kernels.py scripts/
ENV NUMBA_CACHE_DIR=/opt/threadline/kernels
RUN .venv/bin/python scripts/compile_kernels.py

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="Threadline" org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --system --gid 10001 threadline \
    && useradd --system --uid 10001 --gid threadline --home-dir /data --no-create-home threadline \
    && install --directory --owner=threadline --group=threadline --mode=0700 /data
COPY --from=build --chown=threadline:threadline /opt/threadline/kernels /opt/threadline/kernels
COPY --from=build /opt/threadline/.venv /opt/threadline/.venv
ENV PATH=/opt/threadline/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/opt/threadline/kernels \
    THREADLINE_DATA_DIR=/data \
    THREADLINE_HOST=0.0.0.0
USER threadline
WORKDIR /data
VOLUME /data
EXPOSE 8470
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8470/readyz', timeout=4)"]
ENTRYPOINT ["threadline"]
CMD ["serve"]
