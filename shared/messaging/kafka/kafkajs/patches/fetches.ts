import { AsyncLocalStorage } from 'node:async_hooks';
import { kafkajsModule, replaceExport } from './internals.ts';

/** What a response has for a partition: its records are not decoded. */
export interface PartitionBytes {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly lastStableOffset: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[];
  readonly messages: Buffer;
}

interface BytesAnswer {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly Omit<PartitionBytes, 'topic'>[];
  }[];
}

interface Decoder {
  readInt32(): number;
  canReadBytes(count: number): boolean;
  readBytes(count: number): Buffer;
}

type DecodeMessages = (decoder: Decoder) => unknown;

interface ResponseModule {
  readonly parse: (answer: object) => Promise<object>;
}

/** Set by fetchBytes() for its request. */
const isReadingBytes = new AsyncLocalStorage<true>();
const NO_BYTES = Buffer.alloc(0);
/** The modules that refer to those which are replaced. */
const USERS = /kafkajs\/src\/protocol\/requests\/fetch\/v[1-9]\d*\/response\.js$/;

/**
 * Lets fetchBytes() read responses: kafkajs drops batches without records, one that cannot be read makes it reject the whole response, and
 * so does the error of one partition.
 */
export function readFetchesAsBytes(): void {
  replaceExport<DecodeMessages>(
    'protocol/requests/fetch/v4/decodeMessages',
    USERS,
    (original) => (decoder) =>
      isReadingBytes.getStore() === true ? recordBytes(decoder) : original(decoder),
  );
  replaceExport<ResponseModule>('protocol/requests/fetch/v0/response', USERS, (original) => ({
    ...original,
    parse: (answer) =>
      isReadingBytes.getStore() === true ? Promise.resolve(answer) : original.parse(answer),
  }));
}

/** Sends a fetch of kafkajs, whose response contains bytes in place of messages. */
export async function fetchBytes(fetch: () => Promise<BytesAnswer>): Promise<readonly PartitionBytes[]> {
  const { responses } = await isReadingBytes.run(true, fetch);
  return responses.flatMap(({ topicName: topic, partitions }) =>
    partitions.map((one) => ({ ...one, topic })),
  );
}

/** Kafka's name of an error code, as kafkajs has it; undefined for 0. */
export function brokerErrorName(code: number): string | undefined {
  if (code === 0) return undefined;
  const { createErrorFromCode } = kafkajsModule('protocol/error') as {
    createErrorFromCode: (code: number) => { readonly type: string };
  };
  return createErrorFromCode(code).type;
}

function recordBytes(decoder: Decoder): Buffer {
  const size = decoder.readInt32();
  return size <= 0 || !decoder.canReadBytes(size) ? NO_BYTES : decoder.readBytes(size);
}
