import { ConfigError, errorText } from '../../shared/platform/errors.ts';
import { UsageError } from './parse-command-line.ts';

interface Command<Arguments> {
  readonly name: string;
  readonly help: string;
  /** Returns undefined for --help. */
  readonly read: (args: readonly string[]) => Arguments | undefined;
  readonly run: (args: Arguments) => Promise<void> | void;
  /** The exit code after errors other than UsageError and ConfigError, which give 2. @default 1 */
  readonly failureCode?: (error: unknown) => number;
}

/** Runs the command of this process, or prints its help. Prints only the message of an error, without its stack. */
export async function runCommandLine<Arguments>(command: Command<Arguments>): Promise<void> {
  continueWithClosedPipes();
  const { name, help, read, run, failureCode = () => 1 } = command;
  try {
    const args = read(process.argv.slice(2));
    if (args === undefined) process.stdout.write(help);
    else await run(args);
  } catch (error) {
    process.stderr.write(`${name}: ${errorText(error)}\n`);
    const isUsage = error instanceof UsageError || error instanceof ConfigError;
    process.exitCode = isUsage ? 2 : failureCode(error);
  }
}

/** Writes the document of `--json` to stdout. */
export function printJson(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** If a reader such as `head` closes the pipe early, the command continues, and its result decides the exit code. */
function continueWithClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
