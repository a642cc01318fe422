import { onTestFinished as afterThisTest } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/embedded-broker.ts';
import type { MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { allTopicSpecs, TOPIC, type TopicKey } from '../../../shared/messaging/topics/topic-list.ts';
import type { Channel, Priority, TemplateUse } from '../../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import { loadConfig, type Config } from '../../../shared/platform/load-config.ts';
import { silentLog, type Log } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { createCodec } from '../../../workers/create-codec.ts';
import { start } from '../../../workers/notification/main.ts';
import type { ProviderSet } from '../../../workers/notification/providers/configured-providers.ts';
import { scriptedProviders } from '../fakes/scripted-providers.ts';
import { collect } from './batch-world.ts';

export const SMS = TOPIC.smsCommands;

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** In milliseconds, because the configuration allows whole seconds only. */
  readonly tiersMs?: readonly number[];
  readonly timeLimitMs?: number;
  /** Of the context of the test, if other tests of its file run at the same time. */
  readonly onTestFinished?: typeof afterThisTest;
}

export interface Given {
  readonly id?: string;
  readonly key?: string | null;
  readonly headers?: MessageHeaders;
  readonly message?: string;
  readonly partition?: number;
  readonly priority?: Priority;
  readonly receiver?: string;
  readonly category?: 'campaign';
  readonly sendAt?: number;
  readonly subject?: string;
  readonly template?: TemplateUse;
}

export type NotificationWorld = Awaited<ReturnType<typeof notificationWorld>>;

export async function notificationWorld(options: WorldOptions = {}) {
  const loaded = loadConfig({ DATA_DIR: 'memory', NOTIFICATION_SEND_TIMEOUT_MS: '500', ...options.env });
  const { notification } = loaded;
  const { onTestFinished = afterThisTest } = options;
  const config: Config = {
    ...loaded,
    notification: {
      ...notification,
      retryTiersMs: [...(options.tiersMs ?? [50, 100, 200])],
      ...(options.timeLimitMs === undefined ? {} : { timeLimitMs: options.timeLimitMs }),
    },
  };
  const broker = createEmbeddedBroker();
  onTestFinished(() => broker.close());
  await broker.admin.createTopics(allTopicSpecs(config.topicPrefix, config.notification.retryTiersMs));
  const codec = await createCodec(config, systemPorts.clock);
  const providers = scriptedProviders();
  const metrics = createMetrics();
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const history: NotificationState[] = [];
  const states = new Map<string, NotificationState>();
  const topics = [TOPIC.notificationOutcomes];
  const tail = broker.createTail({ clientId: 'test-states', topics, from: 'earliest' });
  await tail.start((message) => {
    const decoded = codec.decode(message);
    if (decoded instanceof Promise || decoded.kind !== 'decoded')
      throw new Error('a state cannot be decoded');
    const state = decoded.payload as NotificationState;
    history.push(state);
    states.set(state.notificationId, state);
  });
  const deadLetters = await collect(broker, TOPIC.notificationDeadLetters);
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
    providers,
    metrics,
    states: states as ReadonlyMap<string, NotificationState>,
    history: history as readonly NotificationState[],
    deadLetters,
    collect: (topic: string) => collect(broker, topic),
    worker: async (over: { readonly broker?: Broker; readonly providers?: ProviderSet } = {}) => {
      const context = { ...systemPorts, config, codec, metrics, processHealth: () => ({}) };
      const parts = { ...context, broker: over.broker ?? broker, log: options.log ?? silentLog };
      const worker = await start(parts, async () => over.providers ?? providers);
      onTestFinished(() => worker.stop(0));
      return worker;
    },
    sms: (given: Given = {}) => send('sms', given),
    email: (given: Given = {}) => send('email', given),
    publish: (topic: string, message: Omit<OutgoingMessage, 'topic'>) =>
      publisher.publish([{ topic, ...message }]),
  };
}

function commandOf(channel: Channel, given: Given): object {
  const { id, message = 'hello', receiver = '+40722123456', category, sendAt, template } = given;
  const common = { notificationId: id, sender: undefined, message, category, sendAt, template };
  if (channel === 'sms') return { ...common, receiver };
  const { subject = 'subject' } = given;
  const email = { cc: [], bcc: [], subject, contentType: 'text/plain', attachments: [] };
  return { ...common, ...email, receiver: 'someone@example.org' };
}

export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function redriven(attempt: number, headers: MessageHeaders = {}): MessageHeaders {
  return { [HEADER.redriveCount]: '1', [HEADER.attempt]: String(attempt), ...headers };
}
