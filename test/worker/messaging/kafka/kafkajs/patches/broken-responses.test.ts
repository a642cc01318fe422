import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KafkajsConnections } from '../../../../../../shared/messaging/kafka/kafkajs/connection/connections.ts';
import { guardConnections } from '../../../../../../shared/messaging/kafka/kafkajs/patches/broken-responses.ts';
import { stopIdlePolling } from '../../../../../../shared/messaging/kafka/kafkajs/patches/patch-kafkajs.ts';

const require = createRequire(import.meta.url);

interface Connection {
  connect(): Promise<boolean>;
  disconnect(): Promise<boolean>;
  isConnected(): boolean;
  send(protocol: object): Promise<Buffer>;
}

const ConnectionClass = require('kafkajs/src/network/connection') as new (options: object) => Connection;
const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => object;

/** A response as Kafka frames it. */
function framed(correlationId: number, body: string, length = 4 + body.length): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(length);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, Buffer.from(body)]);
}

/** A kafkajs connection to a broker that calls `react` for each request; `ask` resolves with the body of the response. */
async function setUp(react: (socket: Socket, correlationId: number, connection: number) => void) {
  stopIdlePolling();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const own = connections;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      for (let at = 0; at < bytes.length; at += 4 + bytes.readInt32BE(at)) {
        react(socket, bytes.readInt32BE(at + 8), own);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const broken: string[] = [];
  const sockets = new KafkajsConnections(
    () => undefined,
    (_, reason) => broken.push(reason),
  );
  onTestFinished(() => {
    sockets.destroy();
    server.close();
  });
  const logger = { namespace: () => logger, debug: noop, info: noop, warn: noop, error: noop };
  const connection = new ConnectionClass({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    logger,
    socketFactory: sockets.createSocket,
    requestTimeout: 400,
    connectionTimeout: 2_000,
  });
  const ask = async (
    decode: (raw: Buffer) => Promise<unknown> = (raw) => Promise.resolve(raw.toString()),
  ) => {
    await connection.connect();
    const request = {
      apiKey: 18,
      apiVersion: 0,
      apiName: 'Any',
      encode: () => Promise.resolve(new EncoderClass()),
    };
    return connection.send({
      request,
      response: { decode, parse: (data: unknown) => Promise.resolve(data) },
    });
  };
  return { connection, ask, broken, connections: () => connections };
}

function noop(): void {}

// This is the first test in the file because after the first call the guard applies to all connections of the process.
test('does not guard a connection that was opened before the first call', async () => {
  const { connection, ask } = await setUp((socket, id) => socket.write(framed(id, `answer ${id}`)));
  await connection.connect();
  guardConnections();
  expect([await ask(), await ask()]).toEqual(['answer 0', 'answer 1']);
});

describe('a connection with an invalid response', () => {
  test.each([
    ['a negative length', (id: number) => framed(id, 'x', -7), /a length of -7 bytes/],
    ['a length beyond the limit', (id: number) => framed(id, 'x', 2 ** 30), /a length of 1073741824 bytes/],
    ['a length without room for a number', (id: number) => framed(id, '', 2), /correlation id/],
    ['an unknown request number', (id: number) => framed(id + 1, 'x'), /oldest request/],
    ['a response twice', (id: number) => Buffer.concat([framed(id, 'x'), framed(id, 'x')]), /oldest request/],
    ['an endless response', (id: number) => framed(id, 'x', 900), /is incomplete/],
  ])('is closed after %s with the reason, and a new connection works', async (_, wrong, reason) => {
    const { ask, broken, connections } = await setUp((socket, id, own) => {
      socket.write(own === 1 ? wrong(id) : framed(id, 'right'));
    });
    await ask().catch(() => undefined);
    await expect.poll(() => broken).toEqual([expect.stringMatching(reason)]);
    await expect.poll(() => ask()).toBe('right');
    expect(connections()).toBe(2);
  });

  test('is closed when a response cannot be decoded, and all its requests fail with a retriable error', async () => {
    const { connection, ask, broken } = await setUp((socket, id) => {
      if (id === 0) socket.write(framed(id, 'x'));
    });
    const undecoded = ask(() => Promise.reject(new RangeError('beyond the end')));
    const waiting = ask();
    await expect(undecoded).rejects.toSatisfy((error: Error) => error.name === 'Error');
    await expect(waiting).rejects.toMatchObject({ name: 'KafkaJSConnectionError', retriable: true });
    expect(broken).toEqual(['it cannot be decoded: beyond the end']);
    expect(connection.isConnected()).toBe(false);
  });

  test('is closed when a throttle time is longer than a minute', async () => {
    const { ask, broken } = await setUp((socket, id) => socket.write(framed(id, 'x')));
    await expect(ask(() => Promise.resolve({ clientSideThrottleTime: 60_001 }))).rejects.toThrow(
      'a throttle time',
    );
    await expect.poll(() => broken).toEqual(['a throttle time of 60001 ms']);
  });

  test('stays open after an error that kafkajs throws for a valid response', async () => {
    const { connection, ask, broken } = await setUp((socket, id) => socket.write(framed(id, 'x')));
    const error = Object.assign(new Error('codec not implemented'), { name: 'KafkaJSNotImplemented' });
    await expect(ask(() => Promise.reject(error))).rejects.toBe(error);
    expect({ broken, isConnected: connection.isConnected() }).toEqual({ broken: [], isConnected: true });
  });

  test('accepts the late response to an abandoned request and drops it', async () => {
    const late: (() => void)[] = [];
    const { ask, broken, connections } = await setUp((socket, id) => {
      if (id === 0) {
        late.push(() => socket.write(framed(0, 'late')));
        return;
      }
      for (const send of late) send();
      socket.write(framed(id, 'in time'));
    });
    await expect(ask()).rejects.toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
    expect(await ask()).toBe('in time');
    expect({ broken, connections: connections() }).toEqual({ broken: [], connections: 1 });
  });
});

test('opens one connection for concurrent calls of connect()', async () => {
  const { connection, connections } = await setUp(noop);
  await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
  expect(connections()).toBe(1);
  await connection.disconnect();
});
