import { checkBatches } from '../../common/batches/check-batches.ts';
import { brokenResponse } from './broken-responses.ts';
import { kafkajsModule, replaceFunction } from './internals.ts';

/** Versions of the fetch response that change its layout. kafkajs uses none above 11, Kafka 4 accepts none below 4. */
const MIN_CHECKED_VERSION = 4;
const WITH_LOG_START = 5;
const WITH_SESSION = 7;
const WITH_PREFERRED_REPLICA = 11;
const ABORTED_TRANSACTION_BYTES = 16;

interface FetchPartition {
  readonly partition: number;
  readonly fetchOffset: string | number;
}

/** The partitions of a fetch request, each with the first requested offset. */
export type FetchTopics = readonly {
  readonly topic: string;
  readonly partitions: readonly FetchPartition[];
}[];

interface FetchDefinition {
  protocol: (choice: { version: number }) => (request: { readonly topics: FetchTopics }) => {
    readonly response: { readonly decode: (raw: Buffer) => Promise<unknown>; readonly parse: unknown };
  };
}

/**
 * Validates each fetch response before kafkajs decodes it. kafkajs delivers fetched records without checking their checksum
 * ("the library is currently not performing CRC validations"), silently truncates values that do not fit, and accepts
 * partitions that were not requested.
 */
export function checkFetchResponses(): void {
  const definition = kafkajsModule('protocol/requests/fetch') as FetchDefinition;
  replaceFunction(definition, 'protocol', (protocol, choice) => {
    const make = protocol(choice);
    return (request) => {
      const made = make(request);
      const { decode, parse } = made.response;
      const decodeChecked = async (raw: Buffer) => {
        checkFetchResponse(choice.version, raw, request.topics);
        return decode(raw);
      };
      return { ...made, response: { decode: decodeChecked, parse } };
    };
  });
}

/**
 * Throws unless the response has the layout of its version to the last byte, contains only requested partitions, each once,
 * and its record batches are sound (checkBatches).
 */
export function checkFetchResponse(version: number, raw: Buffer, requested: FetchTopics): void {
  if (version < MIN_CHECKED_VERSION) return;
  const open = new Map(
    requested.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [`${topic}/${partition}`, Number(fetchOffset)]),
    ),
  );
  let at = 4 + (version >= WITH_SESSION ? 6 : 0);
  const take = (bytes: number): number => {
    if (bytes < 0 || at + bytes > raw.length) throw brokenResponse('a length exceeds the response');
    at += bytes;
    return at - bytes;
  };
  const count = (): number => Math.max(0, raw.readInt32BE(take(4)));
  const partition = (topic: string): void => {
    const id = `${topic}/${raw.readInt32BE(take(4))}`;
    const fetchOffset = open.get(id);
    if (!open.delete(id) || fetchOffset === undefined) {
      throw brokenResponse('a partition was not requested or is repeated');
    }
    take(2 + 8 + 8 + (version >= WITH_LOG_START ? 8 : 0));
    take(count() * ABORTED_TRANSACTION_BYTES);
    if (version >= WITH_PREFERRED_REPLICA) take(4);
    const size = count();
    const start = take(size);
    checkBatches(raw.subarray(start, start + size), fetchOffset);
  };
  for (let topics = count(); topics > 0; topics -= 1) {
    const size = raw.readInt16BE(take(2));
    const start = take(size);
    const topic = raw.toString('utf8', start, start + size);
    for (let partitions = count(); partitions > 0; partitions -= 1) partition(topic);
  }
  if (at !== raw.length) throw brokenResponse('bytes after the end of the response');
}
