import type { ProcessingResult, Process } from '../../../shared/messaging/outcome.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';

interface Call {
  readonly message: LogMessage;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly end: (result: ProcessingResult) => void;
  readonly fail: (error: unknown) => void;
}

export interface FakeWork {
  readonly process: Process;
  readonly calls: Call[];
  started(): number[];
  end(offset: number, result?: ProcessingResult): Promise<void>;
  fail(offset: number, error: unknown): Promise<void>;
}

export function createFakeWork(): FakeWork {
  const calls: Call[] = [];
  const latest = (offset: number): Call => {
    const call = calls.findLast(({ message }) => message.offset === offset);
    if (call === undefined) throw new Error(`offset ${offset} was never started`);
    return call;
  };
  return {
    calls,
    process: (message, attempt, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<ProcessingResult>();
      calls.push({ message, attempt, signal, end: resolve, fail: reject });
      return promise;
    },
    started: () => calls.map(({ message }) => message.offset),
    end: async (offset, result = 'settled') => {
      latest(offset).end(result);
      await settleMicrotasks();
    },
    fail: async (offset, error) => {
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
