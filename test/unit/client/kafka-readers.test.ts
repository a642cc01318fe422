import type { Kafka } from 'kafkajs';
import { expect, it } from 'vitest';
import { followOutcomes, type OutcomeOptions } from '../../../shared/client/kafka/outcomes.ts';
import { readReplyTopic } from '../../../shared/client/kafka/reply-topic.ts';
import { fakeClientSystem } from '../../support/client/fake-client-system.ts';

type Listener = (event: { readonly payload: object }) => void;

type Emit = (event: string, payload: object) => void;

/** A cluster with the topic `replies` whose consumer does `run`, with a function that reports an event as kafkajs does. */
function fakeKafka(run: (emit: Emit) => void) {
  const listeners: [string, Listener][] = [];
  const emit: Emit = (event, payload) => {
    for (const [name, listener] of listeners) if (name === event) listener({ payload });
  };
  let connected = 0;
  const client = {
    connect: async () => (connected += 1),
    disconnect: async () => (connected -= 1),
    listTopics: async () => ['replies'],
    fetchTopicOffsets: async () => [{ partition: 0, high: '5' }],
    events: { GROUP_JOIN: 'join', CRASH: 'crash' },
    on: (event: string, listener: Listener) => listeners.push([event, listener]),
    subscribe: async () => undefined,
    seek: () => undefined,
    run: async () => run(emit),
  };
  const kafka = { admin: () => client, consumer: () => client } as unknown as Kafka;
  return { kafka, emit, connected: () => connected };
}

function read(kafka: Kafka, onBroken: (error: Error) => void) {
  const { system } = fakeClientSystem(() => new Response());
  return readReplyTopic({
    kafka,
    topic: 'replies',
    groupId: 'g',
    onReply: () => undefined,
    onBroken,
    system,
  });
}

it('a reader of replies that may not join its group fails at once, and closes its connections', async () => {
  const refused = new Error('not authorised');
  const { kafka, connected } = fakeKafka((emit) => emit('crash', { error: refused, restart: false }));
  const broken: Error[] = [];
  await expect(read(kafka, (error) => broken.push(error))).rejects.toBe(refused);
  expect(broken).toEqual([refused]);
  expect(connected()).toBe(0);
});

it('a reader of replies waits for its group through crashes after which kafkajs starts it again', async () => {
  const { kafka, connected } = fakeKafka((emit) => {
    emit('crash', { error: new Error('no coordinator'), restart: true });
    emit('join', { memberAssignment: { replies: [0] } });
  });
  const stop = await read(kafka, (error) => expect.unreachable(error.message));
  expect(connected()).toBe(1);
  await stop();
  expect(connected()).toBe(0);
});

function follow(kafka: Kafka, options: Partial<OutcomeOptions> = {}) {
  const reader = { registry: undefined, parseJson: JSON.parse };
  return followOutcomes(kafka, { groupId: 'g', ...options }, { topic: 'outcomes', reader }, () => undefined);
}

it('a reader of outcomes that may not join its group fails at once, and closes its connection', async () => {
  const refused = new Error('not authorised');
  const { kafka, connected } = fakeKafka((emit) => emit('crash', { error: refused, restart: false }));
  await expect(follow(kafka)).rejects.toBe(refused);
  expect(connected()).toBe(0);
});

it('a reader of outcomes says when it can no longer read them, not that it begins anew', async () => {
  const broken: string[] = [];
  const { kafka, emit } = fakeKafka(() => undefined);
  const stop = await follow(kafka, { onBroken: ({ message }) => broken.push(message) });
  emit('crash', { error: new Error('no coordinator'), restart: true });
  emit('crash', { error: new Error('not authorised'), restart: false });
  expect(broken).toEqual(['not authorised']);
  await stop();
});
