import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { hasRoom } from '../../../../shared/messaging/ports.ts';
import { QUEUE_LIMITS } from '../../../../shared/platform/queue-limits.ts';
import { RecordingMember } from '../../../support/conformance/member.ts';
import { seededSystem } from '../../../simulation/seeded-system.ts';

/** Shared by two partitions: each holds ten. */
const LIMITS = { maxRecordsPerTopic: 20 };
const DEADLINE_MS = 10_000;
const STEP_MS = 1_000;

const to = (partition: number, value: string, topic = 't'): OutgoingMessage => ({
  topic,
  partition,
  key: 'k',
  value: Buffer.from(value),
});

const byKey = (key: string): OutgoingMessage => ({ topic: 't', key, value: Buffer.from(key) });

/** Partition 0 of topic `t` is full of messages that its group has not committed; `record` lists the ended calls. */
async function withFullPartition() {
  const system = seededSystem(1);
  const broker = createEmbeddedBroker({ ...system, limits: LIMITS });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics([
    { topic: 't', partitions: 2 },
    { topic: 'other', partitions: 2 },
  ]);
  const reads = { groupId: 'g', clientId: 'member', topics: ['t'] };
  const member = await new RecordingMember(broker, reads, { commit: 'never' }).start();
  await system.pass(STEP_MS);
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs: DEADLINE_MS });
  await publisher.start();
  await publisher.publish(Array.from({ length: 10 }, (_, index) => to(0, `old ${index}`)));
  const ended: string[] = [];
  const record = (name: string, ...messages: readonly OutgoingMessage[]): void =>
    void publisher.publish(messages).then(
      () => ended.push(name),
      (error: unknown) => ended.push(`${name}: ${(error as { readonly code?: string }).code}`),
    );
  const readOf = (partition: number) => member.messages.filter((message) => message.partition === partition);
  const valuesOf = (partition: number): string[] =>
    readOf(partition).flatMap(({ value }) => (String(value).startsWith('old') ? [] : [String(value)]));
  const commitAll = async (): Promise<void> => {
    await system.pass(100);
    const offset = (readOf(0).at(-1)?.offset ?? -1) + 1;
    await member.source.commit(member.epoch, [{ topic: 't', partition: 0, offset }]);
    await system.pass(100);
  };
  return { system, publisher, ended, record, valuesOf, commitAll };
}

describe('while a partition is full of unread messages', () => {
  test('messages to other partitions and topics do not wait', async () => {
    const { system, ended, record } = await withFullPartition();
    record('full', to(0, 'a'));
    record('other partition', to(1, 'b'));
    record('other topic', to(0, 'c', 'other'));
    await system.pass(100);
    expect(ended).toEqual(['other partition', 'other topic']);
    await system.pass(DEADLINE_MS);
    expect(ended.at(-1)).toBe('full: not-sent');
  });

  test('a later call waits behind an earlier one of the same partition, and its other messages do not', async () => {
    const { system, ended, record, valuesOf, commitAll } = await withFullPartition();
    record('first', to(0, 'a'), to(1, 'b'));
    record('second', to(1, 'c'), to(0, 'd'));
    record('third', to(1, 'e'));
    await system.pass(100);
    expect(ended).toEqual(['third']);
    expect(valuesOf(1)).toEqual(['b', 'c', 'e']);
    await commitAll();
    expect(ended).toEqual(['third', 'first', 'second']);
    expect(valuesOf(0)).toEqual(['a', 'd']);
  });

  test('messages without a partition of their own wait for that of their key', async () => {
    const { system, publisher, valuesOf, commitAll } = await withFullPartition();
    const waiting = Array.from({ length: 20 }, (_, index) => publisher.publish([byKey(`key ${index}`)]));
    await system.pass(100);
    const partitionOne = valuesOf(1);
    expect(partitionOne.length).toBeGreaterThan(0);
    expect(valuesOf(0)).toEqual([]);
    await commitAll();
    await commitAll();
    await Promise.all(waiting);
    const all = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    expect(valuesOf(0)).toEqual(all.filter((key) => !partitionOne.includes(key)));
  });

  test('a call whose deadline passed leaves nothing that is stored later', async () => {
    const { system, ended, record, valuesOf, commitAll } = await withFullPartition();
    record('partly stored', to(0, 'a'), to(1, 'b'));
    await system.pass(DEADLINE_MS / 2);
    record('later', to(0, 'c'));
    await system.pass(DEADLINE_MS / 2 + 1);
    expect(ended).toEqual(['partly stored: send-unknown']);
    await commitAll();
    expect(ended).toEqual(['partly stored: send-unknown', 'later']);
    expect(valuesOf(0)).toEqual(['c']);
  });

  test('calls for which nothing waits need no place in the queue, and one that fills a partition is partly stored', async () => {
    const { system, ended, record, valuesOf } = await withFullPartition();
    const { messages } = QUEUE_LIMITS.publisher;
    record('queue', ...Array.from({ length: messages }, () => to(0, 'a')));
    record('several', to(1, 'b'), to(0, 'c', 'other'));
    record('one', to(1, 'd'));
    record('behind', to(1, 'e'), to(0, 'f'));
    await system.pass(100);
    expect(ended.toSorted()).toEqual(['behind: send-unknown', 'one', 'several']);
    expect(valuesOf(1)).toEqual(['b', 'd', 'e']);
    record('partly', ...Array.from({ length: 12 }, (_, index) => to(1, String(index))));
    record('none', to(1, 'b'), to(1, 'c'));
    await system.pass(100);
    expect(ended.slice(3)).toEqual(['partly: send-unknown', 'none: not-sent']);
    expect(valuesOf(1)).toHaveLength(10);
  });
});

test('records above 1 MiB leave a quarter of the queue to smaller ones', () => {
  const mib = 1_048_576;
  const { bytes } = QUEUE_LIMITS.publisher;
  const queued = { messages: 6, bytes: 48 * mib };
  expect(hasRoom(queued, { messages: 1, bytes: mib + 1 })).toBe(false);
  expect(hasRoom(queued, { messages: 16, bytes: bytes - queued.bytes })).toBe(true);
  expect(hasRoom(queued, { messages: 17, bytes: bytes - queued.bytes + 1 })).toBe(false);
  expect(hasRoom({ messages: 5, bytes: 40 * mib }, { messages: 1, bytes: 8 * mib })).toBe(true);
});
