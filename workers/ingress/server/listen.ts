import { lookup } from 'node:dns/promises';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Makes the server reachable at an address, and resolves with its port. Rejects when the address cannot be bound. */
export type Listen = (app: FastifyInstance, address: Address, connections: Connections) => Promise<number>;

/** Where the system distributes connections over the sockets that share a port; elsewhere there is one socket. */
const SHARES_PORTS = process.platform === 'linux';
/**
 * Sockets that share the port. In each turn of the event loop Node accepts one connection of each socket. With a single
 * one, connections would wait for seconds while the turns take 10 ms, and the system would reset those that exceed the
 * queue of 511.
 */
const SOCKETS = SHARES_PORTS ? 32 : 1;
const SHARED = SHARES_PORTS ? { reusePort: true } : {};
/** Attempts to lock a port, and the time between them: a second together, while binding takes some milliseconds. */
const LOCK_TRIES = 50;
const LOCK_RETRY_MS = 20;

/** Listens on TCP sockets; port 0: any free one. The name localhost means all its addresses, any other name its first one. */
export const listenOnSockets: Listen = async (app, { host, port }, connections) => {
  const hosts = host === 'localhost' ? await addressesOf(host) : [host];
  return listenOnAddresses(app, { hosts, port }, connections);
};

/**
 * Listens on the same port of several addresses, so that limits and shutdown apply to all their connections. Fastify would
 * create a server for each address of localhost, whose connections are not counted. Rejects if the first address cannot be
 * bound; the others are optional, since a machine may be without IPv6.
 */
export async function listenOnAddresses(
  app: FastifyInstance,
  { hosts, port }: { readonly hosts: readonly string[]; readonly port: number },
  connections: Connections,
): Promise<number> {
  const [host = '127.0.0.1', ...others] = hosts;
  const unlock = await lockPort(port);
  try {
    // The system never chooses a port that another socket has.
    if (port !== 0) await requireFree({ host, port });
    await app.listen({ host, port, ...SHARED });
    const { port: bound } = app.server.address() as AddressInfo;
    await addSockets({ host, port: bound }, SOCKETS - 1, connections);
    for (const other of others) {
      const address = { host: other, port: bound };
      await requireFree(address)
        .then(() => addSockets(address, SOCKETS, connections))
        .catch(() => undefined);
    }
    return bound;
  } finally {
    unlock();
  }
}

async function addSockets(address: Address, count: number, connections: Connections): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    // As the HTTP server creates its own.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await listen(server, { ...address, ...SHARED });
    connections.acceptFrom(server);
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address }) => address);
}

/**
 * Rejects unless a socket of its own can be bound to the address: sockets that share their port could also share it with a
 * second process of the same user.
 */
async function requireFree(address: Address): Promise<void> {
  if (!SHARES_PORTS) return;
  const server = createServer();
  await listen(server, address);
  await new Promise((resolve) => server.close(resolve));
}

/**
 * Keeps other instances from binding the port between the check that it is free and the first shared socket. The lock is a
 * socket in the abstract namespace, which the system removes with its process. Without the lock an instance continues
 * after LOCK_TRIES: it is needed only if two instances start within the same millisecond.
 */
async function lockPort(port: number): Promise<() => void> {
  const lock = createServer();
  const path = `\0platapi-port-${port}`;
  for (let left = SHARES_PORTS && port !== 0 ? LOCK_TRIES : 0; left > 0; left -= 1) {
    try {
      await listen(lock, { path });
      return () => void lock.close();
    } catch (error) {
      // Elsewhere, such as in a sandbox without such sockets, there is nothing to wait for.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') break;
      await sleep(LOCK_RETRY_MS);
    }
  }
  return () => undefined;
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(options, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}
