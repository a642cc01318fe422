import { createNameCheck, type ServedNames } from './host-names.ts';
import { closeServer, createServer, listen } from './http-server.ts';
import { shareScrapeTexts, type Metrics } from './metrics.ts';
import type { Timers } from './system-ports.ts';

/** `ready`, `degraded`: the part serves. `starting`: it does not serve yet, or has paused. `unhealthy`: restart it. */
export interface Health {
  readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}

/** The worst status of the parts. The reason begins with the name of the part. */
export function combineHealth(parts: Readonly<Record<string, Health>>): Health {
  const rank = { ready: 0, degraded: 1, starting: 2, unhealthy: 3 } as const;
  let worst: Health = { status: 'ready' };
  for (const [name, part] of Object.entries(parts)) {
    if (rank[part.status] <= rank[worst.status]) continue;
    worst = { status: part.status, reason: `${name}: ${part.reason ?? part.status}` };
  }
  return worst;
}

/** The names in the address of a scrape, such as `/metrics?name[]=NAME`; undefined if it asks for all metrics. */
export function namesIn(url = ''): readonly string[] | undefined {
  const at = url.indexOf('?');
  const names = at === -1 ? [] : new URLSearchParams(url.slice(at + 1)).getAll('name[]');
  return names.length === 0 ? undefined : [...new Set(names)];
}

/**
 * Without an ingress, serves /health/live (503 if unhealthy), /health/ready (503 unless ready or degraded), /metrics.
 * A foreign Host or Origin gets 403. Requests and idle connections end after `timeoutMs`. Rejects if it cannot listen.
 */
export async function startHealthServer(
  options: ServedNames & {
    port: number;
    metrics: Metrics;
    timers: Timers;
    health: () => Readonly<Record<string, Health>>;
    timeoutMs?: number;
  },
) {
  const checkNames = createNameCheck(options);
  const scrape = shareScrapeTexts(options.metrics, options.timers);
  // A probe sends few bytes and reads the answer at once.
  const { timeoutMs = 5_000 } = options;
  const timeouts = { requestTimeout: timeoutMs, headersTimeout: timeoutMs };
  const server = createServer({ ...timeouts, connectionsCheckingInterval: 1_000 }, (request, response) => {
    const answer = (status: number, type: string, body: string) => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    };
    const foreign = checkNames(request.headers);
    if (foreign !== undefined)
      return answer(foreign.status, 'application/problem+json', JSON.stringify(foreign));
    const parts = options.health();
    const { status, reason } = combineHealth(parts);
    const body = JSON.stringify({ status, ...(reason === undefined ? {} : { reason }), parts });
    const path = request.url?.split('?', 1)[0];
    if (path === '/health/live') return answer(status === 'unhealthy' ? 503 : 200, 'application/json', body);
    if (path === '/health/ready')
      return answer(status === 'ready' || status === 'degraded' ? 200 : 503, 'application/json', body);
    if (path === '/metrics') {
      scrape(namesIn(request.url)).then(
        (text) => answer(200, options.metrics.contentType, text),
        () => answer(500, 'text/plain', 'the metrics cannot be collected\n'),
      );
      return;
    }
    return answer(404, 'text/plain', 'try /health/live, /health/ready or /metrics\n');
  });
  server.timeout = timeoutMs;
  // Probes and scrapers keep one or two connections each. Connections beyond this number are closed at once.
  server.maxConnections = 100;
  return { url: await listen(server, options.host, options.port), stop: () => closeServer(server) };
}
