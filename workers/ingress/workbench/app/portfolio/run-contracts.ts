import type { Contract } from './read-contracts.ts';

/** What the engine answers for a contract, or why it could not. */
export type Outcome<Reply> =
  | { readonly kind: 'calculated'; readonly contract: Contract; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly contract: Contract; readonly error: unknown };

/**
 * What an error means: `failed` for this contract alone; `repeat` after a wait; `interrupted` if no contract could be
 * calculated now.
 */
export type Verdict =
  | { readonly kind: 'failed' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'repeat'; readonly afterMs: number };

export interface RunOptions<Reply> {
  readonly contracts: readonly Contract[];
  readonly calculate: (contract: Contract, signal: AbortSignal) => Promise<Reply>;
  readonly judge: (error: unknown, attempt: number) => Verdict;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly onOutcome: (outcome: Outcome<Reply>) => void;
  readonly signal: AbortSignal;
}

/** How a run ended. Contracts without an outcome can be calculated by another run. */
export type RunEnd =
  | { readonly kind: 'finished' | 'stopped' }
  | { readonly kind: 'interrupted'; readonly error: unknown };

/** Few at a time, since live calls of others go first, and enough to reach the limit of calls that a caller may send in a second. */
export const WINDOW = 6;

/** Calculates all contracts with a window of calls in progress. Resolves when none is in progress any more. */
export async function runContracts<Reply>(options: RunOptions<Reply>): Promise<RunEnd> {
  const { contracts, onOutcome } = options;
  const interruption = new AbortController();
  const signal = AbortSignal.any([options.signal, interruption.signal]);
  let interrupted: RunEnd | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const contract = contracts[next];
      next += 1;
      if (contract === undefined) return;
      const outcome = await calculateOne(contract, { ...options, signal });
      if (outcome?.kind === 'interrupted') {
        interrupted ??= outcome;
        interruption.abort();
      } else if (outcome !== undefined) onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WINDOW, contracts.length) }, work));
  if (options.signal.aborted) return { kind: 'stopped' };
  return interrupted ?? { kind: 'finished' };
}

/** Undefined after an abort. */
async function calculateOne<Reply>(
  contract: Contract,
  { calculate, judge, wait, signal }: RunOptions<Reply>,
): Promise<Outcome<Reply> | (RunEnd & { readonly kind: 'interrupted' }) | undefined> {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return { kind: 'calculated', contract, reply: await calculate(contract, signal) };
    } catch (error) {
      if (signal.aborted) return undefined;
      const verdict = judge(error, attempt);
      if (verdict.kind === 'failed') return { kind: 'failed', contract, error };
      if (verdict.kind === 'interrupted') return { kind: 'interrupted', error };
      await wait(verdict.afterMs, signal);
    }
  }
  return undefined;
}
