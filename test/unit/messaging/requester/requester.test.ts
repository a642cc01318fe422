import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Codec } from '../../../../shared/messaging/codec.ts';
import { HEADER } from '../../../../shared/messaging/headers.ts';
import type { MessageHeaders } from '../../../../shared/messaging/message.ts';
import type { PublisherOptions, TailOptions } from '../../../../shared/messaging/ports.ts';
import { createRequester, type RequesterOptions } from '../../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../../shared/messaging/outcome.ts';
import { InfrastructureError, MessagingError } from '../../../../shared/platform/errors.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createFakeCodec } from '../../../support/fakes/codec.ts';
import { fakeMessage } from '../../../support/fakes/messages.ts';
import { FakePublisher } from '../../../support/fakes/publisher.ts';
import { FakeTail } from '../../../support/fakes/tail.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const NOW_MS = 1_700_000_000_000;
const REPLIES = 'plat.ingress.replies.v1';
const broker = {
  createTail: (tail: TailOptions) => new FakeTail(tail),
  createPublisher: () => new FakePublisher(),
  admin: { partitionCounts: () => Promise.resolve(new Map([[REPLIES, 12]])) },
};
const question = { topic: 'requests', type: 'Question', payload: { n: 1 }, timeoutMs: 10_000 };

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function buildScene(options: Partial<RequesterOptions> = {}, codec: Partial<Codec> = {}) {
  const publisher = new FakePublisher();
  const tails: FakeTail[] = [];
  let ids = 0;
  const requester = createRequester({
    ...systemPorts,
    broker: {
      ...broker,
      createTail: (tail) => {
        tails.push(new FakeTail(tail));
        return tails.at(-1)!;
      },
      createPublisher: () => publisher,
    },
    codec: createFakeCodec(codec),
    clock: { now: () => NOW_MS },
    log: silentLog,
    replyTopic: REPLIES,
    instanceId: 'ingress-1',
    newId: () => `id-${(ids += 1)}`,
    ...options,
  });
  return { requester, publisher, tails };
}

async function createScene(options?: Partial<RequesterOptions>, codec?: Partial<Codec>) {
  const { requester, publisher, tails } = buildScene(options, codec);
  await requester.start();
  const tail = tails[0]!;
  const deliver = (value: Buffer, headers: MessageHeaders) =>
    tail.deliver(fakeMessage(0, { topic: REPLIES, value, headers }));
  const reply = (id: string, payload: unknown, headers: MessageHeaders = {}, type = 'Answer') => {
    const { value } = createFakeCodec().encode(type, payload, 'avro') as { value: Buffer };
    deliver(value, { kafka_correlationId: Buffer.from(id), ...headers });
  };
  return { requester, publisher, tail, reply, deliver };
}

const problemCode = (reply: Reply) => (reply.kind === 'problem' ? reply.problem.code : 'no problem');

test('publishes with a deadline of 5 s by default', async () => {
  const deadlines: (number | undefined)[] = [];
  const createPublisher = ({ deadlineMs }: PublisherOptions) => {
    deadlines.push(deadlineMs);
    return new FakePublisher();
  };
  await createScene({ broker: { ...broker, createPublisher } });
  await createScene({ broker: { ...broker, createPublisher }, sendDeadlineMs: 30_000 });
  expect(deadlines).toEqual([5_000, 30_000]);
});

test('sends reply topic and partition, deadline and origin timestamp as headers', async () => {
  const { requester, publisher, tail } = await createScene();
  void requester.request({ ...question, traceParent: '00-a-b-01' });
  await settleMicrotasks();
  const { partition } = tail.options;
  expect(tail.options).toMatchObject({ topics: [REPLIES], from: 'latest', partition: expect.any(Number) });
  const partitionBytes = Buffer.alloc(4);
  partitionBytes.writeInt32BE(partition!);
  expect(publisher.sent[0]).toMatchObject({
    topic: 'requests',
    key: null,
    timestampMs: NOW_MS,
    headers: {
      [HEADER.correlationId]: 'id-1',
      [HEADER.replyTopic]: REPLIES,
      [HEADER.replyPartition]: partitionBytes,
      [HEADER.deadline]: String(NOW_MS + 10_000),
      [HEADER.originTimestamp]: String(NOW_MS),
      [HEADER.traceParent]: '00-a-b-01',
    },
  });
});

test('drops and counts unknown, late and repeated replies; an unreadable one is the problem unexpected', async () => {
  const { requester, reply, deliver } = await createScene();
  const answer = requester.request(question);
  reply('of another instance', 0);
  reply('id-1', 1);
  reply('id-1', 2);
  expect(await answer).toMatchObject({ payload: 1 });
  const late = requester.request(question);
  await vi.advanceTimersByTimeAsync(10_100);
  expect(problemCode(await late)).toBe('reply-timeout');
  reply('id-2', 3);
  const expected = { sent: 2, refused: 0, replied: 1, timedOut: 1, unknownReplies: 3, pending: 0 };
  expect(requester.stats()).toEqual(expected);
  const unreadable = requester.request(question);
  deliver(Buffer.from('{ not json'), { kafka_correlationId: 'id-3' });
  expect(await unreadable).toMatchObject({ kind: 'problem', problem: { code: 'unexpected', status: 500 } });
});

test.each([
  [{ 'plat-error-code': 'overloaded' }, 'overloaded'],
  [{ 'plat-error-code': 'something else' }, 'unexpected'],
  [{ 'kafka_nest-err': 'a stack' }, 'unexpected'],
])('an error reply of a foreign worker is recognised by its headers %j', async (headers, code) => {
  const { requester, reply } = await createScene();
  const answer = requester.request(question);
  reply('id-1', { err: 'a stack' }, headers);
  expect(problemCode(await answer)).toBe(code);
});

const throwBug = (): never => {
  throw new TypeError('a bug');
};
const noRegistry = () => Promise.reject(new InfrastructureError('registry-unavailable', 'unavailable'));

test.each([
  ['an error', throwBug, 'unexpected'],
  ['an unavailable registry', noRegistry, 'broker-unavailable'],
])('ends only one request on %s while its reply is decoded', async (_, decode, code) => {
  const { requester, reply } = await createScene({}, { decode });
  const answers = [requester.request(question), requester.request(question)];
  reply('id-1', 1);
  expect(problemCode((await answers[0])!)).toBe(code);
  expect(requester.pending()).toBe(1);
});

test.each([
  ['reply consumer is replaced', 'not-ready'],
  ['publisher reconnects', 'broker-unavailable'],
])(
  'accepts requests for a second while the %s, and then answers %s, also by fire() if it cannot send',
  async (_, code) => {
    const { requester, publisher, tail, reply } = await createScene();
    const setHealthy = (isHealthy: boolean): void => {
      if (code === 'not-ready') tail.ready = isHealthy;
      else publisher.healthy = isHealthy;
    };
    setHealthy(false);
    expect([requester.isReady(), requester.canSend()]).toContain(false);
    await vi.advanceTimersByTimeAsync(900);
    const answer = requester.request(question);
    await settleMicrotasks();
    setHealthy(true);
    reply('id-1', 1);
    expect((await answer).kind).toBe('reply');
    setHealthy(false);
    await vi.advanceTimersByTimeAsync(1_300);
    expect(problemCode(await requester.request(question))).toBe(code);
    const fired = await requester.fire(question, 'elsewhere');
    expect(fired).toMatchObject(
      code === 'not-ready' ? { kind: 'sent' } : { kind: 'problem', problem: { code } },
    );
  },
);

test('resolves immediately if a send fails, but keeps waiting if the message may have been stored', async () => {
  const { requester, publisher, reply } = await createScene();
  for (const [failure, code] of [
    ['not-sent', 'broker-unavailable'],
    ['topic-unknown', 'broker-unavailable'],
    ['message-too-large', 'body-too-large'],
  ] as const) {
    publisher.onPublish = () => Promise.reject(new MessagingError(failure, failure, { canRetry: false }));
    expect(problemCode(await requester.request(question))).toBe(code);
    expect(requester.pending()).toBe(0);
  }
  publisher.onPublish = () => Promise.reject(new MessagingError('send-unknown', 'lost', { canRetry: true }));
  const answer = requester.request(question);
  await settleMicrotasks();
  expect(requester.pending()).toBe(1);
  reply('id-4', 'arrived nevertheless');
  expect(await answer).toMatchObject({ payload: 'arrived nevertheless' });
});

test('while the broker is unavailable only a stored request waits longer than 1 s for its reply', async () => {
  const { requester, publisher, reply } = await createScene();
  const stored = requester.request(question);
  await settleMicrotasks();
  publisher.onPublish = () => new Promise(() => undefined);
  const answer = requester.request(question);
  publisher.healthy = false;
  await vi.advanceTimersByTimeAsync(1_500);
  expect(problemCode(await answer)).toBe('broker-unavailable');
  await vi.advanceTimersByTimeAsync(3_500);
  reply('id-1', 1);
  expect((await stored).kind).toBe('reply');
});

test('rejects if the payload cannot be encoded, and is no longer pending', async () => {
  const { requester } = await createScene({}, { encode: throwBug });
  await expect(requester.request(question)).rejects.toThrow('a bug');
  expect(requester.pending()).toBe(0);
});

test('fires a request with another reply topic and resolves when it is stored', async () => {
  const { requester, publisher } = await createScene();
  const { promise, resolve } = Promise.withResolvers<void>();
  publisher.onPublish = () => promise;
  let sent: unknown;
  void requester.fire(question, 'plat.ingress.results.v1').then((value) => (sent = value));
  await settleMicrotasks();
  expect(sent).toBeUndefined();
  resolve();
  await settleMicrotasks();
  expect(sent).toEqual({ kind: 'sent', correlationId: 'id-1' });
  expect(publisher.sent[0]?.headers?.[HEADER.replyTopic]).toBe('plat.ingress.results.v1');
  expect(publisher.sent[0]?.headers).not.toHaveProperty(HEADER.replyPartition);
  expect(requester.pending()).toBe(0);
});

test('waits for pending replies on stop(), then resolves the remaining requests with not-ready', async () => {
  const { requester, publisher, tail, reply } = await createScene();
  const first = requester.request(question);
  const second = requester.request(question);
  const stopped = requester.stop(1_000);
  expect(problemCode(await requester.request(question))).toBe('not-ready');
  expect(await requester.fire(question, 'answers')).toMatchObject({ problem: { code: 'not-ready' } });
  reply('id-1', 1);
  expect((await first).kind).toBe('reply');
  await vi.advanceTimersByTimeAsync(900);
  expect(requester.pending()).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(problemCode(await second)).toBe('not-ready');
  await stopped;
  expect([tail.stops, publisher.stops]).toEqual([1, 1]);
  expect(vi.getTimerCount()).toBe(0);
});

test('can be started again after a failed start', async () => {
  const tails: FakeTail[] = [];
  const createTail = (options: TailOptions) => {
    const tail = new FakeTail(options);
    if (tails.push(tail) === 1) tail.onStart = () => Promise.reject(new Error('unavailable'));
    return tail;
  };
  const { requester } = buildScene({ broker: { ...broker, createTail } });
  await expect(requester.start()).rejects.toThrow('unavailable');
  expect(tails[0]?.stops).toBe(1);
  await requester.start();
  expect(requester.isReady()).toBe(true);
  await requester.stop(0);
});

test('rejects start() if the reply topic does not exist', async () => {
  const requester = createScene({ replyTopic: 'missing' });
  const failure = { code: 'topic-unknown', canRetry: false, message: 'there is no reply topic missing' };
  await expect(requester).rejects.toMatchObject(failure);
});

test('refuses requests as overloaded, but leaves places for other topics while one is silent, whatever ends its requests', async () => {
  const { requester, publisher, reply } = await createScene({ maxPending: 4 });
  const ask = (topic: string) => requester.request({ ...question, topic, timeoutMs: 1_000 });
  const silent = [ask('silent'), ask('silent')];
  expect(problemCode(await ask('silent'))).toBe('overloaded');
  expect([requester.pending(), requester.stats().refused]).toEqual([2, 1]);
  const others = [ask('other')];
  expect(problemCode(await ask('other'))).toBe('overloaded');
  await settleMicrotasks();
  expect(publisher.sent.map(({ topic }) => topic)).toEqual(['silent', 'silent', 'other']);
  reply('id-4', { n: 1 });
  await Promise.all(others);
  const another = ask('other');
  await settleMicrotasks();
  reply('id-6', 1);
  expect((await another).kind).toBe('reply');
  await vi.advanceTimersByTimeAsync(1_100);
  expect((await Promise.all(silent)).map(problemCode)).toEqual(['reply-timeout', 'reply-timeout']);
  const again = [ask('silent'), ask('silent')];
  expect(problemCode(await ask('silent'))).toBe('overloaded');
  await settleMicrotasks();
  for (const id of ['id-7', 'id-8']) reply(id, 1);
  await Promise.all(again);
  expect(requester.pending()).toBe(0);
});
