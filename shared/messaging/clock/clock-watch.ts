import { errorText } from '../../platform/errors.ts';
import type { Health } from '../../platform/health.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { SystemPorts } from '../../platform/system-ports.ts';
import { repeat } from '../../platform/timers.ts';
import type { BrokerClock, ClockOffset } from './broker-clock.ts';

/** Resolves with the broker's time in epoch milliseconds, at a moment between call and resolution. */
type ReadTime = () => Promise<number>;

export interface ClockWatchOptions extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  /** Receives the readings. */
  readonly brokerClock: BrokerClock;
  /** Reads the broker's time; absent for a broker with the clock of this process, where only steps are watched. */
  readonly readTime: ReadTime | undefined;
  /** The process is not ready while its clock is further from the broker's, in milliseconds; 0: it stays ready. */
  readonly limitMs: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Above this offset health is degraded: callers set their deadlines to seconds. */
export const CLOCK_WARNING_MS = 1_000;
/** A reading costs the broker one empty record; quartz clocks drift by 12 ms in this time at most. */
const READ_INTERVAL_MS = 60_000;
/** Interval between checks whether the local clock was set, and between attempts while the broker does not answer. */
const CHECK_INTERVAL_MS = 5_000;
/** A change of the local clock relative to the monotonic one that counts as a step; NTP slews smaller ones. */
const STEP_MS = 1_000;
/** Readings are repeated until the offset is known this exactly: a tenth of the least offset that matters. */
const WANTED_ERROR_MS = 100;
const MAX_READINGS = 5;
/** Without a reading for this long health says so. The broker's time stays known to within 0.2 s meanwhile. */
const STALE_MS = 10 * READ_INTERVAL_MS;
const SECOND_MS = 1_000;

type Level = 'near' | 'far' | 'beyond';

/**
 * Measures how far the clock of this process is from the broker's, as NTP does: the broker's time belongs to a moment
 * between request and response. Shows the offset in metrics, log and health, and steps of the local clock in metrics and log.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #steps: ReturnType<Metrics['counter']>;
  #level: Level = 'near';
  /** The local clock minus the monotonic one, at the last check. */
  #localDifferenceMs: number;
  #reading: Promise<void> | undefined;
  #readAtMs = 0;
  #lastError: string | undefined;
  #stopChecks: (() => void) | undefined;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#steps = registerMetrics(options);
    this.#localDifferenceMs = options.clock.now() - options.monotonic.elapsedMs();
  }

  /** Reads the broker's time, then again every minute. Never rejects: before the first reading the local clock counts. */
  async start(): Promise<void> {
    const { timers, readTime } = this.#options;
    this.#stopChecks = repeat(timers, () => this.#check(), CHECK_INTERVAL_MS, 'background');
    if (readTime !== undefined) await this.#read(readTime);
  }

  /** Whether the clock agrees with the broker's; undefined if the broker has the clock of this process. */
  health(): Health | undefined {
    const { readTime, brokerClock, limitMs } = this.#options;
    return readTime === undefined ? undefined : healthOf(brokerClock.offset(), limitMs, this.#lastError);
  }

  stop(): void {
    this.#stopChecks?.();
  }

  #check(): void {
    const { clock, monotonic, readTime, log } = this.#options;
    const differenceMs = clock.now() - monotonic.elapsedMs();
    const stepMs = Math.round(differenceMs - this.#localDifferenceMs);
    this.#localDifferenceMs = differenceMs;
    const isStep = Math.abs(stepMs) >= STEP_MS;
    if (isStep) {
      this.#steps.inc({ clock: 'local' });
      log.warn({ stepMs }, 'the clock of this machine was set, or the machine was suspended');
    }
    const isDue = this.#lastError !== undefined || monotonic.elapsedMs() - this.#readAtMs >= READ_INTERVAL_MS;
    if (readTime !== undefined && (isStep || isDue)) void this.#read(readTime);
  }

  #read(readTime: ReadTime): Promise<void> {
    return (this.#reading ??= this.#readRepeatedly(readTime).finally(() => {
      this.#reading = undefined;
    }));
  }

  async #readRepeatedly(readTime: ReadTime): Promise<void> {
    const { monotonic, brokerClock, limitMs, log } = this.#options;
    this.#readAtMs = monotonic.elapsedMs();
    try {
      for (let readings = 0; readings < MAX_READINGS; readings += 1) {
        await this.#readOnce(readTime);
        if ((brokerClock.offset()?.errorMs ?? 0) <= WANTED_ERROR_MS) break;
      }
      this.#lastError = undefined;
    } catch (error) {
      if (this.#lastError === undefined) {
        log.warn({ error: errorText(error) }, 'the time of the broker cannot be read');
      }
      this.#lastError = errorText(error);
    }
    const offset = brokerClock.offset();
    const level = levelOf(offset, limitMs);
    if (level !== this.#level && offset !== undefined) report(log, level, offset, limitMs);
    this.#level = level;
  }

  async #readOnce(readTime: ReadTime): Promise<void> {
    const { monotonic, brokerClock, log } = this.#options;
    const sentMs = monotonic.elapsedMs();
    const brokerMs = await readTime();
    const stepMs = Math.round(brokerClock.add({ brokerMs, sentMs, receivedMs: monotonic.elapsedMs() }));
    if (Math.abs(stepMs) < STEP_MS) return;
    this.#steps.inc({ clock: 'broker' });
    log.warn(
      { stepMs },
      'the clock of the broker was set, or another broker leads the topic of clock readings',
    );
  }
}

/** The level of an offset; a difference that may be an error of the measurement does not count. */
function levelOf(offset: ClockOffset | undefined, limitMs: number): Level {
  if (offset === undefined) return 'near';
  const certainMs = Math.abs(offset.offsetMs) - offset.errorMs;
  if (limitMs > 0 && certainMs > limitMs) return 'beyond';
  return certainMs > CLOCK_WARNING_MS ? 'far' : 'near';
}

function healthOf(offset: ClockOffset | undefined, limitMs: number, error: string | undefined): Health {
  if (offset === undefined || offset.ageMs > STALE_MS) {
    return {
      status: 'degraded',
      reason: `the time of the broker cannot be read: ${error ?? 'no reading yet'}`,
    };
  }
  const level = levelOf(offset, limitMs);
  if (level === 'near') return { status: 'ready' };
  return { status: level === 'far' ? 'degraded' : 'starting', reason: describe(offset, limitMs) };
}

function describe({ offsetMs, errorMs }: ClockOffset, limitMs: number): string {
  const far = `${inSeconds(Math.abs(offsetMs))} s (± ${inSeconds(errorMs)} s)`;
  const bound = limitMs > 0 ? `, CLOCK_OFFSET_LIMIT_MS is ${limitMs}` : '';
  return `the clock of this machine is ${far} ${offsetMs < 0 ? 'ahead of' : 'behind'} the broker's${bound}: synchronise both by NTP`;
}

function report(log: Log, level: Level, offset: ClockOffset, limitMs: number): void {
  const fields = { offsetMs: Math.round(offset.offsetMs), errorMs: Math.round(offset.errorMs), limitMs };
  if (level === 'near')
    log.info(fields, 'the clock of this machine agrees with the clock of the broker again');
  else log.warn(fields, describe(offset, limitMs));
}

function inSeconds(ms: number): string {
  return (ms / SECOND_MS).toFixed(2);
}

/** Registers the gauges, which are set at each scrape, and returns the counter of steps. */
function registerMetrics({
  metrics,
  brokerClock,
  readTime,
}: ClockWatchOptions): ReturnType<Metrics['counter']> {
  const steps = metrics.counter(
    'plat_clock_steps_total',
    'How often a clock was set by a second or more while the process ran: its own (local) or that of the broker',
    ['clock'],
  );
  if (readTime === undefined) return steps;
  const offset = metrics.gauge(
    'plat_clock_offset_seconds',
    'Time of the broker minus time of this machine; negative if the clock of this machine is ahead',
  );
  const error = metrics.gauge('plat_clock_offset_error_seconds', 'Error bound of plat_clock_offset_seconds');
  const age = metrics.gauge(
    'plat_clock_reading_age_seconds',
    'Time since the time of the broker was last read',
  );
  metrics.onScrape(() => {
    const measured = brokerClock.offset();
    offset.set(measured === undefined ? Number.NaN : measured.offsetMs / SECOND_MS);
    error.set(measured === undefined ? Number.NaN : measured.errorMs / SECOND_MS);
    age.set(measured === undefined ? Number.NaN : measured.ageMs / SECOND_MS);
  });
  return steps;
}
