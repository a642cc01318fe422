/** `npm run simulate`: runs seeds of the deterministic simulation. */
import { UsageError } from '../../scripts/command-line/parse-command-line.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { HELP, readSimulateArguments, type SimulateArguments } from './arguments.ts';
import type { SeedSummary, Totals } from './report.ts';

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
  const { addSummary, createTotals, failureLines, totalsLines } = await import('./report.ts');
  const totals = createTotals();
  const startedAtMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const showProgress = progressOf(totals, elapsedMs);
  for await (const summary of summariesOf(args)) {
    addSummary(totals, summary);
    showProgress();
    const { failure } = summary;
    if (failure !== undefined && !args.json) print(failureLines(failure));
    if ((failure !== undefined && !args.keepGoing) || elapsedMs() >= args.limitMs) break;
  }
  const seconds = elapsedMs() / 1_000;
  if (args.json) print([JSON.stringify({ from: args.from, seconds, ...totals }, undefined, 2)]);
  else print(totalsLines(totals, elapsedMs()));
  return totals.failures.length > 0 ? FAILED : 0;
}

/** The summaries of the seeds in their order. A single seed runs in this thread and may print its trace. */
async function* summariesOf(args: SimulateArguments): AsyncGenerator<SeedSummary> {
  const { from, count, system, plant, trace } = args;
  if (count > 1) {
    const { runSeeds } = await import('./seed-threads.ts');
    yield* runSeeds(args);
    return;
  }
  const { runPlan } = await import('./run-seed.ts');
  const { planSeed } = await import('./seed-plan.ts');
  const { formatEntry } = await import('./check/journal.ts');
  const { summaryOf } = await import('./report.ts');
  const result = await runPlan(planSeed(from, system, plant));
  if (trace) print(result.journal.entries.map(formatEntry));
  yield summaryOf(result);
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
