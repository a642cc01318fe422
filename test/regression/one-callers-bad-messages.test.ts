/**
 * An unknown field named by an emoji made the list of warnings throw, as half of its surrogate pair has no encoding in
 * UTF-8. 150 such messages opened the breaker of the product look-ups, and each probe took the next of them: callers
 * who had sent valid requests got 504 until the process was restarted. A message that fails by itself now ends alone,
 * answered and kept as a dead letter, and the breaker opens only where nothing else is left.
 */

import { expect, it, onTestFinished } from 'vitest';
import type { Handlers } from '../../shared/messaging/handler/request.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';
import { startRequestConsumer } from '../../shared/messaging/handler/request-consumer.ts';
import { TOPIC } from '../../shared/messaging/topics/topics.ts';
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
/** A product code that a bug of the handler, made for this test, cannot bear. */
const BAD_CODE = 'BUG';
const PARTITIONS = 3;

/** A product lane with a bug, until it is mended. */
function buggyLane(isBad: (code: unknown) => boolean): StartWorker {
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

/** A caller of the log who sends many requests at once, and keeps what is answered. */
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

/** Look-ups of others, one after another; each has to be answered before its caller gives up. */
async function otherLookUps(url: string, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await lookUp(url, GOOD_CODE)).status);
  return statuses;
}

it('150 fields named by an emoji are warned of, and the look-ups of others are answered', async () => {
  const { broker, url, caller } = await startWorld(startWithExamples);
  await caller.send(150, { BankingProductCode: GOOD_CODE, '😀': 1 });
  expect(await otherLookUps(url, 3)).toEqual([200, 200, 200]);
  await expect.poll(() => caller.replies.length).toBe(150);
  const warnings = caller.replies.map(({ headers }) => headerText(headers, HEADER.warnings));
  expect(new Set(warnings)).toEqual(new Set(['unknown-member;%F0%9F%98%80']));
  expect(await deadLettersIn(broker)).toBe(0);
});

it('150 messages of one caller that meet a bug end alone: answered, kept, and without closing the lane', async () => {
  const { broker, product, url, caller } = await startWorld(buggyLane((code) => code === BAD_CODE));
  await caller.send(150, { BankingProductCode: BAD_CODE });
  expect(await otherLookUps(url, 3)).toEqual([200, 200, 200]);
  await expect.poll(() => caller.codes().filter((code) => code === 'unexpected').length).toBe(150);
  await expect.poll(() => deadLettersIn(broker)).toBe(150);
  expect(product.health().status).toBe('ready');
});

it('so many that the breaker opens hold up the look-ups of others for moments only', async () => {
  const { broker, product, url, caller } = await startWorld(buggyLane((code) => code === BAD_CODE));
  await caller.send(1_000, { BankingProductCode: BAD_CODE });
  await expect.poll(() => product.health().status).toBe('degraded');
  expect(await otherLookUps(url, 5)).toEqual([200, 200, 200, 200, 200]);
  // Each success lets the lane go on, until nothing is left of the bad ones.
  await expect
    .poll(async () => ((await lookUp(url, GOOD_CODE)).status === 200 ? caller.replies.length : 0))
    .toBe(1_000);
  await expect.poll(() => deadLettersIn(broker)).toBe(1_000);
  expect(product.health().status).toBe('ready');
});

it('a deployment that fails for every message does not drain the topic, and goes on by itself once it is mended', async () => {
  let isMended = false;
  const { broker, product, caller } = await startWorld(buggyLane(() => !isMended));
  await caller.send(1_500, { BankingProductCode: GOOD_CODE });
  await expect.poll(() => product.health().status).toBe('degraded');
  const stored = await deadLettersIn(broker);
  expect(stored).toBeGreaterThanOrEqual(200);
  // What was in progress when it opened, and some tries.
  expect(stored).toBeLessThan(500);
  isMended = true;
  await expect.poll(() => caller.replies.length).toBe(1_500);
  expect(caller.codes().filter((code) => code === undefined).length).toBeGreaterThan(1_000);
  expect(product.health().status).toBe('ready');
});
