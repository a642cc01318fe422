import type { Violation } from './check/rule.ts';
import type { CallFault } from './faults/fault-plan.ts';
import type { SeedResult } from './run-seed.ts';
import type { SeedPlan } from './seed-plan.ts';

/** A part of a plan that can be left out. */
export type Part =
  | { readonly kind: 'activity'; readonly id: string }
  | { readonly kind: 'incident'; readonly index: number }
  | { readonly kind: 'rate'; readonly fault: CallFault }
  | { readonly kind: 'clock'; readonly process: string };

/** Each run takes about half a second. */
const MAX_RUNS = 400;

/** The parts of a plan. */
export function partsOf({ activities, faults }: SeedPlan): readonly Part[] {
  return [
    ...faults.incidents.map((_, index): Part => ({ kind: 'incident', index })),
    ...(Object.keys(faults.rates) as CallFault[]).map((fault): Part => ({ kind: 'rate', fault })),
    ...Object.keys(faults.clocks).map((process): Part => ({ kind: 'clock', process })),
    ...activities.map(({ id }): Part => ({ kind: 'activity', id })),
  ];
}

/** The plan with these parts only. */
export function withParts(plan: SeedPlan, parts: readonly Part[]): SeedPlan {
  const names = new Set(parts.map((part) => JSON.stringify(part)));
  const has = (part: Part): boolean => names.has(JSON.stringify(part));
  const { faults } = plan;
  return {
    ...plan,
    activities: plan.activities.filter(({ id }) => has({ kind: 'activity', id })),
    faults: {
      ...faults,
      incidents: faults.incidents.filter((_, index) => has({ kind: 'incident', index })),
      rates: Object.fromEntries(
        Object.entries(faults.rates).filter(([fault]) => has({ kind: 'rate', fault: fault as CallFault })),
      ),
      clocks: Object.fromEntries(
        Object.entries(faults.clocks).filter(([process]) => has({ kind: 'clock', process })),
      ),
    },
  };
}

/** Runs a plan, see runPlan. */
export type Run = (plan: SeedPlan) => Promise<Pick<SeedResult, 'violations'>>;

export interface Shrunk {
  readonly plan: SeedPlan;
  readonly parts: readonly Part[];
  readonly runs: number;
}

/**
 * Removes parts of a plan as long as the same rule is violated, by delta debugging (Zeller, ddmin): halves first, then smaller
 * pieces, down to single parts. The result is the smallest plan that was found within the limit of runs.
 */
export async function shrinkPlan(
  plan: SeedPlan,
  rule: Violation['rule'],
  { run, onProgress }: { readonly run: Run; readonly onProgress?: (parts: number, runs: number) => void },
): Promise<Shrunk> {
  let runs = 0;
  const search: Search = {
    fails: async (parts) => {
      runs += 1;
      const { violations } = await run(withParts(plan, parts));
      onProgress?.(parts.length, runs);
      return violations.some((violation) => violation.rule === rule);
    },
    mayRun: () => runs < MAX_RUNS,
  };
  let kept = partsOf(plan);
  let pieces = 2;
  while (kept.length > 1 && search.mayRun()) {
    const size = Math.ceil(kept.length / pieces);
    const from = await findNeedless(kept, size, search);
    if (from === undefined && size === 1) break;
    if (from !== undefined) kept = kept.filter((_, index) => index < from || index >= from + size);
    pieces = from === undefined ? Math.min(kept.length, pieces * 2) : Math.max(2, pieces - 1);
  }
  return { plan: withParts(plan, kept), parts: kept, runs };
}

interface Search {
  readonly fails: (parts: readonly Part[]) => Promise<boolean>;
  readonly mayRun: () => boolean;
}

/** The start of a piece of this size without which the plan still fails. */
async function findNeedless(
  parts: readonly Part[],
  size: number,
  search: Search,
): Promise<number | undefined> {
  for (let from = 0; from < parts.length && search.mayRun(); from += size) {
    if (await search.fails(parts.filter((_, index) => index < from || index >= from + size))) return from;
  }
  return undefined;
}

/** A part in words. */
export function describePart(plan: SeedPlan, part: Part): string {
  switch (part.kind) {
    case 'activity':
      return JSON.stringify(plan.activities.find(({ id }) => id === part.id));
    case 'incident':
      return JSON.stringify(plan.faults.incidents[part.index]);
    case 'rate':
      return `${part.fault} with probability ${plan.faults.rates[part.fault]?.toFixed(4)}`;
    case 'clock':
      return `clock of ${part.process}: ${JSON.stringify(plan.faults.clocks[part.process])}`;
    default:
      return part satisfies never;
  }
}
