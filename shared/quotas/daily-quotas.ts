import type { QuotaSettings } from '../platform/load-config.ts';
import type { Usage } from './usage-record.ts';

export type Quota = 'country-not-allowed' | 'quota-caller' | 'quota-receiver' | 'quota-country';

/** This many callers of a day have their own counts. Further callers share one count, and so one quota. */
const MAX_CALLERS = 100_000;
const OTHER_CALLERS = 'others';
/** This many receivers take about 100 MB. Messages to further receivers of a day are refused. */
const MAX_RECEIVERS = 1_000_000;

/** Counts of one UTC day. Receivers are hashes, counted only if there is a quota for receivers. */
export class DailyQuotas {
  readonly callers = new Map<string, number>();
  readonly countries = new Map<string, number>();
  readonly receivers = new Map<string, number>();
  messages = 0;
  readonly #settings: QuotaSettings;
  readonly #maxReceivers: number;

  constructor(settings: QuotaSettings, maxReceivers: number = MAX_RECEIVERS) {
    this.#settings = settings;
    this.#maxReceivers = maxReceivers;
  }

  /** Returns the quota that forbids one more such message; undefined if none does. */
  exceeded({ caller, receivers, country }: Usage): Quota | undefined {
    const { countries, perCaller = Infinity, perReceiver, perCountry } = this.#settings;
    if (country !== undefined && countries?.includes(country) === false) return 'country-not-allowed';
    if ((this.callers.get(this.#callerKey(caller)) ?? 0) >= perCaller) return 'quota-caller';
    // A receiver that does not fit into the table counts as one that has used up its quota.
    const isUsedUp = (hash: string, most: number): boolean =>
      this.#hasPlace(hash) ? (this.receivers.get(hash) ?? 0) >= most : true;
    if (perReceiver !== undefined && receivers.some((hash) => isUsedUp(hash, perReceiver)))
      return 'quota-receiver';
    if (country === undefined) return undefined;
    const mostOfCountry = perCountry.get(country) ?? perCountry.get('*') ?? Infinity;
    return (this.countries.get(country) ?? 0) >= mostOfCountry ? 'quota-country' : undefined;
  }

  /** Counts a message (1) or takes it back (-1). */
  count({ caller, country, receivers }: Usage, by: 1 | -1): void {
    const change = (counts: Map<string, number>, key: string) =>
      counts.set(key, Math.max(0, (counts.get(key) ?? 0) + by));
    this.messages += by;
    change(this.callers, this.#callerKey(caller));
    if (country !== undefined) change(this.countries, country);
    if (this.#settings.perReceiver === undefined) return;
    for (const hash of receivers) if (this.#hasPlace(hash)) change(this.receivers, hash);
  }

  #callerKey(caller: string): string {
    return this.callers.has(caller) || this.callers.size < MAX_CALLERS ? caller : OTHER_CALLERS;
  }

  #hasPlace(hash: string): boolean {
    return this.receivers.has(hash) || this.receivers.size < this.#maxReceivers;
  }
}
