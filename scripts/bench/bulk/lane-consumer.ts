/**
 * Child process that runs the consumer runtime of the workers on one partition, with a handler that takes five
 * milliseconds. For a request with a number of keys and messages, it writes the messages to a separate topic, handles
 * them, and returns the messages per second from the start of the first one to the end of the last one. If no brokers
 * are given, it uses the embedded broker.
 */
import { Consumer } from '../../../shared/messaging/consumer/consumer.ts';
import type { ProcessingResult } from '../../../shared/messaging/processing-result.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { answerParent } from '../processes.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const HANDLER_MS = 5;
const MS_PER_SECOND = 1_000;
/** A group that takes longer has stalled. */
const LIMIT_MS = 60_000;

/** The request of the parent process. */
export interface LaneWords {
  readonly keys: number;
  readonly messages: number;
}

const [brokers = '', prefix = ''] = process.argv.slice(2);
const broker = await openBroker();
const publisher = broker.createPublisher({ clientId: 'bench-lanes' });
await publisher.start();
let runs = 0;

answerParent(measure);

async function openBroker(): Promise<Broker> {
  if (brokers === '') {
    const { createEmbeddedBroker } = await import('../../../shared/messaging/embedded/broker.ts');
    return createEmbeddedBroker();
  }
  const { openKafkaBroker } = await import('../../../shared/messaging/kafka/open-kafka-broker.ts');
  const client = process.env.KAFKA_CLIENT === 'platformatic' ? 'platformatic' : 'kafkajs';
  return openKafkaBroker({ client, brokers: brokers.split(','), clientId: 'bench-lanes', log: silentLog });
}

async function measure({ keys, messages }: LaneWords): Promise<number> {
  runs += 1;
  const topic = `${prefix}lanes.${runs}`;
  await broker.admin.createTopics([{ topic, partitions: 1 }]);
  await publisher.publish(
    Array.from({ length: messages }, (_, index) => ({
      topic,
      key: `key-${index % keys}`,
      partition: 0,
      value: Buffer.from(String(index)),
    })),
  );
  const { promise: allDone, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`${topic}: not handled in time`)), LIMIT_MS);
  let beganAt = Number.NaN;
  let done = 0;
  const consumer = new Consumer({
    ...systemPorts,
    createSource: () =>
      broker.createGroupSource({ groupId: topic, clientId: 'bench-lanes', topics: [topic] }),
    log: silentLog,
    process: async (): Promise<ProcessingResult> => {
      if (Number.isNaN(beganAt)) beganAt = performance.now();
      await new Promise((end) => setTimeout(end, HANDLER_MS));
      done += 1;
      if (done === messages) resolve();
      return 'settled';
    },
  });
  await consumer.start();
  await allDone;
  clearTimeout(timer);
  const perSecond = (messages * MS_PER_SECOND) / (performance.now() - beganAt);
  await consumer.stop();
  await broker.admin.deleteTopics([topic]);
  return perSecond;
}
