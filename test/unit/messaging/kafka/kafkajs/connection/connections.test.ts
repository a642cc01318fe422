import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SilentBrokers } from '../../../../../../shared/messaging/kafka/common/connection/brokers.ts';
import { KafkajsConnections } from '../../../../../../shared/messaging/kafka/kafkajs/connection/connections.ts';

describe('SilentBrokers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('moves silent brokers after the others, which keep their order', () => {
    const brokers = new SilentBrokers();
    brokers.add('a:1');
    expect(brokers.moveToEnd(['a:1', 'c:3', 'b:2'])).toEqual(['c:3', 'b:2', 'a:1']);
  });

  it('keeps silent brokers in the list if there are no others', () => {
    const brokers = new SilentBrokers();
    brokers.add('b:2');
    brokers.add('a:1');
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['a:1', 'b:2']);
  });

  it('restores the order 30 s after the last failure', () => {
    const brokers = new SilentBrokers();
    brokers.add('a:1');
    vi.advanceTimersByTime(29_000);
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['b:2', 'a:1']);
    vi.advanceTimersByTime(1_000);
    expect(brokers.moveToEnd(['a:1', 'b:2'])).toEqual(['a:1', 'b:2']);
  });
});

/** The connections of a client; `create` opens a socket to the address. */
function setUp({ port }: AddressInfo) {
  const silent: string[] = [];
  const connections = new KafkajsConnections((broker) => silent.push(broker));
  const create = () =>
    connections.createSocket({ host: '127.0.0.1', port, ssl: undefined!, onConnect: () => undefined });
  return { connections, create, silent };
}

async function startServer() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

describe('KafkajsConnections', () => {
  it('counts open connections and reports when the last one is closed', async () => {
    const { connections, create, silent } = setUp(await startServer());
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
    expect({ isConnected: connections.isConnected(), lost: lost.mock.calls.length, silent }).toEqual({
      isConnected: false,
      lost: 1,
      silent: [],
    });
  });

  it('closes all sockets and creates no new ones after destroy()', async () => {
    const { connections, create, silent } = setUp(await startServer());
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
    expect(silent).toEqual([]);
  });
});
