import { expect } from 'vitest';
import { numbered, placed, type ScenarioTest } from '../../support/conformance/world.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';

/** Some messages arrive in each step of a rebalance. */
const TRAFFIC_PAUSE_MS = 2;

/** The guarantees of a tail: it delivers every message published after its start once, in every partition. */
export function tailScenarios(test: ScenarioTest): void {
  test('delivers all messages published after start() has resolved, from latest', async ({ world }) => {
    const topic = await world.topic(6);
    const publisher = await world.publisher();
    await publisher.publish(numbered(topic, 'before', 0, 10));
    for (let round = 0; round < 3; round += 1) {
      const values: string[] = [];
      const { tail } = await world.tail({ topics: [topic], from: 'latest' }, ({ value }) =>
        values.push(String(value)),
      );
      expect(tail.isReady()).toBe(true);
      const messages = [0, 1, 2, 3, 4, 5].map((partition) =>
        placed(topic, partition, `${round}-${partition}`),
      );
      await publisher.publish(messages);
      await tail.caughtUp(world.target.stepMs);
      expect(values.toSorted()).toEqual(messages.map(({ value }) => String(value)));
    }
  });

  test('has delivered all existing messages when caughtUp() resolves, from earliest', async ({ world }) => {
    const topic = await world.topic(3);
    const publisher = await world.publisher();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await publisher.publish(numbered(topic, key, 0, 200));
    let count = 0;
    const { tail } = await world.tail({ topics: [topic], from: 'earliest' }, () => {
      count += 1;
    });
    await tail.caughtUp(world.target.stepMs);
    expect(count).toBe(1_000);
    await publisher.publish(numbered(topic, 'a', 200, 210));
    await tail.caughtUp(world.target.stepMs);
    expect(count).toBe(1_010);
  });

  test('begins at given positions, and elsewhere where `from` says', async ({ world }) => {
    const topic = await world.topic(3);
    const publisher = await world.publisher();
    const record = (partition: number, at: number) => placed(topic, partition, `${partition}-${at}`);
    // One by one: on a new topic the records of several partitions may be stored twice, when one has no leader yet.
    for (let at = 0; at < 5; at += 1) {
      for (const partition of [0, 1, 2]) await publisher.publish([record(partition, at)]);
    }
    const values: string[] = [];
    const positions = [
      { topic, partition: 0, offset: 3 },
      { topic, partition: 1, offset: 5 },
    ];
    const { tail } = await world.tail({ topics: [topic], from: 'earliest', positions }, ({ value }) =>
      values.push(String(value)),
    );
    await tail.caughtUp(world.target.stepMs);
    await publisher.publish([record(1, 5)]);
    await tail.caughtUp(world.target.stepMs);
    const expected = ['0-3', '0-4', '1-5', '2-0', '2-1', '2-2', '2-3', '2-4'];
    expect(values.toSorted()).toEqual(expected);
  });

  test('catches up on a compacted topic whose last offsets have no record', async ({ world }) => {
    const topic = await world.topic(2, { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' });
    const publisher = await world.publisher();
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
    const topic = await world.topic(3);
    const publisher = await world.publisher();
    const partitions = new Set<number>();
    const { tail } = await world.tail({ topics: [topic], from: 'latest', partition: 1 }, (message) =>
      partitions.add(message.partition),
    );
    await publisher.publish([0, 1, 2].map((partition) => placed(topic, partition)));
    await tail.caughtUp(world.target.stepMs);
    expect([...partitions]).toEqual([1]);
  });

  test('skips a message whose handler throws, and continues', async ({ world }) => {
    const topic = await world.topic(1);
    const publisher = await world.publisher();
    const values: string[] = [];
    const { tail } = await world.tail({ topics: [topic], from: 'latest' }, ({ value }) => {
      if (String(value) === 'k-1') throw new Error('an invalid record');
      values.push(String(value));
    });
    await publisher.publish(numbered(topic, 'k', 0, 4));
    await tail.caughtUp(world.target.stepMs);
    expect(values).toEqual(['k-0', 'k-2', 'k-3']);
    expect(tail.isReady()).toBe(true);
  });

  test('neither loses nor repeats messages when it rejoins', async ({ world }) => {
    const topic = await world.topic(3);
    const publisher = await world.publisher();
    const values: string[] = [];
    const { tail, clientId } = await world.tail({ topics: [topic], from: 'latest' }, ({ value }) =>
      values.push(String(value)),
    );
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
