import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LocalKafkaError } from './local-kafka-error.ts';

/**
 * Below 32768, where Linux takes the ports of outgoing connections from: a node that was killed finds its port free again
 * when it is restarted.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** Tries before giving up on finding a free port; most of the range is free on any machine. */
const MAX_TRIES = 200;

/** `count` different ports that are free on 127.0.0.1 at this moment. */
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

/** Throws LocalKafkaError `port-in-use` when something listens on the port already. */
export async function requireFree(port: number, option: string): Promise<void> {
  if (await isFree(port)) return;
  throw new LocalKafkaError(
    'port-in-use',
    `port ${port} is in use on 127.0.0.1: stop what listens there, or choose another with ${option}`,
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
