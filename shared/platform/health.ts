import { createNameCheck, type ServedNames } from './host-names.ts';
import { closeServer, createServer, listen } from './http-server.ts';
import { shareScrapeTexts, type Metrics } from './metrics.ts';
import type { Timers } from './system-ports.ts';

/**
 * Health of one part of the process. Ready and degraded parts serve requests; a starting one does not yet, or has paused; an unhealthy one
 * needs a restart.
 */
export interface Health {
  readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}

/** Combines the health of several parts: the worst status and its reason. */
export function combineHealth(parts: Readonly<Record<string, Health>>): Health {
  const rank = { ready: 0, degraded: 1, starting: 2, unhealthy: 3 } as const;
  let worst: Health = { status: 'ready' };
  for (const [name, part] of Object.entries(parts)) {
    if (rank[part.status] <= rank[worst.status]) continue;
    worst = { status: part.status, reason: `${name}: ${part.reason ?? part.status}` };
  }
  return worst;
}

/** The metrics that a scrape asks for, as `/metrics?name[]=NAME&name[]=…`; undefined: all of them. */
export function namesIn(url = ''): readonly string[] | undefined {
  const at = url.indexOf('?');
  const names = at === -1 ? [] : new URLSearchParams(url.slice(at + 1)).getAll('name[]');
  return names.length === 0 ? undefined : [...new Set(names)];
}

/**
 * Serves /health/live (200 unless unhealthy), /health/ready (200 when ready or degraded) and /metrics for a process without ingress; 403 for
 * a foreign Host or Origin. Rejects when it cannot listen on the port.
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
  // Probes send their few bytes immediately, and read the answer.
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
  // A few probes and scrapers keep one or two each; further ones are closed at once.
  server.maxConnections = 100;
  return { url: await listen(server, options.host, options.port), stop: () => closeServer(server) };
}
