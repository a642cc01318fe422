import { expect } from 'vitest';
import { numbered, placed, type ScenarioTest } from '../../support/conformance/world.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';

const TRAFFIC_PAUSE_MS = 2;

export function tailScenarios(test: ScenarioTest): void {
  test('delivers all messages published after start() has resolved, from latest', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(6);
    await publisher.publish(numbered(topic, 'before', 0, 10));
    for (let round = 0; round < 3; round += 1) {
      const { tail, values } = await world.tail({ topics: [topic], from: 'latest' });
      expect(tail.isReady()).toBe(true);
      const messages = [0, 1, 2, 3, 4, 5].map((of) => placed(topic, of, `${round}-${of}`));
      await publisher.publish(messages);
      await tail.caughtUp(world.target.stepMs);
      expect(values.toSorted()).toEqual(messages.map(({ value }) => String(value)));
    }
  });

  test('has delivered all existing messages when caughtUp() resolves, from earliest', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) await publisher.publish(numbered(topic, key, 0, 200));
    const { tail, values } = await world.tail({ topics: [topic], from: 'earliest' });
    await tail.caughtUp(world.target.stepMs);
    expect(values).toHaveLength(1_000);
    await publisher.publish(numbered(topic, 'a', 200, 210));
    await tail.caughtUp(world.target.stepMs);
    expect(values).toHaveLength(1_010);
  });

  test('begins at given positions, and elsewhere where `from` says', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    const record = (partition: number, at: number) => placed(topic, partition, `${partition}-${at}`);
    // One by one: on a new topic the records of several partitions may be stored twice, when one has no leader yet.
    for (let at = 0; at < 5; at += 1) {
      for (const partition of [0, 1, 2]) await publisher.publish([record(partition, at)]);
    }
    const positions = [
      { topic, partition: 0, offset: 3 },
      { topic, partition: 1, offset: 5 },
    ];
    const { tail, values } = await world.tail({ topics: [topic], from: 'earliest', positions });
    await tail.caughtUp(world.target.stepMs);
    await publisher.publish([record(1, 5)]);
    await tail.caughtUp(world.target.stepMs);
    const expected = ['0-3', '0-4', '1-5', '2-0', '2-1', '2-2', '2-3', '2-4'];
    expect(values.toSorted()).toEqual(expected);
  });

  test('catches up on a compacted topic whose last offsets have no record', async ({ world }) => {
    const config = { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' };
    const { topic, publisher } = await world.topicWithPublisher(2, config);
    await publisher.publish(numbered(topic, 'kept', 0, 3));
    await publisher.publish(numbered(topic, 'other', 0, 3));
    await world.target.leaveEmptyTail(topic);
    const newest = new Map<string, string>();
    const { tail } = await world.tail({ topics: [topic], from: 'earliest' }, ({ key, value }) => {
      newest.set(String(key), String(value));
    });
    await tail.caughtUp(world.target.stepMs);
    expect(newest.get('kept')).toBe('kept-2');
    await publisher.publish(numbered(topic, 'kept', 3, 4));
    await tail.caughtUp(world.target.stepMs);
    expect(newest.get('kept')).toBe('kept-3');
  });

  test('reads a single partition if configured', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    const partitions = new Set<number>();
    const { tail } = await world.tail({ topics: [topic], from: 'latest', partition: 1 }, (message) =>
      partitions.add(message.partition),
    );
    await publisher.publish([0, 1, 2].map((partition) => placed(topic, partition)));
    await tail.caughtUp(world.target.stepMs);
    expect([...partitions]).toEqual([1]);
  });

  test('skips a message whose handler throws, and continues', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    const { tail, values } = await world.tail({ topics: [topic], from: 'latest' }, ({ value }) => {
      if (String(value) === 'k-1') throw new Error('an invalid record');
    });
    await publisher.publish(numbered(topic, 'k', 0, 4));
    await tail.caughtUp(world.target.stepMs);
    expect(values).toEqual(['k-0', 'k-2', 'k-3']);
    expect(tail.isReady()).toBe(true);
  });

  test('neither loses nor repeats messages when it rejoins', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    const { tail, clientId, values } = await world.tail({ topics: [topic], from: 'latest' });
    const expected: string[] = [];
    const publishing = new AbortController();
    const traffic = (async () => {
      for (let index = 0; !publishing.signal.aborted; index += 1) {
        const messages = numbered(topic, `key-${index % 7}`, index, index + 1);
        expected.push(...messages.map(({ value }) => String(value)));
        await publisher.publish(messages);
        await sleep(TRAFFIC_PAUSE_MS);
      }
    })();
    await world.target.forceRejoin(clientId);
    publishing.abort();
    await traffic;
    const seen = () => new Set(values).size;
    await eventually('every message', world.target.stepMs, () => seen() >= expected.length, seen);
    await tail.caughtUp(world.target.stepMs);
    expect(values.toSorted()).toEqual(expected.toSorted());
  });
}
