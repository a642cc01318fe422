import type { Clock } from '../platform/system-ports.ts';
import type { Log } from '../platform/log.ts';

/** Less than the default reply timeout plus DEADLINE_SKEW_MS: the warning precedes refusals of requests as expired. */
const TOLERATED_MS = 10_000;
/** A wrong clock shows in every record, so one warning per interval is enough. */
const REPEAT_MS = 600_000;

/** Warns if a record is from the future: the clock of its producer or broker is ahead of the clock of this machine. */
export class ClockWarning {
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'>;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> }) {
    this.#clock = clock;
    this.#log = log;
  }

  see({ topic, timestampMs }: { readonly topic: string; readonly timestampMs: number }): void {
    const nowMs = this.#clock.now();
    const aheadMs = timestampMs - nowMs;
    if (aheadMs <= TOLERATED_MS || Math.abs(nowMs - this.#warnedMs) < REPEAT_MS) return;
    this.#warnedMs = nowMs;
    const text =
      'a record was written by a clock that is ahead of the clock of this machine: synchronise both by NTP';
    this.#log.warn({ topic, aheadMs }, text);
  }
}
