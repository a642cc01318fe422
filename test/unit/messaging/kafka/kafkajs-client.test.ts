import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { KafkajsConnections } from '../../../../shared/messaging/kafka/kafkajs-client.ts';

it('a client closes all sockets and creates no new ones after destroy()', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = new KafkajsConnections();
  const create = () =>
    connections.createSocket({ host: '127.0.0.1', port, ssl: undefined!, onConnect: () => undefined });
  const socket = create();
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  connections.destroy();
  await once(socket, 'close').catch(() => undefined);
  expect(socket.destroyed).toBe(true);
  expect(create).toThrow('this client is closed');
});
