import { createRequire } from 'node:module';
import { createServer, type Server, type Socket } from 'node:net';
import { listenOnFreePort } from '../free-port.ts';

const require = createRequire(import.meta.url);

/** API keys of the three requests of a producer, and the versions that this cluster supports. */
const PRODUCE = 0;
const METADATA = 3;
const API_VERSIONS = 18;
const SPOKEN = [
  [PRODUCE, 0, 7],
  [METADATA, 0, 1],
  [API_VERSIONS, 0, 0],
] as const;
const LENGTH_BYTES = 4;
/** The header of a batch before its records, which may contain any byte. */
const BATCH_HEADER_BYTES = 61;

interface Encoder {
  readonly buffer: Buffer;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeInt64(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBoolean(value: boolean): Encoder;
  writeArray(values: readonly (Encoder | number)[]): Encoder;
  writeEncoder(value: Encoder): Encoder;
}

interface Decoder {
  readInt16(): number;
  readInt32(): number;
  readString(): string;
  readBytes(size: number): Buffer;
  readArray<T>(read: (decoder: Decoder) => T): T[];
}

const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const DecoderClass = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const encoder = () => new EncoderClass();

/** Values are words in angle brackets, so that they can be found in the batch. */
export interface ReceivedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly values: readonly string[];
}

/** How a broker reacts to a produce request: error codes by partition (default 0), no response, or a reset. */
export type ProduceReaction = Readonly<Record<number, number>> | 'silence' | 'reset';

export interface FakeCluster {
  readonly brokers: readonly string[];
  readonly stored: string[];
  /** Determines the reaction to each produce request; default: stores everything. */
  onProduce: (broker: number, batches: readonly ReceivedBatch[]) => ProduceReaction;
  answerMs: number;
  leaderOf: (partition: number) => number;
  /** Error code of a topic or a partition in metadata responses; 0 means no error. */
  topicError: (topic: string) => number;
  partitionError: (partition: number) => number;
  connections: number;
  close(): void;
}

/** Brokers on loopback that support only the requests of a kafkajs producer; a test can make them fail. */
export async function startFakeCluster(brokers: number, partitions: number): Promise<FakeCluster> {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const cluster: FakeCluster = {
    brokers: [],
    stored: [],
    onProduce: () => ({}),
    answerMs: 0,
    leaderOf: (partition) => partition % brokers,
    topicError: () => 0,
    partitionError: () => 0,
    connections: 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
  const ports: number[] = [];
  for (let id = 0; id < brokers; id += 1) {
    const server = createServer((socket) => {
      cluster.connections += 1;
      sockets.add(socket);
      socket.on('error', () => undefined);
      serve(socket, { cluster, ports, id, partitions });
    });
    servers.push(server);
    ports.push(await listenOnFreePort(server));
  }
  return Object.assign(cluster, { brokers: ports.map((port) => `127.0.0.1:${port}`) });
}

type Broker = { cluster: FakeCluster; ports: readonly number[]; id: number; partitions: number };

function serve(socket: Socket, broker: Broker): void {
  let waiting = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    while (waiting.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + waiting.readInt32BE(0);
      if (waiting.length < end) return;
      const request = waiting.subarray(LENGTH_BYTES, end);
      waiting = waiting.subarray(end);
      try {
        react(socket, broker, request);
      } catch {
        // A broker closes the connection of a request that it cannot decode.
        socket.destroy();
      }
    }
  });
}

function react(socket: Socket, broker: Broker, request: Buffer): void {
  const decoder = new DecoderClass(request);
  const kind = decoder.readInt16();
  decoder.readInt16();
  const correlationId = decoder.readInt32();
  decoder.readString();
  const send = (body: Encoder) => {
    const payload = encoder().writeInt32(correlationId).writeEncoder(body).buffer;
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeInt32BE(payload.length);
    if (!socket.destroyed) socket.write(Buffer.concat([length, payload]));
  };
  if (kind === API_VERSIONS) send(versions());
  else if (kind === METADATA) {
    const topics = decoder.readArray((names) => names.readString());
    send(metadata(broker, topics));
  } else produce(socket, broker, readBatches(decoder), send);
}

function versions(): Encoder {
  const spoken = SPOKEN.map(([kind, from, to]) => encoder().writeInt16(kind).writeInt16(from).writeInt16(to));
  return encoder().writeInt16(0).writeArray(spoken);
}

function metadata({ cluster, ports, partitions }: Broker, topics: readonly string[]): Encoder {
  const nodes = ports.map((port, id) =>
    encoder().writeInt32(id).writeString('127.0.0.1').writeInt32(port).writeString(null),
  );
  const described = topics.map((topic) => {
    const error = cluster.topicError(topic);
    const count = error === 0 ? partitions : 0;
    const parts = Array.from({ length: count }, (_, partition) => describePartition(cluster, partition));
    return encoder().writeInt16(error).writeString(topic).writeBoolean(false).writeArray(parts);
  });
  return encoder().writeArray(nodes).writeInt32(0).writeArray(described);
}

function describePartition(cluster: FakeCluster, partition: number): Encoder {
  const error = cluster.partitionError(partition);
  const leader = error === 0 ? cluster.leaderOf(partition) : -1;
  return encoder().writeInt16(error).writeInt32(partition).writeInt32(leader).writeArray([0]).writeArray([0]);
}

function readBatches(decoder: Decoder): readonly ReceivedBatch[] {
  decoder.readString();
  decoder.readInt16();
  decoder.readInt32();
  const topics = decoder.readArray((list) => {
    const topic = list.readString();
    return list.readArray((item) => {
      const partition = item.readInt32();
      const batch = item.readBytes(item.readInt32()).toString('latin1', BATCH_HEADER_BYTES);
      const values = Array.from(batch.matchAll(/<(\w+)>/g), ([, value = '']) => value);
      return { topic, partition, values };
    });
  });
  return topics.flat();
}

type Send = (body: Encoder) => void;

function produce(
  socket: Socket,
  { cluster, id }: Broker,
  batches: readonly ReceivedBatch[],
  send: Send,
): void {
  const reaction = cluster.onProduce(id, batches);
  if (reaction === 'silence') return;
  if (reaction === 'reset') return void socket.resetAndDestroy();
  const codeOf = ({ partition }: ReceivedBatch) => reaction[partition] ?? 0;
  for (const { partition, values } of batches.filter((batch) => codeOf(batch) === 0))
    cluster.stored.push(...values.map((value) => `${partition}: ${value}`));
  const byTopic = [...Map.groupBy(batches, ({ topic }) => topic)].map(([topic, own]) => {
    const answers = own.map((batch) => {
      const answer = encoder().writeInt32(batch.partition).writeInt16(codeOf(batch));
      return answer.writeInt64(0).writeInt64(-1).writeInt64(0);
    });
    return encoder().writeString(topic).writeArray(answers);
  });
  setTimeout(() => send(encoder().writeArray(byTopic).writeInt32(0)), cluster.answerMs);
}
