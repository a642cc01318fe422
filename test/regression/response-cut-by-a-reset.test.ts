import { expect, onTestFinished, test } from 'vitest';
import { createKafkajsBroker } from '../../shared/messaging/kafka/kafkajs/broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { FETCH, startFakeKafka } from '../support/fakes/kafka-log.ts';

/**
 * After a reset in the middle of a response, kafkajs appended the bytes of the next connection to the partial response and
 * parsed a length from the middle of both; the RangeError ended the process as an uncaught exception, 17 times in one
 * minute of resets.
 */
const MESSAGES = 30;
/** Zeros make misread lengths small. */
const FILLER = '\0'.repeat(400);

/** Collects uncaught errors; Vitest would report them only at the end of its run. */
function collectUncaughtErrors(): unknown[] {
  const uncaught: unknown[] = [];
  const onError = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onError).on('unhandledRejection', onError);
  onTestFinished(() => {
    process.off('uncaughtException', onError).off('unhandledRejection', onError);
  });
  return uncaught;
}

test('reconnects without losing messages after resets in the middle of fetch responses', async () => {
  const uncaught = collectUncaughtErrors();
  const kafka = await startFakeKafka(1, 1);
  const broker = createKafkajsBroker({ brokers: kafka.addresses, clientId: 'admin', log: silentLog });
  onTestFinished(async () => {
    await broker.close();
    kafka.close();
  });
  let toCut = 0;
  let cut = 0;
  kafka.onResponse = ({ frame, kind }) => {
    if (kind !== FETCH || toCut === 0) return { bytes: frame };
    toCut -= 1;
    cut += 1;
    return { bytes: frame.subarray(0, Math.floor((frame.length * cut) / 4)), reset: true };
  };
  const publisher = broker.createPublisher({ clientId: 'publisher' });
  await publisher.start();
  const read: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'tail', topics: ['t'], from: 'earliest' });
  await tail.start((message) => read.push(message));
  toCut = 3;
  const values = Array.from({ length: MESSAGES }, (_, number) => `value ${number}${FILLER}`);
  await publisher.publish(
    values.map((value) => ({ topic: 't', key: null, partition: 0, value: Buffer.from(value) })),
  );
  await expect.poll(() => read.length).toBe(MESSAGES);
  expect({ cut, uncaught }).toEqual({ cut: 3, uncaught: [] });
  expect(read.map(({ offset, value }) => `${offset}: ${value?.toString()}`)).toEqual(
    values.map((value, offset) => `${offset}: ${value}`),
  );
});
