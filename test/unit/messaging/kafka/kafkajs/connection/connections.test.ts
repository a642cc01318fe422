import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KafkajsConnections } from '../../../../../../shared/messaging/kafka/kafkajs/connection/connections.ts';

/** The connections of a client; `create` opens a socket to the address. */
function setUp({ port }: AddressInfo) {
  const connections = new KafkajsConnections();
  const create = () =>
    connections.createSocket({ host: '127.0.0.1', port, ssl: undefined!, onConnect: () => undefined });
  return { connections, create };
}

async function startServer() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

describe('KafkajsConnections', () => {
  it('closes all sockets and creates no new ones after destroy()', async () => {
    const { connections, create } = setUp(await startServer());
    const socket = create();
    await once(socket, 'connect');
    const errors: string[] = [];
    socket.on('error', ({ message }) => errors.push(message));
    connections.destroy();
    await once(socket, 'close').catch(() => undefined);
    expect(socket.destroyed).toBe(true);
    expect(create).toThrow('this client is closed');
  });
});
