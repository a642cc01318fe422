import {
  type CommandLine,
  flag,
  oneOf,
  parseCommandLine,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from '../../scripts/command-line/parse-command-line.ts';
import { runCommandLine } from '../../scripts/command-line/run-command-line.ts';
import { SYSTEM_KINDS } from './faults/fault-plan.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';

const HELP = `Usage: npm run simulate -- --seed N | --seeds N [OPTIONS]

Runs ingress, workers, callers, upstream systems and operators in one process under simulated time, with the faults of a seed,
and checks what the system promises. The same seed gives the same run.

  --seed N        runs this seed
  --seeds N       runs N seeds; default 100
  --from N        the first of them (1)
  --system KIND   runs all of them over a cluster of brokers (cluster), or over the embedded broker and its disk (embedded);
                  default: as each seed chooses
  --plant FAULT   breaks a promise in every process, so that a seed has to fail: commit-ahead-of-work, lost-record or sent-twice
  --keep-going    goes on after a seed that fails
  --trace         prints everything that happened, also for a seed that passes (--seed)

Exit codes: 0 no seed failed, 1 a seed failed, 2 wrong usage.
`;

const MAX_SEED = 2_147_483_647;
const DEFAULT_SEEDS = 100;
const PROGRESS_EVERY_MS = 5_000;

const OPTIONS = {
  seed: wholeNumber(0, MAX_SEED),
  seeds: wholeNumber(1, MAX_SEED),
  from: wholeNumber(0, MAX_SEED),
  system: oneOf(SYSTEM_KINDS),
  plant: oneOf(PLANTED_FAULTS),
  'keep-going': flag(),
  trace: flag(),
};

await runCommandLine({ name: 'simulate', help: HELP, read: (args) => parseCommandLine(args, OPTIONS), run });

async function run({ values, positionals, faults }: CommandLine<typeof OPTIONS>): Promise<void> {
  const { seed, seeds = DEFAULT_SEEDS, from = 1, system, plant, trace } = values;
  const isBoth = seed !== undefined && (values.seeds ?? values.from) !== undefined;
  refuseFaults([
    ...faults,
    ...unexpectedArguments(positionals),
    ...(isBoth ? ['--seed runs one seed: omit --seeds and --from'] : []),
    ...(seed === undefined && trace ? ['--trace needs --seed'] : []),
  ]);
  // Imported here, so that an invalid command line is reported without loading the engine.
  const { formatEntry } = await import('./check/journal.ts');
  const { failureLines } = await import('./failure-report.ts');
  const { runPlan } = await import('./run-seed.ts');
  const { planSeed } = await import('./seed-plan.ts');
  const startedAtMs = performance.now();
  const elapsedS = (): number => (performance.now() - startedAtMs) / 1_000;
  const first = seed ?? from;
  const end = seed === undefined ? from + seeds : seed + 1;
  const counts: Record<string, number> = {};
  let [done, failed, steps, simulatedMs, reportedAtMs] = [0, 0, 0, 0, startedAtMs];
  for (let next = first; next < end && (failed === 0 || values['keep-going']); next += 1) {
    const result = await runPlan(planSeed(next, system, plant));
    if (trace) print(result.journal.entries.map(formatEntry));
    if (result.violations.length > 0) print(failureLines(result));
    failed += result.violations.length > 0 ? 1 : 0;
    done += 1;
    steps += result.steps;
    simulatedMs += result.simulatedMs;
    for (const [kind, count] of Object.entries(result.faults)) counts[kind] = (counts[kind] ?? 0) + count;
    if (performance.now() - reportedAtMs < PROGRESS_EVERY_MS) continue;
    reportedAtMs = performance.now();
    process.stderr.write(`simulate: ${done} seeds in ${Math.round(elapsedS())} s, ${failed} failed\n`);
  }
  const kinds = Object.keys(counts).toSorted();
  print([
    `${done} seeds in ${elapsedS().toFixed(1)} s, ${steps} steps, ${(simulatedMs / 3_600_000).toFixed(2)} simulated hours, ${failed} failed`,
    `faults: ${kinds.map((kind) => `${counts[kind]} ${kind}`).join(', ')}`,
  ]);
  if (failed > 0) process.exitCode = 1;
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
