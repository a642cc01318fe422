import type { Contract } from './read-contracts.ts';

/** What the engine answers for a contract, or why it could not. */
export type Outcome<Rows> =
  | { readonly kind: 'calculated'; readonly contract: Contract; readonly rows: Rows }
  | { readonly kind: 'failed'; readonly contract: Contract; readonly error: unknown };

export interface RunOptions<Rows> {
  readonly contracts: readonly Contract[];
  readonly calculate: (contract: Contract, signal: AbortSignal) => Promise<Rows>;
  /** The wait before another attempt; undefined: the failure is final. */
  readonly retryAfterMs: (error: unknown, attempt: number) => number | undefined;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onOutcome: (outcome: Outcome<Rows>) => void;
  readonly signal: AbortSignal;
}

/** Few at a time: live calls of others go first, and one instance calculates a thousand contracts a second with fewer. */
export const WINDOW = 6;

/** Calculates all contracts with a window of calls in progress. Resolves when all have an outcome, or after an abort. */
export async function runContracts<Rows>(options: RunOptions<Rows>): Promise<void> {
  const { contracts, signal, onOutcome } = options;
  let next = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const contract = contracts[next];
      next += 1;
      if (contract === undefined) return;
      const outcome = await calculateOne(contract, options);
      if (outcome !== undefined) onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WINDOW, contracts.length) }, work));
}

async function calculateOne<Rows>(
  contract: Contract,
  { calculate, retryAfterMs, wait, signal }: RunOptions<Rows>,
): Promise<Outcome<Rows> | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return { kind: 'calculated', contract, rows: await calculate(contract, signal) };
    } catch (error) {
      if (signal.aborted) return undefined;
      const ms = retryAfterMs(error, attempt);
      if (ms === undefined) return { kind: 'failed', contract, error };
      await wait(ms, signal);
    }
  }
  return undefined;
}
