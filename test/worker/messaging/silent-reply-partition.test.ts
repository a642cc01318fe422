import { expect, onTestFinished, test } from 'vitest';
import { ConsumerRuntime } from '../../../shared/messaging/consumer/consumer-runtime.ts';
import { kafkajsClients } from '../../../shared/messaging/kafka/kafkajs/connection/client.ts';
import { ProducerConnection } from '../../../shared/messaging/kafka/kafkajs/publishing/producer-connection.ts';
import type { ConnectSender } from '../../../shared/messaging/kafka/common/publishing/record-sender.ts';
import { KafkaPublisher } from '../../../shared/messaging/kafka/common/publishing/publisher.ts';
import { TopicPartitions } from '../../../shared/messaging/kafka/common/publishing/topic-partitions.ts';
import type { Handler } from '../../../shared/messaging/handler/request.ts';
import { done } from '../../../shared/messaging/outcome.ts';
import { createRequestHandling } from '../../../shared/messaging/handler/request-handling.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createFakeCodec } from '../../support/fakes/codec.ts';
import { FakeGroupSource } from '../../support/fakes/group-source.ts';
import { startFakeCluster } from '../../support/fakes/kafka-cluster.ts';
import { FAKE_TOPIC, fakeMessage } from '../../support/fakes/messages.ts';
import { FakePublisher } from '../../support/fakes/publisher.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';

const BROKERS = 3;
const PARTITIONS = 9;
/** The broker that freezes; it leads every third partition. */
const FROZEN = 1;
const REPLIES = 'bank.replies';
const DEADLINE_MS = 3_000;
/** A frozen broker is detected by the request timeout of 5 s, and waiting requests are retried within 10 s. */
const LONG = { timeout: 25_000 };
/** Kafka's error codes. */
const MESSAGE_TOO_LARGE = 10;
const TOPIC_AUTHORIZATION_FAILED = 29;

const answer: Handler = (payload) => done({ type: 'Answer', payload });
const isFrozen = (partition: number): boolean => partition % BROKERS === FROZEN;

/** A request consumer whose replies go to a scripted cluster. */
async function startScene() {
  const cluster = await startFakeCluster(BROKERS, PARTITIONS);
  onTestFinished(() => cluster.close());
  const admin = {
    partitionCounts: (names: readonly string[]) =>
      Promise.resolve(new Map(names.map((name) => [name, PARTITIONS]))),
  };
  const createClient = kafkajsClients({ brokers: cluster.brokers }, silentLog);
  const createPublisher = (clientId: string) => {
    const parts = {
      connectSender: (sender: Parameters<ConnectSender>[0]) =>
        new ProducerConnection({ ...sender, createClient }),
      topics: new TopicPartitions(admin),
      log: silentLog,
      clock: systemPorts.clock,
      onStopped: () => undefined,
    };
    const publisher = new KafkaPublisher({ clientId, deadlineMs: DEADLINE_MS }, parts);
    onTestFinished(() => publisher.stop(0));
    return publisher;
  };
  const [foreignReplies, probes] = [createPublisher('foreign'), createPublisher('probes')];
  await Promise.all([foreignReplies.start(), probes.start()]);
  const deadLetters = new FakePublisher();
  const { process } = createRequestHandling({
    ...systemPorts,
    handlers: { Question: answer },
    codec: createFakeCodec(),
    replies: new FakePublisher(),
    foreignReplies,
    probes,
    deadLetters,
    deadLetterTopic: 'dead-letters',
    groupId: 'group',
    admin,
    ownReplyTopics: [],
    mayReplyTo: () => true,
    clock: { now: () => Date.now() },
    log: silentLog,
  });
  const runtime = new ConsumerRuntime({ ...systemPorts, process, log: silentLog });
  const source = new FakeGroupSource();
  const sink = runtime.attach(source, () => undefined);
  sink.onAssigned(1, [{ topic: FAKE_TOPIC, partition: 0 }]);
  onTestFinished(() => runtime.drain(0));
  let offset = 0;
  /** Delivers one request for each reply partition; returns the values that the cluster should store. */
  const deliver = (partitions: readonly number[]): string[] => {
    const requests = partitions.map((partition) => {
      const value = Buffer.from(JSON.stringify({ type: 'Question', payload: `<r${offset}>` }));
      const headers = { kafka_replyTopic: REPLIES, kafka_replyPartition: String(partition) };
      const message = fakeMessage(offset, { value, headers });
      offset += 1;
      return { message, stored: `${partition}: r${message.offset}` };
    });
    sink.onMessages(
      1,
      requests.map(({ message }) => message),
      offset,
    );
    return requests.map(({ stored }) => stored);
  };
  const codes = () => deadLetters.sent.map(({ headers }) => headers?.['plat-dead-letter-code']);
  return { cluster, runtime, source, deliver, codes };
}

const ofHealthy = (replies: readonly string[]) =>
  replies.filter((reply) => !isFrozen(Number.parseInt(reply, 10)));
const everyPartition = (rounds: number): number[] =>
  Array.from({ length: rounds * PARTITIONS }, (_, index) => index % PARTITIONS);

test('delivers every reply although one of three brokers freezes, and delays only replies on its partitions', async () => {
  const { cluster, runtime, source, deliver, codes } = await startScene();
  const first = deliver(everyPartition(1));
  await expect.poll(() => cluster.stored.length).toBe(first.length);
  let isSilent = true;
  cluster.onProduce = (broker) => (broker === FROZEN && isSilent ? 'silence' : {});
  const expected = [...first];
  const missing = (among: readonly string[]) => {
    const stored = new Set(cluster.stored);
    return among.filter((reply) => !stored.has(reply));
  };
  for (let wave = 0; wave < 3; wave += 1) {
    const replies = deliver(everyPartition(9));
    expected.push(...replies);
    await expect.poll(() => missing(ofHealthy(replies)), LONG).toEqual([]);
  }
  // Once the running probes have failed, waiting requests occupy few of the places for requests in progress.
  const isSettled = () => runtime.stats().held > 70 && runtime.stats().running < 10;
  await expect.poll(isSettled, LONG).toBe(true);
  const late = deliver(everyPartition(1));
  expected.push(...late);
  await expect.poll(() => missing(ofHealthy(late)), LONG).toEqual([]);
  expect(missing(expected)).toHaveLength(3 * 3 * 9 + 3);
  isSilent = false;
  await expect.poll(() => missing(expected), LONG).toEqual([]);
  expect(codes()).toEqual([]);
  await expect.poll(() => source.committed()).toBe(expected.length);
}, 60_000);

test('writes a dead letter for a permanently rejected reply and serves the other partitions', async () => {
  const { cluster, deliver, codes } = await startScene();
  cluster.onProduce = () => ({ 2: TOPIC_AUTHORIZATION_FAILED, 3: MESSAGE_TOO_LARGE });
  const answered = deliver([0, 1, 4, 5, 6, 7, 8]);
  deliver([2, 3, 2]);
  await expect.poll(() => cluster.stored.toSorted()).toEqual(answered.toSorted());
  await expect.poll(() => new Set(codes())).toEqual(new Set(['reply-too-large', 'reply-undeliverable']));
});
