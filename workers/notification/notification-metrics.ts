import type { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import type { Channel } from '../../shared/notification/notification-command.ts';
import type { NotificationStatus } from '../../shared/notification/notification-state.ts';
import type { GuardedProvider, SendResult } from '../../shared/notification/provider.ts';
import { limitCodes, type Metrics } from '../../shared/platform/metrics.ts';
import type { Log } from '../../shared/platform/log.ts';
import type { GuardHooks } from './providers/guarded-provider.ts';
import type { DeliveryLog } from './state/delivery-log.ts';
import type { HoldTopic } from './order/hold-topic.ts';
import { tierLabel } from '../../shared/messaging/topics/consumer-groups.ts';
import type { RetryTier } from './retry-tier.ts';

export interface Watched {
  readonly deliveryLog: Pick<DeliveryLog, 'figures'>;
  readonly hold: Pick<HoldTopic, 'figures'>;
  readonly tiers: readonly (RetryTier & { readonly consumer: Pick<Consumer, 'lag'> })[];
}

export type NotificationMetrics = ReturnType<typeof createNotificationMetrics>;

/** Labels contain configured names and codes, never data of a message. */
export function createNotificationMetrics(metrics: Metrics) {
  const attempts = metrics.counter('plat_notification_attempts_total');
  const outcomes = metrics.counter('plat_notification_outcomes_total');
  const held = metrics.counter('plat_notification_held_total');
  const unknownMembers = metrics.counter('plat_notification_unknown_members_total');
  const unordered = metrics.counter('plat_notification_unordered_total');
  const limited = limitCodes();
  return {
    onAttempt: ({ channel, name }: GuardedProvider, { kind }: SendResult) =>
      attempts.inc({ channel, provider: name, result: kind }),
    onOutcome: (channel: Channel, status: NotificationStatus, code: string | undefined) =>
      outcomes.inc({ channel, status, code: limited(code ?? '') }),
    onHeld: (channel: Channel) => held.inc({ channel }),
    onUnknownMembers: (channel: Channel, count: number) => unknownMembers.inc({ channel }, count),
    onUnordered: (channel: Channel) => unordered.inc({ channel }),
    follow: (watched: Watched) => followState(metrics, watched),
  };
}

function followState(metrics: Metrics, { deliveryLog, hold, tiers }: Watched): void {
  const waiting = metrics.gauge('plat_notification_waiting');
  const ledgerFigures = metrics.gauge('plat_notification_ledger');
  const holdFigures = metrics.gauge('plat_notification_hold');
  metrics.onScrape(() => {
    for (const tier of tiers) {
      const lag = tier.consumer.lag().reduce((sum, { lag: messages }) => sum + messages, 0);
      waiting.set({ tier: tierLabel(tier) }, lag);
    }
    const { size, intents, overdue, retrying, badRecords } = deliveryLog.figures();
    const figures = { size, sending: intents, unknown: overdue, retrying, badRecords };
    for (const [figure, value] of Object.entries(figures)) ledgerFigures.set({ figure }, value);
    for (const [figure, value] of Object.entries(hold.figures())) holdFigures.set({ figure }, value);
  });
}

export function providerHooks(
  metrics: Metrics,
  log: Log,
): (provider: { readonly name: string; readonly channel: Channel }) => GuardHooks {
  const seconds = metrics.duration('plat_notification_provider_seconds');
  const breakerOpen = metrics.gauge('plat_notification_provider_open');
  return ({ name, channel }) => {
    const labels = { channel, provider: name };
    breakerOpen.set(labels, 0);
    return {
      settled: (elapsedMs) => seconds.observe(labels, elapsedMs / 1_000),
      changed: (state, code) => {
        breakerOpen.set(labels, state === 'open' ? 1 : 0);
        if (state === 'open') log.warn({ ...labels, code }, 'the circuit breaker of a provider is open');
        else log.info(labels, 'the circuit breaker of a provider is closed');
      },
    };
  };
}
