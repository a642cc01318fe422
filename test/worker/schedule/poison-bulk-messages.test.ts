import { describe, expect, it, onTestFinished } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { startRequestConsumer } from '../../../shared/messaging/handler/request-consumer.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import type { StartWorker } from '../../../workers/runtime/worker.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createScheduleHandlers } from '../../../workers/schedule/schedule-calculations.ts';
import { PMT_TERMS } from '../../support/builders/schedule-call.ts';
import { BUILT_IN_ENVIRONMENT } from '../../support/builders/lending-environment.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';

const TYPE = 'CalculatePMTRequest';
const REPLIES = 'upstream.replies';
/** Accepts no reply, not even an error reply. */
const TINY_REPLIES = 'tiny.replies';
const PARTITIONS = 3;
/** Poison messages: more than a partition holds in memory, so that good ones are out of sight behind them. */
const POISON = 4_000;
const GOOD = 38;
const BODY = JSON.stringify({ jsonParam: PMT_TERMS });

interface Spoiled {
  readonly value?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reply topics that do not exist, none, internal and tiny ones, missing partitions, values and types that no worker reads. */
const KINDS: readonly Spoiled[] = [
  { headers: { [HEADER.replyTopic]: 'nobody.made.this' } },
  { headers: { [HEADER.replyTopic]: '' } },
  { headers: { [HEADER.replyTopic]: TOPIC.scheduleBulkRequests } },
  { headers: { [HEADER.replyPartition]: '99' } },
  { headers: { [HEADER.replyTopic]: TINY_REPLIES } },
  { value: '\u0000\u0000\u0000', headers: { [HEADER.replyTopic]: '' } },
  { headers: { [HEADER.messageType]: 'Unheard', [HEADER.replyTopic]: '' } },
];

/** A bulk lane whose handler throws for requests with the word `poison` in their correlation id. */
const failingLane: StartWorker = async (context) => {
  const { [TYPE]: calculate } = createScheduleHandlers(BUILT_IN_ENVIRONMENT);
  if (calculate === undefined) throw new Error('no handler');
  const lane = await startRequestConsumer(context, {
    worker: 'schedule',
    lane: 'bulk',
    requestTopic: 'scheduleBulkRequests',
    deadLetterTopic: 'scheduleDeadLetters',
    handlers: {
      [TYPE]: (payload, request) => {
        if (request.correlationId?.toString().startsWith('poison') === true) throw new TypeError('a bug');
        return calculate(payload, request);
      },
    },
  });
  return { name: 'schedule', health: () => lane.health(), stop: (timeoutMs) => lane.stop(timeoutMs) };
};

async function openWorld(start: StartWorker) {
  const broker = await createSharedBroker(PARTITIONS);
  await broker.admin.createTopics([
    { topic: REPLIES, partitions: PARTITIONS },
    { topic: TINY_REPLIES, partitions: 1, config: { 'max.message.bytes': '1' } },
  ]);
  const answered = new Set<string>();
  const tail = broker.createTail({ clientId: 'upstream', topics: [REPLIES], from: 'earliest' });
  await tail.start(({ headers }) => {
    if (headerText(headers, HEADER.errorCode) === undefined)
      answered.add(headerText(headers, HEADER.correlationId) ?? '');
  });
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  const letters = async () =>
    (await broker.admin.offsets(TOPIC.scheduleDeadLetters)).reduce((sum, { high }) => sum + high, 0);
  return {
    send: (messages: readonly OutgoingMessage[]) => publisher.publish(messages),
    letters,
    start: () => startOn(broker, start),
    unanswered: (ids: readonly string[]) => ids.filter((id) => !answered.has(id)),
  };
}

function message(id: string, key: string, spoiled: Spoiled = { headers: {} }): OutgoingMessage {
  const usual = { [HEADER.messageType]: TYPE, [HEADER.replyTopic]: REPLIES, [HEADER.correlationId]: id };
  const value = Buffer.from(spoiled.value ?? BODY);
  return { topic: TOPIC.scheduleBulkRequests, key, value, headers: { ...usual, ...spoiled.headers } };
}

const IDS = Array.from({ length: GOOD }, (_, index) => `good-${index}`);

describe('the bulk lane', () => {
  it('answers the good messages behind 4,000 that no worker can answer, of every kind', async () => {
    const world = await openWorld(startScheduleWorker);
    const poison = Array.from({ length: POISON }, (_x, index) => `poison-${index}`);
    await world.send(poison.map((id, index) => message(id, id, KINDS[index % KINDS.length])));
    // Half of them with a key of the poison messages.
    await world.send(IDS.map((id, index) => message(id, index % 2 === 0 ? `poison-${index}` : id)));
    const worker = await world.start();
    await expect.poll(() => world.unanswered(IDS), { timeout: 20_000 }).toEqual([]);

    expect(await world.letters()).toBe(POISON);
    expect(worker.health().status).toBe('ready');
  });

  it('answers good messages within seconds of their arrival while messages of other keys always fail', async () => {
    const world = await openWorld(failingLane);
    await world.start();
    const poison = Array.from({ length: 400 }, (_x, index) => `poison-${index}`);
    await world.send(poison.map((id, index) => message(id, `poison-${index % 40}`)));
    const ids = IDS.filter((_id, index) => index % 2 === 1);
    await world.send(ids.map((id) => message(id, id)));
    await expect.poll(() => world.unanswered(ids), { timeout: 6_000 }).toEqual([]);
  });
});
