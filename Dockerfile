# The application: the package with the offline model, run by a user without rights.
# Where the package index offers torch only for graphics cards, name an index with the CPU build:
#   docker compose build --build-arg PIP_EXTRA_INDEX_URL=…
FROM python:3.12-slim-bookworm AS build
ARG PIP_EXTRA_INDEX_URL
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY verifier ./verifier
COPY migrations ./migrations
RUN python -m venv /opt/verifier \
 && /opt/verifier/bin/pip install --no-cache-dir torch==2.13.0 \
 && /opt/verifier/bin/pip install --no-cache-dir ".[offline-model,documents]"

FROM python:3.12-slim-bookworm
RUN useradd --create-home --uid 10001 verifier
COPY --from=build /opt/verifier /opt/verifier
ENV PATH=/opt/verifier/bin:$PATH PYTHONUNBUFFERED=1
USER verifier
WORKDIR /home/verifier
ENTRYPOINT ["verifier"]
CMD ["doctor"]
