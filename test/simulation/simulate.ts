/** `npm run simulate`: runs seeds of the deterministic simulation. */
import { UsageError } from '../../scripts/command-line/parse-command-line.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { HELP, readSimulateArguments, type SimulateArguments } from './arguments.ts';
import type { Totals } from './report.ts';

const FAILED = 1;
const USAGE = 2;
const PROGRESS_EVERY_MS = 5_000;

try {
  const args = readSimulateArguments(process.argv.slice(2));
  if (args === undefined) process.stdout.write(HELP);
  else process.exitCode = await run(args);
} catch (error) {
  process.stderr.write(
    `simulate: ${error instanceof Error && !(error instanceof UsageError) ? error.stack : errorText(error)}\n`,
  );
  process.exitCode = error instanceof UsageError ? USAGE : FAILED;
}

/** Resolves with the exit code. */
async function run(args: SimulateArguments): Promise<number> {
  // Imported here, so that an invalid command line is reported without loading the engine.
  const { runPlan } = await import('./run-seed.ts');
  const { planSeed } = await import('./seed-plan.ts');
  const { formatEntry } = await import('./check/journal.ts');
  const { addResult, createTotals, failureLines, shrunkLines, totalsLines } = await import('./report.ts');
  const { shrinkPlan } = await import('./shrink.ts');
  const totals = createTotals();
  const startedAtMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const showProgress = progressOf(totals, elapsedMs);
  for (let seed = args.from; seed < args.from + args.count && elapsedMs() < args.limitMs; seed += 1) {
    const result = await runPlan(planSeed(seed));
    addResult(totals, result);
    showProgress();
    if (args.trace) print(result.journal.entries.map(formatEntry));
    if (result.violations.length === 0) continue;
    const [violation] = result.violations;
    if (!args.json) print(totals.failures.slice(-1).flatMap(failureLines));
    if (args.shrink && violation !== undefined) {
      const onProgress = (parts: number, runs: number): void => say(`${parts} parts left after ${runs} runs`);
      print(shrunkLines(await shrinkPlan(result.plan, violation.rule, { onProgress })));
    }
    if (!args.keepGoing) break;
  }
  const seconds = elapsedMs() / 1_000;
  if (args.json) print([JSON.stringify({ from: args.from, seconds, ...totals }, undefined, 2)]);
  else print(totalsLines(totals, elapsedMs()));
  return totals.failures.length > 0 ? FAILED : 0;
}

/** Reports the progress at most every few seconds. */
function progressOf(totals: Totals, elapsedMs: () => number): () => void {
  let reportedAtMs = 0;
  return () => {
    if (elapsedMs() - reportedAtMs < PROGRESS_EVERY_MS) return;
    reportedAtMs = elapsedMs();
    say(`${totals.seeds} seeds in ${Math.round(elapsedMs() / 1_000)} s, ${totals.failures.length} failed`);
  };
}

function say(line: string): void {
  process.stderr.write(`simulate: ${line}\n`);
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
