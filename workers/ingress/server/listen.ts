import { lookup } from 'node:dns/promises';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Makes the server reachable at an address, and resolves with its port. Rejects when the address cannot be bound. */
export type Listen = (app: FastifyInstance, address: Address, connections: Connections) => Promise<number>;

/**
 * Sockets that share the port. In each turn of the event loop Node accepts one connection of each socket. With a single
 * one, connections would wait for seconds while the turns take 10 ms, and the system would reset those that exceed the
 * queue of 511.
 */
const SOCKETS = 32;
/** Where the system distributes connections over the sockets that share a port; elsewhere there is one socket. */
const SHARES_PORTS = process.platform === 'linux';

/** Listens on TCP sockets; port 0: any free one. The name localhost means all its addresses, any other name its first one. */
export const listenOnSockets: Listen = async (app, { host, port }, connections) => {
  const hosts = host === 'localhost' ? await addressesOf(host) : [host];
  return listenOnAddresses(app, { hosts, port }, connections);
};

/**
 * Listens on the same port of several addresses, so that limits and shutdown apply to all their connections. Fastify would
 * create a server for each address of localhost, whose connections nobody counts. Rejects if the first address cannot be
 * bound; the others are optional, since a machine may be without IPv6.
 */
export async function listenOnAddresses(
  app: FastifyInstance,
  { hosts, port }: { readonly hosts: readonly string[]; readonly port: number },
  connections: Connections,
): Promise<number> {
  const [host = '127.0.0.1', ...others] = hosts;
  const shared = await shareable({ host, port });
  await app.listen(shared);
  const { port: bound } = app.server.address() as AddressInfo;
  const first = { ...shared, port: bound };
  if (SHARES_PORTS) await addSockets(first, SOCKETS - 1, connections);
  for (const other of others) {
    await addSockets({ ...first, host: other }, SHARES_PORTS ? SOCKETS : 1, connections).catch(
      () => undefined,
    );
  }
  return bound;
}

async function addSockets(options: ListenOptions, count: number, connections: Connections): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    // As the HTTP server creates its own.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await listen(server, options);
    connections.acceptFrom(server);
  }
}

async function addressesOf(name: string): Promise<readonly string[]> {
  const addresses = await lookup(name, { all: true });
  return addresses.map(({ address }) => address);
}

/** The options of a socket that shares its port, where the system supports that. */
async function shareable(address: Address): Promise<Address & { readonly reusePort?: true }> {
  return SHARES_PORTS ? { ...address, port: await findFreePort(address), reusePort: true } : address;
}

/**
 * The port, once a socket of its own could be bound to it: sockets that share their port could also share it with a second
 * process of the same user.
 */
async function findFreePort(address: ListenOptions): Promise<number> {
  const server = createServer();
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listen(server: Server, options: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(options, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}
