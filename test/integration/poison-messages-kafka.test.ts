import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/common/kafka-broker.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { MessageHeaders, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Publisher } from '../../shared/messaging/ports.ts';
import { allTopicSpecs } from '../../shared/messaging/topics/topic-settings.ts';
import { retryTopicName, topicName, type TopicKey } from '../../shared/messaging/topics/topics.ts';
import { loadConfig } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { openKafkaScope, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const STOP_MS = 10_000;
const TIER_MS = 1_000;
/** Poison messages of each kind; all together are more than a partition holds in memory (1,000). */
const POISON = 300;
const GOOD = 38;
/** Takes 2 s on an idle machine; a minute would mean that the good messages wait for the poison ones. */
const SOON = { timeout: 30_000 };
const BODY = JSON.stringify({
  jsonParam: {
    InstallmentsNo: 12,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: 100,
  },
});
const { kafka, suite } = kafkaOrSkip();

suite('poison messages on Kafka', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let publisher: Publisher;
  const name = (key: TopicKey): string => topicName(scope.prefix, key);
  const config = (more: Readonly<Record<string, string>> = {}) =>
    loadConfig({
      KAFKA_CLIENT,
      KAFKA_BROKERS: kafka.brokers.join(','),
      KAFKA_TOPIC_PREFIX: scope.prefix,
      ...more,
    });
  const lettersOn = async (key: TopicKey): Promise<number> =>
    (await broker.admin.offsets(name(key))).reduce((sum, { high }) => sum + high, 0);

  /** Publishes the poison messages of each kind, then the good ones behind them on the same partition. */
  const publishAll = async (
    topic: string,
    value: string,
    kinds: readonly MessageHeaders[],
    good: MessageHeaders,
  ): Promise<readonly string[]> => {
    const make = (key: string, id: string, headers: MessageHeaders): OutgoingMessage => ({
      topic,
      partition: 0,
      key,
      value: Buffer.from(value),
      headers: { ...headers, [HEADER.correlationId]: id },
    });
    const count = Array.from({ length: POISON }, (_, index) => index);
    const ids = count.slice(0, GOOD).map((index) => `good-${index}`);
    for (const [kind, headers] of kinds.entries()) {
      await publisher.publish(count.map((index) => make(`${kind}-${index}`, 'poison', headers)));
    }
    // Half of them have the key of a poison message.
    await publisher.publish(ids.map((id, index) => make(index % 2 === 0 ? `0-${index}` : id, id, good)));
    return ids;
  };

  /** The correlation ids of the records of a topic that are not errors; later ones are added. */
  const follow = async (topic: string): Promise<ReadonlySet<string>> => {
    const ids = new Set<string>();
    const tail = broker.createTail({ clientId: 'reader', topics: [topic], from: 'earliest' });
    await tail.start(({ headers }) => {
      if (headerText(headers, HEADER.errorCode) === undefined)
        ids.add(headerText(headers, HEADER.correlationId) ?? '');
    });
    return ids;
  };

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'poison-test', log: silentLog });
    await broker.admin.createTopics(allTopicSpecs(scope.prefix, [TIER_MS]));
    publisher = broker.createPublisher({ clientId: 'upstream' });
    await publisher.start();
  });
  afterAll(async () => {
    await broker.close();
    await scope.close();
  });

  it('of the bulk lane do not hold back the good ones behind them', async () => {
    const replies = await scope.createTopic('replies');
    const configEntries = [{ name: 'max.message.bytes', value: '1' }];
    const tiny = await scope.createTopic('tiny', { numPartitions: 1, configEntries });
    const answered = await follow(replies);
    const good = { [HEADER.messageType]: 'CalculatePMTRequest', [HEADER.replyTopic]: replies };
    const kinds: readonly MessageHeaders[] = [
      { ...good, [HEADER.replyTopic]: tiny },
      { ...good, [HEADER.replyTopic]: scope.nameOf('missing') },
      { ...good, [HEADER.replyTopic]: name('scheduleBulkRequests') },
      { ...good, [HEADER.replyPartition]: '99' },
      { ...good, [HEADER.replyTopic]: '' },
      { [HEADER.messageType]: 'Unheard' },
    ];
    const ids = await publishAll(name('scheduleBulkRequests'), BODY, kinds, good);
    const system = await startWorkers({
      config: config(),
      names: ['schedule'],
      log: silentLog,
    });
    await expect.poll(() => ids.filter((id) => !answered.has(id)), SOON).toEqual([]);
    await expect.poll(() => lettersOn('scheduleDeadLetters'), SOON).toBe(kinds.length * POISON);
    expect(system.health()['schedule']?.status).toBe('ready');
    await system.stop(STOP_MS);
  });

  it('of a retry tier do not hold back the good ones behind them', async () => {
    const returned = await follow(name('smsCommands'));
    const good = {
      [HEADER.retryTopic]: name('smsCommands'),
      [HEADER.retryPartition]: '0',
      [HEADER.dueAt]: '0',
    };
    const kinds: readonly MessageHeaders[] = [
      {},
      { ...good, [HEADER.retryTopic]: 'unknown.topic' },
      { ...good, [HEADER.retryPartition]: '-1' },
      { ...good, [HEADER.retryPartition]: '99' },
    ];
    const ids = await publishAll(retryTopicName(scope.prefix, TIER_MS), 'not a command', kinds, good);
    const system = await startWorkers({
      config: config({ NOTIFICATION_RETRY_TIERS: '1s' }),
      names: ['notification'],
      log: silentLog,
    });
    await expect.poll(() => ids.filter((id) => !returned.has(id)), SOON).toEqual([]);
    await system.stop(STOP_MS);
  });
});
