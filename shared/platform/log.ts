import { pino, type Logger } from 'pino';

/** The log: one JSON line per event, without bodies, tokens or personal data. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'> & { child(bindings: object): Log };

/** Log levels by name, the least verbose last. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Creates a log on stderr (file descriptor 2), so that stdout has only the output of a command. */
export function createLog(options: { level: LogLevel; name: string }): Log {
  return pino(
    { level: options.level, name: options.name, base: { name: options.name } },
    pino.destination(2),
  );
}

/** Discards everything, for tests and benchmarks. */
export const silentLog: Log = pino({ level: 'silent' });
