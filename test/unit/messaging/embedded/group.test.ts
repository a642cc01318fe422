import { describe, expect, test } from 'vitest';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/broker.ts';
import type { Broker, Publisher } from '../../../../shared/messaging/ports.ts';
import { RecordingMember } from '../../../support/conformance/member.ts';
import { seededSystem, type SeededSystem } from '../../../simulation/seeded-system.ts';

const LIMITS = { maxRecordsPerTopic: 10 };
const DEADLINE_MS = 100;
const STEP_MS = 1_000;
const SPEC = { topic: 't', partitions: 1 };

const text = (value: number) => ({ topic: 't', key: 'k', value: Buffer.from(`${value}`) });
const READS = { groupId: 'g', clientId: 'member', topics: ['t'] };

describe('a full log whose group has no members', () => {
  test('keeps what the group has not read, and publishers wait', async () => {
    const system = seededSystem(1);
    const broker = createEmbeddedBroker({ ...system, limits: LIMITS });
    await broker.admin.createTopics([SPEC]);
    const member = await joined(system, broker);
    const publisher = await started(broker);
    await publishUpTo(publisher, 10);
    await system.pass(STEP_MS);
    await member.source.commit(member.epoch, [{ topic: 't', partition: 0, offset: 2 }]);
    await member.source.stop();
    await publishUpTo(publisher, 2);
    await expect(system.run(refusal(publisher.publish([text(11)])), STEP_MS)).resolves.toBe('not-sent');
    expect(await lowOf(broker)).toBe(2);

    const next = await joined(system, broker);
    await system.pass(STEP_MS);
    expect(next.messages.map(({ offset }) => offset)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    await broker.close();
  });

  test('keeps everything if the group has committed nothing', async () => {
    const system = seededSystem(1);
    const broker = createEmbeddedBroker({ ...system, limits: LIMITS });
    await broker.admin.createTopics([SPEC]);
    const member = await joined(system, broker);
    await member.source.stop();
    const publisher = await started(broker);
    await publishUpTo(publisher, 10);
    await expect(system.run(refusal(publisher.publish([text(11)])), STEP_MS)).resolves.toBe('not-sent');
    expect(await lowOf(broker)).toBe(0);
    await broker.close();
  });

  test('is free again when the messages are older than the retention time', async () => {
    const system = seededSystem(1);
    const broker = createEmbeddedBroker({ ...system, limits: LIMITS });
    await broker.admin.createTopics([{ ...SPEC, config: { 'retention.ms': '5000' } }]);
    const member = await joined(system, broker);
    await member.source.stop();
    const publisher = await started(broker);
    await publishUpTo(publisher, 10);
    await system.pass(5_001);
    await publisher.publish([text(11)]);
    expect(await lowOf(broker)).toBe(10);
    await broker.close();
  });
});

async function joined(system: SeededSystem, broker: Broker): Promise<RecordingMember> {
  const member = await new RecordingMember(broker, READS, { commit: 'never' }).start();
  await system.pass(STEP_MS);
  expect(member.assigned).toHaveLength(1);
  return member;
}

async function started(broker: Broker): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs: DEADLINE_MS });
  await publisher.start();
  return publisher;
}

async function publishUpTo(publisher: Publisher, count: number): Promise<void> {
  for (let value = 1; value <= count; value += 1) await publisher.publish([text(value)]);
}

/** The code with which a publish was rejected. */
async function refusal(published: Promise<void>): Promise<unknown> {
  return published.then(
    () => 'published',
    (error: unknown) => (error as { readonly code?: string }).code,
  );
}

async function lowOf(broker: Broker): Promise<number | undefined> {
  return (await broker.admin.offsets('t'))[0]?.low;
}
