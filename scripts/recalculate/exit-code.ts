import { UsageError } from '../command-line/parse-command-line.ts';
import { InputError } from './input-records.ts';
import type { Interruption } from './interruption.ts';
import { HELP, readRecalculateArguments, resumeCommand } from './recalculate-arguments.ts';
import type { RunContext } from './whole-run.ts';
import { ConfigError, errorText } from '../../shared/platform/errors.ts';

const USAGE = 2;
const ABORTED = 3;

export interface CommandContext extends Pick<RunContext, 'environment' | 'stdout' | 'stderr'> {
  readonly interrupt: () => Interruption;
}

/** Resolves with the exit code; the reason of a failure is on `stderr`. */
export async function runRecalculate(
  commandLine: readonly string[],
  context: CommandContext,
): Promise<number> {
  try {
    const args = readRecalculateArguments(commandLine);
    if (args === undefined) {
      context.stdout.write(HELP);
      return 0;
    }
    // Imported here, so that an invalid command line is reported without loading the engine.
    const { recalculate } = await import('./whole-run.ts');
    const interruption = context.interrupt();
    const resumeWith = resumeCommand(commandLine);
    return await recalculate(args, { ...context, interruption, resumeWith });
  } catch (error) {
    const isUsage =
      error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
    context.stderr.write(`recalculate: ${errorText(error)}\n`);
    return isUsage ? USAGE : ABORTED;
  }
}
