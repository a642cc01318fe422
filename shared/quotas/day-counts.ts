import type { Clock, MonotonicClock } from '../platform/clock.ts';
import type { QuotaSettings } from '../platform/load-config.ts';
import { DailyQuotas } from './daily-quotas.ts';

export const DAY_MS = 24 * 3_600_000;
/**
 * A day is over when a later one has lasted this long: a clock that is ahead for a moment then finds the counts again. Those
 * of yesterday take memory for this time only.
 */
const SETTLED_MS = 3_600_000;
/** Yesterday, today and, for processes whose clocks are ahead, tomorrow; of more, the one that was used last longest ago goes. */
const MAX_DAYS = 3;

/** What was used on each day that may be today. Days are those of UTC, since 1970-01-01. */
export class DayCounts {
  readonly #options: DayCountsOptions;
  /** The one that was used last is the last. */
  readonly #days = new Map<number, DailyQuotas>();
  #today: number | undefined;
  /** Since when that is the day of the clock, in monotonic milliseconds. */
  #sinceMs = 0;

  constructor(options: DayCountsOptions) {
    this.#options = options;
  }

  /** The day of the clock. */
  today(): number {
    const { clock, monotonic } = this.#options;
    const day = Math.floor(clock.now() / DAY_MS);
    if (day !== this.#today) {
      this.#today = day;
      this.#sinceMs = monotonic.elapsedMs();
    }
    if (this.#isSettled())
      for (const former of this.#days.keys()) if (former < day) this.#days.delete(former);
    return day;
  }

  /** Whether messages of the day are counted, since it is today or may turn out to be. */
  isCounted(day: number): boolean {
    const today = this.today();
    const first = this.#isSettled() ? today : today - 1;
    return this.#days.has(day) || (day >= first && day <= today + 1);
  }

  of(day: number): DailyQuotas {
    const usage = this.#days.get(day) ?? new DailyQuotas(this.#options.settings);
    this.#days.delete(day);
    this.#days.set(day, usage);
    const [oldest] = this.#days.size > MAX_DAYS ? this.#days.keys() : [];
    if (oldest !== undefined) this.#days.delete(oldest);
    return usage;
  }

  find(day: number): DailyQuotas | undefined {
    return this.#days.get(day);
  }

  #isSettled(): boolean {
    return this.#options.monotonic.elapsedMs() - this.#sinceMs >= SETTLED_MS;
  }
}

interface DayCountsOptions {
  readonly settings: QuotaSettings;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
}
