/**
 * An unknown field whose name is an emoji made the list of warnings throw, since half of a surrogate pair has no UTF-8
 * encoding. 150 such messages opened the circuit breaker of the product look-ups, and each probe was another of them:
 * callers with valid requests got 504 until the process was restarted. A failing message is answered and stored as a dead letter,
 * and no number of them stops a consumer.
 */

import { expect, it, onTestFinished } from 'vitest';
import type { Handlers } from '../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { startRequestConsumer } from '../../shared/messaging/handler/request-consumer.ts';
import { TOPIC } from '../../shared/messaging/topics/topic-list.ts';
import type { StartWorker } from '../../workers/runtime/worker.ts';
import { startIngressWorker } from '../../workers/ingress/main.ts';
import { createProductHandlers } from '../../workers/product/main.ts';
import { EXAMPLE_CATALOGUE } from '../support/builders/example-catalogue.ts';
import { createSharedBroker, startOn } from '../support/worlds/ingress-system.ts';
import { lookUp } from '../support/builders/look-up-call.ts';
import { startWithExamples } from '../support/worlds/product-worker.ts';

const TYPE = 'GetBankingProductByCodeRequest';
const REPLIES = 'one.caller.replies';
const GOOD_CODE = 'TL-PERSONAL';
/** The product code for which the handler in this test throws. */
const BAD_CODE = 'BUG';
const PARTITIONS = 3;

/** A product consumer whose handler throws for some product codes. */
function failingLane(isBad: (code: unknown) => boolean): StartWorker {
  return async (context) => {
    const handlers = createProductHandlers(EXAMPLE_CATALOGUE);
    const withBug: Handlers = {
      [TYPE]: (payload, request) => {
        if (isBad((payload as { BankingProductCode?: unknown }).BankingProductCode))
          throw new TypeError('a bug');
        const handler = handlers[TYPE];
        if (handler === undefined) throw new Error('no handler');
        return handler(payload, request);
      },
    };
    const lane = await startRequestConsumer(context, {
      worker: 'product',
      lane: 'interactive',
      requestTopic: 'productRequests',
      deadLetterTopic: 'productDeadLetters',
      handlers: withBug,
    });
    return { name: 'product', health: () => lane.health(), stop: (timeoutMs) => lane.stop(timeoutMs) };
  };
}

/** A client that publishes requests to Kafka and records the replies. */
async function createCaller(broker: Broker) {
  await broker.admin.createTopics([{ topic: REPLIES, partitions: 1 }]);
  const replies: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'caller', topics: [REPLIES], from: 'earliest' });
  await tail.start((message) => replies.push(message));
  const publisher = broker.createPublisher({ clientId: 'caller' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const send = (count: number, body: object) =>
    publisher.publish(
      Array.from({ length: count }, (_, index) => ({
        topic: TOPIC.productRequests,
        key: `contract-${index}`,
        value: Buffer.from(JSON.stringify(body)),
        headers: { [HEADER.messageType]: TYPE, [HEADER.replyTopic]: REPLIES },
      })),
    );
  return { send, replies, codes: () => replies.map(({ headers }) => headerText(headers, HEADER.errorCode)) };
}

async function deadLettersIn(broker: Broker): Promise<number> {
  const offsets = await broker.admin.offsets(TOPIC.productDeadLetters);
  return offsets.reduce((sum, { high }) => sum + high, 0);
}

async function startWorld(startProduct: StartWorker) {
  const broker = await createSharedBroker(PARTITIONS);
  const product = await startOn(broker, startProduct);
  const { url } = await startOn(broker, startIngressWorker);
  return { broker, product, url, caller: await createCaller(broker) };
}

/** Statuses of sequential look-ups over HTTP by other callers. */
async function otherLookUps(url: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await lookUp(url, GOOD_CODE)).status);
  return statuses;
}

it('answers 150 requests that have a field named by an emoji with a warning, and also the look-ups of others', async () => {
  const { broker, url, caller } = await startWorld(startWithExamples);
  await caller.send(150, { BankingProductCode: GOOD_CODE, '😀': 1 });
  expect(await otherLookUps(url, 3)).toEqual([200, 200, 200]);
  await expect.poll(() => caller.replies.length).toBe(150);
  const warnings = caller.replies.map(({ headers }) => headerText(headers, HEADER.warnings));
  expect(new Set(warnings)).toEqual(new Set(['unknown-member;%F0%9F%98%80']));
  expect(await deadLettersIn(broker)).toBe(0);
});

it('answers 150 failing messages, and stores them as dead letters', async () => {
  const { broker, product, url, caller } = await startWorld(failingLane((code) => code === BAD_CODE));
  await caller.send(150, { BankingProductCode: BAD_CODE });
  expect(await otherLookUps(url, 3)).toEqual([200, 200, 200]);
  await expect.poll(() => caller.codes().filter((code) => code === 'unexpected').length).toBe(150);
  await expect.poll(() => deadLettersIn(broker)).toBe(150);
  expect(product.health().status).toBe('ready');
});
