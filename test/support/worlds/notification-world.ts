import { onTestFinished as afterThisTest } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { LogMessage, MessageHeaders } from '../../../shared/messaging/message.ts';
import type { MessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs, TOPIC, type TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type { Channel, Priority } from '../../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { systemClock, type Clock, systemPorts } from '../../../shared/platform/system-ports.ts';
import { loadConfig, type Config } from '../../../shared/platform/load-config.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import { createMetrics, type Metrics } from '../../../shared/platform/metrics.ts';
import type { HoldLimits } from '../../../shared/platform/queue-limits.ts';
import type { RunningWorker } from '../../../workers/runtime/worker.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { start } from '../../../workers/notification/main.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';
import { scriptedProviders, type ScriptedProviders } from '../fakes/scripted-providers.ts';

export const SMS = TOPIC.smsCommands;

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Messages that a consumer handles concurrently. */
  readonly lanes?: number;
  readonly clock?: Clock;
  readonly log?: Log;
  /** In milliseconds, because the configuration allows whole seconds only. */
  readonly tiersMs?: readonly number[];
  readonly timeLimitMs?: number;
  readonly holdLimits?: Partial<HoldLimits>;
  /** Of the context of the test, if other tests of its file run at the same time. */
  readonly onTestFinished?: typeof afterThisTest;
}

/** Properties of a command in a test. */
export interface Given {
  readonly id?: string;
  readonly key?: string | null;
  readonly headers?: MessageHeaders;
  readonly message?: string;
  readonly partition?: number;
  readonly priority?: Priority;
  /** Of an SMS. */
  readonly receiver?: string;
}

/** Replacements of the world's dependencies for one worker. */
export interface WorkerOver {
  readonly broker?: Broker;
  readonly providers?: ProviderSet;
  readonly unknownPolicy?: 'park' | 'resend';
  readonly clock?: Clock;
}

/** The notification worker over an embedded broker, with scripted providers. */
export interface NotificationWorld {
  readonly broker: Broker;
  readonly codec: MessageCodec;
  readonly config: Config;
  readonly providers: ScriptedProviders;
  readonly metrics: Metrics;
  /** Starts a worker with the identity of a separate process. */
  worker(over?: WorkerOver): Promise<RunningWorker>;
  sms(given?: Given): Promise<void>;
  email(given?: Given): Promise<void>;
  /** The latest state of each notification, by id. */
  readonly states: ReadonlyMap<string, NotificationState>;
  /** All states in order. */
  readonly history: readonly NotificationState[];
  readonly deadLetters: readonly LogMessage[];
  /** All records of a topic from its beginning; later ones are added. */
  collect(topic: string): Promise<readonly LogMessage[]>;
  /** Publishes a record without encoding. */
  publish(topic: string, message: RawMessage): Promise<void>;
}

export type RawMessage = {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers?: MessageHeaders;
  readonly partition?: number;
};

export async function notificationWorld(options: WorldOptions = {}): Promise<NotificationWorld> {
  const loaded = loadConfig({ DATA_DIR: 'memory', NOTIFICATION_SEND_TIMEOUT_MS: '500', ...options.env });
  const { notification } = loaded;
  const { onTestFinished = afterThisTest } = options;
  const config: Config = {
    ...loaded,
    lanes: options.lanes ?? loaded.lanes,
    limits: { ...loaded.limits, hold: { ...loaded.limits.hold, ...options.holdLimits } },
    notification: {
      ...notification,
      retryTiersMs: [...(options.tiersMs ?? [50, 100, 200])],
      ...(options.timeLimitMs === undefined ? {} : { timeLimitMs: options.timeLimitMs }),
    },
  };
  const clock = options.clock ?? systemClock;
  const broker = createEmbeddedBroker({ clock });
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs));
  const codec = await createCodec(config, clock);
  const providers = scriptedProviders();
  const metrics = createMetrics();
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const collect = async (topic: string): Promise<readonly LogMessage[]> => {
    const messages: LogMessage[] = [];
    const tail = broker.createTail({ clientId: `test-${topic}`, topics: [topic], from: 'earliest' });
    await tail.start((message) => messages.push(message));
    return messages;
  };
  const history: NotificationState[] = [];
  const states = new Map<string, NotificationState>();
  const tail = broker.createTail({
    clientId: 'test-states',
    topics: [TOPIC.notificationOutcomes],
    from: 'earliest',
  });
  await tail.start((message) => {
    const decoded = codec.decode(message);
    if (decoded instanceof Promise || decoded.kind !== 'decoded')
      throw new Error('a state cannot be decoded');
    const state = decoded.payload as NotificationState;
    history.push(state);
    states.set(state.notificationId, state);
  });
  const deadLetters = await collect(TOPIC.notificationDeadLetters);
  const send = async (channel: Channel, given: Given): Promise<void> => {
    const type = channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand';
    const { value, headers } = await codec.encode(type, commandOf(channel, given), 'avro');
    const { key = '+40722123456', partition, priority } = given;
    const lane = priority === 'urgent' ? 'Urgent' : '';
    const topic = TOPIC[`${channel}${lane}Commands` satisfies TopicKey];
    const place = partition === undefined ? {} : { partition };
    await publisher.publish([{ topic, key, value, headers: { ...headers, ...given.headers }, ...place }]);
  };
  return {
    broker,
    codec,
    config,
    providers,
    metrics,
    states,
    history,
    deadLetters,
    collect,
    worker: async (over = {}) => {
      const worker = await start(
        {
          ...systemPorts,
          config: withPolicy(config, over.unknownPolicy),
          codec,
          broker: over.broker ?? broker,
          log: options.log ?? silentLog,
          clock: over.clock ?? clock,
          metrics,
          processHealth: () => ({}),
        },
        () => Promise.resolve(over.providers ?? providers),
      );
      onTestFinished(() => worker.stop(0));
      return worker;
    },
    sms: (given = {}) => send('sms', given),
    email: (given = {}) => send('email', given),
    publish: (topic, message) => publisher.publish([{ topic, ...message }]),
  };
}

function withPolicy(config: Config, policy: WorkerOver['unknownPolicy']): Config {
  if (policy === undefined) return config;
  return { ...config, notification: { ...config.notification, unknownPolicy: policy } };
}

function commandOf(channel: Channel, { id, message = 'hello', receiver = '+40722123456' }: Given): object {
  const common = { notificationId: id, sender: undefined, message };
  if (channel === 'sms') return { ...common, receiver };
  const email = { cc: [], bcc: [], subject: 'subject', contentType: 'text/plain', attachments: [] };
  return { ...common, ...email, receiver: 'someone@example.org' };
}

/** A UUID that ends with the number. */
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Headers of a redrive. */
export function redriven(attempt: number, headers: MessageHeaders = {}): MessageHeaders {
  return { [HEADER.redriveCount]: '1', [HEADER.attempt]: String(attempt), ...headers };
}
