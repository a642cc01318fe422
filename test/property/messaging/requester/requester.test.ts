import * as fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Consumer } from '../../../../shared/messaging/consumer/consumer.ts';
import { createEmbeddedBroker } from '../../../../shared/messaging/embedded/embedded-broker.ts';
import { done } from '../../../../shared/messaging/outcome.ts';
import { createRequestHandling } from '../../../../shared/messaging/handler/request-handling.ts';
import { createRequester } from '../../../../shared/messaging/requester/requester.ts';
import { silentLog } from '../../../../shared/platform/log.ts';
import { createFakeCodec } from '../../../support/fakes/codec.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const REQUESTS = 'requests';
const REPLIES = 'replies';
const DEAD_LETTERS = 'dead-letters';

interface Question {
  readonly text: string;
  readonly workMs: number;
}

async function createWorld(partitions: number) {
  const broker = createEmbeddedBroker();
  await broker.admin.createTopics([
    { topic: REQUESTS, partitions: 3 },
    { topic: REPLIES, partitions },
    { topic: DEAD_LETTERS, partitions: 1 },
  ]);
  const codec = createFakeCodec();
  const shared = { ...systemPorts, broker, codec, log: silentLog };
  const publisher = broker.createPublisher({ clientId: 'worker' });
  await publisher.start();
  const { process } = createRequestHandling({
    ...shared,
    handlers: {
      Question: async (payload) => {
        const { text, workMs } = payload as Question;
        await sleep(workMs);
        return done({ type: 'Answer', payload: `answer to ${text}` });
      },
    },
    admin: broker.admin,
    replies: publisher,
    foreignReplies: publisher,
    deadLetters: publisher,
    deadLetterTopic: DEAD_LETTERS,
    groupId: 'workers',
    ownReplyTopics: [REPLIES],
    mayReplyTo: (topic) => topic === REPLIES,
  });
  const createSource = () =>
    broker.createGroupSource({ groupId: 'workers', clientId: 'w', topics: [REQUESTS] });
  const consumer = new Consumer({ ...systemPorts, createSource, process, log: silentLog });
  await consumer.start();
  const requesters = ['one', 'two'].map((instanceId) =>
    createRequester({ ...shared, replyTopic: REPLIES, instanceId }),
  );
  await Promise.all(requesters.map((requester) => requester.start()));
  return {
    requesters,
    close: async () => {
      await Promise.all(requesters.map((requester) => requester.stop(1_000)));
      await consumer.stop(1_000);
      await broker.close();
    },
  };
}

test.each([1, 12])(
  'delivers every reply to its requester if two share a reply topic with %i partitions',
  async (partitions) => {
    const world = await createWorld(partitions);
    const question = fc.record({ from: fc.nat({ max: 1 }), workMs: fc.integer({ min: 0, max: 5 }) });
    let asked = 0;
    const ask = async ({ from, workMs }: { from: number; workMs: number }) => {
      asked += 1;
      const text = `${from}-${asked}`;
      const request = { topic: REQUESTS, type: 'Question', payload: { text, workMs }, timeoutMs: 5_000 };
      return { text, reply: await world.requesters[from]?.request(request) };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 40 }), async (questions) => {
        for (const { text, reply } of await Promise.all(questions.map(ask))) {
          expect(reply).toMatchObject({ kind: 'reply', type: 'Answer', payload: `answer to ${text}` });
        }
      }),
      { numRuns: 30 },
    );
    expect(world.requesters.map((requester) => requester.pending())).toEqual([0, 0]);
    await world.close();
  },
);
