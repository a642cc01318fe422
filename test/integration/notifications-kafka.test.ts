import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KafkaBroker } from '../../shared/messaging/kafka/kafka-broker.ts';
import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import type { OutgoingMessage } from '../../shared/messaging/message.ts';
import { allTopicSpecs, topicName } from '../../shared/messaging/topics/topic-list.ts';
import type { Channel } from '../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../shared/notification/notification-state.ts';
import { systemClock } from '../../shared/platform/system-ports.ts';
import { loadConfig, type Config } from '../../shared/platform/load-config.ts';
import { silentLog } from '../../shared/platform/log.ts';
import { createCodec } from '../../workers/create-codec.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { startEngine } from '../support/worlds/engine-process.ts';
import { openKafkaScope, withFewPartitions, type KafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { idOf } from '../support/worlds/notification-world.ts';
import { startProviderStandIn, type ProviderStandIn } from '../support/fakes/provider-stand-in.ts';
import { startSmtpSink, type SmtpSink } from '../support/fakes/smtp-sink.ts';
import { createKafkaBroker, KAFKA_CLIENT } from '../support/kafka/broker.ts';

const SECOND = 1_000;
const PER_CHANNEL = 350;
const RECEIVERS = 83;
const KILLS = 2;
/** A worker is killed between this time and twice this time after its first send. */
const LIFE_MS = 1_200;
/** Slow enough for each kill to interrupt deliveries. */
const RATE_PER_SECOND = 70;
const FAILURE_SHARE = 0.05;
const ANSWER_MS = [20, 150] as const;
const FINAL: ReadonlySet<string | undefined> = new Set(['sent', 'failed', 'parked']);
const END_LIMIT_MS = 60 * SECOND;

const { kafka, suite } = kafkaOrSkip();
const randomDelay = (): number => ANSWER_MS[0] + Math.random() * (ANSWER_MS[1] - ANSWER_MS[0]);
const someLater = () => (Math.random() < FAILURE_SHARE ? ({ reply: 451, text: 'later' } as const) : 'take');
const smsIds = Array.from({ length: PER_CHANNEL }, (_, index) => idOf(index));
const emailIds = Array.from({ length: PER_CHANNEL }, (_, index) => idOf(PER_CHANNEL + index));

suite('notifications on Kafka', () => {
  let scope: KafkaScope;
  let broker: KafkaBroker;
  let codec: MessageCodec;
  let config: Config;
  let folder: string;
  let smtp: SmtpSink;
  let http: ProviderStandIn;
  const states = new Map<string, NotificationState>();
  const smsCounts = new Map<string, number>();

  const env = (): Record<string, string> => ({
    DATA_DIR: path.join(folder, 'data'),
    KAFKA_CLIENT,
    KAFKA_BROKERS: kafka.brokers.join(','),
    KAFKA_TOPIC_PREFIX: scope.prefix,
    NOTIFICATION_CONFIG_FILE: path.join(folder, 'providers.json'),
    NOTIFICATION_RETRY_TIERS: '1s,2s',
    NOTIFICATION_SEND_TIMEOUT_MS: '1000',
    NOTIFICATION_UNKNOWN: 'resend',
    HEALTH_PORT: '0',
  });

  beforeAll(async () => {
    scope = await openKafkaScope(kafka.brokers);
    folder = await mkdtemp(path.join(tmpdir(), 'notifications-'));
    config = loadConfig(env());
    codec = await createCodec(config, systemClock);
    broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'notifications-test', log: silentLog });
    const topics = allTopicSpecs(scope.prefix, config.notification.retryTiersMs);
    await broker.admin.createTopics(withFewPartitions(topics));
    smtp = await startSmtpSink({ script: { rcptTo: someLater, data: () => ({ afterMs: randomDelay() }) } });
    http = await startProviderStandIn();
    http.otherwise(({ body }) => {
      if (Math.random() < FAILURE_SHARE) return { status: 503, body: {}, delayMs: randomDelay() };
      const { id } = JSON.parse(body.toString()) as { id: string };
      smsCounts.set(id, (smsCounts.get(id) ?? 0) + 1);
      return { status: 200, body: { id }, delayMs: randomDelay() };
    });
    const providers = JSON.stringify(providerFile(smtp.port, http.origin));
    await writeFile(path.join(folder, 'providers.json'), providers);
    await follow();
  });
  afterAll(async () => {
    await broker.close();
    await Promise.all([smtp.close(), http.stop(), rm(folder, { recursive: true })]);
    await scope.close();
  });

  const follow = async (): Promise<void> => {
    const topic = topicName(scope.prefix, 'notificationOutcomes');
    const tail = broker.createTail({ clientId: 'notifications-states', topics: [topic], from: 'earliest' });
    await tail.start((message) => {
      const decoded = codec.decode(message);
      if (decoded instanceof Promise || decoded.kind !== 'decoded') throw new Error('a state cannot be read');
      const state = decoded.payload as NotificationState;
      if (states.get(state.notificationId)?.status !== 'sent') states.set(state.notificationId, state);
    });
  };

  const accept = async (): Promise<void> => {
    const publisher = broker.createPublisher({ clientId: 'notifications-upstream' });
    await publisher.start();
    const messages: OutgoingMessage[] = [];
    for (const [index, id] of [...smsIds, ...emailIds].entries()) {
      const channel: Channel = index < PER_CHANNEL ? 'sms' : 'email';
      const type = channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand';
      const { value, headers } = await codec.encode(type, commandOf(channel, id), 'avro');
      const topic = topicName(scope.prefix, channel === 'sms' ? 'smsCommands' : 'emailCommands');
      messages.push({ topic, key: `receiver-${index % RECEIVERS}`, value, headers });
    }
    await publisher.publish(messages);
    await publisher.stop();
  };

  const delivered = (): number => smsCounts.size + smtp.mails.length;

  it(
    'are not lost, and are sent twice only with an unknown outcome in the ledger, if the worker is killed repeatedly',
    { timeout: 120 * SECOND },
    async () => {
      await accept();
      for (let kill = 0; kill < KILLS; kill += 1) {
        const worker = await startEngine(['notification'], env());
        const before = delivered();
        await eventually('the first sends', 30 * SECOND, () => delivered() > before);
        await sleep(LIFE_MS * (1 + Math.random()));
        await worker.end('SIGKILL');
      }
      const last = await startEngine(['notification'], env());
      const ids = [...smsIds, ...emailIds];
      const areEnded = () => ids.every((id) => FINAL.has(states.get(id)?.status));
      const counts = () => countBy(ids.map((id) => states.get(id)?.status ?? 'none'));
      await eventually('the end of each notification', END_LIMIT_MS, areEnded, counts);
      await last.end('SIGTERM');

      const mailCounts = countBy(smtp.mails.map(({ messageId }) => messageId.split('@', 1)[0] ?? ''));
      const report = {
        sms: reportOf(smsIds, states, (id) => smsCounts.get(id) ?? 0),
        email: reportOf(emailIds, states, (id) => mailCounts[id] ?? 0),
      };
      process.stderr.write(`notifications after ${KILLS} kills: ${JSON.stringify(report)}\n`);
      for (const { lost, undeclared, wronglyFailed } of Object.values(report)) {
        expect({ lost, undeclared, wronglyFailed }).toEqual({ lost: 0, undeclared: 0, wronglyFailed: 0 });
      }
      expect(report.sms.parked + report.email.parked).toBe(0);
    },
  );
});

function reportOf(
  ids: readonly string[],
  states: ReadonlyMap<string, NotificationState>,
  timesOf: (id: string) => number,
) {
  const rows = ids.map((id) => {
    const state = states.get(id);
    const unknown = state?.attempts.filter(({ result }) => result === 'unknown').length ?? 0;
    return { status: state?.status, times: timesOf(id), unknown };
  });
  const count = (test: (row: (typeof rows)[number]) => boolean): number => rows.filter(test).length;
  return {
    sent: count(({ status }) => status === 'sent'),
    parked: count(({ status }) => status === 'parked'),
    failed: count(({ status }) => status === 'failed'),
    declaredUnknown: count(({ unknown }) => unknown > 0),
    twice: count(({ times }) => times > 1),
    parkedButDelivered: count(({ status, times }) => status === 'parked' && times > 0),
    /** Recorded as sent but not delivered, or without an outcome. */
    lost: count(({ status, times }) => !FINAL.has(status) || (status === 'sent' && times === 0)),
    /** Sent more often than is possible according to the ledger. */
    undeclared: count(({ times, unknown }) => times > 1 + unknown),
    wronglyFailed: count(({ status, times }) => status === 'failed' && times > 0),
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function commandOf(channel: Channel, id: string): object {
  const common = { notificationId: id, sender: undefined, message: 'hello' };
  if (channel === 'sms') return { ...common, receiver: '+40722123456' };
  const email = { cc: [], bcc: [], subject: 'subject', contentType: 'text/plain', attachments: [] };
  return { ...common, ...email, receiver: 'someone@example.org' };
}

function providerFile(smtpPort: number, httpOrigin: string): object {
  const limits = { ratePerSecond: RATE_PER_SECOND, breaker: { failures: 1_000 } };
  const template = { id: 'ID_PLACEHOLDER', to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' };
  const email = { provider: 'SMTP', 'communication-channel': 'email', defaultSender: 'bank@example.org' };
  const sms = { provider: 'counting', 'communication-channel': 'sms', defaultSender: 'Bank' };
  const connector = { failures: { transient: { status: [503] } } };
  const providers = [
    { ...email, url: `smtp://127.0.0.1:${smtpPort}`, limits },
    { ...sms, url: `${httpOrigin}/sms`, 'payload-template': template, connector, limits },
  ];
  return { notificationConfigurations: [{ realmId: 'platrealm', 'provider-configurations': providers }] };
}
