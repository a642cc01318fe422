import type { Consumer } from '../../shared/messaging/consumer/consumer.ts';
import type { Channel } from '../../shared/notification/command.ts';
import type { NotificationStatus } from '../../shared/notification/notification-state.ts';
import type { GuardedProvider, SendResult } from '../../shared/notification/provider.ts';
import { limitCodes, type Metrics } from '../../shared/platform/metrics.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { HoldTopic } from './ordering/hold-topic.ts';
import { tierLabel } from '../../shared/messaging/topics/consumer-groups.ts';
import type { RetryTier } from './retry-tier.ts';

/** Sources of the figures that are read at each scrape. */
export interface Watched {
  readonly ledger: Pick<Ledger, 'figures'>;
  readonly hold: Pick<HoldTopic, 'figures'>;
  readonly tiers: readonly (RetryTier & { readonly consumer: Pick<Consumer, 'lag'> })[];
}

/** The metrics of notifications. Labels contain configured names and codes, never data of a message. */
export interface NotificationMetrics {
  readonly onAttempt: (provider: GuardedProvider, result: SendResult) => void;
  readonly onOutcome: (channel: Channel, status: NotificationStatus, code: string | undefined) => void;
  /** A message was put on the hold topic. */
  readonly onHeld: (channel: Channel) => void;
  /** A command has members that are not known here (E3). */
  readonly onUnknownMembers: (channel: Channel, count: number) => void;
  /** The hold topic has no room for a message: the order of its receiver is not kept. */
  readonly onUnordered: (channel: Channel) => void;
  follow(watched: Watched): void;
}

export function createNotificationMetrics(metrics: Metrics): NotificationMetrics {
  const attempts = metrics.counter('plat_notification_attempts_total', 'Calls of a provider', [
    'channel',
    'provider',
    'result',
  ]);
  const outcomes = metrics.counter('plat_notification_outcomes_total', 'Rounds of delivery by outcome', [
    'channel',
    'status',
    'code',
  ]);
  const limited = limitCodes();
  const held = metrics.counter(
    'plat_notification_held_total',
    'Messages that wait for an earlier one of their receiver',
    ['channel'],
  );
  const unknownMembers = metrics.counter(
    'plat_notification_unknown_members_total',
    'Members of commands that are not known here and have no effect',
    ['channel'],
  );
  const unordered = metrics.counter(
    'plat_notification_unordered_total',
    'Messages whose order is not kept, for lack of room',
    ['channel'],
  );
  return {
    onAttempt: ({ channel, name }, { kind }) => attempts.inc({ channel, provider: name, result: kind }),
    onOutcome: (channel, status, code) => outcomes.inc({ channel, status, code: limited(code ?? '') }),
    onHeld: (channel) => held.inc({ channel }),
    onUnknownMembers: (channel, count) => unknownMembers.inc({ channel }, count),
    onUnordered: (channel) => unordered.inc({ channel }),
    follow: (watched) => followState(metrics, watched),
  };
}

function followState(metrics: Metrics, { ledger, hold, tiers }: Watched): void {
  const waiting = metrics.gauge(
    'plat_notification_waiting',
    'Copies that wait on a retry tier, on the partitions of this process',
    ['tier'],
  );
  const ledgerFigures = metrics.gauge(
    'plat_notification_ledger',
    'The ledger: notifications, intents without an outcome, those with an expired lease, retrying ones',
    ['figure'],
  );
  const holdFigures = metrics.gauge(
    'plat_notification_hold',
    'Messages that wait for the head of their receiver: receivers, messages, bytes',
    ['figure'],
  );
  metrics.onScrape(() => {
    for (const tier of tiers) {
      const lag = tier.consumer.lag().reduce((sum, { lag: messages }) => sum + messages, 0);
      waiting.set({ tier: tierLabel(tier) }, lag);
    }
    const { size, intents, overdue, retrying, badRecords } = ledger.figures();
    const figures = { size, sending: intents, unknown: overdue, retrying, badRecords };
    for (const [figure, value] of Object.entries(figures)) ledgerFigures.set({ figure }, value);
    for (const [figure, value] of Object.entries(hold.figures())) holdFigures.set({ figure }, value);
  });
}
