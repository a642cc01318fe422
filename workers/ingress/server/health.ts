import type { FastifyInstance, FastifyReply } from 'fastify';
import { combineHealth } from '../../../shared/platform/health.ts';
import type { Metrics } from '../../../shared/platform/metrics.ts';
import type { Health } from '../../../shared/platform/health.ts';
import { refuseOtherMethods, sendJson } from './send-answer.ts';

export interface HealthDeps {
  readonly metrics: Metrics;
  /** The parts of this instance by name. */
  readonly health: () => Readonly<Record<string, Health>>;
  /** The other workers of the process by name. */
  readonly workers: () => Readonly<Record<string, Health>>;
}

/**
 * Serves /health/live (503 when only a restart helps: a part or any worker of the process is unhealthy), /health/ready
 * (503 with the reason while this instance cannot serve; other workers are shown and do not decide: theirs may be done
 * by another process) and /metrics.
 */
export function registerHealth(app: FastifyInstance, basePath: string, deps: HealthDeps): void {
  const answerLive = (reply: FastifyReply): void => {
    const all = combineHealth({ ...deps.workers(), ...deps.health() });
    answer(reply, deps, { decisive: all, isWell: all.status !== 'unhealthy' });
  };
  const answerReady = (reply: FastifyReply): void => {
    const own = combineHealth(deps.health());
    answer(reply, deps, { decisive: own, isWell: own.status === 'ready' || own.status === 'degraded' });
  };
  // Probes know nothing of a base path; callers find everything below it.
  for (const prefix of new Set(['', basePath])) {
    app.get(`${prefix}/health/live`, (_request, reply) => answerLive(reply));
    app.get(`${prefix}/health/ready`, (_request, reply) => answerReady(reply));
    app.get(`${prefix}/metrics`, async (_request, reply) => {
      const text = await deps.metrics.text();
      return reply
        .header('content-type', deps.metrics.contentType)
        .header('cache-control', 'no-store')
        .send(text);
    });
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      refuseOtherMethods(app, prefix + path, 'GET');
    }
  }
}

function answer(
  reply: FastifyReply,
  deps: HealthDeps,
  { decisive, isWell }: { decisive: Health; isWell: boolean },
): void {
  const body = { ...decisive, parts: deps.health(), workers: deps.workers() };
  sendJson(reply, isWell ? 200 : 503, JSON.stringify(body));
}
