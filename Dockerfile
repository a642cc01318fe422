# One image for every worker and for the jobs (topics, schemas). Sources run as they are; only the browser pages are compiled.
FROM node:24-slim AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
COPY shared shared
COPY workers workers
COPY scripts scripts
RUN node scripts/build-workbench.ts

FROM node:24-slim

# One arena of free memory for all threads (docs/deploy.md).
ENV NODE_ENV=production MALLOC_ARENA_MAX=1
WORKDIR /app

# The optional packages bring Node to machines that have none; here the image is Node.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

COPY LICENSE NOTICE ./
COPY schemas schemas
COPY shared shared
COPY workers workers
COPY scripts scripts
# The rules to which /docs links.
COPY docs/rulings.md docs/
COPY --from=pages /app/workers/ingress/workbench/built workers/ingress/workbench/built

# Messages of the embedded broker, the local outbox, and the address file of `npm run dead-letters`: mount a volume to keep them.
RUN mkdir var && chown node:node var

USER node
# Nothing outside the container can reach its loopback address. Beyond it the ingress starts with keys for access tokens only.
ENV HOST=0.0.0.0
EXPOSE 8080 8081

# A process with an ingress answers on PORT, any other on HEALTH_PORT. Ready means: serves traffic. Each check starts a
# Node of its own, so that it is rare once the container is healthy, and has time on a busy machine. The start period is
# longer than a start waits for Kafka and the registry (two minutes).
HEALTHCHECK --interval=15s --timeout=15s --start-period=180s --start-interval=3s --retries=4 \
  CMD ["node", "-e", "require('node:http').get({ host: '127.0.0.1', port: process.env.HEALTH_PORT || process.env.PORT || 8080, path: '/health/ready' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]

# The warning comes from kafkajs and means nothing (tulios/kafkajs#1751).
ENTRYPOINT ["node", "--disable-warning=TimeoutNegativeWarning"]
CMD ["workers/main.ts"]
