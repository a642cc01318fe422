import type { SystemProcess } from '../../../../shared/api/operations/system-state.ts';
import { errorText, SystemError } from '../../../../shared/platform/errors.ts';
import type { SystemPorts } from '../../../../shared/platform/system-ports.ts';

/** Why a reading failed: an English sentence without a full stop, its code, and what it says beyond the code. */
type ReadingFault = Pick<SystemProcess, 'fault' | 'faultCode' | 'faultDetail'>;

export type Reading<Value> = ReturnType<typeof createReading<Value>>;

/** A failure that brings its own text and code; describeFault() chooses those of other errors. */
export class ReadingError extends Error {
  override readonly name = 'ReadingError';
  readonly fault: ReadingFault;

  constructor(fault: ReadingFault, cause?: unknown) {
    super(fault.fault, { cause });
    this.fault = fault;
  }
}

/** All callers share a reading for at least this long. */
const SHARED_MS = 900;
const MAX_TEXT_LENGTH = 500;

/** Reads on demand. After `limitMs` the reading counts as failed, but the next one begins only when it has ended. */
export function createReading<Value>(
  read: () => Promise<Value>,
  { clock, monotonic, timers }: Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'>,
  limitMs: number,
) {
  let value: Value | undefined;
  let fault: ReadingFault | undefined;
  let lastReadAt: string | undefined;
  let dueMs = -Infinity;
  let pending: Promise<void> | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      value = await read();
      fault = undefined;
      lastReadAt = new Date(clock.now()).toISOString();
    } catch (error) {
      fault = describeFault(error);
    }
    dueMs = monotonic.elapsedMs() + SHARED_MS;
    pending = undefined;
  };
  return {
    /** What was read last, and why the last attempt failed if it did. */
    latest: () => ({ value, fault: fault && { ...fault, lastReadAt } }),
    /** Reads again unless the last reading is recent. Resolves when it ends, or at the time limit; never rejects. */
    refresh: async (): Promise<void> => {
      if (pending === undefined && monotonic.elapsedMs() < dueMs) return;
      pending ??= readOnce();
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const giveUp = (): void => {
        fault = noAnswer(limitMs);
        resolve();
      };
      const cancel = timers.schedule(giveUp, limitMs, 'background');
      await Promise.race([pending, tooLate]);
      cancel();
    },
  };
}

export function noAnswer(limitMs: number): ReadingFault {
  const faultDetail = `${limitMs / 1_000} s`;
  return { fault: `no answer within ${faultDetail}`, faultCode: 'no-answer', faultDetail };
}

function describeFault(error: unknown): ReadingFault {
  if (error instanceof ReadingError) return error.fault;
  const fault = errorText(error).slice(0, MAX_TEXT_LENGTH);
  const code = error instanceof SystemError ? error.code : '';
  if (code === 'broker-unavailable' || code === 'broker-refused') return { fault, faultCode: code };
  return { fault, faultCode: 'failed', faultDetail: fault };
}
