import { randomUUID } from 'node:crypto';
import { preparePhoneNumbers } from '../../shared/contract/notification/phone-number.ts';
import { delayLabel } from '../../shared/messaging/topics/topics.ts';
import type { Channel } from '../../shared/notification/command.ts';
import type { Providers } from '../../shared/notification/provider.ts';
import { combineHealth, type Health } from '../../shared/platform/health.ts';
import type { RunningWorker, WorkerContext } from '../runtime/worker.ts';
import { COMMAND_TYPES } from './handlers.ts';
import { NOTIFICATION_STATE } from './ledger/ledger.ts';
import { notificationMetrics } from './metrics.ts';
import { providerHooks } from './providers/provider-metrics.ts';
import { createSharedParts, type SharedParts } from './shared-parts.ts';
import { startChannel, type RunningChannel } from './command-consumer.ts';
import { startTier, type RunningTier } from './start-tier.ts';

const NAME = 'notification';
const CHANNELS: readonly Channel[] = ['sms', 'email'];
const LOSS =
  'notifications are sent by real providers and held in memory only: a restart loses those that were accepted and not sent yet';
const MESSAGE_TYPES = [...Object.values(COMMAND_TYPES), NOTIFICATION_STATE, 'ProblemReply'];

/** The providers in force, and how to let go of them. */
export interface OpenedProviders extends Providers {
  health(): Health;
  /** Of the file alone: degraded while it is wrong. */
  fileHealth(): Health;
  close(): Promise<void>;
}

export type OpenProviders = (context: WorkerContext) => Promise<OpenedProviders>;

/** The providers of the configuration file; without one, the local outbox. Only what is configured gets loaded. */
const openConfigured: OpenProviders = async ({ broker, config, log, clock, metrics }) => {
  const { createProviders } = await import('./providers/configured-providers.ts');
  const { configFile, outboxFolder, sendTimeoutMs } = config.notification;
  if (configFile !== undefined && broker.kind === 'embedded') log.warn(LOSS);
  const deps = { log, clock, hooks: providerHooks(metrics, log) };
  return createProviders({ configFile, outboxFolder, sendTimeoutMs }, deps);
};

/**
 * Starts the notification worker: reads the ledger and the hold topic, then consumes the commands of both channels and the
 * retry tiers. Rejects when it cannot begin; nothing is left running then.
 */
export async function start(
  context: WorkerContext,
  open: OpenProviders = openConfigured,
): Promise<RunningWorker> {
  preparePhoneNumbers();
  await context.codec.prepare(MESSAGE_TYPES);
  const closing = new AbortController();
  const providers = await open(context);
  const shared = createSharedParts(context, randomUUID());
  const channels = new Map<Channel, RunningChannel>();
  const tiers: RunningTier[] = [];
  const stop = (timeoutMs: number): Promise<void> =>
    stopAll({ closing, channels, tiers, shared, providers }, timeoutMs);
  try {
    await shared.start();
    const observer = notificationMetrics(context.metrics);
    for (const delayMs of context.config.notification.retryTiersMs) {
      tiers.push(await startTier(context, shared, delayMs));
    }
    for (const channel of CHANNELS) {
      const options = { channel, providers, observer, closing: closing.signal };
      channels.set(channel, await startChannel(context, shared, options));
    }
    observer.follow({ ledger: shared.ledger, hold: shared.hold, tiers });
  } catch (error) {
    await stop(0);
    throw error;
  }
  return {
    name: NAME,
    health: () =>
      combineHealth({
        // The first of what is equally bad is told, and a wrong file may be why the others wait.
        configuration: providers.fileHealth(),
        ...Object.fromEntries([...channels].map(([channel, running]) => [channel, running.health()])),
        ...Object.fromEntries(
          tiers.map(({ delayMs, consumer }) => [`retry-${delayLabel(delayMs)}`, consumer.health()]),
        ),
        ledger: shared.ledger.health(),
        hold: shared.hold.health(),
        providers: providers.health(),
      }),
    stop,
  };
}

interface Running {
  readonly closing: AbortController;
  readonly channels: ReadonlyMap<Channel, RunningChannel>;
  readonly tiers: readonly RunningTier[];
  readonly shared: SharedParts;
  readonly providers: OpenedProviders;
}

async function stopAll(
  { closing, channels, tiers, shared, providers }: Running,
  timeoutMs: number,
): Promise<void> {
  closing.abort();
  await Promise.all([
    ...[...channels.values()].map((channel) => channel.stop(timeoutMs)),
    ...tiers.map(({ consumer }) => consumer.stop(timeoutMs)),
  ]);
  await shared.stop(timeoutMs);
  await providers.close();
}
