import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
  it('counts open connections and reports when the last one is closed', async () => {
    const { connections, create } = setUp(await startServer());
    const lost = vi.fn<() => void>();
    connections.onLost = lost;
    const sockets = [create(), create()];
    expect(connections.isConnected()).toBe(false);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(connections.isConnected()).toBe(true);
    sockets[0]?.destroy();
    await once(sockets[0]!, 'close');
    expect({ isConnected: connections.isConnected(), lost: lost.mock.calls.length }).toEqual({
      isConnected: true,
      lost: 0,
    });
    sockets[1]?.destroy();
    await once(sockets[1]!, 'close');
    expect({ isConnected: connections.isConnected(), lost: lost.mock.calls.length }).toEqual({
      isConnected: false,
      lost: 1,
    });
  });

  it('closes all sockets and creates no new ones after destroy()', async () => {
    const { connections, create } = setUp(await startServer());
    const lost = vi.fn<() => void>();
    connections.onLost = lost;
    const socket = create();
    await once(socket, 'connect');
    const errors: string[] = [];
    socket.on('error', ({ message }) => errors.push(message));
    connections.destroy();
    await once(socket, 'close').catch(() => undefined);
    expect(socket.destroyed).toBe(true);
    expect(lost).not.toHaveBeenCalled();
    expect(create).toThrow('this client is closed');
  });
});
