import { pino, type Logger } from 'pino';

/** The log port: structured, one JSON line per event on stderr or stdout; never bodies, tokens or personal data. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> & { child(bindings: object): Log };

/** Levels by name, quietest last. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes to stderr (file descriptor 2), so that a command's own output on stdout stays clean. */
export function createLog(options: { level: LogLevel; name: string }): Log {
  return pino(
    { level: options.level, name: options.name, base: { name: options.name } },
    pino.destination(2),
  );
}

/** Discards everything, for tests and benchmarks. */
export const silentLog: Log = pino({ level: 'silent' });
