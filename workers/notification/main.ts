import { PRIORITIES, type Channel, type Priority } from '../../shared/notification/notification-command.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import {
  startTogether,
  stopInTurn,
  stopTogether,
  type Drainable,
} from '../../shared/messaging/start-stop-order.ts';
import { VERIFICATIONS } from '../../shared/api/notification/verification-operations.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { COMMAND_TYPES, startChannel } from './command-consumer.ts';
import { STATE_TYPE } from '../../shared/api/notification/state-record.ts';
import { createNotificationMetrics, providerHooks } from './notification-metrics.ts';
import type { ProviderSet } from './providers/configured-providers.ts';
import { tierLabel } from '../../shared/messaging/topics/consumer-groups.ts';
import { startTier, type RunningTier } from './retry-tier.ts';
import { createSharedParts } from './shared-parts.ts';
import { startVerification } from './start-verification.ts';

const NAME = 'notification';
const MESSAGE_TYPES = [
  ...Object.values(COMMAND_TYPES),
  ...VERIFICATIONS.map(({ requestType }) => requestType),
  'VerificationReply',
  STATE_TYPE,
  'ProblemReply',
];

export type OpenProviders = (context: WorkerContext) => Promise<ProviderSet>;

const openConfigured: OpenProviders = async (context) => {
  const { config, log, metrics } = context;
  const { createProviders } = await import('./providers/configured-providers.ts');
  return createProviders(config.notification, { ...context, hooks: providerHooks(metrics, log) });
};

/** Starts the notification worker. Leaves nothing running if it rejects. */
export async function start(
  context: WorkerContext,
  open: OpenProviders = openConfigured,
): Promise<RunningWorker> {
  await context.codec.prepare(MESSAGE_TYPES);
  const closing = new AbortController();
  const providers = await open(context);
  const shared = createSharedParts(context, providers);
  const running: (Drainable & { readonly name: string; health(): Health })[] = [];
  const tiers: RunningTier[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    closing.abort();
    const consumers = [...running, ...tiers.map(({ consumer }) => consumer)];
    await stopInTurn([stopTogether(consumers), ...shared.parts], timeoutMs, context.monotonic);
    await providers.close();
  };
  try {
    await shared.start();
    const metrics = createNotificationMetrics(context.metrics);
    const { retryTiersMs } = context.config.notification;
    const startOne = async (channel: Channel) => {
      const options = { channel, providers, metrics, closing: closing.signal };
      return { name: channel, ...(await startChannel(context, shared, options)) };
    };
    const starting = { sms: startOne('sms'), email: startOne('email') };
    await startTogether([starting.sms, starting.email], running);
    const deliveries = { sms: (await starting.sms).delivery, email: (await starting.email).delivery };
    const startOwn = (priority: Priority) =>
      retryTiersMs.map((delayMs) => startTier(context, shared, { delayMs, priority, deliveries }));
    await startTogether(PRIORITIES.flatMap(startOwn), tiers);
    if (context.config.notification.callbacks.length > 0) {
      const { startCallbacks } = await import('./start-callbacks.ts');
      running.push({ name: 'callbacks', ...(await startCallbacks(context, shared)) });
    }
    running.push({ name: 'verification', ...(await startVerification(context, shared)) });
    metrics.follow({ deliveryLog: shared.deliveryLog, hold: shared.hold, tiers });
  } catch (error) {
    await stop(0);
    throw error;
  }
  return {
    name: NAME,
    health: () =>
      combineHealth({
        ...Object.fromEntries(running.map((part) => [part.name, part.health()])),
        ...Object.fromEntries(tiers.map((tier) => [`retry-${tierLabel(tier)}`, tier.consumer.health()])),
        ledger: shared.deliveryLog.health(),
        hold: shared.hold.health(),
        suppressions: shared.suppressions.health(),
        ...(shared.quotas === undefined ? {} : { quotas: shared.quotas.health() }),
      }),
    stop,
  };
}
