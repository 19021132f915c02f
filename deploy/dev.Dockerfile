# A cluster in one process, for tests and previews. `make image` puts together what is copied here (see
# scripts/image.ts) and builds this. Its objects are in memory, unless the command says --data=DIR.
#
# The base is anything with Node.js 24 or newer on its PATH; it needs no shell.
ARG BASE_IMAGE=docker.io/library/node:24-bookworm-slim
FROM ${BASE_IMAGE}

COPY . /app/

# Nothing in the image belongs to this user. Certificates and the connection file are written to /tmp.
USER 65532:65532
EXPOSE 6443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=2s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "/app/dist/server/healthcheck.js"]
# An allocator that gives back what is free, and a small young generation: see docs/decisions/glibc-settings.md.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072
ENTRYPOINT ["node", "--max-semi-space-size=2", "/app/dist/dev/main.js", "--bind-address=0.0.0.0", "--port=6443", "--kubeconfig=/tmp/admin.conf"]
