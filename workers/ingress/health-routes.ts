import type { FastifyInstance, FastifyReply } from 'fastify';
import { combineHealth } from '../../shared/platform/health-server.ts';
import type { Metrics } from '../../shared/platform/metrics.ts';
import type { Health } from '../../shared/platform/worker.ts';
import { refuseWriting } from './routes.ts';
import { sendJson } from './send-answer.ts';

export interface HealthDeps {
  readonly metrics: Metrics;
  /** The parts of this instance by name. */
  readonly health: () => Readonly<Record<string, Health>>;
}

/** Serves /health/live (503 when only a restart helps), /health/ready (503 with the reason) and /metrics. */
export function registerHealth(app: FastifyInstance, basePath: string, deps: HealthDeps): void {
  const answer = (reply: FastifyReply, isWell: (status: Health['status']) => boolean): void => {
    const parts = deps.health();
    const { status, reason } = combineHealth(parts);
    const body = JSON.stringify({ status, ...(reason === undefined ? {} : { reason }), parts });
    sendJson(reply, isWell(status) ? 200 : 503, body);
  };
  // Probes know nothing of a base path; callers find everything below it.
  for (const prefix of new Set(['', basePath])) {
    app.get(`${prefix}/health/live`, (_request, reply) => answer(reply, (status) => status !== 'unhealthy'));
    app.get(`${prefix}/health/ready`, (_request, reply) =>
      answer(reply, (status) => status === 'ready' || status === 'degraded'),
    );
    app.get(`${prefix}/metrics`, async (_request, reply) => {
      const text = await deps.metrics.text();
      return reply
        .header('content-type', deps.metrics.contentType)
        .header('cache-control', 'no-store')
        .send(text);
    });
    for (const path of ['/health/live', '/health/ready', '/metrics']) refuseWriting(app, prefix + path);
  }
}
