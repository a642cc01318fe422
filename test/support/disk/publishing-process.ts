import { writeSync } from 'node:fs';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';

/**
 * Publishes numbered messages and commits of a group to a broker on disk until it is killed, and writes each number to stdout
 * once it is acknowledged: `t 17` for a topic, `c 17` for a commit. It begins when its parent sends `go`.
 *
 * Arguments: the folder, the first number.
 */
const TOPIC = { topic: 't', partitions: 3 };
const TABLE = {
  topic: 'table',
  partitions: 1,
  config: { 'cleanup.policy': 'compact', 'delete.retention.ms': '0' },
};
const KEYS = 20;
const IN_FLIGHT = 16;
const SWEEP_INTERVAL_MS = 5;

const [, , folder = '', first = '0'] = process.argv;
let next = Number(first);

async function publishUntilKilled(): Promise<void> {
  const broker = createEmbeddedBroker({ dataFolder: folder, sweepIntervalMs: SWEEP_INTERVAL_MS });
  await broker.admin.createTopics([TOPIC, TABLE]);
  const publisher = broker.createPublisher({ clientId: 'publisher' });
  await publisher.start();
  const source = broker.createGroupSource({ groupId: 'g', clientId: 'member', topics: ['t'] });
  await source.start({
    onAssigned: () => undefined,
    onRevoking: () => undefined,
    onCrash: (error) => {
      throw error;
    },
    onMessages: (generation, messages) => {
      for (const { topic, partition, offset } of messages) {
        void source
          .commit(generation, [{ topic, partition, offset: offset + 1 }])
          .then(() => writeSync(1, `c ${partition} ${offset + 1}\n`));
      }
    },
  });
  const publish = async (): Promise<void> => {
    for (;;) {
      const number = (next += 1);
      const value = Buffer.from(`${number} ${'x'.repeat(number % 700)}`);
      const key = `k${number % KEYS}`;
      await publisher.publish([
        { topic: 't', key, value },
        { topic: 'table', key, value: number % 7 === 0 ? null : value },
      ]);
      writeSync(1, `t ${number}\n`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, publish));
}

process.on('disconnect', () => process.exit());
process.once('message', () => void publishUntilKilled());
