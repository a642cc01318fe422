import type { SystemFaultCode } from '../../../../shared/api/operations/system-state.ts';
import { errorText, SystemError } from '../../../../shared/platform/errors.ts';
import type { SystemPorts } from '../../../../shared/platform/system-ports.ts';

/** Something outside this process that is read on demand, and the last that was read. */
export interface Reading<Value> {
  /**
   * Reads again, unless it is being read or was read recently. Resolves when it was read, or at the time limit; never rejects.
   */
  refresh(): Promise<void>;
  latest(): LatestReading<Value>;
}

export interface LatestReading<Value> {
  /** Undefined if it was never read. */
  readonly value: Value | undefined;
  /** Why the last attempt failed; undefined if it did not. */
  readonly fault: ReadingFault | undefined;
  /** Epoch milliseconds of the last successful reading. */
  readonly readAtMs: number | undefined;
}

/** Why a reading failed. */
export interface ReadingFault {
  readonly code: SystemFaultCode;
  /** One sentence in English without a full stop. */
  readonly text: string;
  /** What the text says beyond its code. */
  readonly detail?: string;
}

/** A failure that a reading can name; others have the code `failed`. */
export class ReadingError extends Error {
  readonly fault: ReadingFault;

  constructor(fault: ReadingFault, cause?: unknown) {
    super(fault.text, { cause });
    this.name = 'ReadingError';
    this.fault = fault;
  }
}

/** All callers share a reading for at least this time. */
const SHARED_MS = 900;
const MAX_TEXT_LENGTH = 500;

/** `limitMs`: after this time it counts as failed, until it ends; it is not read again before that. */
export function createReading<Value>(
  read: () => Promise<Value>,
  { clock, monotonic, timers }: Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'>,
  limitMs: number,
): Reading<Value> {
  let latest: LatestReading<Value> = { value: undefined, fault: undefined, readAtMs: undefined };
  let dueMs = -Infinity;
  let pending: Promise<void> | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      latest = { value: await read(), fault: undefined, readAtMs: clock.now() };
    } catch (error) {
      latest = { ...latest, fault: describeFault(error) };
    }
    dueMs = monotonic.elapsedMs() + SHARED_MS;
    pending = undefined;
  };
  return {
    latest: () => latest,
    refresh: async () => {
      if (pending === undefined && monotonic.elapsedMs() < dueMs) return;
      pending ??= readOnce();
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const giveUp = (): void => {
        latest = { ...latest, fault: noAnswer(limitMs) };
        resolve();
      };
      const cancel = timers.schedule(giveUp, limitMs, 'background');
      await Promise.race([pending, tooLate]);
      cancel();
    },
  };
}

/** A source that did not answer in time. */
export function noAnswer(limitMs: number): ReadingFault {
  const detail = `${limitMs / 1_000} s`;
  return { code: 'no-answer', text: `no answer within ${detail}`, detail };
}

function describeFault(error: unknown): ReadingFault {
  if (error instanceof ReadingError) return error.fault;
  const text = errorText(error).slice(0, MAX_TEXT_LENGTH);
  const code = error instanceof SystemError ? error.code : '';
  if (code === 'broker-unavailable' || code === 'broker-refused') return { code, text };
  return { code: 'failed', text, detail: text };
}
