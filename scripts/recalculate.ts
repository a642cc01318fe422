/** `npm run recalculate`: calculates every contract of a portfolio again, through the topics of the workers. */
import { enableCompileCache } from 'node:module';
import { ConfigError, errorText } from '../shared/platform/errors.ts';
import { UsageError } from './command-line.ts';
import { HELP, readRecalculateArguments, resumeCommand } from './recalculate/arguments.ts';
import { InputError } from './recalculate/input/records.ts';
import { listenToSignals } from './recalculate/run/interruption.ts';
import type { CommandEnd } from './recalculate/run/command.ts';

const SOME_FAILED = 1;
const USAGE = 2;
const ABORTED = 3;

/** A terminal that is gone is no reason to end: what matters is in the files. */
process.stderr.on('error', () => undefined);

try {
  exit(await run(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
  say(`recalculate: ${errorText(error)}`);
  exit(isUsage ? USAGE : ABORTED);
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
  const { recalculate } = await import('./recalculate/run/command.ts');
  const end = await recalculate(args, {
    environment: process.env,
    stderr: process.stderr,
    interruption: listenToSignals(say, killThis),
    nowMs: Date.now(),
    resumeWith: resumeCommand(commandLine),
  });
  const code = exitCodeOf(end);
  if (!args.json) say(end.lines.join('\n'));
  else if (!(await isPrinted(`${JSON.stringify(end.report, undefined, 2)}\n`))) return code || ABORTED;
  end.forget();
  return code;
}

/** Whether the standard output has taken it; says why not. */
async function isPrinted(text: string): Promise<boolean> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.on('error', resolve);
    process.stdout.write(text, resolve);
  });
  if (error) say(`recalculate: the report cannot be written: ${error.message}; --resume tells it again`);
  return !error;
}

/** Leaving waits for calls of the system that may never return, such as a write that nobody reads: a signal ends it then. */
function exit(code: number): never {
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(code);
}

/** Ends at once, whatever call of the system is under way. The lock is found to be of a process that is gone. */
function killThis(): void {
  process.kill(process.pid, 'SIGKILL');
}

function exitCodeOf({ report }: CommandEnd): number {
  if (report.outcome === 'aborted') return ABORTED;
  return report.failed > 0 ? SOME_FAILED : 0;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
