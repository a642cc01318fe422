import { expect, onTestFinished, test, vi } from 'vitest';
import type { Codec } from '../../../../shared/messaging/codec.ts';
import type { Handler, Request } from '../../../../shared/messaging/handler/request.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../../shared/messaging/message.ts';
import { abandon, done, refused, retry } from '../../../../shared/messaging/outcome.ts';
import {
  createRequestHandling,
  type Handled,
  type RequestHandlingOptions,
} from '../../../../shared/messaging/handler/request-handling.ts';
import { createProblem } from '../../../../shared/platform/problem.ts';
import { InfrastructureError, MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createFakeCodec, readFakeValue } from '../../../support/fakes/codec.ts';
import { replyTopicRule } from '../../../../shared/messaging/topics/reply-topic-rule.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const NOW_MS = 1_700_000_000_000;
const OWN = 'plat.ingress.replies.v1';
const FOREIGN = 'bank.replies';
const DEAD_LETTERS = 'plat.schedule.dead-letters.v1';
const never = new AbortController().signal;

function createScene(
  handler: Handler = () => done({ type: 'Answer', payload: 42 }),
  codec: Partial<Codec> = {},
  more: Partial<RequestHandlingOptions> = {},
) {
  const [replies, foreignReplies, deadLetters] = [
    new FakePublisher(),
    new FakePublisher(),
    new FakePublisher(),
  ];
  const handled: Handled[] = [];
  const deadLetterCodes: string[] = [];
  const { process } = createRequestHandling({
    ...systemPorts,
    handlers: { Question: handler },
    codec: createFakeCodec(codec),
    replies,
    foreignReplies,
    deadLetters,
    deadLetterTopic: DEAD_LETTERS,
    groupId: 'plat.schedule.interactive',
    admin: {
      partitionCounts: (topics) => {
        const known = new Map([OWN, FOREIGN].map((topic) => [topic, 6] as const));
        return Promise.resolve(new Map([...known].filter(([topic]) => topics.includes(topic))));
      },
    },
    ownReplyTopics: [OWN],
    mayReplyTo: replyTopicRule('', ['*.replies', 'no.such.topic']),
    clock: { now: () => NOW_MS },
    log: silentLog,
    onHandled: (one) => handled.push(one),
    onDeadLetter: (code) => deadLetterCodes.push(code),
    ...more,
  });
  const handle = (message: LogMessage, attempt = 1) => Promise.resolve(process(message, attempt, never));
  return { handle, replies, foreignReplies, deadLetters, handled, deadLetterCodes };
}

const CORRELATION = Buffer.from([0xff, 0x00, 0xc3, 0x28]);

function question(
  headers: MessageHeaders = {},
  value: unknown = { type: 'Question', payload: { n: 1 } },
): LogMessage {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return fakeMessage(7, {
    topic: 'plat.schedule.requests.v1',
    partition: 3,
    key: 'the key',
    value: body,
    headers: { kafka_correlationId: CORRELATION, kafka_replyTopic: OWN, ...headers },
  });
}

const withoutAddress = { kafka_replyTopic: undefined };
const codesOf = (publisher: FakePublisher) =>
  publisher.sent.map(({ headers }) => headers?.['plat-dead-letter-code']);
const noRegistry = () => Promise.reject(new InfrastructureError('registry-unavailable', 'unavailable'));
const refuse = () => refused(createProblem('not-computable'));
const throwBug = (): never => {
  throw new TypeError('secret of the stack');
};
const encodeNoAnswer: Codec['encode'] = (type, payload, format) =>
  type === 'Answer' ? throwBug() : createFakeCodec().encode(type, payload, format);
const failWith =
  (code: string, canRetry = false) =>
  () =>
    Promise.reject(new MessagingError(code, code, { canRetry }));

test('replies with the correlation id and key of the request, to the partition that it names', async () => {
  const { handle, replies, handled } = createScene();
  expect(await handle(question({ kafka_replyPartition: Buffer.from([0, 0, 0, 5]) }))).toBe('settled');
  expect(replies.sent).toHaveLength(1);
  expect(replies.sent[0]).toMatchObject({
    topic: OWN,
    partition: 5,
    key: Buffer.from('the key'),
    headers: { kafka_correlationId: CORRELATION, 'kafka_nest-is-disposed': Buffer.alloc(1) },
  });
  expect(replies.sent[0]?.headers).not.toHaveProperty('plat-error-code');
  expect(readFakeValue(replies.sent[0]?.value)).toEqual({ type: 'Answer', payload: 42 });
  expect(handled).toMatchObject([{ type: 'Question', result: 'done', code: undefined }]);
  for (const key of [Buffer.from('abc'), null]) await handle({ ...question(), key });
  expect(replies.sent.map(({ partition }) => partition)).toEqual([5, 3, 1]);
});

test('states the type of every reply in a header, also of error replies', async () => {
  for (const [handler, type] of [
    [undefined, 'Answer'],
    [refuse, 'ProblemReply'],
  ] as const) {
    const { handle, replies } = createScene(handler);
    await handle(question());
    expect(replies.sent[0]?.headers?.['plat-message-type']).toBe(type);
  }
});

test('replies in the likely format of a message whose decoding fails', async () => {
  const formats: unknown[] = [];
  const encode: Codec['encode'] = (type, payload, format) => {
    formats.push(format);
    return createFakeCodec().encode(type, payload, format);
  };
  const { handle } = createScene(undefined, { decode: throwBug, encode });
  for (const byte of [0, 1]) await handle({ ...question(), value: Buffer.from([byte]) });
  expect(formats).toEqual(['avro', 'json']);
});

test('refuses a type that has no handler, and counts it as unknown', async () => {
  const { handle, handled } = createScene();
  await handle(question({}, { type: 'Other', payload: 1 }));
  expect(handled).toMatchObject([{ type: 'unknown', result: 'refused' }]);
});

test.each([
  ['echoes the last of repeated correlation ids', [Buffer.from('first'), CORRELATION], CORRELATION],
  ['replies without a correlation id to a request without one', undefined, undefined],
])('%s', async (_, given, echoed) => {
  const { handle, replies } = createScene();
  await handle(question({ kafka_correlationId: given }));
  expect(replies.sent[0]?.headers?.kafka_correlationId).toEqual(echoed);
});

test('lists fields ignored by the decoder before the warnings of the handler (E3)', async () => {
  const warnings = [{ code: 'unknown-member', path: 'jsonParam.Foo, Bar' }];
  const decoded = { kind: 'decoded', type: 'Question', format: 'json', payload: 1, warnings } as const;
  const codec: Partial<Codec> = { decode: () => decoded };
  const ignored = 'unknown-member;jsonParam.Foo%2C%20Bar';
  for (const [handler, expected] of [
    [undefined, ignored],
    [refuse, ignored],
    [() => done({ type: 'Answer', payload: 1, warnings: 'no-effect;a.b' }), `${ignored}, no-effect;a.b`],
  ] as const) {
    const { handle, replies } = createScene(handler, codec);
    await handle(question());
    expect(replies.sent[0]?.headers?.['plat-warnings']).toBe(expected);
  }
});

test('sends the holiday calendar as a header, in ASCII and of limited length (H2)', async () => {
  const reported = `Banca Națională;version=${'ș'.repeat(1_000)}`;
  const { handle, replies } = createScene(() =>
    done({ type: 'Answer', payload: 1, holidayCalendar: reported }),
  );
  await handle(question());
  const header = String(replies.sent[0]?.headers?.['plat-holiday-calendar']);
  expect(header).toMatch(/^Banca Na%C8%9Bional%C4%83;version=(%C8%99)+(%C8)?$/);
  expect(header.length).toBeLessThanOrEqual(1_024);
});

test('publishes outputs before the reply', async () => {
  const output = { topic: 'plat.other.v1', key: 'k', value: Buffer.from('o') };
  const { handle, replies } = createScene(() => done({ type: 'Answer', payload: 1 }, [output]));
  await handle(question());
  expect(replies.sent.map(({ topic }) => topic)).toEqual(['plat.other.v1', OWN]);
});

test('passes origin timestamp, deadline, attempt and correlation id to the handler', async () => {
  const seen: Request[] = [];
  const { handle } = createScene((_, request) => {
    seen.push(request);
    return done();
  });
  const headers = { 'plat-origin-timestamp': '1600000000000', 'plat-deadline': String(NOW_MS) };
  await handle(question({ ...headers, kafka_correlationId: 'id-1' }), 3);
  await handle(question({ 'plat-origin-timestamp': 'yesterday' }));
  expect(seen[0]).toMatchObject({
    originTimestampMs: 1_600_000_000_000,
    deadlineMs: NOW_MS,
    attempt: 3,
    correlationId: 'id-1',
    signal: never,
    isBatchItem: false,
  });
  // D2: without a usable header, the timestamp of the record counts.
  expect(seen[1]).toMatchObject({ originTimestampMs: NOW_MS + 7, correlationId: CORRELATION });
});

test('shortens a long problem to one line in the NestJS header and sends all of it in the body', async () => {
  const errors = Array.from({ length: 100 }, () => ({ path: 'p', code: 'missing', message: 'x'.repeat(50) }));
  const detail = 'x'.repeat(600);
  const problem = createProblem('invalid-request', { detail, errors });
  const { handle, replies } = createScene(() => refused(problem));
  await handle(question({ kafka_correlationId: 'loan-4711' }));
  expect(replies.sent[0]?.headers?.['kafka_nest-err']).toBe(`invalid-request: ${detail}`.slice(0, 500));
  const payload = { ...problem, correlationId: 'loan-4711' };
  expect(readFakeValue(replies.sent[0]?.value)).toEqual({ type: 'ProblemReply', payload });
});

test.each([
  ['refused', 2_001, ['deadline-exceeded', 'true'], 0],
  ['handled, within the tolerated clock skew', 2_000, [undefined, undefined], 1],
])('a request is %s %i ms after its deadline', async (_, lateMs, codes, handlerCalls) => {
  const handler = vi.fn<Handler>(() => done({ type: 'Answer', payload: 1 }));
  const { handle, replies } = createScene(handler);
  expect(await handle(question({ 'plat-deadline': String(NOW_MS - lateMs) }))).toBe('settled');
  const { headers } = replies.sent[0] ?? {};
  expect([headers?.['plat-error-code'], headers?.['plat-error-retryable']]).toEqual(codes);
  expect(handler).toHaveBeenCalledTimes(handlerCalls);
});

test.each<[string, Handler | undefined, Partial<Codec>]>([
  ['the handler throws', throwBug, {}],
  ['the handler rejects', async () => throwBug(), {}],
  ['decoding throws', undefined, { decode: throwBug }],
  ['the reply cannot be encoded', undefined, { encode: encodeNoAnswer }],
])('replies with unexpected, without details, when %s', async (_, handler, codec) => {
  const { handle, replies, deadLetters, handled } = createScene(handler, codec);
  expect(await handle(question())).toBe('failed');
  // A dead letter is written as well, so that the request can be redriven.
  expect(codesOf(deadLetters)).toEqual(['unexpected']);
  expect(JSON.stringify(deadLetters.sent)).not.toMatch(/secret|TypeError/);
  const [reply] = replies.sent;
  expect(reply?.headers?.['plat-error-code']).toBe('unexpected');
  expect(JSON.stringify(reply?.headers) + String(reply?.value)).not.toMatch(/secret|TypeError|\.ts/);
  expect(handled).toMatchObject([{ result: 'unexpected', code: 'unexpected' }]);
});

test('after a bug, buries a request whose error reply cannot be encoded, and rethrows if it cannot be sent yet', async () => {
  const broken = createScene(throwBug, { encode: throwBug });
  expect(await broken.handle(question())).toBe('failed');
  expect([codesOf(broken.deadLetters), broken.replies.sent]).toEqual([['unexpected'], []]);
  const away = createScene(throwBug);
  away.replies.onPublish = failWith('broker-unavailable', true);
  await expect(away.handle(question())).rejects.toMatchObject({ code: 'broker-unavailable' });
  expect(away.deadLetters.sent).toEqual([]);
});

test('writes one dead letter for an unexpected error without a reply address', async () => {
  const { handle, deadLetters, deadLetterCodes } = createScene(throwBug);
  expect(await handle(question(withoutAddress))).toBe('failed');
  expect(deadLetters.sent[0]?.headers?.['plat-dead-letter-reason']).toMatch(/names no reply topic/);
  expect(deadLetterCodes).toEqual(['unexpected']);
});

test.each(['decode', 'encode'])('rethrows an InfrastructureError of %s', async (call) => {
  const { handle, replies, deadLetters } = createScene(undefined, { [call]: noRegistry });
  await expect(handle(question())).rejects.toMatchObject({ code: 'registry-unavailable' });
  expect([...replies.sent, ...deadLetters.sent]).toEqual([]);
});

test('delays a message on retry and writes a dead letter on abandon', async () => {
  const problem = createProblem('not-ready');
  const waiting = createScene(() => retry(1_500, problem));
  expect(await waiting.handle(question())).toEqual({ retryAfterMs: 1_500 });
  expect(waiting.replies.sent).toEqual([]);
  const given = createScene(() => abandon(problem));
  expect(await given.handle(question())).toBe('settled');
  expect(codesOf(given.deadLetters)).toEqual(['not-ready']);
  expect(given.replies.sent).toEqual([]);
});

test('writes a dead letter with full provenance if an error reply cannot be sent', async () => {
  const { handle, deadLetters, deadLetterCodes } = createScene(refuse);
  const message = question({ ...withoutAddress, custom: 'kept', 'plat-origin-timestamp': '1600000000000' });
  expect(await handle(message, 2)).toBe('settled');
  expect(deadLetters.sent[0]).toMatchObject({ topic: DEAD_LETTERS, key: message.key, value: message.value });
  expect(deadLetters.sent[0]?.headers).toMatchObject({
    custom: 'kept',
    kafka_correlationId: CORRELATION,
    'plat-origin-timestamp': '1600000000000',
    'plat-dead-letter-original-topic': 'plat.schedule.requests.v1',
    'plat-dead-letter-original-partition': '3',
    'plat-dead-letter-original-offset': '7',
    'plat-dead-letter-original-timestamp': String(message.timestampMs),
    'plat-dead-letter-group': 'plat.schedule.interactive',
    'plat-dead-letter-code': 'not-computable',
    'plat-dead-letter-reason': expect.stringContaining('no reply topic'),
    'plat-dead-letter-attempts': '2',
    'plat-dead-letter-at': String(NOW_MS),
  });
  expect(deadLetterCodes).toEqual(['not-computable']);
});

test('writes a dead letter for a reply without an address, but not if there is no reply', async () => {
  const { handle, deadLetters } = createScene();
  await handle(question(withoutAddress));
  expect(codesOf(deadLetters)).toEqual(['no-reply-address']);
  const silent = createScene(() => done());
  expect(await silent.handle(question(withoutAddress))).toBe('settled');
  expect(silent.deadLetters.sent).toEqual([]);
});

test.each([
  ['topic is a request topic', { kafka_replyTopic: 'plat.schedule.requests.v1' }, 'reply-topic-refused'],
  ['topic is not allowed', { kafka_replyTopic: 'payments.commands' }, 'reply-topic-refused'],
  ['topic is a dead-letter topic', { kafka_replyTopic: DEAD_LETTERS }, 'reply-topic-refused'],
  ['topic is internal to the broker', { kafka_replyTopic: '__consumer_offsets' }, 'reply-topic-refused'],
  ['topic does not exist', { kafka_replyTopic: 'no.such.topic' }, 'reply-topic-unknown'],
  ['partition does not exist', { kafka_replyPartition: '6' }, 'reply-partition-invalid'],
])('writes a dead letter when the reply %s', async (_, headers, code) => {
  const { handle, deadLetters, replies, foreignReplies } = createScene();
  expect(await handle(question(headers))).toBe('settled');
  expect(codesOf(deadLetters)).toEqual([code]);
  expect([...replies.sent, ...foreignReplies.sent]).toEqual([]);
});

const toForeign = (partition: number, offset = 7): LogMessage => ({
  ...question({ kafka_replyTopic: FOREIGN, kafka_replyPartition: String(partition) }),
  offset,
});
test('gives a request whose reply partition accepts nothing up after sixty attempts, but none that timed out in the queue', async () => {
  const { handle, deadLetters, foreignReplies } = createScene();
  foreignReplies.onPublish = failWith('not-sent', true);
  await expect(handle(toForeign(2), 100)).rejects.toMatchObject({ code: 'not-sent' });
  foreignReplies.onPublish = failWith('send-unknown', true);
  const failure = { code: 'send-unknown', canRetry: true };
  for (let attempt = 1; attempt < 60; attempt += 1)
    await expect(handle(toForeign(2), attempt)).rejects.toMatchObject(failure);
  expect(deadLetters.sent).toEqual([]);
  expect(await handle(toForeign(2), 60)).toBe('settled');
  expect(deadLetters.sent).toHaveLength(1);
});

test('delays requests with foreign reply topics while many foreign replies are slow', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { handle, foreignReplies, replies } = createScene();
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const publisher of [replies, foreignReplies]) publisher.onPublish = () => promise;
  const sending = Array.from({ length: 16 }, () => handle(question()));
  await vi.advanceTimersByTimeAsync(500);
  for (let index = 0; index < 16; index += 1) sending.push(handle(toForeign(2, index)));
  replies.onPublish = () => Promise.resolve();
  await vi.advanceTimersByTimeAsync(499);
  sending.push(handle(toForeign(2, 16)));
  await vi.advanceTimersByTimeAsync(1);
  await expect(handle(toForeign(3, 17))).rejects.toMatchObject({ code: 'replies-slow', canRetry: true });
  expect(await handle(question())).toBe('settled');
  expect(replies.sent).toHaveLength(1);
  expect(await handle(question(withoutAddress))).toBe('settled');
  resolve();
  await Promise.all(sending);
  expect(await handle(toForeign(3, 17), 2)).toBe('settled');
});

test('writes dead letters for a reply topic deleted since its look-up', async () => {
  const known = new Map([[FOREIGN, 6]]);
  const admin = { partitionCounts: () => Promise.resolve(known) };
  const { handle, foreignReplies, deadLetters } = createScene(undefined, {}, { admin });
  const message = question({ kafka_replyTopic: FOREIGN });
  await handle(message);
  known.clear();
  foreignReplies.onPublish = failWith('topic-unknown');
  await handle(message);
  foreignReplies.onPublish = () => Promise.resolve();
  await handle(message);
  expect(codesOf(deadLetters)).toEqual(['reply-topic-unknown', 'reply-topic-unknown']);
  expect(foreignReplies.sent).toHaveLength(1);
});

const refuseLarge =
  (isSmall: (message: OutgoingMessage) => boolean): FakePublisher['onPublish'] =>
  ([message]) =>
    isSmall(message!) ? Promise.resolve() : failWith('message-too-large')();

test('replies with reply-too-large if the reply exceeds the message size', async () => {
  const { handle, replies } = createScene();
  replies.onPublish = refuseLarge(({ headers }) => headers?.['plat-error-code'] !== undefined);
  expect(await handle(question())).toBe('settled');
  expect(replies.sent.map(({ headers }) => headers?.['plat-error-code'])).toEqual(['reply-too-large']);
  const { handle: handleToFull, deadLetters, replies: full } = createScene();
  full.onPublish = refuseLarge(() => false);
  expect(await handleToFull(question())).toBe('settled');
  expect(deadLetters.sent[0]?.headers?.['plat-dead-letter-reason']).toMatch(/error reply is too large$/);
});

test('writes a dead letter without the value if it exceeds the message size', async () => {
  const { handle, deadLetters } = createScene();
  deadLetters.onPublish = refuseLarge(({ value }) => value === null);
  await handle(question(withoutAddress));
  const headers = { 'plat-dead-letter-original-offset': '7' };
  expect(deadLetters.sent[0]).toMatchObject({ value: null, headers });
});

test.each([
  ['keeps a key of 1,024 bytes', Buffer.alloc(1_024, 'k'), Buffer.alloc(1_024, 'k')],
  ['omits a key of 1,025 bytes', Buffer.alloc(1_025, 'k'), null],
  ['keeps an absent key', null, null],
])('%s in a dead letter without value and headers', async (_, key, kept) => {
  const { handle, deadLetters } = createScene();
  deadLetters.onPublish = refuseLarge(({ headers }) => headers?.['x-filler'] === undefined);
  await handle({ ...question({ ...withoutAddress, 'x-filler': Buffer.alloc(10_000) }), key });
  const reason = expect.stringContaining('headers left out') as string;
  const headers = { 'plat-dead-letter-original-offset': '7', 'plat-dead-letter-reason': reason };
  expect(deadLetters.sent).toMatchObject([{ key: kept, value: null, headers }]);
});

test('rethrows a transient failure if the dead-letter topic is unavailable', async () => {
  const { handle, deadLetters } = createScene();
  deadLetters.onPublish = failWith('topic-unknown');
  const failure = { code: 'dead-letters-unavailable', canRetry: true };
  await expect(handle(question(withoutAddress))).rejects.toMatchObject(failure);
});
