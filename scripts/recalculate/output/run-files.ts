/** The files of a recalculation: results, failures, and the checkpoint up to which both are valid. */

import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../../shared/platform/errors.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { STANDARD_STREAM } from '../input/bytes.ts';
import type { Tally } from '../../../shared/portfolio/tally.ts';
import {
  type Checkpoint,
  checkpointFile,
  outputOptions,
  removeCheckpoint,
  thisProcess,
  writeCheckpoint,
} from './checkpoint.ts';
import { type ByteSink, createLineWriter, fileSink, gzipSink, type LineWriter } from './line-writer.ts';
import { lockFile } from './output-lock.ts';
import { csvHeader } from './result-lines.ts';
import { isPlainFile, type RunPlan } from './run-plan.ts';
import { RunError } from '../run-error.ts';

const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;
/** Polling interval for the reader of a pipe, which may open it later. */
const NO_READER_WAIT_MS = 50;

/** The state of a run to be saved. */
export interface RunState {
  readonly input: Checkpoint['input'];
  readonly tally: Tally;
  readonly elapsedMs: number;
}

export interface RunFiles {
  /** Undefined if they are not requested. */
  readonly results: LineWriter | undefined;
  readonly failures: LineWriter | undefined;
  /**
   * Resolves when everything written, and then the checkpoint that records it, is durably on disk. Rejects with
   * RunError; the previous checkpoint is valid then.
   */
  save(state: RunState): Promise<void>;
  /** The results at the last save. */
  saved(): Tally;
  /** Removes the checkpoint of a complete run. */
  complete(): void;
  close(): void;
}

/** The owner of the run: its lock, and the signal that stops it. */
export interface RunFilesOwner {
  /** The token of the lock; undefined without a checkpoint. */
  readonly token: string | undefined;
  readonly stopped: AbortSignal;
}

/**
 * Opens the files and truncates them at the positions where the plan continues. Rejects with UsageError if one cannot
 * be opened, and with the reason of `stopped` if that is aborted; then nothing is changed.
 */
export async function openRunFiles(
  args: RecalculateArguments,
  plan: RunPlan,
  { token = '', stopped }: RunFilesOwner,
): Promise<RunFiles> {
  const { checkpointFile: file, runId, session, startedAtMs, originTimestampMs } = plan;
  const process = thisProcess();
  const run = { version: 2, runId, sessions: session, process, startedAtMs, originTimestampMs } as const;
  const write = async (state: RunState, outputBytes: number, failuresBytes: number): Promise<void> => {
    if (file === undefined) return;
    const options = outputOptions(args);
    await writeCheckpoint(file, token, { ...run, options, ...state, outputBytes, failuresBytes });
  };
  const { output, failures: failuresFile } = args;
  const targets: WrittenFile[] = [];
  if (output !== undefined) targets.push({ name: output.file, from: plan.outputBytes });
  if (failuresFile !== undefined) targets.push({ name: failuresFile, from: plan.failuresBytes });
  const written = await openWrittenFiles(targets, args.html, stopped);
  try {
    // Before truncating: a run that is killed in between can be resumed, which truncates the files.
    await write(plan, plan.outputBytes, plan.failuresBytes);
  } catch (error) {
    written.undo();
    throw cannotWrite(file ?? '', error);
  }
  written.truncate();
  const writers = written.sinks.map((sink, index) =>
    createLineWriter(output?.gzip === true && index === 0 ? gzipSink(sink) : sink),
  );
  const results = output === undefined ? undefined : writers.shift();
  const [failures] = writers;
  // Only regular files have a length that can be checked when the run is resumed.
  const hasLength = failuresFile !== undefined && isPlainFile(failuresFile);
  if (output?.format === 'csv' && plan.outputBytes === 0) await results?.write(csvHeader(args.compare));
  let saved = structuredClone(plan.tally);
  return {
    results,
    failures,
    save: async (state) => {
      const outputBytes = (await results?.sync()) ?? 0;
      const failuresBytes = (await failures?.sync()) ?? 0;
      try {
        await write(state, outputBytes, hasLength ? failuresBytes : 0);
      } catch (error) {
        throw new RunError(`${file ?? ''} cannot be written: ${errorText(error)}`, { cause: error });
      }
      saved = structuredClone(state.tally);
    },
    saved: () => saved,
    complete: () => {
      if (file !== undefined) removeCheckpoint(file);
    },
    close: () => written.close(),
  };
}

/**
 * Throws UsageError if two of the files of a run are the same because of a symbolic link, a hard link or a redirected
 * standard stream. Writing one would destroy the other.
 */
export function refuseSameFiles({ input, output, failures, html }: RecalculateArguments): void {
  const isFile = output !== undefined && output.file !== STANDARD_STREAM;
  const named: readonly (readonly [string, BigIntStats | undefined])[] = [
    [`--input ${input}`, statsOf(input, STANDARD_INPUT)],
    [`--output ${output?.file ?? ''}`, output && statsOf(output.file, STANDARD_OUTPUT)],
    [`--failures ${failures ?? ''}`, failures === undefined ? undefined : statsOf(failures)],
    [`--html ${html ?? ''}`, html === undefined ? undefined : statsOf(html)],
    ['the checkpoint', isFile ? statsOf(checkpointFile(output.file)) : undefined],
    ['the lock', isFile ? statsOf(lockFile(output.file)) : undefined],
  ];
  refuseSame(named);
}

function refuseSame(named: readonly (readonly [string, BigIntStats | undefined])[]): void {
  const seen = new Map<string, string>();
  for (const [name, stats] of named) {
    if (stats?.isFile() !== true) continue;
    const identity = `${stats.dev}/${stats.ino}`;
    const other = seen.get(identity);
    if (other !== undefined) throw new UsageError(`${other} and ${name} are the same file`);
    seen.set(identity, name);
  }
}

/** Undefined if the file does not exist or cannot be inspected. */
function statsOf(file: string, standardStream?: number): BigIntStats | undefined {
  try {
    if (file === STANDARD_STREAM && standardStream !== undefined) {
      return fstatSync(standardStream, { bigint: true });
    }
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A file of the run with the position where writing continues. */
interface WrittenFile {
  /** `-` is the standard output. */
  readonly name: string;
  readonly from: number;
}

/** The open files of a run before any change. */
interface WrittenFiles {
  readonly sinks: readonly ByteSink[];
  /** Truncates each file at the position where writing continues. Throws UsageError. */
  truncate(): void;
  close(): void;
  /** Closes the files and removes new ones, for a run that does not start. */
  undo(): void;
}

interface OpenedFile extends WrittenFile {
  readonly descriptor: number;
  readonly isPlain: boolean;
  readonly isNew: boolean;
}

/**
 * Opens all files before any is changed; `report` is replaced at the end, and must not be one of them. Rejects with UsageError, or with the reason of the signal if that is aborted.
 */
async function openWrittenFiles(
  files: readonly WrittenFile[],
  report: string | undefined,
  stopped: AbortSignal,
): Promise<WrittenFiles> {
  const opened: OpenedFile[] = [];
  const close = (): void => {
    for (const { descriptor } of opened) if (descriptor !== STANDARD_OUTPUT) closeSync(descriptor);
  };
  const undo = (): void => {
    close();
    for (const { name, isNew } of opened) if (isNew) rmSync(name, { force: true });
  };
  try {
    for (const file of files) {
      const isPlain = isPlainFile(file.name);
      const isNew = file.name !== STANDARD_STREAM && !existsSync(file.name);
      opened.push({ ...file, isPlain, isNew, descriptor: await openFile(file.name, stopped) });
    }
    // Names that did not exist before may refer to the same file.
    refuseSame([
      ...opened.map(({ name, descriptor }) => [name, fstatSync(descriptor, { bigint: true })] as const),
      [`--html ${report ?? ''}`, report === undefined ? undefined : statsOf(report)],
    ]);
  } catch (error) {
    undo();
    throw error;
  }
  const sinks = opened.map(({ descriptor, name, isPlain, from }) =>
    fileSink({ descriptor, name, from: isPlain ? from : undefined }),
  );
  const truncate = (): void => {
    for (const { descriptor, name, isPlain, from } of opened)
      if (isPlain) truncateFile(descriptor, name, from);
  };
  return { sinks, truncate, close, undo };
}

async function openFile(name: string, stopped: AbortSignal): Promise<number> {
  if (name === STANDARD_STREAM) return STANDARD_OUTPUT;
  const { O_WRONLY, O_CREAT, O_NONBLOCK } = constants;
  // Opening a pipe without a reader would block the whole process, signals included.
  const isPipe = statSync(name, { throwIfNoEntry: false })?.isFIFO() === true;
  for (;;) {
    stopped.throwIfAborted();
    try {
      return openSync(name, isPipe ? O_WRONLY | O_NONBLOCK : O_WRONLY | O_CREAT);
    } catch (error) {
      if (!isPipe || (error as NodeJS.ErrnoException).code !== 'ENXIO') throw cannotWrite(name, error);
    }
    await sleep(NO_READER_WAIT_MS);
  }
}

function truncateFile(descriptor: number, name: string, from: number): void {
  try {
    ftruncateSync(descriptor, from);
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

function cannotWrite(name: string, error: unknown): UsageError {
  return new UsageError(`${name} cannot be written: ${errorText(error)}`);
}
