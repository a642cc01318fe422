import type { QuotaSettings } from '../platform/load-config.ts';

/** The quotas by their names, which are codes of outcomes and labels of metrics. */
export type Quota = 'country-not-allowed' | 'quota-caller' | 'quota-receiver' | 'quota-country';

/** What one message uses. It contains no personal data. */
export interface Usage {
  /** Hash of the caller; all upstream systems together are one. */
  readonly caller: string;
  /** Hashes of receivers, cc and bcc, in base64url; equal only within a day. */
  readonly receivers: readonly string[];
  /** ISO 3166 code of the receiver of an SMS, or UNKNOWN_COUNTRY; undefined for e-mail. */
  readonly country: string | undefined;
}

/** The country of numbers that belong to none, such as satellite networks. */
export const UNKNOWN_COUNTRY = 'ZZ';

/** Limits the memory: further callers of a day share one count, and so one quota. */
const MAX_CALLERS = 100_000;
const OTHER_CALLERS = 'others';
/** Takes about 100 MB. A further receiver of a day is refused rather than forgotten. */
const MAX_RECEIVERS = 1_000_000;

/** Everything that was used on one day. */
export class DailyQuotas {
  readonly #settings: QuotaSettings;
  readonly #callers = new Map<string, number>();
  readonly #countries = new Map<string, number>();
  readonly #receivers = new Map<string, number>();
  readonly #maxReceivers: number;
  #messages = 0;

  constructor(settings: QuotaSettings, maxReceivers: number = MAX_RECEIVERS) {
    this.#settings = settings;
    this.#maxReceivers = maxReceivers;
  }

  /** The first quota that another message would exceed. */
  exceeded({ caller, receivers, country }: Usage): Quota | undefined {
    const { countries, perCaller, perReceiver } = this.#settings;
    if (country !== undefined && countries !== undefined && !countries.includes(country))
      return 'country-not-allowed';
    if ((this.#callers.get(this.#callerKey(caller)) ?? 0) >= (perCaller ?? Infinity)) return 'quota-caller';
    if (perReceiver !== undefined && receivers.some((hash) => this.#isUsedUp(hash, perReceiver)))
      return 'quota-receiver';
    if (country !== undefined && (this.#countries.get(country) ?? 0) >= this.#countryQuota(country))
      return 'quota-country';
    return undefined;
  }

  add(usage: Usage): void {
    this.#count(usage, 1);
    if (this.#settings.perReceiver === undefined) return;
    for (const hash of usage.receivers) {
      const count = this.#receivers.get(hash);
      if (count !== undefined || this.#receivers.size < this.#maxReceivers)
        this.#receivers.set(hash, (count ?? 0) + 1);
    }
  }

  /** Takes back a message that was added. */
  remove(usage: Usage): void {
    this.#count(usage, -1);
    for (const hash of usage.receivers) {
      const count = this.#receivers.get(hash) ?? 0;
      if (count > 0) this.#receivers.set(hash, count - 1);
    }
  }

  /** The used amounts, by country where they have one. */
  figures() {
    return {
      messages: this.#messages,
      receivers: this.#receivers.size,
      callers: this.#callers.size,
      countries: this.#countries as ReadonlyMap<string, number>,
    };
  }

  #count({ caller, country }: Usage, by: 1 | -1): void {
    const key = this.#callerKey(caller);
    this.#callers.set(key, (this.#callers.get(key) ?? 0) + by);
    if (country !== undefined) this.#countries.set(country, (this.#countries.get(country) ?? 0) + by);
    this.#messages += by;
  }

  #callerKey(caller: string): string {
    return this.#callers.has(caller) || this.#callers.size < MAX_CALLERS ? caller : OTHER_CALLERS;
  }

  /** A receiver that does not fit into the table is treated like one that has used up its quota. */
  #isUsedUp(hash: string, perReceiver: number): boolean {
    const count = this.#receivers.get(hash);
    return count === undefined ? this.#receivers.size >= this.#maxReceivers : count >= perReceiver;
  }

  #countryQuota(country: string): number {
    const { perCountry } = this.#settings;
    return perCountry.get(country) ?? perCountry.get('*') ?? Infinity;
  }
}
