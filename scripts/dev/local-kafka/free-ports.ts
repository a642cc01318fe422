import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LocalKafkaError } from './local-kafka-error.ts';

/** Below 32768, so that on Linux no outgoing connection takes the port of a killed node before its restart. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const MAX_TRIES = 200;

/** Ports of 127.0.0.1 on which nothing listens now. Rejects with LocalKafkaError `port-in-use` after 200 tries. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count && tries < MAX_TRIES; tries += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) {
    throw new LocalKafkaError('port-in-use', `no ${count} ports from ${FIRST_PORT} to ${LAST_PORT} are free`);
  }
  return [...found];
}

/** Rejects with LocalKafkaError `port-in-use` unless the port of 127.0.0.1 is free. The message names `option`. */
export async function requireFreePort(port: number, option: string): Promise<void> {
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
