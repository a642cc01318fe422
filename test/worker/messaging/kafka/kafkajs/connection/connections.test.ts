import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KafkajsConnections } from '../../../../../../shared/messaging/kafka/kafkajs/connection/connections.ts';

/** A server on loopback that handles its connections with the given function. */
async function serverThat(serve: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** The sockets of a client, and the brokers that it reports as silent. */
function client() {
  const silent: string[] = [];
  const connections = new KafkajsConnections((address) => silent.push(address));
  const connect = (port: number, ssl?: ConnectionOptions) => {
    const socket = connections.createSocket({
      host: '127.0.0.1',
      port,
      ssl: ssl as never,
      onConnect: () => undefined,
    });
    // The promise of once() would reject on the error event, which precedes `close`.
    const closed = new Promise<void>((resolve) => {
      socket.on('error', () => undefined).once('close', () => resolve());
    });
    return { socket, closed };
  };
  return { silent, connections, connect };
}

describe('a broker', () => {
  test('is reported as silent when it refuses the connection', async () => {
    const { server, port } = await serverThat(() => undefined);
    server.close();
    await once(server, 'close');
    const { silent, connect } = client();
    await connect(port).closed;
    expect(silent).toEqual([`127.0.0.1:${port}`]);
  });

  test('is reported as silent when it does not answer the TLS handshake in time', async () => {
    const { port } = await serverThat(() => undefined);
    const { silent, connections, connect } = client();
    const { closed } = connect(port, { rejectUnauthorized: false });
    await expect.poll(() => silent).toEqual([`127.0.0.1:${port}`]);
    expect(connections.isConnected()).toBe(false);
    connections.destroy();
    await closed;
    expect(silent).toHaveLength(1);
  });

  test('is not reported as silent when the client is closed while it connects', async () => {
    const { port } = await serverThat(() => undefined);
    const { silent, connections, connect } = client();
    const { closed } = connect(port);
    connections.destroy();
    await closed;
    expect(silent).toEqual([]);
  });

  test('that does not answer loses its connections, and others keep theirs', async () => {
    const [silent, other] = await Promise.all([serverThat(() => undefined), serverThat(() => undefined)]);
    const { connections, connect } = client();
    const [first, second] = [connect(silent.port), connect(other.port)];
    await Promise.all([once(first.socket, 'connect'), once(second.socket, 'connect')]);
    connections.close(`127.0.0.1:${silent.port}`);
    await first.closed;
    expect(second.socket.destroyed).toBe(false);
    expect(connections.isConnected()).toBe(true);
    connections.destroy();
    await second.closed;
  });

  test('is not reported as silent when its connection ends during a request', async () => {
    const { port } = await serverThat(() => undefined);
    const { silent, connections, connect } = client();
    const { socket, closed } = connect(port);
    await once(socket, 'connect');
    expect(connections.isConnected()).toBe(true);
    socket.write('a request');
    connections.destroy();
    await closed;
    expect([silent, connections.isConnected()]).toEqual([[], false]);
  });
});
