import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Connections } from './connections.ts';

/** Makes the server reachable at an address, and resolves with its port. Rejects when the address cannot be bound. */
export type Listen = (
  app: FastifyInstance,
  address: { readonly host: string; readonly port: number },
  connections: Connections,
) => Promise<number>;

/**
 * Sockets that share the port. In each turn of the event loop Node accepts one connection of each socket. With a single
 * one, connections would wait for seconds while the turns take 10 ms, and the system would reset those that exceed the
 * queue of 511.
 */
const SOCKETS = 32;
/** Where the system distributes connections over the sockets that share a port; elsewhere there is one socket. */
const SHARES_PORTS = process.platform === 'linux';

/** Listens on TCP sockets; port 0: any free one. */
export const listenOnSockets: Listen = async (app, address, connections) => {
  if (!SHARES_PORTS) {
    await app.listen(address);
    return (app.server.address() as AddressInfo).port;
  }
  const port = await findFreePort(address);
  const shared = { ...address, port, reusePort: true };
  await app.listen(shared);
  for (let others = SOCKETS - 1; others > 0; others -= 1) {
    // As the HTTP server creates its own.
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    connections.acceptFrom(server);
    await listen(server, shared);
  }
  return port;
};

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
