import { createAPI, listOffsetsV5, Writer, type API, type Reader } from '@platformatic/kafka';
import { checkBatches, readInt64 } from '../../common/batches/check-batches.ts';
import { partitionId, type LogMessage, type PartitionOffset, type TopicPartition } from '../../../message.ts';
import type { PlatformaticClient } from '../connection/client.ts';
import type { BrokerAddress } from '../connection/connections.ts';
import { brokerError, brokerErrorName } from '../connection/errors.ts';
import { decodeBatches, type AbortedTransaction } from './records.ts';

/** Limits of a fetch. A larger record batch is still returned whole if it is the first one. */
export interface FetchLimits {
  /** The broker waits this long for the first byte. */
  readonly maxWaitMs: number;
  readonly maxBytes: number;
  readonly maxBytesPerPartition: number;
}

/** What a broker returned for one partition. */
export interface FetchedRecords extends TopicPartition {
  /** The requested offset. */
  readonly from: number;
  /** The next offset to be requested; `from` if there was no complete batch, and after an error. */
  readonly position: number;
  readonly messages: readonly LogMessage[];
  /** The next offset to be written. */
  readonly highWatermark: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  /**
   * No partition before it in the request has records, so the size limit omitted none of its own: if it has no records, there
   * is none between `from` and `stableEnd`.
   */
  readonly isExhaustive: boolean;
  /** Kafka's name of the error. */
  readonly error: string | undefined;
}

const MIB = 1_024 * 1_024;
/**
 * Bytes of decompressed records in one response, 16 times those of a usual one, after which its other batches are fetched again. So a
 * response takes at most this and one more batch in memory, however well its records compress.
 */
const MAX_RESPONSE_BYTES = 32 * MIB;
const FETCH_KEY = 1;
/** The last version with topic names and without compact encodings; Kafka 2.3 to 4 support it. */
const FETCH_VERSION = 11;
const MIN_BYTES = 1;
/** Records of open and aborted transactions are not delivered. */
const READ_COMMITTED = 1;
/** No fetch session: each request lists all its partitions. */
const NO_SESSION = -1;
const NO_LEADER_EPOCH = -1;
const NO_LOG_START = -1n;
const NO_REPLICA = -1;
const NO_MESSAGES: readonly LogMessage[] = [];
const NO_BYTES = Buffer.alloc(0);
/** Stands for the first retained offset instead of a time. */
const EARLIEST = -2n;

/** Kafka's name for the error of record batches that fail their check. */
export const CORRUPT = 'CORRUPT_MESSAGE';
/** Kafka's name for the error of a position that has no record: removed by retention, or beyond the end. */
export const OUT_OF_RANGE = 'OFFSET_OUT_OF_RANGE';

/**
 * Fetches from the leader of these partitions, in their order, which Kafka keeps within the size limit. Reports unreadable
 * batches to the client. Rejects with the errors of the client; an invalid response closes the connection.
 */
export async function fetchFrom(
  client: PlatformaticClient,
  broker: BrokerAddress,
  partitions: readonly PartitionOffset[],
  limits: FetchLimits,
): Promise<readonly FetchedRecords[]> {
  const { partitions: answers } = await client.send(broker, [fetchApi(partitions, limits)]);
  const fetched: FetchedRecords[] = [];
  let isExhaustive = true;
  const budget = { leftBytes: MAX_RESPONSE_BYTES };
  for (const { topic, partition, offset } of partitions) {
    const answer = answers.get(partitionId(topic, partition));
    if (answer === undefined) continue;
    const { highWatermark, stableEnd, error, records: bytes, aborted } = answer;
    const place = { topic, partition, from: offset };
    const decoded =
      bytes.length === 0 ? undefined : await decodeBatches({ ...place, bytes, aborted }, budget);
    for (const batch of decoded?.unreadable ?? []) client.onUnreadable(place, batch);
    const { messages, position } = decoded ?? { messages: NO_MESSAGES, position: offset };
    fetched.push({ ...place, position, messages, highWatermark, stableEnd, isExhaustive, error });
    if (bytes.length > 0 || error === CORRUPT) isExhaustive = false;
  }
  return fetched;
}

/** The first retained offset of a partition, from its leader. Rejects with the errors of the client. */
export async function earliestOffset(
  client: PlatformaticClient,
  broker: BrokerAddress,
  { topic, partition }: TopicPartition,
): Promise<number> {
  const wanted = [{ partitionIndex: partition, currentLeaderEpoch: NO_LEADER_EPOCH, timestamp: EARLIEST }];
  const answer = await client.send(broker, [listOffsetsV5.api], NO_REPLICA, READ_COMMITTED, [
    { name: topic, partitions: wanted },
  ]);
  return Number(answer.topics[0]?.partitions[0]?.offset ?? 0);
}

interface PartitionAnswer {
  readonly error: string | undefined;
  readonly highWatermark: number;
  readonly stableEnd: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly records: Buffer;
}

interface Answer {
  /** As in the responses of the library. */
  readonly throttleTimeMs: number;
  readonly partitions: ReadonlyMap<string, PartitionAnswer>;
}

function fetchApi(partitions: readonly PartitionOffset[], limits: FetchLimits): API<[], Answer> {
  const requested = new Map(
    partitions.map(({ topic, partition, offset }) => [partitionId(topic, partition), offset]),
  );
  return createAPI<[], Answer>(
    FETCH_KEY,
    FETCH_VERSION,
    () => fetchRequest(partitions, limits),
    (_correlationId, _key, _version, reader) => parseAnswer(reader, requested),
    false,
    false,
  );
}

/** The bytes of a request without its topics, of a topic without its name and partitions, and of a partition. */
const REQUEST_BYTES = 35;
const TOPIC_BYTES = 6;
const PARTITION_BYTES = 28;

/** Written into one buffer: the writer of the library allocates one for each field, which takes ten times as long. */
function fetchRequest(partitions: readonly PartitionOffset[], limits: FetchLimits): Writer {
  const runs = byTopicInOrder(partitions);
  let size = REQUEST_BYTES + partitions.length * PARTITION_BYTES;
  for (const { topic } of runs) size += TOPIC_BYTES + Buffer.byteLength(topic);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt32BE(NO_REPLICA, 0);
  at = bytes.writeInt32BE(limits.maxWaitMs, at);
  at = bytes.writeInt32BE(MIN_BYTES, at);
  at = bytes.writeInt32BE(limits.maxBytes, at);
  at = bytes.writeInt8(READ_COMMITTED, at);
  at = bytes.writeInt32BE(0, at);
  at = bytes.writeInt32BE(NO_SESSION, at);
  at = bytes.writeInt32BE(runs.length, at);
  for (const { topic, list } of runs) {
    const length = bytes.write(topic, at + 2);
    bytes.writeInt16BE(length, at);
    at = bytes.writeInt32BE(list.length, at + 2 + length);
    for (const { partition, offset } of list) {
      at = bytes.writeInt32BE(partition, at);
      at = bytes.writeInt32BE(NO_LEADER_EPOCH, at);
      at = bytes.writeBigInt64BE(BigInt(offset), at);
      at = bytes.writeBigInt64BE(NO_LOG_START, at);
      at = bytes.writeInt32BE(limits.maxBytesPerPartition, at);
    }
  }
  // No forgotten topics of a session, and no rack.
  at = bytes.writeInt32BE(0, at);
  bytes.writeInt16BE(0, at);
  return Writer.create().append(bytes);
}

/** Runs of partitions of the same topic: a topic may occur repeatedly, so that the order is kept. */
function byTopicInOrder(partitions: readonly PartitionOffset[]) {
  const runs: { readonly topic: string; readonly list: PartitionOffset[] }[] = [];
  for (const one of partitions) {
    const last = runs.at(-1);
    if (last?.topic === one.topic) last.list.push(one);
    else runs.push({ topic: one.topic, list: [one] });
  }
  return runs;
}

/**
 * Parses a response with the layout of its version to the last byte, which contains only requested partitions, each once. Throws
 * on any other one.
 */
function parseAnswer({ buffer }: Reader, requested: ReadonlyMap<string, number>): Answer {
  const cursor = new Cursor(buffer.buffer);
  const throttleTimeMs = cursor.int32();
  const errorCode = cursor.int16();
  cursor.skip(4);
  const answers = new Map<string, PartitionAnswer>();
  for (let topics = cursor.count(); topics > 0; topics -= 1) {
    const topic = cursor.text();
    for (let left = cursor.count(); left > 0; left -= 1) {
      const id = partitionId(topic, cursor.int32());
      const from = requested.get(id);
      if (from === undefined || answers.has(id)) {
        throw new RangeError('a partition was not requested or is repeated');
      }
      answers.set(id, withSoundBatches(partitionAnswer(cursor), from));
    }
  }
  if (!cursor.isAtEnd) throw new RangeError('bytes after the response');
  if (errorCode !== 0) throw brokerError(errorCode);
  return { throttleTimeMs, partitions: answers };
}

/**
 * The answer, or the error CORRUPT_MESSAGE in place of batches that are damaged: on the disk of the broker, which concerns this
 * partition only, or on the way, in which case the next fetch succeeds.
 */
function withSoundBatches(answer: PartitionAnswer, from: number): PartitionAnswer {
  try {
    checkBatches(answer.records, from);
    return answer;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ...answer, error: CORRUPT, records: NO_BYTES };
  }
}

function partitionAnswer(cursor: Cursor): PartitionAnswer {
  const error = brokerErrorName(cursor.int16());
  const highWatermark = cursor.int64();
  const stableEnd = cursor.int64();
  // The first retained offset.
  cursor.skip(8);
  const aborted: AbortedTransaction[] = [];
  for (let left = cursor.count(); left > 0; left -= 1) {
    aborted.push({ producerId: cursor.bigInt64(), firstOffset: cursor.int64() });
  }
  // The preferred replica, which needs a rack in the request.
  cursor.skip(4);
  const records = cursor.bytes(cursor.count());
  return { error, highWatermark, stableEnd, aborted, records };
}

/** A position in a response. Throws a RangeError beyond its end. */
class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  skip(length: number): number {
    const at = this.#at;
    this.#at += length;
    if (length < 0 || this.#at > this.#bytes.length) throw new RangeError('a length exceeds the response');
    return at;
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.skip(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.skip(4));
  }

  int64(): number {
    return readInt64(this.#bytes, this.skip(8));
  }

  bigInt64(): bigint {
    return this.#bytes.readBigInt64BE(this.skip(8));
  }

  /** The number of items or bytes that follow; -1 means none. */
  count(): number {
    return Math.max(0, this.int32());
  }

  bytes(length: number): Buffer {
    const at = this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    return this.bytes(this.int16()).toString();
  }
}
