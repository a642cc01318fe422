import type { QuotaSettings } from '../platform/load-config.ts';
import { ReceiverCounts } from './receiver-counts.ts';

/** The quotas by their names, which are codes of outcomes and labels of metrics. */
export type Quota =
  | 'country-not-allowed'
  | 'quota-caller'
  | 'quota-urgent'
  | 'quota-receiver'
  | 'quota-country'
  | 'quota-spend';

/** What one message uses. It contains no personal data. */
export interface Usage {
  /** Hash of the caller; all upstream systems together are one. */
  readonly caller: string;
  readonly isUrgent: boolean;
  /** Hashes of receivers, cc and bcc; equal only within a day. */
  readonly receivers: readonly Buffer[];
  /** ISO 3166 code of the receiver of an SMS, or UNKNOWN_COUNTRY; undefined for e-mail. */
  readonly country: string | undefined;
  /** Cost in millionths of the currency. */
  readonly costMicros: number;
}

/** The country of numbers that belong to none, such as satellite networks. */
export const UNKNOWN_COUNTRY = 'ZZ';

interface CallerCount {
  all: number;
  urgent: number;
}

/** Limits the memory: further callers of a day share one count, and so one quota. */
const MAX_CALLERS = 100_000;
const OTHER_CALLERS = 'others';

/** Everything that was used on one day. Amounts are whole millionths, so that sums are exact. */
export class DailyQuotas {
  readonly #settings: QuotaSettings;
  readonly #callers = new Map<string, CallerCount>();
  readonly #countries = new Map<string, number>();
  readonly #receivers: ReceiverCounts;
  #spentMicros = 0;

  constructor(settings: QuotaSettings, maxReceivers?: number) {
    this.#settings = settings;
    this.#receivers = new ReceiverCounts(maxReceivers);
  }

  /** The first quota that another message would exceed. */
  exceeded({ caller, isUrgent, receivers, country, costMicros }: Usage): Quota | undefined {
    const { countries, perCaller, urgentPerCaller, perReceiver, spendMicros } = this.#settings;
    if (country !== undefined && countries !== undefined && !countries.includes(country))
      return 'country-not-allowed';
    const known = this.#callers.get(this.#callerKey(caller)) ?? { all: 0, urgent: 0 };
    if (known.all >= (perCaller ?? Infinity)) return 'quota-caller';
    if (isUrgent && known.urgent >= (urgentPerCaller ?? Infinity)) return 'quota-urgent';
    if (perReceiver !== undefined && receivers.some((hash) => this.#isUsedUp(hash, perReceiver)))
      return 'quota-receiver';
    if (country !== undefined && (this.#countries.get(country) ?? 0) >= this.#countryQuota(country))
      return 'quota-country';
    return this.#spentMicros + costMicros > (spendMicros ?? Infinity) ? 'quota-spend' : undefined;
  }

  add(usage: Usage): void {
    this.#count(usage, 1);
    if (this.#settings.perReceiver === undefined) return;
    for (const hash of usage.receivers) this.#receivers.add(hash);
  }

  /** Takes back a message that was added. */
  remove(usage: Usage): void {
    this.#count(usage, -1);
    for (const hash of usage.receivers) this.#receivers.remove(hash);
  }

  /** The used amounts, by country where they have one. */
  figures() {
    return {
      spentMicros: this.#spentMicros,
      receivers: this.#receivers.size,
      callers: this.#callers.size,
      countries: this.#countries as ReadonlyMap<string, number>,
    };
  }

  #count({ caller, isUrgent, country, costMicros }: Usage, by: 1 | -1): void {
    const key = this.#callerKey(caller);
    const known = this.#callers.get(key) ?? { all: 0, urgent: 0 };
    this.#callers.set(key, known);
    known.all += by;
    if (isUrgent) known.urgent += by;
    if (country !== undefined) this.#countries.set(country, (this.#countries.get(country) ?? 0) + by);
    this.#spentMicros += by * costMicros;
  }

  #callerKey(caller: string): string {
    return this.#callers.has(caller) || this.#callers.size < MAX_CALLERS ? caller : OTHER_CALLERS;
  }

  /** A receiver that does not fit into the table is treated like one that has used up its quota. */
  #isUsedUp(hash: Buffer, perReceiver: number): boolean {
    const count = this.#receivers.count(hash);
    return count >= perReceiver || (count === 0 && this.#receivers.isFull);
  }

  #countryQuota(country: string): number {
    const { perCountry } = this.#settings;
    return perCountry.get(country) ?? perCountry.get('*') ?? Infinity;
  }
}
