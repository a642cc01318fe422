import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readContract, readLines } from '../../../docs/examples/node-kafkajs/portfolio.ts';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import {
  batchIdFault,
  MAX_BATCH_ITEMS,
  MAX_ID_CHARACTERS,
} from '../../../shared/messaging/codec/request-batch.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const JAVA = 'docs/examples/java-spring-kafka/src/main/java/example';
const BULK_EXAMPLES = [
  'docs/examples/node-kafkajs/recalculate.ts',
  'docs/examples/python-confluent-kafka/recalculate.py',
  `${JAVA}/Recalculation.java`,
];
/** Header names that Spring writes. */
const SPRING_NAMES: Readonly<Record<string, string>> = {
  'KafkaHeaders.CORRELATION_ID': HEADER.correlationId,
  'KafkaHeaders.REPLY_TOPIC': HEADER.replyTopic,
};
/** Headers that docs/bulk-events.md requires in the examples. */
const NEEDED = [
  HEADER.correlationId,
  HEADER.replyTopic,
  HEADER.messageType,
  HEADER.originTimestamp,
  HEADER.errorCode,
  HEADER.errorRetryable,
  HEADER.warnings,
];

/** All header and topic names in a source: quoted, as properties, or as constants of Spring. */
function namesIn(source: string): { headers: Set<string>; topics: Set<string> } {
  const spring = Object.keys(SPRING_NAMES).filter((constant) => source.includes(constant));
  const written = [...source.matchAll(/(?<![\w.-])(?:plat-[\w-]+|kafka_[A-Za-z-]+)/g)].map(([name]) => name);
  return {
    headers: new Set([...written, ...spring.map((constant) => SPRING_NAMES[constant] ?? '')]),
    topics: new Set([...source.matchAll(/(?<![\w.-])plat\.[a-z.-]+\.v\d+/g)].map(([name]) => name)),
  };
}

async function linesOf(text: string, chunkBytes: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const lines: string[] = [];
  for await (const line of readLines(chunks())) lines.push(line.toString());
  return lines;
}

function clientVersion(file: string): string | undefined {
  return (JSON.parse(read(file)) as { dependencies: Record<string, string> }).dependencies['kafkajs'];
}

describe('the examples of bulk requests as events', () => {
  it.each(BULK_EXAMPLES)('%s uses the headers and the topic of the engine, and no other names', (file) => {
    const { headers, topics } = namesIn(read(file));
    expect([...topics]).toEqual([TOPIC.scheduleBulkRequests]);
    expect(NEEDED.filter((name) => !headers.has(name))).toEqual([]);
    const known = new Set<string>(Object.values(HEADER));
    expect([...headers].filter((name) => !known.has(name))).toEqual([]);
  });

  it('the Java example sends to the interactive topic with the correct message type', () => {
    const { headers, topics } = namesIn(read(`${JAVA}/SingleRequest.java`));
    expect([...topics]).toEqual([TOPIC.scheduleRequests]);
    expect([...headers].toSorted()).toEqual([HEADER.errorCode, HEADER.messageType].toSorted());
  });

  it('docs/bulk-events.md names only existing topics and headers, and the message size limit', () => {
    const text = read('docs/bulk-events.md');
    const { headers, topics } = namesIn(text);
    expect([...topics].filter((name) => !new Set<string>(Object.values(TOPIC)).has(name))).toEqual([]);
    expect([...headers].filter((name) => !new Set<string>(Object.values(HEADER)).has(name))).toEqual([]);
    expect(text).toContain(`1 to ${MAX_BATCH_ITEMS} requests`);
  });

  it('the Node example uses the Kafka client of this project', () => {
    expect(clientVersion('docs/examples/node-kafkajs/package.json')).toBe(clientVersion('package.json'));
  });

  it('the sample portfolio contains contracts, each with an id, and one invalid line', () => {
    const lines = read('docs/examples/portfolio.ndjson').trimEnd().split('\n');
    const ids = lines.flatMap((line) => {
      try {
        return [(JSON.parse(line) as { id: unknown }).id];
      } catch {
        return [];
      }
    });
    expect(ids.length).toBe(lines.length - 1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([1, 2, 3, 1_024])(
    'the Node example splits lines only at line feeds, reading %d bytes at a time',
    async (chunkBytes) => {
      const odd = '{"id":"\u2028\u2029\u0085\u{1f4c8}"}';
      expect(await linesOf(`${odd}\n\na\rb\r\n${odd}`, chunkBytes)).toEqual([odd, '', 'a\rb\r', odd]);
      expect(await linesOf('a\n', chunkBytes)).toEqual(['a']);
      expect(await linesOf('', chunkBytes)).toEqual([]);
    },
  );

  it.each([
    'a',
    '\u2028',
    '\u{1f4c8}'.repeat(MAX_ID_CHARACTERS / 2),
    '\u{1f4c8}'.repeat(MAX_ID_CHARACTERS / 2 + 1),
    '',
    2 ** 53 - 1,
    2 ** 53,
    1.5,
    true,
  ])('the Node example sends only ids that the engine accepts (example %#)', (id) => {
    const contract = readContract(Buffer.from(JSON.stringify({ id })), 1);
    expect(contract?.id).toBe(batchIdFault(id) === undefined ? id : undefined);
  });

  it.each([
    ['NaN', Buffer.from('{"id":"a","jsonParam":{"Amount":NaN}}')],
    ['no object', Buffer.from('null')],
    ['no id', Buffer.from('{"jsonParam":{}}')],
    ['bytes that are not UTF-8', Buffer.from('{"id":"\u00e9"}', 'latin1')],
  ])('the Node example skips lines that are not contracts: %s', (_, line) => {
    expect(readContract(line, 1)).toBeUndefined();
  });

  it('the Node example accepts a byte order mark and does not send it', () => {
    expect(readContract(Buffer.from('\ufeff{"id":1}\r'), 1)).toMatchObject({
      id: 1,
      text: '{"id":1}\r',
      rows: 1,
    });
  });
});
