import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { MAX_BATCH_ITEMS } from '../../../shared/messaging/codec/request-batch.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const JAVA = 'docs/examples/java-spring-kafka/src/main/java/example';
const BULK_EXAMPLES = [
  'docs/examples/node-kafkajs/recalculate.ts',
  'docs/examples/python-confluent-kafka/recalculate.py',
  `${JAVA}/Recalculation.java`,
];
const SPRING_NAMES: Readonly<Record<string, string>> = {
  'KafkaHeaders.CORRELATION_ID': HEADER.correlationId,
  'KafkaHeaders.REPLY_TOPIC': HEADER.replyTopic,
};
const NEEDED = [
  HEADER.correlationId,
  HEADER.replyTopic,
  HEADER.messageType,
  HEADER.originTimestamp,
  HEADER.errorCode,
  HEADER.errorRetryable,
  HEADER.warnings,
];

function namesIn(source: string): { headers: Set<string>; topics: Set<string> } {
  const spring = Object.keys(SPRING_NAMES).filter((constant) => source.includes(constant));
  const written = [...source.matchAll(/(?<![\w.-])(?:plat-[\w-]+|kafka_[A-Za-z-]+)/g)].map(([name]) => name);
  return {
    headers: new Set([...written, ...spring.map((constant) => SPRING_NAMES[constant] ?? '')]),
    topics: new Set([...source.matchAll(/(?<![\w.-])plat\.[a-z.-]+\.v\d+/g)].map(([name]) => name)),
  };
}

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
