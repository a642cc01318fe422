import { expect } from 'vitest';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { sleep } from '../../support/conformance/wait.ts';
import { numbered, type ScenarioTest } from '../../support/conformance/world.ts';

const MIB = 1_024 * 1_024;

const failing = () => Promise.reject(new Error('handler failed'));

export function rangeScenarios(test: ScenarioTest): void {
  test('delivers only the messages of the ranges, in order per partition', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(3);
    const other = await world.topic(1);
    for (const key of ['a', 'b', 'c', 'd']) await publisher.publish(numbered(topic, key, 0, 300));
    await publisher.publish(numbered(other, 'x', 0, 10));
    const offsets = await world.broker.admin.offsets(topic);
    const ranges = [
      ...offsets.map(({ partition, high }) => ({ topic, partition, from: 0, to: high })),
      { topic: other, partition: 0, from: 2, to: 4 },
      { topic: other, partition: 0, from: 7, to: 8 },
      { topic: other, partition: 0, from: 9, to: 9 },
    ];
    const seen: LogMessage[] = [];
    await world.broker.readRanges(ranges, (message) => {
      seen.push(message);
      return 'more';
    });
    const ofTopic = seen.filter((message) => message.topic === topic);
    expect(ofTopic).toHaveLength(1_200);
    for (const { partition, high } of offsets) {
      const own = ofTopic.filter((message) => message.partition === partition).map(({ offset }) => offset);
      expect(own).toEqual(Array.from({ length: high }, (_, offset) => offset));
    }
    const ofOther = seen.filter((message) => message.topic === other);
    expect(ofOther.map(({ value }) => String(value))).toEqual(['x-2', 'x-3', 'x-7']);
  });

  test('waits for the handler after each message, and ends when it returns stop', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(2, { 'max.message.bytes': String(4 * MIB) });
    for (let index = 0; index < 12; index += 1) {
      await publisher.publish([{ topic, key: null, partition: index % 2, value: Buffer.alloc(MIB, index) }]);
    }
    const ranges = [0, 1].map((partition) => ({ topic, partition, from: 0, to: 6 }));
    let taken = 0;
    let atOnce = 0;
    await world.broker.readRanges(ranges, async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await sleep(20);
      atOnce -= 1;
      taken += 1;
      return taken === 9 ? 'stop' : 'more';
    });
    expect(taken).toBe(9);
  });

  test('rejects with the error of the handler, and if the topic does not exist', async ({ world }) => {
    const { topic, publisher } = await world.topicWithPublisher(1);
    await publisher.publish(numbered(topic, 'a', 0, 5));
    const range = { topic, partition: 0, from: 0, to: 5 };
    await expect(world.broker.readRanges([range], failing)).rejects.toThrow('handler failed');
    const absent = world.broker.readRanges([{ ...range, topic: `${topic}-none` }], () => 'more');
    await expect(absent).rejects.toMatchObject({ code: 'topic-unknown' });
  });
}
