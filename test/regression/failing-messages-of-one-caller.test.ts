/** A field named by an emoji made the list of warnings throw; 150 such messages opened the breaker of the look-ups for all. */

import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { TOPIC } from '../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { createSharedBroker, startOn } from '../support/worlds/ingress-system.ts';
import { lookUp } from '../support/builders/look-up-call.ts';
import { startWithExamples } from '../support/worlds/product-worker.ts';

const REPLIES = 'one.caller.replies';
const GOOD_CODE = 'TL-PERSONAL';

it('answers 150 requests that have a field named by an emoji with a warning, and also the look-ups of others', async () => {
  const broker = await createSharedBroker(3);
  await startOn(broker, startWithExamples);
  const { url } = await startOn(broker, startIngressWorker);
  await broker.admin.createTopics([{ topic: REPLIES, partitions: 1 }]);
  const replies: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'caller', topics: [REPLIES], from: 'earliest' });
  await tail.start((message) => replies.push(message));
  const publisher = broker.createPublisher({ clientId: 'caller' });
  await publisher.start();
  const headers = { [HEADER.messageType]: 'GetBankingProductByCodeRequest', [HEADER.replyTopic]: REPLIES };
  const value = Buffer.from(JSON.stringify({ BankingProductCode: GOOD_CODE, '😀': 1 }));
  const keys = Array.from({ length: 150 }, (_, index) => `contract-${index}`);
  await publisher.publish(keys.map((key) => ({ topic: TOPIC.productRequests, key, value, headers })));
  for (let call = 0; call < 3; call += 1) expect((await lookUp(url, GOOD_CODE)).status).toBe(200);
  await expect.poll(() => replies.length).toBe(150);
  await publisher.stop();
  const warnings = replies.map((reply) => headerText(reply.headers, HEADER.warnings));
  expect(new Set(warnings)).toEqual(new Set(['unknown-member;%F0%9F%98%80']));
  const letters = await broker.admin.offsets(TOPIC.productDeadLetters);
  expect(letters.every(({ high }) => high === 0)).toBe(true);
});
