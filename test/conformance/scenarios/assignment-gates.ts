import { expect } from 'vitest';
import { Consumer } from '../../../shared/messaging/consumer/consumer.ts';
import type { ProcessingResult } from '../../../shared/messaging/outcome.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';
import type { ScenarioTest, World } from '../../support/conformance/world.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const SECOND = 1_000;
const PARTITIONS = 3;
const MESSAGES = 60;
/** Each message takes several sessions, so that the group rebalances while it is processed. */
const STEPS_PER_SESSION = 40;

/** A consumer that records its results on a compacted topic, where other members read them. */
async function noter(world: World, topic: string, notes: string, groupId: string) {
  const publisher = await world.publisher();
  const tail = world.broker.createTail({ clientId: world.name('notes'), topics: [notes], from: 'earliest' });
  world.after(() => tail.stop(1_000));
  const noted = new Set<string>();
  await tail.start(({ key }) => void noted.add(String(key)));
  const done: string[] = [];
  const gateCalls: number[] = [];
  const consumer = new Consumer({
    ...systemPorts,
    createSource: () =>
      world.broker.createGroupSource({
        groupId,
        clientId: world.name('noter'),
        topics: [topic],
        sessionTimeoutMs: world.target.sessionTimeoutMs,
      }),
    commitIntervalMs: 60 * SECOND,
    log: silentLog,
    concurrency: 1,
    process: async (message): Promise<ProcessingResult> => {
      const id = String(message.value);
      if (noted.has(id)) return 'settled';
      done.push(id);
      await sleep(world.target.sessionTimeoutMs / STEPS_PER_SESSION);
      await publisher.publish([{ topic: notes, key: id, value: Buffer.from('done') }]);
      return 'settled';
    },
    gate: async () => {
      gateCalls.push(performance.now());
      if (gateCalls.length === 1) throw new Error('the table cannot be read at first');
      // Longer than a session, to check that the group does not expel the waiting member.
      await sleep(world.target.sessionTimeoutMs * 1.2);
      await tail.caughtUp(world.target.stepMs);
    },
  });
  world.after(() => consumer.stop(1_000));
  await consumer.start();
  return { consumer, done, gateCalls };
}

export function assignmentGateScenarios(test: ScenarioTest): void {
  test('a new owner has read all earlier results, even uncommitted ones', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(PARTITIONS);
    const notes = await world.topic(1, { 'cleanup.policy': 'compact' });
    const groupId = world.name('group');
    const ids = Array.from({ length: MESSAGES }, (_, index) => `n-${index}`);
    await publisher.publish(ids.map((id) => ({ topic, key: id, value: Buffer.from(id) })));
    const first = await noter(world, topic, notes, groupId);
    const patience = 3 * world.target.sessionTimeoutMs + 2 * world.target.stepMs;
    await eventually('some processed messages', patience, () => first.done.length > MESSAGES / 3);
    const second = await noter(world, topic, notes, groupId);
    const areGated = () => second.gateCalls.length >= 2 && first.gateCalls.length >= 3;
    await eventually('a gate for each member', patience, areGated);
    await eventually('all messages', patience, () => first.done.length + second.done.length >= MESSAGES);
    const isReady = () => second.consumer.health().status === 'ready';
    await eventually('all gates open', patience, isReady);
    expect([...first.done, ...second.done].toSorted()).toEqual(ids.toSorted());
    expect(second.consumer.stats().crashes).toBe(0);
  });
}
