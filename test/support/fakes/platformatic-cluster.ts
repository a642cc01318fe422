/** A cluster in memory behind the client of the adapter for @platformatic/kafka: topics, one group, and failures of both. */

import { Reader, ResponseError } from '@platformatic/kafka';
import type {
  CreatePlatformaticClient,
  PlatformaticClient,
} from '../../../shared/messaging/kafka/platformatic/connection/client.ts';
import { partitionId, type PartitionOffset } from '../../../shared/messaging/message.ts';
import { fetchResponse, type BuiltPartition } from '../builders/record-batches.ts';

/** Kafka's numbers of requests and errors. */
const FETCH = 1;
const LIST_OFFSETS = 2;
const METADATA = 3;
const OFFSET_COMMIT = 8;
const OFFSET_FETCH = 9;
const FIND_COORDINATOR = 10;
const JOIN_GROUP = 11;
const HEARTBEAT = 12;
const LEAVE_GROUP = 13;
const SYNC_GROUP = 14;
const OUT_OF_RANGE = 1;
const NOT_LEADER = 6;
const MEMBER_ID_REQUIRED = 79;
/** Empty fetches are answered after this time instead of their wait time. */
const EMPTY_FETCH_MS = 2;

interface FakePartition {
  leader: number;
  first: number;
  /** Batches after one another, with the first offset and the number of offsets of each. */
  readonly batches: { readonly at: number; readonly count: number; readonly bytes: Buffer }[];
  error: number;
}

export interface FetchRequest {
  readonly node: number;
  readonly maxWaitMs: number;
  readonly partitions: readonly PartitionOffset[];
}

type Call = (error: Error | null, answer?: unknown) => void;

interface Api {
  readonly key: number;
  (connection: object, ...args: unknown[]): void;
}

export class FakePlatformaticCluster {
  readonly partitions = new Map<string, FakePartition>();
  readonly fetches: FetchRequest[] = [];
  /** Keys of the group requests in the order of their arrival. */
  readonly groupRequests: number[] = [];
  readonly committed = new Map<string, number>();
  /** Error codes for the next requests of a key; 'silence': the connection breaks without an answer. */
  readonly failures = new Map<number, (number | 'broken')[]>();
  /** The number of the client that last sent a request of a key, and its time limit; undefined: the default. */
  readonly senders = new Map<number, { readonly client: number; readonly limitMs: number | undefined }>();
  #clients = 0;
  /** Error code of all topics in metadata. */
  topicError = 0;
  metadataRequests = 0;
  generation = 0;
  open = 0;

  /** Adds partitions to a topic, all led by the same broker. */
  addTopic(topic: string, count: number, leader = 1): void {
    for (let partition = 0; partition < count; partition += 1) {
      const id = partitionId(topic, partition);
      if (!this.partitions.has(id)) this.partitions.set(id, { leader, first: 0, batches: [], error: 0 });
    }
  }

  partition(topic: string, partition: number): FakePartition {
    const found = this.partitions.get(partitionId(topic, partition));
    if (found === undefined) throw new Error(`no partition ${topic}/${partition}`);
    return found;
  }

  append(topic: string, partition: number, bytes: Buffer, count: number): void {
    const at = Number(bytes.readBigInt64BE(0));
    this.partition(topic, partition).batches.push({ at, count, bytes });
  }

  /** The next request with this key fails. */
  fail(key: keyof typeof KEYS, failure: number | 'broken'): void {
    this.failures.set(KEYS[key], [...(this.failures.get(KEYS[key]) ?? []), failure]);
  }

  readonly createClient: CreatePlatformaticClient = ({ clientId, requestTimeoutMs }) => {
    let isDestroyed = false;
    this.open += 1;
    this.#clients += 1;
    const sender = { client: this.#clients, limitMs: requestTimeoutMs };
    const send = async (
      node: number,
      [api]: readonly unknown[],
      args: readonly unknown[],
    ): Promise<never> => {
      this.senders.set((api as Api).key, sender);
      const answer = await this.#answer(node, api as Api, args);
      if (isDestroyed) throw new Error('this client is closed');
      return answer as never;
    };
    const client: PlatformaticClient = {
      clientId,
      send: (broker, versions, ...args) => send(broker.port, versions, args),
      sendToAny: (versions, ...args) => send(0, versions, args),
      connect: () => Promise.resolve(),
      connectTo: () => Promise.resolve(),
      isConnected: () => !isDestroyed,
      onLost: undefined,
      destroy: () => {
        if (!isDestroyed) this.open -= 1;
        isDestroyed = true;
      },
      onUnreadable: () => undefined,
    };
    return client;
  };

  async #answer(node: number, api: Api, args: readonly unknown[]): Promise<unknown> {
    const failure = this.failures.get(api.key)?.shift();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (failure === 'broken') throw new Error('the connection was closed');
    if (api.key !== FETCH && api.key !== METADATA) this.groupRequests.push(api.key);
    if (failure !== undefined) throw responseError(api.key, failure, {});
    return api.key === FETCH ? this.#fetch(node, api, args) : this.#call(api.key, args);
  }

  /** Encodes the request and decodes the response as a connection does. */
  async #fetch(node: number, api: Api, args: readonly unknown[]): Promise<unknown> {
    let parse: ((id: number, key: number, version: number, reader: Reader) => unknown) | undefined;
    let request: Buffer = Buffer.alloc(0);
    const connection = {
      send: (_key: number, _version: number, create: () => { buffer: Buffer }, parser: typeof parse) => {
        request = create().buffer;
        parse = parser;
      },
    };
    api(connection, ...args, (() => undefined) satisfies Call);
    const decoded = decodeFetch(node, request);
    this.fetches.push(decoded);
    const parts = decoded.partitions.map((one) => this.#records(node, one));
    if (parts.every(({ records, error }) => records === undefined && error === 0)) {
      await new Promise((resolve) => {
        setTimeout(resolve, EMPTY_FETCH_MS);
      });
    }
    return parse?.(1, FETCH, 11, Reader.from(fetchResponse(parts)));
  }

  #records(node: number, { topic, partition, offset }: PartitionOffset): BuiltPartition & { error: number } {
    const { leader, first, batches, error } = this.partition(topic, partition);
    const last = batches.at(-1);
    const end = last === undefined ? first : last.at + last.count;
    const place = { topic, partition, highWatermark: end };
    if (error !== 0) return { ...place, error };
    if (leader !== node) return { ...place, error: NOT_LEADER };
    if (offset < first || offset > end) return { ...place, error: OUT_OF_RANGE };
    const rest = batches.filter(({ at, count }) => at + count > offset);
    const records = rest.length === 0 ? {} : { records: Buffer.concat(rest.map(({ bytes }) => bytes)) };
    return { ...place, ...records, error: 0 };
  }

  #call(key: number, args: readonly unknown[]): unknown {
    switch (key) {
      case METADATA:
        return this.#metadata(args[0] as string[]);
      case LIST_OFFSETS: {
        const [{ name, partitions }] = args[2] as [
          { name: string; partitions: [{ partitionIndex: number }] },
        ];
        const [{ partitionIndex }] = partitions;
        const offset = BigInt(this.partition(name, partitionIndex).first);
        return { topics: [{ name, partitions: [{ partitionIndex, offset }] }] };
      }
      case FIND_COORDINATOR:
        return { coordinators: [{ host: 'broker', port: 1 }] };
      case JOIN_GROUP:
        return this.#join(args);
      case SYNC_GROUP: {
        const [{ assignment }] = args[6] as [{ assignment: Buffer }];
        return { assignment };
      }
      case OFFSET_FETCH:
        return this.#offsets(args);
      case OFFSET_COMMIT:
        for (const { name, partitions } of args[4] as {
          name: string;
          partitions: { partitionIndex: number; committedOffset: bigint }[];
        }[]) {
          for (const one of partitions) {
            this.committed.set(partitionId(name, one.partitionIndex), Number(one.committedOffset));
          }
        }
        return {};
      default:
        return {};
    }
  }

  #metadata(topics: readonly string[]): unknown {
    this.metadataRequests += 1;
    return {
      brokers: [1, 2, 3].map((nodeId) => ({ nodeId, host: 'broker', port: nodeId })),
      controllerId: 1,
      topics: topics.map((name) => ({
        name,
        errorCode: this.topicError,
        partitions: [...this.partitions]
          .filter(([id]) => id.startsWith(`${name}/`))
          .map(([, { leader }], partitionIndex) => ({ partitionIndex, leaderId: leader })),
      })),
    };
  }

  #join(args: readonly unknown[]): unknown {
    const [memberId, protocols] = [String(args[3]), args[6] as [{ metadata: Buffer }]];
    if (memberId === '') throw responseError(JOIN_GROUP, MEMBER_ID_REQUIRED, { memberId: 'member-1' });
    this.generation += 1;
    const members = [{ memberId, metadata: protocols[0].metadata }];
    return { generationId: this.generation, memberId, leader: memberId, members };
  }

  #offsets(args: readonly unknown[]): unknown {
    const [{ topics }] = args[0] as [{ topics: { name: string; partitionIndexes: number[] }[] }];
    return {
      topics: topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => ({
          partitionIndex,
          committedOffset: BigInt(this.committed.get(partitionId(name, partitionIndex)) ?? -1),
        })),
      })),
    };
  }
}

const KEYS = {
  fetch: FETCH,
  metadata: METADATA,
  commit: OFFSET_COMMIT,
  join: JOIN_GROUP,
  heartbeat: HEARTBEAT,
  leave: LEAVE_GROUP,
  sync: SYNC_GROUP,
  coordinator: FIND_COORDINATOR,
} as const;

export const GROUP_REQUEST = KEYS;

function responseError(key: number, code: number, response: object): Error {
  return new ResponseError(key, 0, { '/': [code, null] }, response);
}

function decodeFetch(node: number, request: Buffer): FetchRequest {
  let at = 4;
  const int32 = () => request.readInt32BE((at += 4) - 4);
  const maxWaitMs = int32();
  at += 4 + 4 + 1 + 4 + 4;
  const partitions: PartitionOffset[] = [];
  for (let topics = int32(); topics > 0; topics -= 1) {
    const length = request.readInt16BE(at);
    const topic = request.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    for (let left = int32(); left > 0; left -= 1) {
      const partition = int32();
      const offset = Number(request.readBigInt64BE(at + 4));
      at += 4 + 8 + 8 + 4;
      partitions.push({ topic, partition, offset });
    }
  }
  return { node, maxWaitMs, partitions };
}
