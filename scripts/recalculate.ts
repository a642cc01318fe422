/** `npm run recalculate`: calculates every contract of a portfolio again, through the topics of the workers. */
import { enableCompileCache } from 'node:module';
import { ConfigError, errorText } from '../shared/platform/errors.ts';
import { readRecalculateArguments, UsageError } from './recalculate/command-arguments.ts';
import { HELP } from './recalculate/help.ts';
import { InputError } from './recalculate/input-records.ts';
import { listenToSignals } from './recalculate/interruption.ts';
import type { CommandEnd } from './recalculate/recalculate-command.ts';
import { resumeCommand } from './recalculate/resume-command.ts';

const SOME_FAILED = 1;
const USAGE = 2;
const ABORTED = 3;

/** A terminal that is gone is no reason to end: what matters is in the files. */
process.stderr.on('error', () => undefined);

try {
  process.exit(await run(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
  say(`recalculate: ${errorText(error)}`);
  process.exit(isUsage ? USAGE : ABORTED);
}

/** Answers the exit code. */
async function run(commandLine: readonly string[]): Promise<number> {
  const args = readRecalculateArguments(commandLine);
  if (args === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  // Only here: a wrong command line is told without loading what calculates.
  enableCompileCache();
  const { recalculate } = await import('./recalculate/recalculate-command.ts');
  const end = await recalculate(args, {
    environment: process.env,
    stderr: process.stderr,
    interruption: listenToSignals(say, () => process.exit(ABORTED)),
    nowMs: Date.now(),
    resumeWith: resumeCommand(commandLine),
  });
  if (args.json) process.stdout.write(`${JSON.stringify(end.report, undefined, 2)}\n`);
  else say(end.lines.join('\n'));
  end.forget();
  return exitCodeOf(end);
}

function exitCodeOf({ report }: CommandEnd): number {
  if (report.outcome === 'aborted') return ABORTED;
  return report.failed > 0 ? SOME_FAILED : 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
