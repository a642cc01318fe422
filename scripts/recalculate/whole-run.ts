import { randomUUID } from 'node:crypto';
import { createCalculateChunk } from './calculate-chunk.ts';
import type { Engine } from './connect-engine.ts';
import { renderHtmlReport } from './html-report.ts';
import { UsageError } from '../command-line/parse-command-line.ts';
import { InputError } from './input-records.ts';
import { type Interruption, RunError, unlessAborted } from './interruption.ts';
import { createPatientRequests } from './patient-requests.ts';
import { showProgress, type ProgressStream } from './progress-line.ts';
import { openInput, type PortfolioInput } from './read-portfolio.ts';
import {
  HELP,
  readRecalculateArguments,
  type RecalculateArguments,
  resumeCommand,
} from './recalculate-arguments.ts';
import { type CheckpointFile, openCheckpoint, planRun, type Checkpoint } from './resume.ts';
import { openRunFiles, refuseSameFiles, refuseUnwritable, replaceFile, type RunFiles } from './run-files.ts';
import { runRecalculation } from './run-recalculation.ts';
import { createReport, type Report, reportLines } from './run-report.ts';
import { createStartWait } from '../../shared/messaging/start-wait.ts';
import { ConfigError, errorText, MessagingError, SystemError } from '../../shared/platform/errors.ts';
import { type Config, loadConfig } from '../../shared/platform/load-config.ts';

interface CommandContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: ProgressStream;
  /** Starts to listen to signals; called only if the command line is valid. */
  readonly interrupt: () => Interruption;
}

interface RunContext extends Omit<CommandContext, 'interrupt'> {
  readonly interruption: Interruption;
  readonly resumeWith: string;
}

const ABORTED = 3;

/** A batch unanswered for this long is sent again. A reply usually takes one second, or ten if a worker was killed. */
const BATCH_TIMEOUT_MS = 120_000;

/** The worker of this process handles four batches while one waits: more in flight would only occupy memory. */
const EMBEDDED_WINDOW = 5;

/** Resolves with the exit code. Writes the reason for a failure to `stderr`. */
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
    const resumeWith = resumeCommand(commandLine);
    return await recalculate(args, { ...context, interruption: context.interrupt(), resumeWith });
  } catch (error) {
    const isUsage =
      error instanceof UsageError || error instanceof ConfigError || error instanceof InputError;
    context.stderr.write(`recalculate: ${errorText(error)}\n`);
    return isUsage ? 2 : ABORTED;
  }
}

/** Rejects with UsageError, ConfigError or InputError only before it has changed output, failures or report. */
async function recalculate(args: RecalculateArguments, context: RunContext): Promise<number> {
  const config = loadConfig(context.environment);
  const { output } = args;
  for (const file of [output?.file, args.failures, args.html]) refuseUnwritable(file);
  refuseSameFiles(args);
  // The checkpoint stays until the report is written, so that --resume can repeat a report that could not be written.
  const checkpoint = output && openCheckpoint(output.file, args.overwrite);
  try {
    const { report, html } = await recalculateFrom(checkpoint, { args, context, config });
    const isComplete = report.outcome === 'complete';
    const code = isComplete ? Math.min(report.failed, 1) : ABORTED;
    const { html: file } = args;
    const isWritten =
      file === undefined ||
      (await isDone(context, ['the report of --html', 'writes'], () =>
        replaceFile(file, `${file}.${report.runId}.new`, html()),
      ));
    if (!args.json) context.stderr.write(`${reportLines(report).join('\n')}\n`);
    else {
      const isPrinted = await isDone(context, ['the report', 'prints'], () => print(context.stdout, report));
      if (!isPrinted) return code || ABORTED;
    }
    if (!isWritten) return ABORTED;
    if (isComplete) checkpoint?.remove();
    return code;
  } finally {
    checkpoint?.close();
  }
}

/** Resolves with false if `write` fails; then `stderr` gets the reason and the hint that --resume tries again. */
async function isDone(
  { stderr }: RunContext,
  [what, again]: readonly [string, string],
  write: () => Promise<void>,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    stderr.write(`recalculate: ${what} cannot be written: ${errorText(error)}; --resume ${again} it again\n`);
    return false;
  }
}

function print(stream: NodeJS.WritableStream, report: Report): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject);
    const text = `${JSON.stringify(report, undefined, 2)}\n`;
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function recalculateFrom(
  checkpoint: CheckpointFile | undefined,
  { args, context, config }: Pick<OpenRun, 'args' | 'context' | 'config'>,
) {
  const { stopped } = context.interruption;
  const plan = planRun(args, Date.now(), checkpoint?.stored);
  const options = { file: args.input, format: args.inputFormat, maxContracts: args.batch, csv: args.csv };
  const input = await unlessAborted(openInput(options), stopped);
  const opened: (() => unknown)[] = [() => input.close()];
  try {
    const { lastLine, digest } = plan.input;
    if (lastLine > 0) await unlessAborted(input.skip(lastLine, digest), stopped);
    const engine = await unlessAborted(connect(config, plan, context), stopped);
    opened.push(() => engine.close());
    const files = await unlessAborted(openRunFiles(args, plan, checkpoint), stopped);
    opened.push(() => files.close());
    return await run({ args, context, config, plan, input, engine, files, checkpoint });
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

/** With Kafka, rejects with ConfigError (exit 2) if it or the registry cannot be used or reached in time. */
async function connect(
  config: Config,
  plan: Checkpoint,
  { stderr, interruption }: RunContext,
): Promise<Engine> {
  const wait = createStartWait({
    onWait: (line) => stderr.write(`recalculate: ${line}\n`),
    signal: interruption.stopped,
  });
  try {
    const { connectEngine } = await import('./connect-engine.ts');
    return await wait('Kafka and the schema registry', () =>
      connectEngine(config, `recalculate-${plan.runId}-${randomUUID()}`),
    );
  } catch (error) {
    if (!(error instanceof SystemError) || config.kafka === undefined) throw error;
    const what = error instanceof MessagingError ? 'Kafka cannot be used: ' : '';
    throw new ConfigError(what + errorText(error));
  }
}

interface OpenRun {
  readonly args: RecalculateArguments;
  readonly context: RunContext;
  readonly config: Config;
  readonly plan: Checkpoint;
  readonly input: PortfolioInput;
  readonly engine: Engine;
  readonly files: RunFiles;
  readonly checkpoint: CheckpointFile | undefined;
}

async function run(open: OpenRun) {
  const { args, plan, input, engine } = open;
  const { interruption } = open.context;
  const startedAtMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const patient = createPatientRequests({
    request: (request) => engine.requester.request(request),
    patienceMs: args.patienceMs,
    signal: interruption.abandoned,
  });
  const progress = showProgress(open.context.stderr, input, plan.tally, patient);
  try {
    const end = await runRecalculation({
      ...open,
      ...interruption,
      chunks: input.records(),
      calculate: createCalculateChunk({
        ...engine,
        ...plan,
        request: (request) => patient.request(request),
        correlationPrefix: `${plan.runId}-${plan.sessions}`,
        timeoutMs: BATCH_TIMEOUT_MS,
      }),
      args: engine.kind === 'embedded' ? { ...args, window: Math.min(args.window, EMBEDDED_WINDOW) } : args,
      elapsedMs: () => plan.elapsedMs + elapsedMs(),
      onFinished: progress.onFinished,
    });
    return endOf(open, elapsedMs(), end === 'stopped' ? (interruption.signalName() ?? end) : undefined);
  } catch (error) {
    return endOf(open, elapsedMs(), reasonOf(error));
  } finally {
    interruption.abandon();
    progress.end();
  }
}

function endOf(open: OpenRun, elapsedMs: number, reason: string | undefined) {
  const { args, context, plan, input, files, checkpoint } = open;
  const canResume = reason !== undefined && checkpoint !== undefined;
  // A resumed run repeats the work after the last checkpoint, so the report leaves it out.
  const tally = canResume ? files.saved() : plan.tally;
  const report = createReport(tally, {
    ...plan,
    outcome: reason === undefined ? 'complete' : 'aborted',
    reason,
    resumeWith: canResume ? context.resumeWith : undefined,
    elapsedMs: plan.elapsedMs + elapsedMs,
    withMovers: args.compare,
    duplicateIds: input.duplicateIds(),
  });
  return { report, html: () => renderHtmlReport(tally, report, open) };
}

/** The reason in the report: the message of an expected error, the stack of a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof RunError || error instanceof InputError) return errorText(error);
  return error instanceof Error ? (error.stack ?? error.message) : errorText(error);
}
