import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMemoryBroker, type MemoryBrokerOptions } from '../../../../shared/messaging/memory/broker.ts';
import type { Broker, Publisher } from '../../../../shared/messaging/ports.ts';
import { FaultSwitch } from '../../../support/conformance/faults.ts';
import { RecordingMember } from '../../../support/conformance/member.ts';
import { eventually, sleep } from '../../../support/conformance/wait.ts';

const STEP_MS = 2_000;
const SESSION_MS = 90;

const open: Broker[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((broker) => broker.close()));
});

async function createBroker(options: MemoryBrokerOptions = {}, partitions = 1): Promise<Broker> {
  const broker = createMemoryBroker(options);
  open.push(broker);
  await broker.admin.createTopics([{ topic: 't', partitions }]);
  return broker;
}

async function createPublisher(broker: Broker, deadlineMs = STEP_MS): Promise<Publisher> {
  const publisher = broker.createPublisher({ clientId: 'publisher', deadlineMs });
  await publisher.start();
  return publisher;
}

function createMember(
  broker: Broker,
  clientId: string,
  commit: 'each' | 'never' = 'never',
): Promise<RecordingMember> {
  const options = { groupId: 'g', clientId, topics: ['t'], sessionTimeoutMs: SESSION_MS };
  return new RecordingMember(broker, options, { commit }).start();
}

const textAt = (partition: number) => ({ ...text('x'), partition });
const text = (value: string) => ({ topic: 't', key: 'k', value: Buffer.from(value) });

async function valuesOf(broker: Broker): Promise<string[]> {
  const values: string[] = [];
  const tail = broker.createTail({ clientId: 'reader', topics: ['t'], from: 'earliest' });
  await tail.start(({ value }) => values.push(String(value)));
  await tail.caughtUp(STEP_MS);
  await tail.stop();
  return values;
}

describe('delivery', () => {
  test("never happens inside the publisher's call", async () => {
    const broker = await createBroker();
    const values: string[] = [];
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
    await tail.start(({ value }) => values.push(String(value)));
    const publisher = await createPublisher(broker);
    const published = publisher.publish([text('a')]);
    expect(values).toEqual([]);
    await published;
    expect(values).toEqual([]);
    await tail.caughtUp(STEP_MS);
    expect(values).toEqual(['a']);
  });

  test('gives every partition its turn while one has a long backlog', async () => {
    const broker = await createBroker({}, 2);
    const publisher = await createPublisher(broker);
    await publisher.publish([...Array.from({ length: 5_000 }, () => textAt(0)), textAt(1)]);
    const member = await createMember(broker, 'member');
    await eventually('the other partition', STEP_MS, () =>
      member.messages.some(({ partition }) => partition === 1),
    );
    expect(member.messages.findIndex(({ partition }) => partition === 1)).toBeLessThan(1_000);
  });

  test('reports its position where compaction left nothing to deliver', async () => {
    const broker = await createBroker({ sweepIntervalMs: 5 });
    const config = { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' };
    await broker.admin.createTopics([{ topic: 'table', partitions: 1, config }]);
    const publisher = await createPublisher(broker);
    await publisher.publish([
      { topic: 'table', key: 'kept', value: Buffer.from('x') },
      { topic: 'table', key: 'gone', value: null },
    ]);
    await sleep(50);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'c', topics: ['table'] });
    const read: unknown[] = [];
    await source.start({
      onAssigned: () => undefined,
      onRevoking: () => undefined,
      onCrash: () => undefined,
      onMessages: (_, messages) => read.push(...messages.map(({ offset }) => offset)),
      onPosition: (_, { partition }, position, highWatermark) =>
        read.push({ partition, position, highWatermark }),
    });
    await eventually('the end', STEP_MS, () => read.length === 2);
    expect(read).toEqual([0, { partition: 0, position: 2, highWatermark: 2 }]);
  });

  test('a sink that throws ends its consumer, and another takes over', async () => {
    const broker = await createBroker();
    const publisher = await createPublisher(broker);
    await publisher.publish([text('a')]);
    const source = broker.createGroupSource({ groupId: 'g', clientId: 'broken', topics: ['t'] });
    const crash = new Promise<Error>((resolve) => {
      void source.start({
        onAssigned: () => undefined,
        onRevoking: () => undefined,
        onMessages: () => {
          throw new Error('a fault of the runtime');
        },
        onCrash: resolve,
      });
    });
    expect((await crash).message).toBe('a fault of the runtime');
    const member = await createMember(broker, 'next');
    await eventually('redelivery', STEP_MS, () => member.values().join('') === 'a');
  });
});

test('a tail has caught up when the last message is delivered, not earlier', async () => {
  for (const count of [99, 100, 101, 201]) {
    const broker = await createBroker();
    const publisher = await createPublisher(broker);
    await publisher.publish(Array.from({ length: count }, () => text('x')));
    expect(await valuesOf(broker)).toHaveLength(count);
  }
});

describe('sessions', () => {
  test('a member that falls silent is expelled; what it had not committed goes to another', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const publisher = await createPublisher(broker);
    const first = await createMember(broker, 'first');
    await publisher.publish([text('a')]);
    await eventually('delivery', STEP_MS, () => first.messages.length === 1);
    faults.cutOff('first');
    const startedMs = performance.now();
    const second = await createMember(broker, 'second');
    await eventually('redelivery', STEP_MS, () => second.values().join('') === 'a');
    expect(performance.now() - startedMs).toBeGreaterThan(SESSION_MS / 2);
  });

  test('a member that comes back from the dead commits nothing of its old epoch, and joins anew', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const member = await createMember(broker, 'zombie');
    await eventually('assignment', STEP_MS, () => member.epoch > 0);
    const old = member.epoch;
    faults.cutOff('zombie');
    await expect(member.source.commit(old, [{ topic: 't', partition: 0, offset: 0 }])).rejects.toMatchObject({
      code: 'broker-unavailable',
      canRetry: true,
    });
    await sleep(3 * SESSION_MS);
    faults.reconnect('zombie');
    expect(await member.source.commit(old, [{ topic: 't', partition: 0, offset: 7 }])).toBe(false);
    await eventually('a new epoch', STEP_MS, () => member.epoch > old);
    expect(member.events.map(({ kind }) => kind)).toEqual(['assigned', 'revoking', 'assigned']);
    expect(await broker.admin.committed('g', ['t'])).toEqual([]);
  });

  test('a commit that follows a revocation by a turn of the event loop is still taken', async () => {
    const broker = await createBroker();
    const commits: Promise<boolean>[] = [];
    const options = { groupId: 'g', clientId: 'first', topics: ['t'] };
    const first: RecordingMember = new RecordingMember(broker, options, {
      commit: 'never',
      onEvent: ({ kind }) => {
        if (kind !== 'revoking') return;
        setImmediate(() =>
          commits.push(first.source.commit(first.epoch, [{ topic: 't', partition: 0, offset: 0 }])),
        );
      },
    });
    await first.start();
    await eventually('assignment', STEP_MS, () => first.epoch > 0);
    await createMember(broker, 'second');
    await eventually('the next assignment', STEP_MS, () => first.epoch > 1);
    expect(await Promise.all(commits)).toEqual([true]);
  });

  test('no member is expelled because the whole process was blocked', async () => {
    const broker = await createBroker();
    const member = await createMember(broker, 'member');
    await eventually('assignment', STEP_MS, () => member.epoch > 0);
    const until = performance.now() + 3 * SESSION_MS;
    while (performance.now() < until);
    await sleep(SESSION_MS);
    expect(member.events.map(({ kind }) => kind)).toEqual(['assigned']);
  });

  test('a topic that is made anew has no commits of the former one', async () => {
    const broker = await createBroker();
    const publisher = await createPublisher(broker);
    const first = await createMember(broker, 'first', 'each');
    await publisher.publish([text('a'), text('b')]);
    await eventually('delivery', STEP_MS, () => first.messages.length === 2);
    await first.source.stop();
    await broker.admin.deleteTopics(['t']);
    await broker.admin.createTopics([{ topic: 't', partitions: 1 }]);
    await publisher.publish([text('c'), text('d'), text('e')]);
    const second = await createMember(broker, 'second', 'each');
    await eventually('delivery', STEP_MS, () => second.messages.length > 0);
    expect(second.values()).toEqual(['c', 'd', 'e']);
  });

  test('a group follows a topic that is deleted and made anew under it', async () => {
    const broker = await createBroker();
    const publisher = await createPublisher(broker);
    const member = await createMember(broker, 'member', 'each');
    await eventually('assignment', STEP_MS, () => member.assigned.length === 1);
    await broker.admin.deleteTopics(['t']);
    await eventually('loss of the topic', STEP_MS, () => member.assigned.length === 0);
    await broker.admin.createTopics([{ topic: 't', partitions: 1 }]);
    await publisher.publish([text('a')]);
    await eventually('delivery', STEP_MS, () => member.messages.length > 0);
    expect(member.values()).toEqual(['a']);
  });
});

describe('a full log', () => {
  const limits = { maxRecordsPerTopic: 50 };

  test('loses its oldest records when there is no reader', async () => {
    const broker = await createBroker({ limits });
    const publisher = await createPublisher(broker);
    for (let index = 0; index < 200; index += 1) await publisher.publish([text(`${index}`)]);
    const values = await valuesOf(broker);
    expect(values.length).toBeLessThanOrEqual(50);
    expect(values.at(-1)).toBe('199');
  });

  test('makes the publisher wait for a slow group instead of losing what it has to read', async () => {
    const broker = await createBroker({ limits });
    const publisher = await createPublisher(broker);
    const member = await createMember(broker, 'slow');
    await eventually('assignment', STEP_MS, () => member.epoch > 0);
    const published = publisher.publish(Array.from({ length: 200 }, (_, index) => text(`${index}`)));
    const settled = published.then(() => true);
    await sleep(50);
    expect(await Promise.race([settled, Promise.resolve(false)])).toBe(false);
    const commits = setInterval(() => {
      const next = (member.messages.at(-1)?.offset ?? -1) + 1;
      void member.source.commit(member.epoch, [{ topic: 't', partition: 0, offset: next }]);
    }, 5);
    onTestFinished(() => clearInterval(commits));
    await published;
    await eventually('every message', STEP_MS, () => member.messages.length === 200);
    expect(member.values()).toEqual(Array.from({ length: 200 }, (_, index) => `${index}`));
  });

  test('lets no later publish overtake one that waits for room', async () => {
    const broker = await createBroker({ limits });
    const publisher = await createPublisher(broker);
    const member = await createMember(broker, 'slow');
    await eventually('assignment', STEP_MS, () => member.epoch > 0);
    const waiting = publisher.publish(Array.from({ length: 60 }, (_, index) => text(`${index}`)));
    await eventually('delivery', STEP_MS, () => member.messages.length === 50);
    await member.source.commit(member.epoch, [{ topic: 't', partition: 0, offset: 50 }]);
    await Promise.all([publisher.publish([text('60')]), waiting]);
    await eventually('every message', STEP_MS, () => member.messages.length === 61);
    expect(member.values()).toEqual(Array.from({ length: 61 }, (_, index) => `${index}`));
  });

  test('rejects what finds no room until the deadline: not-sent whole, send-unknown in part', async () => {
    const broker = await createBroker({ limits });
    const publisher = await createPublisher(broker, 50);
    const member = await createMember(broker, 'stuck');
    await eventually('assignment', STEP_MS, () => member.epoch > 0);
    const many = Array.from({ length: 60 }, (_, index) => text(`${index}`));
    await expect(publisher.publish(many)).rejects.toMatchObject({ code: 'send-unknown', canRetry: true });
    await expect(publisher.publish([text('x')])).rejects.toMatchObject({ code: 'not-sent', canRetry: true });
  });
});

describe('faults', () => {
  test('a refused publisher keeps its messages in order until the broker is back', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const publisher = await createPublisher(broker);
    faults.setDown(true);
    expect(publisher.isHealthy()).toBe(false);
    const published = [publisher.publish([text('a')]), publisher.publish([text('b')])];
    await sleep(20);
    faults.setDown(false);
    await Promise.all(published);
    expect(publisher.isHealthy()).toBe(true);
    expect(await valuesOf(broker)).toEqual(['a', 'b']);
  });

  test('a refused publisher says not-sent at its deadline, and nothing comes later', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const publisher = await createPublisher(broker, 30);
    faults.cutOff('publisher');
    await expect(publisher.publish([text('a')])).rejects.toMatchObject({ code: 'not-sent' });
    faults.reconnect('publisher');
    await publisher.publish([text('b')]);
    expect(await valuesOf(broker)).toEqual(['b']);
  });

  test('a lost reply after the append shows as a repeated message, not as a lost one', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const publisher = await createPublisher(broker);
    faults.loseReplies('publisher', 1);
    await Promise.all([publisher.publish([text('a')]), publisher.publish([text('b')])]);
    expect(await valuesOf(broker)).toEqual(['a', 'a', 'b']);
  });

  test('a delay beyond the deadline is answered by send-unknown, and the message comes after all', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    const publisher = await createPublisher(broker, 30);
    faults.delay('publisher', 80);
    await expect(publisher.publish([text('a')])).rejects.toMatchObject({ code: 'send-unknown' });
    await sleep(100);
    expect(await valuesOf(broker)).toEqual(['a']);
  });

  test('admin calls and starts are refused while the broker is down', async () => {
    const faults = new FaultSwitch();
    const broker = await createBroker({ faults: faults.plan });
    faults.setDown(true);
    await expect(broker.admin.listTopics()).rejects.toMatchObject({ code: 'broker-unavailable' });
    await expect(createMember(broker, 'member')).rejects.toMatchObject({ code: 'broker-unavailable' });
    const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'latest' });
    await expect(tail.start(() => undefined)).rejects.toMatchObject({ code: 'broker-unavailable' });
    expect(tail.isReady()).toBe(false);
  });
});

test('close() ends all that was opened: no timer keeps the process, no call goes through', async () => {
  const broker = await createBroker();
  const publisher = await createPublisher(broker);
  const member = await createMember(broker, 'member');
  await broker.close();
  await broker.close();
  await expect(publisher.publish([text('a')])).rejects.toMatchObject({ code: 'not-sent' });
  expect(await member.source.commit(member.epoch, [])).toBe(false);
});
