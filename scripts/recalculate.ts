/** `npm run recalculate`: recalculates every contract of a portfolio through the topics of the workers. */
import { ConfigError, errorText } from '../shared/platform/errors.ts';
import { UsageError } from './command-line/parse-command-line.ts';
import { HELP, readRecalculateArguments, resumeCommand } from './recalculate/arguments.ts';
import { InputError } from './recalculate/input/records.ts';
import { listenToSignals } from './recalculate/run/interruption.ts';
import type { CommandEnd } from './recalculate/run/command.ts';

const SOME_FAILED = 1;
const USAGE = 2;
const ABORTED = 3;

/** A closed terminal does not stop the run, since the results are in the files. */
process.stderr.on('error', () => undefined);

try {
  exit(await run(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
  say(`recalculate: ${errorText(error)}`);
  exit(isUsage ? USAGE : ABORTED);
}

/** Resolves with the exit code. */
async function run(commandLine: readonly string[]): Promise<number> {
  const args = readRecalculateArguments(commandLine);
  if (args === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  // Imported here, so that an invalid command line is reported without loading the engine.
  const { recalculate } = await import('./recalculate/run/command.ts');
  const end = await recalculate(args, {
    environment: process.env,
    stderr: process.stderr,
    interruption: listenToSignals(say, killThis),
    now: () => Date.now(),
    resumeWith: resumeCommand(commandLine),
  });
  const code = exitCodeOf(end);
  const isWritten = await isHtmlWritten(end);
  if (!args.json) say(end.lines.join('\n'));
  else if (!(await isPrinted(`${JSON.stringify(end.report, undefined, 2)}\n`))) return code || ABORTED;
  if (!isWritten) return ABORTED;
  end.forget();
  return code;
}

/** Returns whether the report of --html could be written; reports the reason if not. */
async function isHtmlWritten(end: CommandEnd): Promise<boolean> {
  try {
    await end.writeHtml();
    return true;
  } catch (error) {
    say(`recalculate: the report of --html cannot be written: ${errorText(error)}; --resume writes it again`);
    return false;
  }
}

/** Returns whether the text could be printed; reports the reason if not. */
async function isPrinted(text: string): Promise<boolean> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.on('error', resolve);
    process.stdout.write(text, resolve);
  });
  if (error) say(`recalculate: the report cannot be written: ${error.message}; --resume prints it again`);
  return !error;
}

/** process.exit may block in a system call that never returns, such as a write to a full pipe; a signal stops it. */
function exit(code: number): never {
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(code);
}

/** Stops immediately, also during a system call. The next run takes over the lock. */
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
