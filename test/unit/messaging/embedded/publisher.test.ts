import { describe, expect, test } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import type { OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { hasRoom, type Broker, type Publisher } from '../../../../shared/messaging/ports.ts';
import { QUEUE_LIMITS } from '../../../../shared/platform/queue-limits.ts';
import { RecordingMember } from '../../../support/conformance/member.ts';
import { seededSystem, type SeededSystem } from '../../../simulation/seeded-system.ts';

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

interface Fixture {
  readonly system: SeededSystem;
  readonly broker: Broker;
  readonly publisher: Publisher;
  readonly member: RecordingMember;
}

/** Partition 0 of topic `t` is full of messages that its group has not committed. */
async function withFullPartition(): Promise<Fixture> {
  const system = seededSystem(1);
  const broker = createEmbeddedBroker({ ...system, limits: LIMITS });
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
  return { system, broker, publisher, member };
}

/** Records which calls were acknowledged, and in which order. */
function recorder(): {
  readonly ended: string[];
  readonly record: (name: string, call: Promise<void>) => void;
} {
  const ended: string[] = [];
  const record = (name: string, call: Promise<void>): void =>
    void call.then(
      () => ended.push(name),
      (error: unknown) => ended.push(`${name}: ${(error as { readonly code?: string }).code}`),
    );
  return { ended, record };
}

/** The group has read everything of partition 0 so far. */
async function commitAll({ system, member }: Fixture): Promise<void> {
  await system.pass(100);
  const read = member.messages.filter(({ partition }) => partition === 0);
  await member.source.commit(member.epoch, [
    { topic: 't', partition: 0, offset: (read.at(-1)?.offset ?? -1) + 1 },
  ]);
  await system.pass(100);
}

const valuesOf = ({ member }: Fixture, partition: number): string[] =>
  member.messages
    .filter((message) => message.partition === partition)
    .map(({ value }) => String(value))
    .filter((value) => !value.startsWith('old'));

describe('while a partition is full of unread messages', () => {
  test('messages to other partitions and topics do not wait', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const { ended, record } = recorder();
    record('full', publisher.publish([to(0, 'a')]));
    record('other partition', publisher.publish([to(1, 'b')]));
    record('other topic', publisher.publish([to(0, 'c', 'other')]));
    await system.pass(100);
    expect(ended).toEqual(['other partition', 'other topic']);
    await system.pass(DEADLINE_MS);
    expect(ended.at(-1)).toBe('full: not-sent');
    await broker.close();
  });

  test('a later call waits behind an earlier one of the same partition, and its other messages do not', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const { ended, record } = recorder();
    record('first', publisher.publish([to(0, 'a'), to(1, 'b')]));
    record('second', publisher.publish([to(1, 'c'), to(0, 'd')]));
    record('third', publisher.publish([to(1, 'e')]));
    await system.pass(100);
    expect(ended).toEqual(['third']);
    expect(valuesOf(fixture, 1)).toEqual(['b', 'c', 'e']);
    await commitAll(fixture);
    expect(ended).toEqual(['third', 'first', 'second']);
    expect(valuesOf(fixture, 0)).toEqual(['a', 'd']);
    await broker.close();
  });

  test('messages without a partition of their own wait for that of their key', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const waiting = Array.from({ length: 20 }, (_, index) => publisher.publish([byKey(`key ${index}`)]));
    await system.pass(100);
    const partitionOne = valuesOf(fixture, 1);
    expect(partitionOne.length).toBeGreaterThan(0);
    expect(valuesOf(fixture, 0)).toEqual([]);
    await commitAll(fixture);
    await commitAll(fixture);
    await Promise.all(waiting);
    const all = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    expect(valuesOf(fixture, 0)).toEqual(all.filter((key) => !partitionOne.includes(key)));
    await broker.close();
  });

  test('a call whose deadline passed leaves nothing that is stored later', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const { ended, record } = recorder();
    record('partly stored', publisher.publish([to(0, 'a'), to(1, 'b')]));
    await system.pass(DEADLINE_MS / 2);
    record('later', publisher.publish([to(0, 'c')]));
    await system.pass(DEADLINE_MS / 2 + 1);
    expect(ended).toEqual(['partly stored: send-unknown']);
    await commitAll(fixture);
    expect(ended).toEqual(['partly stored: send-unknown', 'later']);
    expect(valuesOf(fixture, 0)).toEqual(['c']);
    await broker.close();
  });

  test('calls for which nothing waits need no place in the queue', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const { ended, record } = recorder();
    const { messages } = QUEUE_LIMITS.publisher;
    record('queue', publisher.publish(Array.from({ length: messages }, () => to(0, 'a'))));
    record('several', publisher.publish([to(1, 'b'), to(0, 'c', 'other')]));
    record('one', publisher.publish([to(1, 'd')]));
    record('behind', publisher.publish([to(1, 'e'), to(0, 'f')]));
    await system.pass(100);
    expect(ended.toSorted()).toEqual(['behind: send-unknown', 'one', 'several']);
    expect(valuesOf(fixture, 1)).toEqual(['b', 'd', 'e']);
    await broker.close();
  });

  test('a call that fills a partition while the queue is full is reported as partly stored', async () => {
    const fixture = await withFullPartition();
    const { system, broker, publisher } = fixture;
    const { ended, record } = recorder();
    const { messages } = QUEUE_LIMITS.publisher;
    record('queue', publisher.publish(Array.from({ length: messages }, () => to(0, 'a'))));
    record('partly', publisher.publish(Array.from({ length: 12 }, (_, index) => to(1, String(index)))));
    record('none', publisher.publish([to(1, 'b'), to(1, 'c')]));
    await system.pass(100);
    expect(ended).toEqual(['partly: send-unknown', 'none: not-sent']);
    expect(valuesOf(fixture, 1)).toHaveLength(10);
    await broker.close();
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
