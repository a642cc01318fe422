import { expect, it } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { PROOF_REQUEST, PROOF_TOTALS, type Row } from '../../support/builders/schedule-call.ts';

const REPLY_TOPIC = 'an.upstream.system.replies';
const JSON_REQUEST: MessageHeaders = { [HEADER.messageType]: 'CalculateRepaymentScheduleRequest' };

async function startWorld(): Promise<{
  broker: Broker;
  send: (topic: string, body: unknown, headers: MessageHeaders) => Promise<void>;
  replies: LogMessage[];
  deadLetters: LogMessage[];
}> {
  const broker = await createSharedBroker(3);
  await broker.admin.createTopics([{ topic: REPLY_TOPIC, partitions: 2 }]);
  await startOn(broker, startScheduleWorker);
  const replies = await collect(broker, REPLY_TOPIC);
  const deadLetters = await collect(broker, TOPIC.scheduleDeadLetters);
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const send = (topic: string, body: unknown, headers: MessageHeaders): Promise<void> =>
    publisher.publish([{ topic, key: 'contract-1', value: Buffer.from(JSON.stringify(body)), headers }]);
  return { broker, send, replies, deadLetters };
}

async function collect(broker: Broker, topic: string): Promise<LogMessage[]> {
  const messages: LogMessage[] = [];
  const tail = broker.createTail({ clientId: `test-${topic}`, topics: [topic], from: 'earliest' });
  await tail.start((message) => messages.push(message));
  return messages;
}

const bodyOf = (message: LogMessage | undefined): unknown =>
  JSON.parse(message?.value?.toString('utf8') ?? 'null');
const textOf = (message: LogMessage | undefined, name: string): string | undefined =>
  message === undefined ? undefined : headerText(message.headers, name);

it.each([TOPIC.scheduleRequests, TOPIC.scheduleBulkRequests])(
  'answers a JSON request on %s on the topic and partition in its headers, with its correlation id',
  async (topic) => {
    const { send, replies } = await startWorld();
    const headers = {
      ...JSON_REQUEST,
      [HEADER.replyTopic]: REPLY_TOPIC,
      [HEADER.replyPartition]: Buffer.from([0, 0, 0, 1]),
      [HEADER.correlationId]: Buffer.from([0xff, 0x00, 0x07]),
    };
    await send(topic, { jsonParam: { ...PROOF_REQUEST, AdvanceAmount: 5, Unknown: 1 } }, headers);
    await expect.poll(() => replies.length).toBe(1);
    const [reply] = replies;
    expect(reply?.partition).toBe(1);
    expect(reply?.headers[HEADER.correlationId]).toEqual(Buffer.from([0xff, 0x00, 0x07]));
    expect((bodyOf(reply) as Row[]).map((row) => row['TotalInstallment'])).toEqual(PROOF_TOTALS);
    expect(textOf(reply, HEADER.warnings)?.split(', ').toSorted()).toEqual([
      'no-effect;jsonParam.AdvanceAmount',
      'unknown-member;jsonParam.Unknown',
    ]);
  },
);

it('answers an invalid request with all faults, the error headers of both client families and its correlation id', async () => {
  const { send, replies, deadLetters } = await startWorld();
  const headers = { ...JSON_REQUEST, [HEADER.replyTopic]: REPLY_TOPIC, [HEADER.correlationId]: 'loan-4711' };
  await send(
    TOPIC.scheduleRequests,
    { jsonParam: { ...PROOF_REQUEST, Amount: -1, InstallmentDay: 40 } },
    headers,
  );
  await expect.poll(() => replies.length).toBe(1);
  const problem = bodyOf(replies[0]) as { code: string; correlationId: string; errors: { path: string }[] };
  expect(problem).toMatchObject({ code: 'not-computable', correlationId: 'loan-4711' });
  expect(problem.errors.map(({ path }) => path).toSorted()).toEqual([
    'jsonParam.Amount',
    'jsonParam.InstallmentDay',
  ]);
  expect(textOf(replies[0], HEADER.errorCode)).toBe('not-computable');
  expect(textOf(replies[0], HEADER.errorRetryable)).toBe('false');
  expect(textOf(replies[0], HEADER.nestIsDisposed)).toBeDefined();
  expect(JSON.parse(textOf(replies[0], HEADER.nestError) ?? '')).toMatchObject({ errors: problem.errors });
  expect(deadLetters).toEqual([]);
});
