import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { NodePlan, ProxiedListener, SecuredListener } from './broker-settings.ts';
import { LocalKafkaError } from './local-kafka-error.ts';

/** Below 32768, so that on Linux no outgoing connection takes the port of a killed node before its restart. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** Maximum number of ports to try; most of the range is free on any machine. */
const MAX_TRIES = 200;

export interface Ports {
  readonly plans: readonly NodePlan[];
  readonly registryPort: number;
}

export interface PortRequest {
  readonly nodes?: 1 | 2 | 3;
  readonly port?: number;
  readonly registryPort?: number;
  /** A second listener of each node that advertises the port of a proxy. */
  readonly proxied?: readonly ProxiedListener[];
  /** Listeners of a single node with TLS or a login. */
  readonly secured?: readonly SecuredListener[];
}

/** The requested ports and free ones for the rest. Throws LocalKafkaError `port-in-use` if a requested port is in use. */
export async function choosePorts(request: PortRequest): Promise<Ports> {
  const count = request.nodes ?? 1;
  const free = await findFreePorts(2 * count + 1);
  const brokerPorts = Array.from({ length: count }, (_, index) =>
    request.port === undefined ? (free[index] ?? 0) : request.port + index,
  );
  const registryPort = request.registryPort ?? free[2 * count] ?? 0;
  if (request.port !== undefined) await Promise.all(brokerPorts.map((port) => requireFree(port, '--port')));
  if (request.registryPort !== undefined) await requireFree(registryPort, '--registry-port');
  const plans = brokerPorts.map((brokerPort, index): NodePlan => {
    const proxied = request.proxied?.[index];
    return {
      nodeId: index + 1,
      brokerPort,
      controllerPort: free[count + index] ?? 0,
      ...(proxied === undefined ? {} : { proxied }),
      ...(request.secured === undefined ? {} : { secured: request.secured }),
    };
  });
  return { plans, registryPort };
}

/** Finds `count` distinct ports that are free on 127.0.0.1 at the moment. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count && tries < MAX_TRIES; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) {
    throw new LocalKafkaError('port-in-use', `no ${count} free ports between ${FIRST_PORT} and ${LAST_PORT}`);
  }
  return [...found];
}

/** Throws LocalKafkaError `port-in-use` if another process listens on the port. */
async function requireFree(port: number, option: string): Promise<void> {
  if (await isFree(port)) return;
  throw new LocalKafkaError(
    'port-in-use',
    `port ${port} is in use on 127.0.0.1: stop the process that listens on it, or choose another port with ${option}`,
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
