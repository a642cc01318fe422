# One image for every worker and for the jobs (topics, schemas). Sources run as they are: there is no build step.
FROM node:24-slim

ENV NODE_ENV=production
WORKDIR /app

# The optional packages bring Node to machines that have none; here the image is Node.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

COPY LICENSE NOTICE ./
COPY schemas schemas
COPY shared shared
COPY workers workers
COPY scripts scripts

USER node
EXPOSE 8080 8081

# A process with an ingress answers on PORT, any other on HEALTH_PORT. Ready means: serves traffic.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.HEALTH_PORT || process.env.PORT || 8080) + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# The warning comes from kafkajs and means nothing (tulios/kafkajs#1751).
ENTRYPOINT ["node", "--disable-warning=TimeoutNegativeWarning"]
CMD ["workers/main.ts"]
