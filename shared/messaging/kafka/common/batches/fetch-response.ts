import { partitionId, type TopicPartition } from '../../../message.ts';
import { readInt64 } from './check-batches.ts';
import type { AbortedTransaction } from './records.ts';

/** What a broker returned for one partition. */
export interface PartitionAnswer extends TopicPartition {
  /** The requested offset. */
  readonly from: number;
  readonly errorCode: number;
  /** The last stable offset: no message below it belongs to an open transaction. */
  readonly stableEnd: number;
  readonly aborted: readonly AbortedTransaction[];
  /** Record batches, not checked, the last one possibly cut off. */
  readonly records: Buffer;
}

export interface FetchResponse {
  readonly throttleMs: number;
  readonly errorCode: number;
  /** In the order of the response. */
  readonly partitions: readonly PartitionAnswer[];
}

/** Versions of the response that change its layout. */
const OLDEST_VERSION = 4;
const WITH_LOG_START = 5;
const WITH_SESSION = 7;
const WITH_PREFERRED_REPLICA = 11;

/**
 * Reads a response of version 4 (Kafka 0.11) to 11. Throws a RangeError unless it has the layout of its version to the last
 * byte, and contains only requested partitions, each once. `requested` has the requested offset of each `topic/partition`.
 */
export function readFetchResponse(
  version: number,
  bytes: Buffer,
  requested: ReadonlyMap<string, number>,
): FetchResponse {
  if (version < OLDEST_VERSION) throw new RangeError('Kafka before 0.11 has no record batches');
  const cursor = new Cursor(bytes);
  const throttleMs = cursor.int32();
  const errorCode = version < WITH_SESSION ? 0 : cursor.int16();
  if (version >= WITH_SESSION) cursor.skip(4);
  const answers = new Map<string, PartitionAnswer>();
  for (let topics = cursor.count(); topics > 0; topics -= 1) {
    const topic = cursor.text();
    for (let left = cursor.count(); left > 0; left -= 1) {
      const partition = cursor.int32();
      const id = partitionId(topic, partition);
      const from = requested.get(id);
      if (from === undefined || answers.has(id)) {
        throw new RangeError('a partition was not requested or is repeated');
      }
      answers.set(id, { topic, partition, from, ...readPartition(cursor, version) });
    }
  }
  if (!cursor.isAtEnd) throw new RangeError('bytes after the end of the response');
  return { throttleMs, errorCode, partitions: [...answers.values()] };
}

function readPartition(
  cursor: Cursor,
  version: number,
): Omit<PartitionAnswer, 'topic' | 'partition' | 'from'> {
  const errorCode = cursor.int16();
  // The next offset to be written.
  cursor.skip(8);
  const stableEnd = cursor.int64();
  // The first retained offset.
  if (version >= WITH_LOG_START) cursor.skip(8);
  const aborted: AbortedTransaction[] = [];
  for (let left = cursor.count(); left > 0; left -= 1) {
    aborted.push({ producerId: cursor.bigInt64(), firstOffset: cursor.int64() });
  }
  // The preferred replica, which needs a rack in the request.
  if (version >= WITH_PREFERRED_REPLICA) cursor.skip(4);
  const records = cursor.bytes(cursor.count());
  return { errorCode, stableEnd, aborted, records };
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
