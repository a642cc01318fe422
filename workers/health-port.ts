import { startHealthServer, type HealthServer } from '../shared/platform/health.ts';
import { createConnections } from './ingress/server/connections.ts';

/** A few probes and scrapers; each keeps one or two connections. */
const CONNECTIONS = 100;

/**
 * Serves health and metrics of a process without an ingress. Of more than `CONNECTIONS` connections the one that has waited longest
 * for its caller is ended, so that half-open ones neither lock probes out nor take the files of topics and providers.
 */
export function openHealthPort(
  options: Omit<Parameters<typeof startHealthServer>[0], 'limitConnections'>,
): Promise<HealthServer> {
  return startHealthServer({
    ...options,
    limitConnections: (server) => void createConnections(server, CONNECTIONS),
  });
}
