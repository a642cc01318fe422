/**
 * Quotas of notifications (N6). Each process counts what it admits and reads from the usage topic what others admit. So
 * a quota can be exceeded by no more than what other processes admit during a round trip to the broker.
 */

import { LRUCache } from 'lru-cache';
import { atMost } from '../platform/queue-limits.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import type { Broker, Tail } from '../messaging/ports.ts';
import { topicName } from '../messaging/topics/topic-list.ts';
import type { Clock } from '../platform/system-ports.ts';
import type { Health } from '../platform/health.ts';
import type { Config, QuotaSettings } from '../platform/load-config.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { OUTCOME_RETENTION_MS } from '../platform/retention.ts';
import { DailyQuotas, type Quota } from './daily-quotas.ts';
import {
  createUsageMeasure,
  readUsageRecord,
  usageRecord,
  type CountedMessage,
  type Usage,
} from './usage-record.ts';

export type { Quota } from './daily-quotas.ts';

const DAY_MS = 24 * 3_600_000;
/** Reading the topic at startup fails after an interval of this length, except the first, in which no record came. */
const STANDSTILL_MS = 60_000;
/** Maximum number of ids kept so that no message counts twice (about 10 MB). All consumers have fewer in progress. */
const MAX_REMEMBERED = 100_000;
/** A notification counts only for the day of its acceptance, so its id is remembered over midnight for this long. */
const REMEMBERED_DAYS = OUTCOME_RETENTION_MS / DAY_MS;

export type QuotaDecision =
  /** `record` must be published with the message; undefined if it is on the topic already. */
  | { readonly kind: 'admitted'; readonly record: OutgoingMessage | undefined }
  | { readonly kind: 'refused'; readonly quota: Quota; readonly resetsAtMs: number }
  /** The counts are not known: the usage topic has not been read to its end, or is not being read now. */
  | { readonly kind: 'unknown' };

export type Quotas = ReturnType<typeof createQuotas>;

interface QuotaOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly topic: string;
  readonly clientId: string;
  readonly settings: QuotaSettings;
  readonly secret: string | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** A notification that this process counted and whose record it has not read yet. */
interface Unread {
  readonly day: number;
  readonly usage: Usage;
  isKept: boolean;
}

/** Returns undefined if no quotas are configured. */
export function openQuotas(
  context: Pick<QuotaOptions, 'broker' | 'clock' | 'metrics' | 'log'> & { readonly config: Config },
  clientId: string,
): Quotas | undefined {
  const { topicPrefix, resultIdSecret: secret, notification } = context.config;
  const { quotas: settings } = notification;
  if (settings === undefined) return undefined;
  const topic = topicName(topicPrefix, 'notificationUsage');
  return createQuotas({ ...context, topic, clientId, settings, secret });
}

export function createQuotas(options: QuotaOptions) {
  const { broker, topic, clientId, settings, log } = options;
  const tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
  const measure = createUsageMeasure(settings, options.secret);
  const counts = createDayCounts(options);
  const unread = new LRUCache<string, Unread>(atMost(MAX_REMEMBERED));
  const readDays = new LRUCache<string, number>(atMost(MAX_REMEMBERED));
  const countRefusal = createQuotaMetrics(options, () => counts.of(counts.today()));
  const progress = { isCaughtUp: false, received: 0 };

  const read = (message: LogMessage): void => {
    progress.received += 1;
    const record = readUsageRecord(message);
    const { partition, offset } = message;
    if (record === undefined) return log.warn({ topic, partition, offset }, 'a usage record was skipped');
    const { id, day, usage } = record;
    if (readDays.get(id) === day) return undefined;
    readDays.set(id, day);
    if (unread.get(id)?.day === day) unread.delete(id);
    else if (day >= counts.today() && day <= counts.today() + 1) counts.of(day).count(usage, 1);
    return undefined;
  };
  return {
    /** Admits and counts a message if no quota is used up. Repeated calls with an id count once. */
    admit: (id: string, message: CountedMessage): QuotaDecision => {
      if (!progress.isCaughtUp || !tail.isReady()) return { kind: 'unknown' };
      const day = counts.today();
      if (isRemembered(readDays.get(id), day)) return { kind: 'admitted', record: undefined };
      const own = unread.get(id);
      // An earlier publication, whose result is unknown, may have lost the record.
      if (own !== undefined && isRemembered(own.day, day))
        return { kind: 'admitted', record: usageRecord(topic, id, own) };
      const usage = measure(message, day);
      const quota = counts.of(day).exceeded(usage);
      if (quota !== undefined) {
        countRefusal(message.channel, quota);
        return { kind: 'refused', quota, resetsAtMs: (day + 1) * DAY_MS };
      }
      counts.of(day).count(usage, 1);
      unread.set(id, { day, usage, isKept: false });
      return { kind: 'admitted', record: usageRecord(topic, id, { day, usage }) };
    },
    /** Takes back the count of a message that is certainly not on the log, unless `keep` was called for it. */
    release: (id: string): void => {
      const own = unread.get(id);
      if (own === undefined || own.isKept || !unread.delete(id)) return;
      counts.of(own.day).count(own.usage, -1);
    },
    /** Notes that the message may be on the log: a later `release` of its id has no effect. */
    keep: (id: string): void => {
      const own = unread.get(id);
      if (own !== undefined) own.isKept = true;
    },
    /** Resolves when the usage topic has been read. Rejects with MessagingError if reading makes no progress. */
    start: async (): Promise<void> => {
      await tail.start(read);
      await readToEnd(tail, () => progress.received);
      progress.isCaughtUp = true;
    },
    health: (): Health =>
      tail.isReady()
        ? { status: 'ready' }
        : { status: 'degraded', reason: `${topic} is not being read: notifications are refused` },
    stop: (timeoutMs: number) => tail.stop(timeoutMs),
  };
}

/** Counts of today, and of tomorrow if clocks of other processes are ahead. Days are UTC days since 1970-01-01. */
function createDayCounts({ clock, settings }: Pick<QuotaOptions, 'clock' | 'settings'>) {
  const days = new Map<number, DailyQuotas>();
  const today = (): number => Math.floor(clock.now() / DAY_MS);
  const of = (day: number): DailyQuotas => {
    for (const former of days.keys()) if (former < today()) days.delete(former);
    const usage = days.get(day) ?? new DailyQuotas(settings);
    days.set(day, usage);
    return usage;
  };
  return { today, of };
}

function isRemembered(day: number | undefined, today: number): boolean {
  return day !== undefined && today - day < REMEMBERED_DAYS;
}

/** Resolves at the end of the topic. Rejects after an interval, except the first, in which `received` did not grow. */
async function readToEnd(tail: Tail, received: () => number): Promise<void> {
  for (let before = -1; ; before = received()) {
    try {
      return await tail.caughtUp(STANDSTILL_MS);
    } catch (error) {
      if (received() === before) throw error;
    }
  }
}

/** Callers and receivers are personal data, so they are not labels of metrics. */
function createQuotaMetrics({ metrics }: QuotaOptions, today: () => DailyQuotas) {
  const refusals = metrics.counter('plat_notification_quota_refusals_total');
  const byCountry = metrics.gauge('plat_notification_quota_country_messages');
  const counted = metrics.gauge('plat_notification_quota_counted');
  metrics.onScrape(() => {
    const { messages, callers, receivers, countries } = today();
    byCountry.reset();
    for (const [country, count] of countries) byCountry.set({ country }, count);
    const figures = { messages, callers: callers.size, receivers: receivers.size };
    for (const [figure, count] of Object.entries(figures)) counted.set({ figure }, count);
  });
  return (channel: string, quota: Quota) => refusals.inc({ channel, quota });
}
