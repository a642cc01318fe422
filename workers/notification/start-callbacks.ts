import type { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import { consumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import type { Process } from '../../shared/messaging/outcome.ts';
import { startTogether, stopTogether } from '../../shared/messaging/start-stop-order.ts';
import { callbackGroup } from '../../shared/messaging/topics/consumer-groups.ts';
import { retryTopicName, type TopicKey } from '../../shared/messaging/topics/topic-list.ts';
import type { CallbackSettings } from '../../shared/notification/callback-settings.ts';
import { hashSubject } from '../../shared/notification/party-hashes.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { startTier } from './retry-tier.ts';
import { startConsumer, type SharedParts } from './shared-parts.ts';
import { createCallbackReceiver, MAX_IN_HAND, type CallbackReceiver } from './callbacks/callback-receiver.ts';
import { createOutcomeProcess } from './callbacks/outcome-callback.ts';
import { createCallbackProcess } from './callbacks/post-callback.ts';

/** Starts the consumers that make callbacks of outcomes and post them (N13). Leaves nothing running if it rejects. */
export async function startCallbacks(
  context: WorkerContext,
  shared: SharedParts,
  settings: readonly CallbackSettings[],
) {
  const { config, metrics } = context;
  const addresses = settings.map((one) => ({ ...one, receiver: createCallbackReceiver(one, context) }));
  const consume = (name: 'outcomes' | 'callbacks', topic: TopicKey, options: ConsumerParts) => {
    const clientId = `notification-${name}`;
    const groupId = callbackGroup(config.topicPrefix, name);
    const observe = consumerMetrics(metrics, clientId);
    return startConsumer(context, { groupId, clientId, topic: shared.topic(topic), observe }, options);
  };
  const startOwnTier = async (delayMs: number) =>
    (await startTier(context, shared, { delayMs, priority: 'callbacks' })).consumer;
  const running: Consumer[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    await stopTogether(running).stop(timeoutMs);
    await Promise.all(addresses.map(({ receiver }) => receiver.close()));
  };
  const { outcomes, callbacks } = processesOf(context, shared, addresses);
  const concurrency = addresses.length * MAX_IN_HAND + 1;
  try {
    const starting = [
      consume('outcomes', 'notificationOutcomes', { process: outcomes }),
      consume('callbacks', 'notificationCallbacks', { process: callbacks, concurrency }),
      ...config.notification.retryTiersMs.map(startOwnTier),
    ];
    await startTogether(starting, running);
  } catch (error) {
    await stop(0);
    throw error;
  }
  const health = (): Health =>
    combineHealth(Object.fromEntries(running.map((consumer, index) => [index, consumer.health()])));
  return { health, stop };
}

type ConsumerParts = Parameters<typeof startConsumer>[2];

function processesOf(
  context: WorkerContext,
  shared: SharedParts,
  addresses: readonly (CallbackSettings & { readonly receiver: CallbackReceiver })[],
): Readonly<Record<'outcomes' | 'callbacks', Process>> {
  const { config, metrics } = context;
  const { topicPrefix } = config;
  // Over HTTP the sender of a notification is a hash of the subject; upstream systems name themselves.
  const bySender = new Map(
    addresses.flatMap((one) => [hashSubject(one.sender), one.sender].map((key) => [key, one])),
  );
  const results = metrics.counter('plat_notification_callbacks_total', 'Callbacks by result', ['result']);
  return {
    outcomes: createOutcomeProcess({
      ...context,
      ...shared,
      callbackTopic: shared.topic('notificationCallbacks'),
      isWanted: (sender, status) => bySender.get(sender)?.statuses.has(status) === true,
    }),
    callbacks: createCallbackProcess({
      ...context,
      ...shared,
      tiersMs: config.notification.retryTiersMs,
      tierTopic: (delayMs) => retryTopicName(topicPrefix, delayMs, 'callbacks'),
      deadLetters: shared.deadLetters(callbackGroup(topicPrefix, 'callbacks')),
      receiverOf: (sender) => bySender.get(sender)?.receiver,
      count: (result) => results.inc({ result }),
    }),
  };
}
