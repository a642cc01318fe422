import { createRequire } from 'node:module';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const require = createRequire(import.meta.url);

/** API keys of the requests that a producer and the only member of a group send. */
const PRODUCE = 0;
export const FETCH = 1;
const LIST_OFFSETS = 2;
const METADATA = 3;
const OFFSET_COMMIT = 8;
const OFFSET_FETCH = 9;
const FIND_COORDINATOR = 10;
const JOIN_GROUP = 11;
const HEARTBEAT = 12;
const LEAVE_GROUP = 13;
const SYNC_GROUP = 14;
const API_VERSIONS = 18;

/** The supported version of each request; the two clients have none in common for some. */
const OLD_VERSIONS: Versions = [
  [PRODUCE, 7],
  [FETCH, 11],
  [LIST_OFFSETS, 1],
  [METADATA, 1],
  [OFFSET_COMMIT, 2],
  [OFFSET_FETCH, 1],
  [FIND_COORDINATOR, 0],
  [JOIN_GROUP, 0],
  [HEARTBEAT, 0],
  [LEAVE_GROUP, 0],
  [SYNC_GROUP, 0],
  [API_VERSIONS, 0],
];
const NEW_VERSIONS: Versions = [
  [PRODUCE, 7],
  [FETCH, 11],
  [LIST_OFFSETS, 5],
  [METADATA, 1],
  [OFFSET_COMMIT, 7],
  [OFFSET_FETCH, 5],
  [FIND_COORDINATOR, 2],
  [JOIN_GROUP, 5],
  [HEARTBEAT, 3],
  [LEAVE_GROUP, 3],
  [SYNC_GROUP, 3],
  [API_VERSIONS, 0],
];
const UNKNOWN_MEMBER_ID = 25;
const EARLIEST = -2;
const LENGTH_BYTES = 4;
const LAST_OFFSET_DELTA_AT = 23;
/** Interval at which a pending fetch checks for new records. */
const LOOK_MS = 5;

type Versions = readonly (readonly [key: number, version: number])[];

interface Encoder {
  readonly buffer: Buffer;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeInt64(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBoolean(value: boolean): Encoder;
  writeBytes(value: Buffer): Encoder;
  writeArray(values: readonly (Encoder | number)[]): Encoder;
  writeEncoder(value: Encoder): Encoder;
}

interface Decoder {
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readInt64(): bigint;
  readString(): string;
  readBytes(): Buffer;
  readArray<T>(read: (decoder: Decoder) => T): T[];
}

interface DecodedBatch {
  readonly records: readonly { readonly key: Buffer | null; readonly value: Buffer | null }[];
}

const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const DecoderClass = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: Decoder,
) => Promise<DecodedBatch>;
const encoder = () => new EncoderClass();

interface Batch {
  readonly end: number;
  readonly bytes: Buffer;
}

/** The bytes that a broker sends instead of a response, and whether it then resets the connection. */
export interface WireAction {
  readonly bytes: Buffer;
  readonly reset?: boolean;
}

/** A response with its length, and the request that it answers. */
export interface WireResponse {
  readonly frame: Buffer;
  readonly kind: number;
  readonly broker: number;
  readonly socket: Socket;
}

export interface FakeKafka {
  readonly addresses: readonly string[];
  /** The stored keys and values by `topic/partition`; the index is the offset. */
  readonly stored: Map<string, DecodedBatch['records'][number][]>;
  /** Determines the bytes that are sent for each response. */
  onResponse: (response: WireResponse) => WireAction;
  /** Selects requests that are never answered. */
  isUnanswered: (broker: number, kind: number) => boolean;
  /** Closes all connections of a broker, as a restart does. */
  closeConnections(broker: number): void;
  close(): void;
}

interface State {
  readonly kafka: FakeKafka;
  /** Requests about groups and offsets are those of NEW_VERSIONS. */
  readonly isNew: boolean;
  readonly ports: number[];
  readonly partitions: number;
  readonly batches: Map<string, Batch[]>;
  readonly groups: Map<string, { member: string; generation: number; offsets: Map<string, number> }>;
  readonly sockets: Set<Socket>[];
}

/**
 * Brokers on loopback with a log: they store and serve record batches byte for byte, for producers and for groups of one
 * member. Every topic exists, with `partitions` partitions, whose leaders alternate between the brokers; broker 0
 * coordinates all groups. It supports the versions of kafkajs, or those of @platformatic/kafka.
 */
export async function startFakeKafka(
  brokers: number,
  partitions: number,
  client: 'kafkajs' | 'platformatic' = 'kafkajs',
): Promise<FakeKafka> {
  const servers: Server[] = [];
  const sockets = Array.from({ length: brokers }, () => new Set<Socket>());
  const ports: number[] = [];
  const kafka: FakeKafka = {
    addresses: [],
    stored: new Map(),
    onResponse: ({ frame }) => ({ bytes: frame }),
    isUnanswered: () => false,
    closeConnections: (broker) => {
      for (const socket of sockets[broker] ?? []) socket.end();
    },
    close: () => {
      for (const socket of sockets.flatMap((some) => [...some])) socket.destroy();
      for (const server of servers) server.close();
    },
  };
  const isNew = client === 'platformatic';
  const state: State = { kafka, isNew, ports, partitions, batches: new Map(), groups: new Map(), sockets };
  for (let id = 0; id < brokers; id += 1) {
    const server = createServer((socket) => {
      sockets[id]?.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets[id]?.delete(socket));
      serve(socket, state, id);
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    ports.push((server.address() as AddressInfo).port);
  }
  return Object.assign(kafka, { addresses: ports.map((port) => `127.0.0.1:${port}`) });
}

/** Answers the requests of one connection in their order, as Kafka does. */
function serve(socket: Socket, state: State, broker: number): void {
  let waiting = Buffer.alloc(0);
  let turn = Promise.resolve();
  socket.on('data', (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    while (waiting.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + waiting.readInt32BE(0);
      if (waiting.length < end) return;
      const request = waiting.subarray(LENGTH_BYTES, end);
      waiting = waiting.subarray(end);
      turn = turn.then(() => respond(socket, state, { broker, request }));
    }
  });
}

async function respond(
  socket: Socket,
  state: State,
  { broker, request }: { broker: number; request: Buffer },
): Promise<void> {
  const decoder = new DecoderClass(request);
  const kind = decoder.readInt16();
  decoder.readInt16();
  const correlationId = decoder.readInt32();
  decoder.readString();
  const { kafka } = state;
  if (kafka.isUnanswered(broker, kind)) return;
  const answer = ANSWERS[kind];
  if (answer === undefined) throw new Error(`this broker does not know request ${kind}`);
  const body = await answer(state, decoder, broker);
  if (socket.destroyed) return;
  const payload = encoder().writeInt32(correlationId).writeEncoder(body).buffer;
  const frame = Buffer.alloc(LENGTH_BYTES + payload.length);
  frame.writeInt32BE(payload.length);
  payload.copy(frame, LENGTH_BYTES);
  const { bytes, reset } = kafka.onResponse({ frame, kind, broker, socket });
  if (reset === true) socket.write(bytes, () => socket.resetAndDestroy());
  else socket.write(bytes);
}

type Answer = (state: State, request: Decoder, broker: number) => Encoder | Promise<Encoder>;

const ANSWERS: Readonly<Record<number, Answer>> = {
  [API_VERSIONS]: ({ isNew }) =>
    encoder()
      .writeInt16(0)
      .writeArray(
        (isNew ? NEW_VERSIONS : OLD_VERSIONS).map(([kind, version]) =>
          encoder().writeInt16(kind).writeInt16(version).writeInt16(version),
        ),
      ),
  [METADATA]: (state, request) =>
    metadata(
      state,
      request.readArray((names) => names.readString()),
    ),
  [FIND_COORDINATOR]: ({ ports, isNew }) =>
    (isNew ? throttled().writeInt16(0).writeString(null) : encoder().writeInt16(0))
      .writeInt32(0)
      .writeString('127.0.0.1')
      .writeInt32(ports[0] ?? 0),
  [PRODUCE]: produce,
  [FETCH]: fetch,
  [LIST_OFFSETS]: listOffsets,
  [JOIN_GROUP]: joinGroup,
  [SYNC_GROUP]: ({ isNew }, request) => {
    request.readString();
    request.readInt32();
    request.readString();
    if (isNew) request.readString();
    const [own] = request.readArray((item) => {
      item.readString();
      return item.readBytes();
    });
    return (isNew ? throttled() : encoder()).writeInt16(0).writeBytes(own ?? Buffer.alloc(0));
  },
  [HEARTBEAT]: ({ groups, isNew }, request) => {
    const group = groups.get(request.readString());
    request.readInt32();
    return (isNew ? throttled() : encoder()).writeInt16(
      group?.member === request.readString() ? 0 : UNKNOWN_MEMBER_ID,
    );
  },
  [LEAVE_GROUP]: ({ isNew }) => (isNew ? throttled().writeInt16(0).writeArray([]) : encoder().writeInt16(0)),
  [OFFSET_COMMIT]: commitOffsets,
  [OFFSET_FETCH]: fetchOffsets,
};

function metadata({ ports, partitions }: State, topics: readonly string[]): Encoder {
  const nodes = ports.map((port, id) =>
    encoder().writeInt32(id).writeString('127.0.0.1').writeInt32(port).writeString(null),
  );
  const described = topics.map((topic) => {
    const parts = Array.from({ length: partitions }, (_, partition) =>
      encoder()
        .writeInt16(0)
        .writeInt32(partition)
        .writeInt32(partition % ports.length)
        .writeArray([0])
        .writeArray([0]),
    );
    return encoder().writeInt16(0).writeString(topic).writeBoolean(false).writeArray(parts);
  });
  return encoder().writeArray(nodes).writeInt32(0).writeArray(described);
}

async function produce({ kafka, batches }: State, request: Decoder): Promise<Encoder> {
  request.readString();
  request.readInt16();
  request.readInt32();
  const topics = request.readArray((list) => {
    const topic = list.readString();
    return {
      topic,
      parts: list.readArray((item) => ({ partition: item.readInt32(), bytes: item.readBytes() })),
    };
  });
  const answers: Encoder[] = [];
  for (const { topic, parts } of topics) {
    const own: Encoder[] = [];
    for (const { partition, bytes } of parts) {
      const id = `${topic}/${partition}`;
      const log = entry(batches, id, () => []);
      const first = log.at(-1)?.end ?? 0;
      const batch = Buffer.from(bytes);
      batch.writeBigInt64BE(BigInt(first), 0);
      const decoded = await decodeBatch(new DecoderClass(batch));
      entry(kafka.stored, id, () => []).push(...decoded.records);
      log.push({ end: first + batch.readInt32BE(LAST_OFFSET_DELTA_AT) + 1, bytes: batch });
      own.push(encoder().writeInt32(partition).writeInt16(0).writeInt64(first).writeInt64(-1).writeInt64(0));
    }
    answers.push(encoder().writeString(topic).writeArray(own));
  }
  return encoder().writeArray(answers).writeInt32(0);
}

async function fetch(state: State, request: Decoder): Promise<Encoder> {
  request.readInt32();
  const until = performance.now() + request.readInt32();
  request.readInt32();
  request.readInt32();
  request.readInt8();
  request.readInt32();
  request.readInt32();
  const asked = request.readArray((list) => ({
    topic: list.readString(),
    parts: list.readArray(askedPartition),
  }));
  const wanted = asked.flatMap(({ topic, parts }) =>
    parts.map((part) => ({ id: `${topic}/${part.partition}`, ...part })),
  );
  const hasNew = () => wanted.some(({ id, offset }) => (state.batches.get(id)?.at(-1)?.end ?? 0) > offset);
  while (!hasNew() && performance.now() < until) {
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
  }
  const topics = asked.map(({ topic, parts }) =>
    encoder()
      .writeString(topic)
      .writeArray(
        parts.map((part) => fetchedPartition(state.batches.get(`${topic}/${part.partition}`) ?? [], part)),
      ),
  );
  return encoder().writeInt32(0).writeInt16(0).writeInt32(0).writeArray(topics);
}

interface AskedPartition {
  readonly partition: number;
  readonly offset: number;
  readonly maxBytes: number;
}

function askedPartition(request: Decoder): AskedPartition {
  const partition = request.readInt32();
  request.readInt32();
  const offset = Number(request.readInt64());
  request.readInt64();
  return { partition, offset, maxBytes: request.readInt32() };
}

/**
 * The batches starting with the one that contains the offset, truncated at the limit; the first one is always complete.
 */
function fetchedPartition(log: readonly Batch[], { partition, offset, maxBytes }: AskedPartition): Encoder {
  const end = log.at(-1)?.end ?? 0;
  const [first, ...others] = log.filter((batch) => batch.end > offset).map(({ bytes }) => bytes);
  const all = first === undefined ? Buffer.alloc(0) : Buffer.concat([first, ...others]);
  return encoder()
    .writeInt32(partition)
    .writeInt16(0)
    .writeInt64(end)
    .writeInt64(end)
    .writeInt64(0)
    .writeArray([])
    .writeInt32(-1)
    .writeBytes(all.subarray(0, Math.max(maxBytes, first?.length ?? 0)));
}

/** A response that begins with the throttle time. */
function throttled(): Encoder {
  return encoder().writeInt32(0);
}

function listOffsets({ batches, isNew }: State, request: Decoder): Encoder {
  request.readInt32();
  if (isNew) request.readInt8();
  const topics = request.readArray((list) => {
    const topic = list.readString();
    const parts = list.readArray((item) => {
      const partition = item.readInt32();
      if (isNew) item.readInt32();
      const isEarliest = Number(item.readInt64()) === EARLIEST;
      const end = batches.get(`${topic}/${partition}`)?.at(-1)?.end ?? 0;
      const found = encoder()
        .writeInt32(partition)
        .writeInt16(0)
        .writeInt64(-1)
        .writeInt64(isEarliest ? 0 : end);
      return isNew ? found.writeInt32(-1) : found;
    });
    return encoder().writeString(topic).writeArray(parts);
  });
  return (isNew ? throttled() : encoder()).writeArray(topics);
}

function joinGroup({ groups, isNew }: State, request: Decoder): Encoder {
  const group = entry(groups, request.readString(), () => ({
    member: '',
    generation: 0,
    offsets: new Map(),
  }));
  request.readInt32();
  if (isNew) request.readInt32();
  request.readString();
  if (isNew) request.readString();
  request.readString();
  const [protocol] = request.readArray((item) => ({ name: item.readString(), metadata: item.readBytes() }));
  group.generation += 1;
  group.member = `member-${group.generation}`;
  const own = encoder().writeString(group.member);
  return (isNew ? throttled() : encoder())
    .writeInt16(0)
    .writeInt32(group.generation)
    .writeString(protocol?.name ?? '')
    .writeString(group.member)
    .writeString(group.member)
    .writeArray([(isNew ? own.writeString(null) : own).writeBytes(protocol?.metadata ?? Buffer.alloc(0))]);
}

function commitOffsets({ groups, isNew }: State, request: Decoder): Encoder {
  const group = groups.get(request.readString());
  request.readInt32();
  const error = group?.member === request.readString() ? 0 : UNKNOWN_MEMBER_ID;
  // The group instance, or the retention time.
  if (isNew) request.readString();
  else request.readInt64();
  const topics = request.readArray((list) => {
    const topic = list.readString();
    const parts = list.readArray((item) => {
      const partition = item.readInt32();
      const offset = Number(item.readInt64());
      if (isNew) item.readInt32();
      item.readString();
      if (error === 0) group?.offsets.set(`${topic}/${partition}`, offset);
      return encoder().writeInt32(partition).writeInt16(error);
    });
    return encoder().writeString(topic).writeArray(parts);
  });
  return (isNew ? throttled() : encoder()).writeArray(topics);
}

function fetchOffsets({ groups, isNew }: State, request: Decoder): Encoder {
  const group = groups.get(request.readString());
  const topics = request.readArray((list) => {
    const topic = list.readString();
    const parts = list.readArray((item) => {
      const partition = item.readInt32();
      const offset = group?.offsets.get(`${topic}/${partition}`) ?? -1;
      const found = encoder().writeInt32(partition).writeInt64(offset);
      return (isNew ? found.writeInt32(-1) : found).writeString('').writeInt16(0);
    });
    return encoder().writeString(topic).writeArray(parts);
  });
  return isNew ? throttled().writeArray(topics).writeInt16(0) : encoder().writeArray(topics);
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
