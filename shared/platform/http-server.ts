import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An `import` would also read the export `WebSocket`, for which Node loads undici (12 MiB, a twentieth of a start). */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Listens on a port (0: any free one). Resolves to the URL of the server. Rejects if it cannot listen. */
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
