/** Runs a recalculation from its arguments to its report. */

import { randomUUID } from 'node:crypto';
import { createStartWait } from '../../../shared/messaging/start-wait.ts';
import { loadConfig, type Config } from '../../../shared/platform/load-config.ts';
import { ConfigError, errorText, MessagingError, SystemError } from '../../../shared/platform/errors.ts';
import { createPatientRequests, watchSilence } from '../calculation/patient-requests.ts';
import { createCalculateChunk } from '../calculation/calculate-chunk.ts';
import type { RecalculateArguments } from '../arguments.ts';
import type { Engine } from '../calculation/engine.ts';
import { InputError, type InputChunk, type PortfolioInput } from '../input/records.ts';
import { unlessAborted, type Interruption } from './interruption.ts';
import { openInput } from '../input/portfolio.ts';
import { createProgressPrinter, type ProgressStream } from '../report/progress.ts';
import { type HtmlReportRun, renderHtmlReport } from '../report/html-report.ts';
import { createReport, reportLines, type Report, type RunEnd } from '../report/report.ts';
import { type CheckpointFile, openCheckpoint } from '../output/checkpoint.ts';
import { isPlainFile, planRun, type RunPlan } from '../output/resume.ts';
import {
  openRunFiles,
  refuseSameFiles,
  refuseUnwritable,
  replaceFile,
  type RunFiles,
} from '../output/run-files.ts';
import { runRecalculation } from './run-recalculation.ts';
import { RunError } from '../run-error.ts';

export interface RunContext {
  readonly environment: NodeJS.ProcessEnv;
  readonly stderr: ProgressStream;
  readonly interruption: Interruption;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The command line that resumes this run. */
  readonly resumeWith: string;
}

/** The result of the run. */
export interface CommandEnd {
  readonly report: Report;
  /** The report as text. */
  readonly lines: readonly string[];
  /** Writes the report of --html. Rejects with the error of the system. */
  writeHtml(): Promise<void>;
  /** Called after the report was printed; removes the checkpoint of a complete run. */
  forget(): void;
  /** Releases the checkpoint. To be called last. */
  close(): void;
}

/** A batch is sent again after this time. A reply usually takes one second, or ten if a worker was killed. */
const BATCH_TIMEOUT_MS = 120_000;

/** The worker of this process handles four batches at a time: more messages in flight would only occupy memory. */
const EMBEDDED_WINDOW = 5;

/**
 * Runs a recalculation. Rejects with UsageError, ConfigError or InputError before anything is changed; errors that end
 * the run later are in the report.
 */
export async function recalculate(args: RecalculateArguments, context: RunContext): Promise<CommandEnd> {
  const config = loadConfig(context.environment);
  const { output } = args;
  refuseSameFiles(args);
  // Held until the report was printed, since it is removed after that.
  const hasCheckpoint = output !== undefined && isPlainFile(output.file);
  const checkpoint = hasCheckpoint ? openCheckpoint(output.file, args.overwrite) : undefined;
  try {
    return await recalculateFrom(checkpoint, { args, context, config });
  } catch (error) {
    checkpoint?.close();
    throw error;
  }
}

async function recalculateFrom(
  checkpoint: CheckpointFile | undefined,
  { args, context, config }: Pick<OpenRun, 'args' | 'context' | 'config'>,
): Promise<CommandEnd> {
  const { stopped } = context.interruption;
  if (args.html !== undefined) refuseUnwritable(args.html);
  const plan = planRun(args, context.now(), checkpoint?.stored);
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

/**
 * Connects, and retries while brokers or the registry are unavailable. A service that cannot be reached in time is
 * reported as a configuration error.
 */
async function connect(config: Config, plan: RunPlan, { stderr, interruption }: RunContext): Promise<Engine> {
  const wait = createStartWait({
    onWait: (line) => stderr.write(`recalculate: ${line}\n`),
    signal: interruption.stopped,
  });
  try {
    const { connectEngine } = await import('../calculation/engine.ts');
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
  readonly plan: RunPlan;
  readonly input: PortfolioInput;
  readonly engine: Engine;
  readonly files: RunFiles;
  /** Undefined if the run cannot be resumed. */
  readonly checkpoint: CheckpointFile | undefined;
}

async function run(open: OpenRun): Promise<CommandEnd> {
  const { args, plan, input, engine } = open;
  const { interruption } = open.context;
  const startedAtMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedAtMs;
  const patient = createPatientRequests({
    request: (request) => engine.requester.request(request),
    patienceMs: args.patienceMs,
    signal: interruption.abandoned,
  });
  const progress = showProgress(open, elapsedMs);
  const silence = watchSilence(patient, args.patienceMs, (line) => progress.printer.say(line));
  try {
    const end = await runRecalculation({
      chunks: input.records(),
      calculate: createCalculateChunk({
        codec: engine.codec,
        topic: engine.topic,
        partitions: engine.partitions,
        request: (request) => patient.request(request),
        correlationPrefix: `${plan.runId}-${plan.sessions}`,
        originTimestampMs: plan.originTimestampMs,
        timeoutMs: BATCH_TIMEOUT_MS,
      }),
      files: open.files,
      args: engine.kind === 'embedded' ? { ...args, window: Math.min(args.window, EMBEDDED_WINDOW) } : args,
      plan,
      elapsedMs: () => plan.elapsedMs + elapsedMs(),
      onFinished: progress.onFinished,
      stopped: interruption.stopped,
      abandoned: interruption.abandoned,
    });
    return endOf(open, { end, elapsedMs: elapsedMs() });
  } catch (error) {
    return endOf(open, { error, elapsedMs: elapsedMs() });
  } finally {
    interruption.abandon();
    silence.end();
    progress.printer.end();
  }
}

function showProgress({ input, plan, context }: OpenRun, elapsedMs: () => number) {
  const { tally } = plan;
  const done = (): number => tally.calculated + tally.failed;
  const doneBefore = done();
  const bytesBefore = input.bytesRead();
  let bytesRead = bytesBefore;
  const printer = createProgressPrinter(context.stderr, () => ({
    done: done(),
    failed: tally.failed,
    doneBefore,
    bytesRead,
    bytesBefore,
    totalBytes: input.totalBytes,
    elapsedMs: elapsedMs(),
  }));
  const onFinished = (chunk: InputChunk): void => {
    bytesRead = chunk.bytesRead;
  };
  return { printer, onFinished };
}

type RunOutcome = { readonly elapsedMs: number } & (
  | { readonly end: 'complete' | 'stopped' }
  | { readonly error: unknown }
);

function endOf(open: OpenRun, outcome: RunOutcome): CommandEnd {
  const { args, context, plan, input, files, checkpoint } = open;
  const isComplete = 'end' in outcome && outcome.end === 'complete';
  const error = 'error' in outcome ? outcome.error : undefined;
  const canResume = !isComplete && checkpoint !== undefined;
  // Work after the last checkpoint is repeated.
  const tally = canResume ? files.saved() : plan.tally;
  const end: RunEnd = {
    runId: plan.runId,
    outcome: isComplete ? 'complete' : 'aborted',
    reason: isComplete ? undefined : reasonOf(error, context.interruption),
    resumeWith: canResume ? context.resumeWith : undefined,
    elapsedMs: plan.elapsedMs + outcome.elapsedMs,
    sessions: plan.sessions,
    withMovers: args.compare,
    duplicateIds: input.duplicateIds(),
  };
  const report = createReport(tally, end);
  const endedAtMs = context.now();
  const writeHtml = async (): Promise<void> => {
    if (args.html === undefined) return;
    const page = renderHtmlReport(tally, { ...report, ...runOf(open), endedAtMs });
    await replaceFile(args.html, `${args.html}.${plan.runId}.new`, page);
  };
  const forget = (): void => {
    if (isComplete) checkpoint?.remove();
  };
  return { report, lines: reportLines(report), writeHtml, forget, close: () => checkpoint?.close() };
}

function runOf({ args, plan, config }: OpenRun) {
  const { startedAtMs, originTimestampMs } = plan;
  const { input, output, failures } = args;
  const calculatedBy: HtmlReportRun['calculatedBy'] =
    config.kafka === undefined ? { catalogue: config.lending.catalogueFolder } : 'kafka';
  return { input, output: output?.file, failures, startedAtMs, originTimestampMs, calculatedBy };
}

/** Why the run ended; for a bug, its stack. */
function reasonOf(error: unknown, interruption: Interruption): string {
  if (error === undefined) return interruption.signalName() ?? 'stopped';
  if (error instanceof RunError || error instanceof InputError) return errorText(error);
  return error instanceof Error ? (error.stack ?? error.message) : errorText(error);
}
