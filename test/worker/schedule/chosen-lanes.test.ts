import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { TOPIC } from '../../../shared/messaging/topics/topics.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { PROOF_REQUEST } from '../../support/builders/schedule-call.ts';

const REPLY_TOPIC = 'an.upstream.system.replies';
/** A worker of the lane would answer within this time. */
const SILENCE_MS = 500;

it.each([
  ['bulk', TOPIC.scheduleBulkRequests, TOPIC.scheduleRequests],
  ['interactive', TOPIC.scheduleRequests, TOPIC.scheduleBulkRequests],
])('a worker of lane %s answers requests on %s and ignores those on %s', async (lane, own, other) => {
  const broker = await createSharedBroker(2);
  await broker.admin.createTopics([{ topic: REPLY_TOPIC, partitions: 1 }]);
  const answered: string[] = [];
  const tail = broker.createTail({ clientId: 'test', topics: [REPLY_TOPIC], from: 'earliest' });
  await tail.start(({ key }) => answered.push(key?.toString() ?? ''));
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  await startOn(broker, startScheduleWorker, { SCHEDULE_LANES: lane });
  const value = Buffer.from(JSON.stringify({ jsonParam: PROOF_REQUEST }));
  const headers = {
    [HEADER.messageType]: 'CalculateRepaymentScheduleRequest',
    [HEADER.replyTopic]: REPLY_TOPIC,
  };
  await publisher.publish([
    { topic: other, key: 'other', value, headers },
    { topic: own, key: 'own', value, headers },
  ]);
  await expect.poll(() => answered).toEqual(['own']);
  await sleep(SILENCE_MS);
  expect(answered).toEqual(['own']);
  await startOn(broker, startScheduleWorker);
  await expect.poll(() => answered).toEqual(['own', 'other']);
});
