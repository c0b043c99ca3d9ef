# One image for every service of Lontar; the command says which one runs:
#
#   docker build -t lontar .
#   docker run lontar gateway|worker|stats-service    a service
#   docker run lontar lontar …                        the operator's command
#
# Node runs the TypeScript sources as they are, so there is nothing to compile but the dashboard's page.

# Node 24.21.0. The digest decides, so that a build uses the very image that was looked at; the tag says where it is from,
# and docs/operating.md how to take a newer one. Another base: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

# The manifests alone, so that a change of the sources does not install the dependencies again.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY shared/package.json shared/
COPY gateway/package.json gateway/
COPY worker/package.json worker/
COPY stats-service/package.json stats-service/
COPY dashboard/package.json dashboard/
COPY cli/package.json cli/
COPY e2e/package.json e2e/

# What runs: no package's install scripts, no development dependencies, no workspaces that only tests or builds need.
FROM manifests AS dependencies
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
      --workspace shared --workspace gateway --workspace worker --workspace stats-service --workspace cli \
 && find node_modules -name '*.map' -delete

FROM manifests AS page
RUN --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit --no-fund --workspace dashboard --workspace shared
COPY tsconfig.json ./
COPY shared shared
COPY dashboard dashboard
RUN npm run build --workspace dashboard

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Lontar" \
      org.opencontainers.image.description="Self-hosted text generation: durable jobs, exact limits, every answer masked." \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
# The workspaces stay links into these folders: Node strips types everywhere but under a real node_modules.
COPY package.json ./
COPY shared shared
COPY gateway gateway
COPY worker worker
COPY stats-service stats-service
COPY cli cli
COPY docs/runbooks docs/runbooks
COPY --from=page /app/dashboard/dist dashboard/dist
COPY --chmod=0755 deploy/image/ /usr/local/bin/
# A new volume takes the owner of the folder that it is mounted on, so that a user without rights can write to it.
# What is in /data is for that user alone, as `lontar doctor` wants it.
RUN install -d -m 0700 -o 1000 -g 1000 /data /data/uploads \
 && install -d -o 1000 -g 1000 /var/cache/lontar /secrets \
      /secrets/redis /secrets/gateway /secrets/worker /secrets/stats-service /secrets/prometheus /secrets/alertmanager \
      /secrets/grafana

# One pool of memory for all threads of a process: cli/src/processes/service-process.ts says why.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    HOST=0.0.0.0 \
    STATS_HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=9464 \
    LONTAR_HOME=/data
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
# Loads every service once, without the settings it needs, to keep what V8 compiles: services start two to three times
# faster. The cache is bound to this user and this Node; where it does not fit it is not used.
ENV NODE_COMPILE_CACHE=/var/cache/lontar
RUN for service in gateway worker stats-service; do \
      node "$service/src/main.ts" 2>/dev/null; [ $? -eq 2 ] || exit 1; \
    done \
 && node cli/src/lontar/main.ts --help >/dev/null
EXPOSE 8080 8090 9464
ENTRYPOINT ["lontar-run"]
CMD ["gateway"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["lontar-ready"]
