/**
 * Quotas of notifications (N6). Every ingress and every notification worker counts each message that it admits, writes a
 * record of it to the usage topic, and reads the records of all others, so that all of them have the same counts. They are
 * read again after a restart. A message is counted before its own record is read back; messages that other processes have
 * admitted in the meantime are not: quotas can be exceeded by at most what the others admit within the time of a round trip
 * to the broker.
 */

import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import type { Broker } from '../messaging/ports.ts';
import { topicName } from '../messaging/topics/topics.ts';
import type { Clock } from '../platform/clock.ts';
import type { Health } from '../platform/health.ts';
import type { Config } from '../platform/load-config.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { QuotaSettings } from '../platform/quota-settings.ts';
import { DayUsage, type Quota, type Usage } from './day-usage.ts';
import { createUsageMeasure, readUsageRecord, usageRecord, type CountedMessage } from './usage-record.ts';

export type { Quota } from './day-usage.ts';

const DAY_MS = 24 * 3_600_000;
const MICROS = 1_000_000;
/** Time limit for reading the records of the day at startup. */
const CATCH_UP_MS = 60_000;
/**
 * Admitted notifications that are remembered, so that one is not counted again when it is received or repeated again: more
 * than the windows of all consumers of a process contain.
 */
const MAX_REMEMBERED = 100_000;

/** Whether a message may be sent. */
export type QuotaDecision =
  /** `record` must be published with the message; absent: the message was counted before. */
  | { readonly kind: 'admitted'; readonly record: OutgoingMessage | undefined }
  | { readonly kind: 'refused'; readonly quota: Quota; readonly resetsAtMs: number }
  /** The usage topic is not being read, so that the counts are not known. */
  | { readonly kind: 'unknown' };

export interface Quotas {
  /** Counts a message if no quota is used up. Repeated calls with an id count once. */
  admit(id: string, message: CountedMessage): QuotaDecision;
  /** Takes back a message that was admitted and is surely not on the log. */
  release(id: string): void;
  /** Resolves when the records of the day have been read. */
  start(): Promise<void>;
  health(): Health;
  stop(timeoutMs: number): Promise<void>;
}

export interface QuotaOptions {
  readonly broker: Pick<Broker, 'createTail'>;
  readonly topic: string;
  readonly clientId: string;
  readonly settings: QuotaSettings;
  /** Key of the hashes of receivers; the same in all processes. */
  readonly secret: string | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
}

interface Remembered {
  readonly day: number;
  readonly usage: Usage;
  /** Whether its record was read back. */
  isRead: boolean;
}

/** The quotas of the configuration; undefined if there are none. */
export function openQuotas(
  context: Pick<QuotaOptions, 'broker' | 'clock' | 'metrics' | 'log'> & { readonly config: Config },
  clientId: string,
): Quotas | undefined {
  const { config } = context;
  const { quotas: settings } = config.notification;
  if (settings === undefined) return undefined;
  const topic = topicName(config.topicPrefix, 'notificationUsage');
  return createQuotas({ ...context, topic, clientId, settings, secret: config.resultIdSecret });
}

export function createQuotas(options: QuotaOptions): Quotas {
  const { broker, topic, clientId, settings, clock, log } = options;
  const tail = broker.createTail({ clientId, topics: [topic], from: 'earliest' });
  const measure = createUsageMeasure(settings, options.secret);
  const counts = createDayCounts(settings, clock);
  const remembered = new Map<string, Remembered>();
  const countRefusal = createQuotaMetrics(options, () => counts.of(counts.today()).figures());
  let isCaughtUp = false;

  const remember = (id: string, entry: Remembered): void => {
    remembered.set(id, entry);
    const [oldest] = remembered.size > MAX_REMEMBERED ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
  };
  const read = (message: LogMessage): void => {
    const record = readUsageRecord(message);
    if (record === undefined) {
      log.warn({ topic, partition: message.partition, offset: message.offset }, 'a usage record was skipped');
      return;
    }
    const own = remembered.get(record.id);
    if (own?.isRead === false && own.day === record.day) own.isRead = true;
    else if (counts.isCounted(record.day)) counts.of(record.day).add(record.usage);
  };
  return {
    admit: (id, message) => {
      if (!isCaughtUp || !tail.isReady()) return { kind: 'unknown' };
      const day = counts.today();
      if (remembered.get(id)?.day === day) return { kind: 'admitted', record: undefined };
      const usage = measure(message, day);
      const quota = counts.of(day).exceeded(usage);
      if (quota !== undefined) {
        countRefusal(message.channel, quota);
        return { kind: 'refused', quota, resetsAtMs: (day + 1) * DAY_MS };
      }
      counts.of(day).add(usage);
      remember(id, { day, usage, isRead: false });
      return { kind: 'admitted', record: usageRecord(topic, id, day, usage) };
    },
    release: (id) => {
      const own = remembered.get(id);
      if (own === undefined || own.isRead) return;
      remembered.delete(id);
      if (counts.isCounted(own.day)) counts.of(own.day).remove(own.usage);
    },
    start: async () => {
      await tail.start(read);
      await tail.caughtUp(CATCH_UP_MS);
      isCaughtUp = true;
    },
    health: () =>
      tail.isReady()
        ? { status: 'ready' }
        : { status: 'degraded', reason: `${topic} is not being read: notifications are refused` },
    stop: (timeoutMs) => tail.stop(timeoutMs),
  };
}

/** The counts of today and, for processes whose clocks are ahead, of tomorrow. Days are those of UTC. */
function createDayCounts(settings: QuotaSettings, clock: Clock) {
  const days = new Map<number, DayUsage>();
  const today = (): number => {
    const day = Math.floor(clock.now() / DAY_MS);
    for (const former of days.keys()) if (former < day) days.delete(former);
    return day;
  };
  return {
    today,
    isCounted: (day: number): boolean => {
      const current = today();
      return day === current || day === current + 1;
    },
    of: (day: number): DayUsage => {
      const known = days.get(day) ?? new DayUsage(settings);
      days.set(day, known);
      return known;
    },
  };
}

/** Registers the metrics; returns what counts a refusal. Labels are quotas, channels and countries only. */
function createQuotaMetrics(
  { metrics, settings }: QuotaOptions,
  figures: () => ReturnType<DayUsage['figures']>,
): (channel: string, quota: Quota) => void {
  const refusals = metrics.counter(
    'plat_notification_quota_refusals_total',
    'Notifications that were refused by a quota',
    ['channel', 'quota'],
  );
  const countries = metrics.gauge(
    'plat_notification_quota_country_messages',
    'SMS of the UTC day by country of the receiver',
    ['country'],
  );
  const spent = metrics.gauge('plat_notification_quota_spent', 'Cost of the notifications of the UTC day');
  const limit = metrics.gauge('plat_notification_quota_spend_limit', 'Spend limit of a UTC day');
  const counted = metrics.gauge(
    'plat_notification_quota_counted',
    'Distinct callers and receivers of the UTC day',
    ['figure'],
  );
  if (settings.spendMicros !== undefined) limit.set(settings.spendMicros / MICROS);
  metrics.onScrape(() => {
    const now = figures();
    countries.reset();
    for (const [country, messages] of now.countries) countries.set({ country }, messages);
    spent.set(now.spentMicros / MICROS);
    counted.set({ figure: 'callers' }, now.callers);
    counted.set({ figure: 'receivers' }, now.receivers);
  });
  return (channel, quota) => refusals.inc({ channel, quota });
}
