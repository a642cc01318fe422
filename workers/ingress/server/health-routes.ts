import type { FastifyInstance, FastifyReply } from 'fastify';
import { combineHealth, namesIn, type Health } from '../../../shared/platform/health.ts';
import { shareScrapeTexts } from '../../../shared/platform/metrics.ts';
import type { IngressContext } from './context.ts';
import { sendJson } from './send-answer.ts';

/** Serves /metrics, /health/live (503: a worker needs a restart), /health/ready (503: this instance cannot serve). */
export function registerHealth(
  app: FastifyInstance,
  deps: Pick<IngressContext, 'metrics' | 'timers'> &
    Record<'health' | 'workers', () => Readonly<Record<string, Health>>>,
): void {
  const respond = (reply: FastifyReply, health: Health, isOk: boolean): void => {
    const body = { ...health, parts: deps.health(), workers: deps.workers() };
    sendJson(reply, isOk ? 200 : 503, JSON.stringify(body));
  };
  const scrape = shareScrapeTexts(deps.metrics, deps.timers);
  app.get('/health/live', (_request, reply) => {
    const all = combineHealth({ ...deps.workers(), ...deps.health() });
    respond(reply, all, all.status !== 'unhealthy');
  });
  app.get('/health/ready', (_request, reply) => {
    const own = combineHealth(deps.health());
    respond(reply, own, own.status === 'ready' || own.status === 'degraded');
  });
  app.get('/metrics', async (request, reply) => {
    const text = await scrape(namesIn(request.url));
    return reply
      .header('content-type', deps.metrics.contentType)
      .header('cache-control', 'no-store')
      .send(text);
  });
}
