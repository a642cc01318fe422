import { formatEntry } from './check/journal.ts';
import type { SeedResult } from './run-seed.ts';
import { planSeed, type SeedPlan } from './seed-plan.ts';

const SHOWN_ENTRIES = 40;

export function failureLines({ plan, violations, journal }: SeedResult): readonly string[] {
  const ids = violations.flatMap((violation) => violation.ids);
  const endMs = Math.max(...violations.map(({ atMs }) => atMs));
  return [
    `seed ${plan.seed} failed:`,
    ...violations.map(({ rule, source, detail }) => `  ${rule} (${source})\n    ${detail}`),
    '',
    ...journal.excerpt(ids, endMs, SHOWN_ENTRIES).map(formatEntry),
    '',
    `replay:  ${replayOf(plan)} --trace`,
  ];
}

function replayOf({ seed, system, plant }: SeedPlan): string {
  const isOwn = planSeed(seed).system === system;
  const options = `${isOwn ? '' : ` --system ${system}`}${plant === undefined ? '' : ` --plant ${plant}`}`;
  return `npm run simulate -- --seed ${seed}${options}`;
}
