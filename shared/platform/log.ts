import { pino, type Logger } from 'pino';
import type { MonotonicClock } from './system-ports.ts';

/** Writes one JSON line per event. Callers pass no bodies, tokens or personal data. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> & { child(bindings: object): Log };

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Creates a log on stderr (file descriptor 2), so that stdout has only the output of a command. */
export function createLog(options: { level: LogLevel; name: string }): Log {
  return pino(
    { level: options.level, name: options.name, base: { name: options.name } },
    pino.destination(2),
  );
}

export const silentLog: Log = pino({ level: 'silent' });

const INTERVAL_MS = 60_000;
/** A failure that begins within this time after the end of the last one continues it: its beginning is not logged. */
const CALM_MS = 10_000;

/** Logs the beginning of a repeated failure, such as a lost broker, one line a minute with `failures`, and its end. */
export class RepeatedFailure {
  readonly #log: Log;
  readonly #level: 'warn' | 'error';
  readonly #monotonic: MonotonicClock;
  #loggedMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #isLogged = false;

  constructor(log: Log, monotonic: MonotonicClock, level: 'warn' | 'error' = 'warn') {
    this.#log = log;
    this.#level = level;
    this.#monotonic = monotonic;
  }

  failed(fields: object, text: string): void {
    this.#failures += 1;
    const nowMs = this.#monotonic.elapsedMs();
    if (nowMs - this.#loggedMs < INTERVAL_MS) return;
    this.#log[this.#level]({ ...fields, failures: this.#failures }, text);
    this.#loggedMs = nowMs;
    this.#failures = 0;
    this.#isLogged = true;
  }

  /** Call it after each success: it logs only the end of a failure that was logged. */
  ended(fields: object, text: string): void {
    this.#failures = 0;
    if (!this.#isLogged) return;
    this.#isLogged = false;
    this.#loggedMs = this.#monotonic.elapsedMs() - INTERVAL_MS + CALM_MS;
    this.#log.info(fields, text);
  }
}
