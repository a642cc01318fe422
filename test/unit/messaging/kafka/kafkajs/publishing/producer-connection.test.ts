import type { Producer } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CreateKafkajsClient } from '../../../../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import { ProducerConnection } from '../../../../../../shared/messaging/kafka/kafkajs/publishing/producer-connection.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface FakeClient {
  readonly connections: { isDestroyed: boolean; onLost?: () => void };
  readonly partitionOf: (message: { partition?: number }) => number;
  readonly silent: string[];
  succeed(): Promise<unknown>;
  fail(): Promise<unknown>;
  timeOut(broker: string): void;
}

/** A connection whose clients connect or fail on command; the latest client is last. */
function setUp() {
  const clients: FakeClient[] = [];
  const ready = vi.fn<() => void>();
  const createClient = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const connections = {
      isDestroyed: false,
      isConnected: () => !connections.isDestroyed,
      destroy: () => {
        connections.isDestroyed = true;
      },
    };
    const silent: string[] = [];
    let partitioner: ((args: { message: object }) => number) | undefined;
    let onTimeout: ((event: { payload: { broker: string } }) => void) | undefined;
    const producer = {
      events: { REQUEST_TIMEOUT: 'REQUEST_TIMEOUT' },
      on: (_: string, listener: typeof onTimeout) => {
        onTimeout = listener;
      },
      connect: () => promise,
      disconnect: () => Promise.reject(new Error('not connected')),
    };
    clients.push({
      connections,
      silent,
      partitionOf: (message) => partitioner?.({ message }) ?? -1,
      succeed: () => {
        resolve();
        return vi.advanceTimersByTimeAsync(0);
      },
      fail: () => {
        reject(new Error('no broker'));
        return vi.advanceTimersByTimeAsync(0);
      },
      timeOut: (broker) => onTimeout?.({ payload: { broker } }),
    });
    const kafka = {
      producer: ({ createPartitioner }: { createPartitioner: () => typeof partitioner }) => {
        partitioner = createPartitioner();
        return producer as unknown as Producer;
      },
    };
    return { kafka, connections, onSilent: (broker: string) => silent.push(broker) };
  };
  const connection = new ProducerConnection({
    createClient: createClient as unknown as CreateKafkajsClient,
    clientId: 'p',
    onReady: ready,
    onFailed: () => undefined,
  });
  const latest = (): FakeClient => {
    const client = clients.at(-1);
    if (client === undefined) throw new Error('no client');
    return client;
  };
  return { connection, clients, latest, ready };
}

describe('ProducerConnection', () => {
  test('calls onReady once connected, and keeps the chosen partition of a record', async () => {
    const { connection, latest, ready } = setUp();
    connection.open();
    expect({ sender: connection.sender, isConnected: connection.isConnected() }).toEqual({
      sender: undefined,
      isConnected: false,
    });
    await latest().succeed();
    expect(ready).toHaveBeenCalledOnce();
    expect(connection.isConnected()).toBe(true);
    expect([latest().partitionOf({ partition: 7 }), latest().partitionOf({})]).toEqual([7, 0]);
    latest().timeOut('b:1');
    expect(latest().silent).toEqual(['b:1']);
  });

  test('retries with doubled delays up to 2 s, and restarts the delays after a success', async () => {
    const { connection, clients, latest } = setUp();
    connection.open();
    for (const delayMs of [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]) {
      const before = clients.length;
      await latest().fail();
      expect(latest().connections.isDestroyed).toBe(true);
      await vi.advanceTimersByTimeAsync(delayMs - 1);
      expect(clients).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(clients).toHaveLength(before + 1);
    }
    expect(String(connection.lastError)).toContain('no broker');
    await latest().succeed();
    latest().connections.onLost?.();
    const before = clients.length;
    await latest().fail();
    await vi.advanceTimersByTimeAsync(50);
    expect(clients).toHaveLength(before + 1);
  });

  test('replaces a discarded or lost producer immediately, but ignores events of a previous one', async () => {
    const { connection, clients, latest } = setUp();
    connection.open();
    await latest().succeed();
    const former = connection.sender;
    if (former === undefined) throw new Error('there is no sender');
    connection.discard(former);
    expect(clients).toHaveLength(2);
    expect(clients[0]?.connections.isDestroyed).toBe(true);
    await latest().succeed();
    connection.discard(former);
    expect(clients).toHaveLength(2);
    latest().connections.onLost?.();
    expect(clients).toHaveLength(3);
  });

  test('stops on close(), also while connecting or between attempts', async () => {
    const connecting = setUp();
    connecting.connection.open();
    connecting.connection.close();
    await connecting.latest().succeed();
    expect(connecting.latest().connections.isDestroyed).toBe(true);
    expect(connecting.ready).not.toHaveBeenCalled();

    const waiting = setUp();
    waiting.connection.open();
    await waiting.latest().fail();
    waiting.connection.close();
    await vi.advanceTimersByTimeAsync(10_000);
    waiting.connection.open();
    expect(waiting.clients).toHaveLength(1);

    const connected = setUp();
    connected.connection.open();
    await connected.latest().succeed();
    connected.connection.close();
    expect(connected.latest().connections.isDestroyed).toBe(true);
    expect(connected.connection.sender).toBe(undefined);
  });
});
