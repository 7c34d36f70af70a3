# The bot as a container: locked dependencies, an ordinary user, one process to stop.
#
#   docker build -t photomat .
#   docker build -t photomat --build-arg AUDIO=1 .     converts voice notes too: adds PyAV, which contains FFmpeg and LAME (LGPL)
#   docker build -t photomat --build-arg EXTRAS=sentry,otel .     can report errors and send traces
#   docker run --env-file .env -p 8080:8080 -v photomat:/data photomat
#   docker run … --read-only --tmpfs /tmp              nothing but /data and /tmp is written
#
# docker-bake.hcl builds it for amd64 and arm64.

FROM python:3.11-slim AS build
ENV UV_SYSTEM_CERTS=1 UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1
WORKDIR /opt/photomat
COPY requirements/bootstrap.txt requirements/run.txt requirements/audio.txt requirements/sentry.txt requirements/otel.txt requirements/
RUN python -m venv .venv \
 && .venv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt \
 && .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements/run.txt
ARG AUDIO=
RUN test -z "$AUDIO" \
 || .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements/audio.txt
ARG EXTRAS=
RUN IFS=,; for extra in $EXTRAS; do \
      .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r "requirements/$extra.txt" || exit 1; \
    done
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN .venv/bin/uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation . \
 && .venv/bin/uv pip uninstall --quiet --python .venv/bin/python uv

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 photomat \
 && install -d -o photomat -g photomat -m 0700 /data
COPY --from=build /opt/photomat/.venv /opt/photomat/.venv
ENV PATH=/opt/photomat/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data PORT=8080
ARG VERSION= REVISION= CREATED= SOURCE=
LABEL org.opencontainers.image.title="Photomat" \
      org.opencontainers.image.description="A self-hosted Telegram bot that sells AI media" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="$SOURCE"
# By number: Kubernetes can tell that it is not root only then.
USER 10001
WORKDIR /data

# No VOLUME on purpose: Docker would make a nameless one, the program would take it for a disk that lasts, and the next
# container would begin with an empty till. Mount one by name (-v photomat:/data), or set DATABASE_URL.
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/health', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["photomat", "run"]
