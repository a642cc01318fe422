import { formatEntry } from './check/journal.ts';
import type { Violation } from './check/rule.ts';
import type { FaultCounts } from './faults/call-fates.ts';
import type { SeedResult } from './run-seed.ts';
import { planSeed, type SeedPlan } from './seed-plan.ts';

/** Entries of the trace before a violation that are shown in addition to those about its ids. */
const SHOWN_ENTRIES = 40;

/** The failure of one seed. */
export interface SeedFailure {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  /** The command that repeats the run. */
  readonly replay: string;
}

/** What the totals need of a run. */
export interface SeedSummary extends Pick<SeedResult, 'steps' | 'simulatedMs' | 'faults'> {
  readonly failure: SeedFailure | undefined;
}

export function summaryOf(result: SeedResult): SeedSummary {
  const { steps, simulatedMs, faults, violations } = result;
  return { steps, simulatedMs, faults, failure: violations.length > 0 ? failureOf(result) : undefined };
}

/** Totals of several runs. */
export interface Totals {
  seeds: number;
  steps: number;
  simulatedMs: number;
  /** Of the run that took longest to settle. */
  longestMs: number;
  readonly faults: FaultCounts;
  readonly failures: SeedFailure[];
}

export function createTotals(): Totals {
  return { seeds: 0, steps: 0, simulatedMs: 0, longestMs: 0, faults: {}, failures: [] };
}

export function addSummary(totals: Totals, { steps, simulatedMs, faults, failure }: SeedSummary): void {
  totals.seeds += 1;
  totals.steps += steps;
  totals.simulatedMs += simulatedMs;
  totals.longestMs = Math.max(totals.longestMs, simulatedMs);
  for (const [kind, count] of Object.entries(faults)) {
    const name = kind as keyof FaultCounts;
    totals.faults[name] = (totals.faults[name] ?? 0) + count;
  }
  if (failure !== undefined) totals.failures.push(failure);
}

/** The violations of a run with the entries that concern them, the last ones before, and the command that repeats it. */
export function failureOf({ plan, violations, journal }: SeedResult): SeedFailure {
  const ids = violations.flatMap((violation) => violation.ids);
  const endMs = Math.max(...violations.map(({ atMs }) => atMs));
  const entries = journal.excerpt(ids, endMs, SHOWN_ENTRIES);
  return { seed: plan.seed, violations, trace: entries.map(formatEntry), replay: replayOf(plan) };
}

function replayOf({ seed, system, plant }: SeedPlan): string {
  const isOwn = planSeed(seed).system === system;
  const options = `${isOwn ? '' : ` --system ${system}`}${plant === undefined ? '' : ` --plant ${plant}`}`;
  return `npm run simulate -- --seed ${seed}${options}`;
}

/** The failure as text, for the terminal or the message of a test. */
export function failureLines({ seed, violations, trace, replay }: SeedFailure): readonly string[] {
  return [
    `seed ${seed} failed:`,
    ...violations.map(({ rule, source, detail }) => `  ${rule} (${source})\n    ${detail}`),
    '',
    ...trace,
    '',
    `replay:  ${replay} --trace`,
  ];
}

export function totalsLines(
  { seeds, steps, simulatedMs, longestMs, faults, failures }: Totals,
  elapsedMs: number,
): readonly string[] {
  const minutes = elapsedMs / 60_000;
  const counts = Object.entries(faults).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    `${seeds} seeds in ${(elapsedMs / 1_000).toFixed(1)} s (${(seeds / minutes).toFixed(0)} a minute), ${steps} steps, ` +
      `${(simulatedMs / 3_600_000).toFixed(2)} simulated hours (longest run ${Math.round(longestMs / 1_000)} s), ${failures.length} failed`,
    `faults: ${counts.map(([kind, count]) => `${count} ${kind}`).join(', ')}`,
  ];
}
