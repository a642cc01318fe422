import type { ProcessingResult, Process } from '../../../shared/messaging/outcome.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';

interface Call {
  readonly message: LogMessage;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly end: (result: ProcessingResult) => void;
  readonly fail: (error: unknown) => void;
}

export function createFakeWork() {
  const calls: Call[] = [];
  const latest = (offset: number): Call => {
    const call = calls.findLast(({ message }) => message.offset === offset);
    if (call === undefined) throw new Error(`offset ${offset} was never started`);
    return call;
  };
  const process: Process = (message, attempt, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<ProcessingResult>();
    calls.push({ message, attempt, signal, end: resolve, fail: reject });
    return promise;
  };
  return {
    calls,
    process,
    started: () => calls.map(({ message }) => message.offset),
    end: async (offset: number, result: ProcessingResult = 'settled') => {
      latest(offset).end(result);
      await settleMicrotasks();
    },
    fail: async (offset: number, error: unknown) => {
      latest(offset).fail(error);
      await settleMicrotasks();
    },
  };
}

/** More microtask turns than any chain of promises in the runtime needs. */
const MICROTASK_TURNS = 20;

export async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < MICROTASK_TURNS; turn += 1) await Promise.resolve();
}
