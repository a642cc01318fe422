import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An `import` of node:http evaluates all its exports; for `WebSocket` Node then loads a copy of undici: 12 MiB and a twentieth of a start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Listens on a port, 0 for any free one, and resolves to the URL of the server. Rejects when it cannot listen. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

/** Stops listening and closes all connections. Never rejects. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
