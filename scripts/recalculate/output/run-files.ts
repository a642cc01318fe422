/** The files of a recalculation: results, failures, and the checkpoint that says up to where both are good. */

import { errorText } from '../../../shared/platform/errors.ts';
import { gzipSink, OutputError } from './byte-sink.ts';
import {
  outputOptions,
  removeCheckpoint,
  thisProcess,
  writeCheckpoint,
  type Checkpoint,
} from './checkpoint.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { csvHeader } from './result-lines.ts';
import { isPlainFile, type RunPlan } from './run-plan.ts';
import type { Tally } from '../report/tally.ts';
import { cannotWrite, openWrittenFiles, type WrittenFile } from './written-files.ts';

/** How far a run has come. */
export interface RunState {
  readonly input: Checkpoint['input'];
  readonly tally: Tally;
  readonly elapsedMs: number;
}

export interface RunFiles {
  /** Undefined where nobody asks for them. */
  readonly results: LineWriter | undefined;
  readonly failures: LineWriter | undefined;
  /**
   * Resolves when all that was written is on the disk, and then the checkpoint that says so. Rejects with OutputError;
   * the checkpoint before is good then.
   */
  save(state: RunState): Promise<void>;
  /** What had been done when it was saved last. */
  saved(): Tally;
  /** The run is complete: there is nothing to resume. */
  complete(): void;
  close(): void;
}

/** Who works on the run: its lock, and when it was told to end. */
export interface RunFilesOwner {
  /** Of the lock that is held; undefined where there is no checkpoint. */
  readonly token: string | undefined;
  readonly stopped: AbortSignal;
}

/**
 * Opens the files and cuts them where the plan goes on. Rejects with UsageError when one cannot be opened, with the reason of
 * `stopped` when it was; all is then as it was.
 */
export async function openRunFiles(
  args: RecalculateArguments,
  plan: RunPlan,
  { token = '', stopped }: RunFilesOwner,
): Promise<RunFiles> {
  const { checkpointFile: file, runId, session, originTimestampMs } = plan;
  const run = { version: 1, runId, sessions: session, process: thisProcess(), originTimestampMs } as const;
  const write = async (state: RunState, outputBytes: number, failuresBytes: number): Promise<void> => {
    if (file === undefined) return;
    const options = outputOptions(args);
    await writeCheckpoint(file, token, { ...run, options, ...state, outputBytes, failuresBytes });
  };
  const { output, failures: failuresFile } = args;
  const targets: WrittenFile[] = [];
  if (output !== undefined) targets.push({ name: output.file, from: plan.outputBytes });
  if (failuresFile !== undefined) targets.push({ name: failuresFile, from: plan.failuresBytes });
  const written = await openWrittenFiles(targets, stopped);
  try {
    // Before anything is cut: a kill in between leaves a run that can be resumed, and cuts then.
    await write(plan, plan.outputBytes, plan.failuresBytes);
  } catch (error) {
    written.undo();
    throw cannotWrite(file ?? '', error);
  }
  written.cut();
  const sinks = [...written.sinks];
  const target = output === undefined ? undefined : sinks.shift();
  const packed = output?.gzip === true && target !== undefined ? gzipSink(target) : target;
  const results = packed === undefined ? undefined : createLineWriter(packed);
  const [failuresSink] = sinks;
  const failures = failuresSink === undefined ? undefined : createLineWriter(failuresSink);
  // What has no length cannot be held against one when the run is resumed.
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
        throw new OutputError(`${file ?? ''} cannot be written: ${errorText(error)}`, { cause: error });
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
