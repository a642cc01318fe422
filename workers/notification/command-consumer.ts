import { NOTIFICATION_LIMITS } from '../../shared/api/notification/notification-limits.ts';
import { checkCommand } from '../../shared/api/notification/read-command.ts';
import { consumerMetrics } from '../../shared/messaging/handler/consumer-metrics.ts';
import type { Handlers, Request } from '../../shared/messaging/handler/request.ts';
import { commandGroup } from '../../shared/messaging/topics/consumer-groups.ts';
import { replyTopicRule } from '../../shared/messaging/topics/reply-topic-rule.ts';
import { ownReplyTopics, retryTopicName } from '../../shared/messaging/topics/topic-list.ts';
import { createRequestHandling } from '../../shared/messaging/handler/request-handling.ts';
import { contentBytes } from '../../shared/messaging/headers.ts';
import { startTogether, stopTogether } from '../../shared/messaging/start-stop-order.ts';
import { refused, type Outcome, type Process } from '../../shared/messaging/outcome.ts';
import {
  PRIORITIES,
  type Channel,
  type EmailCommand,
  type Outbound,
  type Priority,
  type SmsCommand,
} from '../../shared/notification/notification-command.ts';
import { isIngressId } from '../../shared/notification/command-proof.ts';
import type { Providers } from '../../shared/notification/provider.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import { repeat, sleep } from '../../shared/platform/system-ports.ts';
import type { WorkerContext } from '../runtime/worker.ts';
import { CommandDelivery } from './delivery/deliver-copy.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import { queueName, type CommandQueue } from './order/hold-topic.ts';
import { ReceiverOrder } from './order/receiver-order.ts';
import { CHANNEL_TOPICS, startConsumer, type ConsumedTopic, type SharedParts } from './shared-parts.ts';
import { readCopy, type CommandCopy } from './retry/command-copy.ts';
import type { RetryPlan } from './retry/retry-plan.ts';
import type { UpstreamTemplates } from './upstream-templates.ts';

export const COMMAND_TYPES = { sms: 'SendSmsCommand', email: 'SendEmailCommand' } as const;

const READY: Health = { status: 'ready' };
/** Longest work of a consumer in one turn of the event loop. Short slices of normal commands let urgent ones in. */
const SLICE_MS: Readonly<Record<Priority, number>> = { normal: 2, urgent: 10 };
/** Time limit for reading the delivery log and hold topic to their ends after an assignment. A failure is retried. */
const CATCH_UP_MS = 30_000;
/** Added to the time limit of a notification, for the steps of a delivery other than waiting. */
const STEP_MS = 60_000;
/** Longest wait of a shutdown until the outcomes of interrupted deliveries are written. */
const LAST_OUTCOMES_MS = 2_000;
/** Interval of the search for lost copies, which are rare and delay only messages to the same receiver. */
const LOST_COPIES_MS = 30_000;
const POLL_MS = 20;

export interface ChannelOptions {
  readonly channel: Channel;
  readonly providers: Providers;
  readonly metrics: NotificationMetrics;
  readonly closing: AbortSignal;
}

/** Starts a consumer for each priority, so that neither delays the other. Leaves nothing running if it rejects. */
export async function startChannel(context: WorkerContext, shared: SharedParts, options: ChannelOptions) {
  const { config, monotonic, timers } = context;
  const { channel, providers, metrics, closing } = options;
  const { retryTiersMs: tiersMs, timeLimitMs } = config.notification;
  const plan = { tiersMs, timeLimitMs };
  const common = { ...context, ...shared, ...metrics, channel, plan };
  const tierTopic = (delayMs: number, priority: Priority): string =>
    retryTopicName(config.topicPrefix, delayMs, priority);
  const queueOf = (priority: Priority) => {
    const commandTopic = shared.topic(CHANNEL_TOPICS[channel][priority]);
    const clientId = `notification-${queueName({ channel, priority })}`;
    const ofPriority = (delayMs: number): string => tierTopic(delayMs, priority);
    return {
      clientId,
      groupId: commandGroup(config.topicPrefix, channel, priority),
      topic: commandTopic,
      order: new ReceiverOrder({ ...common, priority, commandTopic, tierTopic: ofPriority }),
      observe: consumerMetrics(context.metrics, clientId),
    };
  };
  const queues = { normal: queueOf('normal'), urgent: queueOf('urgent') };
  const { normal, urgent } = queues;
  const delivery = new CommandDelivery({
    ...config.notification,
    ...common,
    providers,
    closing,
    tierTopic,
    orders: { normal: normal.order, urgent: urgent.order },
    deadLetters: { normal: shared.deadLetters(normal.groupId), urgent: shared.deadLetters(urgent.groupId) },
    onDeadLetter: (code, priority) => queues[priority].observe.onDeadLetter(code),
  });
  const running: Awaited<ReturnType<typeof startQueue>>[] = [];
  const consumers = stopTogether(running);
  try {
    const start = (priority: Priority) =>
      startQueue(context, shared, { ...common, ...queues[priority], priority, delivery });
    await startTogether(PRIORITIES.map(start), running);
  } catch (error) {
    await consumers.stop(0);
    throw error;
  }
  const { inProgress } = delivery;
  const hasLag = (): boolean => running.some(({ consumer }) => consumer.lag().some(({ lag }) => lag > 0));
  return {
    delivery,
    health: (): Health =>
      combineHealth({
        ...Object.fromEntries(running.map(({ name, consumer }) => [name, consumer.health()])),
        providers: providersHealth(channel, providers, hasLag()),
      }),
    stop: async (timeoutMs: number): Promise<void> => {
      await consumers.stop(timeoutMs);
      const untilMs = monotonic.elapsedMs() + Math.min(timeoutMs, LAST_OUTCOMES_MS);
      while (inProgress.size > 0 && monotonic.elapsedMs() < untilMs) await sleep(timers, POLL_MS);
    },
  };
}

interface Queue extends CommandQueue, ConsumedTopic, Pick<NotificationMetrics, 'onUnknownMembers'> {
  readonly delivery: CommandDelivery;
  readonly templates: UpstreamTemplates;
  readonly order: ReceiverOrder;
  readonly plan: RetryPlan;
}

async function startQueue(context: WorkerContext, shared: SharedParts, queue: Queue) {
  const { config, timers } = context;
  const { priority, order, plan } = queue;
  const consumer = await startConsumer(context, queue, {
    process: order.inOrder(commandProcess(context, shared, queue)),
    concurrency: config.concurrency,
    sliceMs: SLICE_MS[priority],
    window: config.limits.commandWindow,
    // A notification may wait for a provider for its whole time limit; meanwhile health reports the provider.
    stallMs: plan.timeLimitMs + STEP_MS,
    gate: async (partitions) => {
      await Promise.all([shared.deliveryLog.caughtUp(CATCH_UP_MS), shared.hold.caughtUp(CATCH_UP_MS)]);
      order.forgetInHand();
      void order.resumeLost(partitions);
    },
  });
  const stopSearch = repeat(timers, () => void order.resumeLost(consumer.lag()), LOST_COPIES_MS);
  const stop = async (timeoutMs: number): Promise<void> => {
    stopSearch();
    await consumer.stop(timeoutMs);
  };
  return { name: priority === 'urgent' ? 'urgent' : 'consumer', consumer, stop };
}

function commandProcess(context: WorkerContext, shared: SharedParts, queue: Queue): Process {
  const { topicPrefix, replyTopics } = context.config;
  return createRequestHandling({
    ...context,
    ...queue.observe,
    handlers: commandHandlers(queue),
    replies: shared.copies,
    foreignReplies: shared.foreignReplies,
    deadLetters: shared.copies,
    deadLetterTopic: shared.topic('notificationDeadLetters'),
    groupId: queue.groupId,
    admin: context.broker.admin,
    ownReplyTopics: ownReplyTopics(topicPrefix),
    mayReplyTo: replyTopicRule(topicPrefix, replyTopics),
    expired: 'handle',
    // A refused copy of a worker also ends its notification, but not under an ingress id: its proof was not checked.
    onRefused: ({ message, originTimestampMs, signal }, problem) => {
      const copy = readCopy(message, originTimestampMs, undefined, queue.priority);
      if (copy.isOriginal || isIngressId(copy.id)) return refused(problem);
      return queue.delivery.reject(copy, problem.code, signal);
    },
  }).process;
}

function commandHandlers({ channel, priority, delivery, templates, onUnknownMembers }: Queue): Handlers {
  const type = COMMAND_TYPES[channel];
  const handle = async (payload: unknown, given: Request): Promise<Outcome> => {
    const filled = await templates.fill(type, payload as SmsCommand | EmailCommand, given);
    const { command, request } = filled;
    const { message, originTimestampMs, warnings, signal } = request;
    const faults = filled.faults ?? (await checkCommand(command, originTimestampMs));
    const copy = readCopy(message, originTimestampMs, command.notificationId, priority);
    const outbound = { ...command, channel, id: copy.id } as Outbound;
    if (faults !== undefined) {
      const problem = createProblem(faults.problem, { errors: faults.faults });
      if (copy.isOriginal) return refused(problem);
      return delivery.reject(copy, problem.code, signal, outbound);
    }
    if (copy.isOriginal && warnings !== undefined) onUnknownMembers(channel, warnings.length);
    if (isTooLarge(copy)) {
      const detail = `The command must have at most ${NOTIFICATION_LIMITS.commandBytes} bytes, so that its retries fit.`;
      return refused(createProblem('body-too-large', { detail }));
    }
    return delivery.deliver(copy, outbound, request);
  };
  return { [type]: handle };
}

/** Only an original's headers count: those of later copies are in the room that `commandBytes` leaves for them. */
function isTooLarge({ message: { key, value, headers }, isOriginal }: CommandCopy): boolean {
  if (value === null) return false;
  const bytes = (key?.length ?? 0) + contentBytes({ value, headers: isOriginal ? headers : {} });
  return bytes > NOTIFICATION_LIMITS.commandBytes;
}

/** A channel without a provider is ready while none of its commands waits. */
function providersHealth(channel: Channel, providers: Providers, hasLag: boolean): Health {
  const all = providers.of(channel);
  if (all.length === 0) {
    if (!hasLag) return READY;
    return { status: 'degraded', reason: `no provider for ${channel}: its notifications wait` };
  }
  const unavailable = all.flatMap((provider) => {
    const { status, reason } = provider.health();
    if (status === 'ready') return [];
    return [reason === undefined ? provider.name : `${provider.name} (${reason})`];
  });
  if (unavailable.length === 0) return READY;
  const names = unavailable.join(', ');
  const reason =
    unavailable.length === all.length
      ? `all providers for ${channel} are unavailable, its notifications wait: ${names}`
      : `unavailable for ${channel}: ${names}`;
  return { status: 'degraded', reason };
}
