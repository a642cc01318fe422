import { expect, test } from 'vitest';
import { ConsumerRuntime } from '../../../shared/messaging/consumer/consumer-runtime.ts';
import { createRequestHandling } from '../../../shared/messaging/handler/request-handling.ts';
import { done } from '../../../shared/messaging/outcome.ts';
import { InfrastructureError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { systemPorts, sleep } from '../../../shared/platform/system-ports.ts';
import { codecOf } from '../../support/builders/codec-calls.ts';
import { REQUEST, smallRequest } from '../../support/builders/codec-fixture.ts';
import { FakeGroupSource } from '../../support/fakes/group-source.ts';
import { FAKE_TOPIC, fakeMessage, fakeMessages } from '../../support/fakes/messages.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';

const REPLIES = 'bank.replies';
const ENCODED = { value: Buffer.alloc(1), headers: {} };
const FOREIGN_MESSAGES = 3_000;
/** A registry that does not answer is given up after this time. */
const LOOK_UP_MS = 4_000;
const one = () => Promise.resolve(1);
const REGISTERED = { registeredId: one, register: one };

const writtenWithId = (id: number): Buffer => {
  const value = Buffer.alloc(20);
  value.writeUInt32BE(id, 1);
  return value;
};

function startScene() {
  const queries: number[] = [];
  const registry = {
    schemaOf: async (id: number) => {
      queries.push(id);
      await sleep(systemPorts.timers, LOOK_UP_MS);
      throw new InfrastructureError('schema-registry-unavailable', 'no answer');
    },
    ...REGISTERED,
  };
  const codec = codecOf({ registry, clock: systemPorts.clock });
  const replies = new FakePublisher();
  const { process } = createRequestHandling({
    ...systemPorts,
    handlers: { [REQUEST]: () => done({ type: 'ProblemReply', payload: undefined, encoded: ENCODED }) },
    codec,
    replies,
    foreignReplies: replies,
    deadLetters: new FakePublisher(),
    deadLetterTopic: 'dead-letters',
    groupId: 'group',
    admin: { partitionCounts: (names) => Promise.resolve(new Map(names.map((name) => [name, 1]))) },
    ownReplyTopics: [],
    mayReplyTo: () => true,
    log: silentLog,
  });
  const runtime = new ConsumerRuntime({ ...systemPorts, process, log: silentLog });
  const source = new FakeGroupSource();
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(1, [{ topic: FAKE_TOPIC, partition: 0 }]);
  return { source, sink, replies, queries, stop: () => runtime.drain(0) };
}

const IDS: readonly (readonly [string, (offset: number) => number])[] = [
  ['the same unknown schema id', () => 7],
  ['different unknown schema ids', (offset) => offset + 1],
];

test.concurrent.for(IDS)(
  'a request is answered at once behind 3,000 messages with %s while the registry fails',
  { timeout: 30_000 },
  async ([, idOf], { expect: expectThat, onTestFinished }) => {
    const { source, sink, replies, queries, stop } = startScene();
    onTestFinished(stop);
    const foreign = fakeMessages(0, FOREIGN_MESSAGES - 1).map((message) => ({
      ...message,
      value: writtenWithId(idOf(message.offset)),
    }));
    sink.onMessages(1, foreign, FOREIGN_MESSAGES);
    const { value } = await codecOf().encode(REQUEST, smallRequest, 'avro');
    for (let round = 0; round < 6; round += 1) {
      const offset = FOREIGN_MESSAGES + round;
      expect(source.paused).toEqual(new Set());
      const sentMs = performance.now();
      const message = fakeMessage(offset, { value, headers: { kafka_replyTopic: REPLIES } });
      sink.onMessages(1, [message], offset + 1);
      await expectThat.poll(() => replies.sent.length, { timeout: LOOK_UP_MS, interval: 5 }).toBe(round + 1);
      expect(performance.now() - sentMs).toBeLessThan(LOOK_UP_MS / 2);
      await sleep(systemPorts.timers, LOOK_UP_MS / 4);
    }
    expect(queries.length).toBeLessThanOrEqual(32);
  },
);
