import { createRequire } from 'node:module';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { KafkajsConnections } from '../../../../shared/messaging/kafka/kafkajs-client.ts';
import { correctKafkajs } from '../../../../shared/messaging/kafka/kafkajs-corrections.ts';
import { listenOnFreePort } from '../../../support/free-port.ts';

const require = createRequire(import.meta.url);

interface Connection {
  connect(): Promise<boolean>;
  disconnect(): Promise<boolean>;
  isConnected(): boolean;
  send(protocol: object): Promise<Buffer>;
}

const ConnectionClass = require('kafkajs/src/network/connection') as new (options: object) => Connection;
const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => object;

const PROTOCOL = {
  request: { apiKey: 18, apiVersion: 0, apiName: 'Any', encode: async () => new EncoderClass() },
  response: { decode: async (raw: Buffer) => raw.toString(), parse: async (data: unknown) => data },
};

function framed(correlationId: number, body: string, length = 4 + body.length): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(length);
  head.writeInt32BE(correlationId, 4);
  return Buffer.concat([head, Buffer.from(body)]);
}

async function setUp(react: (socket: Socket, correlationId: number, connection: number) => void) {
  correctKafkajs();
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
  const port = await listenOnFreePort(server);
  const sockets = new KafkajsConnections();
  onTestFinished(() => {
    sockets.destroy();
    server.close();
  });
  const logger = { namespace: () => logger, debug: noop, info: noop, warn: noop, error: noop };
  const times = { requestTimeout: 400, connectionTimeout: 2_000 };
  const { createSocket: socketFactory } = sockets;
  const connection = new ConnectionClass({ host: '127.0.0.1', port, logger, socketFactory, ...times });
  const ask = async () => {
    await connection.connect();
    return connection.send(PROTOCOL);
  };
  return { connection, ask, connections: () => connections };
}

function noop(): void {}

test.each<[string, (socket: Socket, id: number) => void]>([
  ['broke within a response', (socket, id) => socket.end(framed(id, 'torn', 900))],
  ['has a response that cannot be parsed', (socket, id) => socket.write(framed(id, '', 2))],
])('a connection that %s is closed and forgets its bytes, and a new one works', async (_, fail) => {
  const { ask, connections } = await setUp((socket, id, own) => {
    if (own === 1) fail(socket, id);
    else socket.write(framed(id, 'right'));
  });
  await expect(ask()).rejects.toMatchObject({ name: expect.stringMatching(/Error/) });
  await expect.poll(() => ask()).toBe('right');
  expect(connections()).toBe(2);
});

test('opens one connection for concurrent calls of connect()', async () => {
  const { connection, connections } = await setUp(noop);
  await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
  expect(connections()).toBe(1);
  await connection.disconnect();
});
