import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../shared/contract/actions/message-forms.ts';
import { createMessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import type { KafkaBroker } from '../../shared/messaging/kafka/common/kafka-broker.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { eventually } from '../support/conformance/wait.ts';
import { EXPENSIVE_REQUESTS } from '../support/expensive-requests.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { startEngine, type EngineProcess } from '../support/worlds/engine-process.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const SECOND = 1_000;
const ANSWER_LIMIT_MS = 240 * SECOND;
const TEST_LIMIT_MS = 300 * SECOND;
const MAX_REPLY_BYTES = 8 * 1_024 * 1_024;
/**
 * The worker runs a tenth of the time, as in a container with a tenth of each processor. A calculation of one second
 * then takes ten seconds, longer than the session of 6 s, the shortest that a broker allows by default
 * (group.min.session.timeout.ms). A member that sends heartbeats only between calculations would be expelled.
 */
const RUN_MS = 20;
const PAUSE_MS = 180;

const REQUEST = 'CalculateRepaymentScheduleRequest';
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
const { kafka, suite } = kafkaOrSkip();

suite('the group member of a worker with long calculations', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let publisher: Publisher;
  let worker: EngineProcess;
  let replyTopic: string;
  const replies: LogMessage[] = [];
  let sent = 0;

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'long-test', log: silentLog });
    await broker.admin.createTopics(allTopicSpecs(scope.prefix, []));
    replyTopic = await scope.createTopic('replies', {
      configEntries: [{ name: 'max.message.bytes', value: String(MAX_REPLY_BYTES) }],
    });
    await broker
      .createTail({ clientId: 'replies', topics: [replyTopic], from: 'earliest' })
      .start((message) => replies.push(message));
    publisher = broker.createPublisher({ clientId: 'upstream' });
    await publisher.start();
    worker = await startEngine(['schedule'], {
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      HEALTH_PORT: '0',
    });
  }, TEST_LIMIT_MS);
  afterAll(async () => {
    await worker.end('SIGKILL');
    await broker.close();
    await scope.close();
  });

  const requestTopic = () => topicName(scope.prefix, 'scheduleRequests');
  const groupId = () => `${scope.prefix}plat.schedule.interactive`;

  const sendExpensiveRequests = async (): Promise<void> => {
    for (const jsonParam of Object.values(EXPENSIVE_REQUESTS)) {
      sent += 1;
      const read = MESSAGE_FORMS[REQUEST]?.parse({ jsonParam });
      if (read?.kind !== 'valid') throw new Error(JSON.stringify(read));
      // In Avro, the largest reply fits into a message.
      const { value, headers } = await codec.encode(REQUEST, read.payload, 'avro');
      const own = { [HEADER.replyTopic]: replyTopic, [HEADER.correlationId]: `${sent}` };
      await publisher.publish([
        { topic: requestTopic(), key: `contract-${sent}`, value, headers: { ...headers, ...own } },
      ]);
    }
  };

  /** A commit proves the membership: the coordinator rejects commits of an expelled member. */
  const everythingCommitted = async (): Promise<void> => {
    await eventually('all replies', ANSWER_LIMIT_MS, () => replies.length >= sent);
    await eventually('all commits', ANSWER_LIMIT_MS, async () => {
      const offsets = await broker.admin.committed(groupId(), [requestTopic()]);
      return offsets.reduce((sum, { offset }) => sum + offset, 0) === sent;
    });
  };

  /** The id of the only member, and the number of generations it has joined. */
  const membership = async () => {
    const { groups } = await scope.admin.describeGroups([groupId()]);
    const metrics = await (await fetch(`${worker.url}/metrics`)).text();
    const generations = /^plat_consumer_state\{.*figure="rebalances".*\} (\d+)$/m.exec(metrics)?.[1];
    return { members: groups[0]?.members.map(({ memberId }) => memberId), generations };
  };

  it(
    'stays in its generation on a slow machine, and answers all expensive requests',
    { timeout: TEST_LIMIT_MS },
    async () => {
      // Starts the calculation threads and compiles the code before the machine becomes slow.
      await sendExpensiveRequests();
      await everythingCommitted();
      const before = await membership();
      expect(before.members).toHaveLength(1);
      const endSlowness = slowDown(worker.child.pid ?? 0);
      try {
        await sendExpensiveRequests();
        await everythingCommitted();
      } finally {
        await endSlowness();
      }
      expect(await membership()).toEqual(before);
      const types = replies.map((reply) => {
        const decoded = codec.decode(reply);
        return 'type' in decoded ? decoded.type : decoded;
      });
      expect(types).toEqual(replies.map(() => 'CalculateRepaymentScheduleReply'));
      expect(replies).toHaveLength(sent);
    },
  );
});

/** Suspends the process for most of the time until the returned function is called. */
function slowDown(pid: number): () => Promise<void> {
  const atFullSpeed = new AbortController();
  const slowed = (async () => {
    while (!atFullSpeed.signal.aborted) {
      process.kill(pid, 'SIGSTOP');
      await sleep(PAUSE_MS);
      process.kill(pid, 'SIGCONT');
      await sleep(RUN_MS);
    }
  })();
  return () => {
    atFullSpeed.abort();
    return slowed;
  };
}
