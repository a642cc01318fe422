/** The files of a recalculation: results, failures, and the checkpoint that says up to where both are good. */

import { closeSync, constants, ftruncateSync, openSync } from 'node:fs';
import { errorText } from '../../shared/platform/errors.ts';
import { fileSink, gzipSink, OutputError, type ByteSink } from './byte-sink.ts';
import {
  outputOptions,
  removeCheckpoint,
  thisProcess,
  writeCheckpoint,
  type Checkpoint,
} from './checkpoint.ts';
import { UsageError, type RecalculateArguments } from './command-arguments.ts';
import { STANDARD_STREAM } from './input-bytes.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { csvHeader } from './result-lines.ts';
import { isPlainFile, type RunPlan } from './run-plan.ts';
import type { Tally } from './tally.ts';

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
  /** The run is complete: there is nothing to resume. */
  complete(): void;
  close(): void;
}

const STANDARD_OUTPUT = 1;

/** Opens the files and cuts them where the plan goes on. Throws UsageError when one cannot be opened. */
export async function openRunFiles(args: RecalculateArguments, plan: RunPlan): Promise<RunFiles> {
  const { checkpointFile: file } = plan;
  const { runId, session, originTimestampMs } = plan;
  const run = { version: 1, runId, sessions: session, process: thisProcess(), originTimestampMs } as const;
  const write = async (state: RunState, outputBytes: number, failuresBytes: number): Promise<void> => {
    if (file === undefined) return;
    const options = outputOptions(args);
    await writeCheckpoint(file, { ...run, options, ...state, outputBytes, failuresBytes });
  };
  // Before the files: a kill in between leaves a checkpoint without files, which is a run that can be resumed.
  await opened(file, () => write(plan, plan.outputBytes, plan.failuresBytes));
  const descriptors: number[] = [];
  const openAt = (name: string, from: number): ByteSink => {
    const isPlain = isPlainFile(name);
    const descriptor = openFile(name, isPlain ? from : undefined, () => {
      // Of a run that never began nothing is left.
      if (file !== undefined && session === 1) removeCheckpoint(file);
    });
    descriptors.push(descriptor);
    return fileSink({ descriptor, name, from: isPlain ? from : undefined });
  };
  const { output } = args;
  const target = output === undefined ? undefined : openAt(output.file, plan.outputBytes);
  const packed = output?.gzip === true && target !== undefined ? gzipSink(target) : target;
  const results = packed === undefined ? undefined : createLineWriter(packed);
  const failures =
    args.failures === undefined ? undefined : createLineWriter(openAt(args.failures, plan.failuresBytes));
  if (output?.format === 'csv' && plan.outputBytes === 0) await results?.write(csvHeader(args.compare));
  return {
    results,
    failures,
    save: async (state) => {
      const outputBytes = (await results?.sync()) ?? 0;
      const failuresBytes = (await failures?.sync()) ?? 0;
      try {
        await write(state, outputBytes, failuresBytes);
      } catch (error) {
        throw new OutputError(`${file ?? ''} cannot be written: ${errorText(error)}`, { cause: error });
      }
    },
    complete: () => {
      if (file !== undefined) removeCheckpoint(file);
    },
    close: () => {
      for (const descriptor of descriptors) if (descriptor !== STANDARD_OUTPUT) closeSync(descriptor);
    },
  };
}

function openFile(name: string, from: number | undefined, onFailure: () => void): number {
  if (name === STANDARD_STREAM) return STANDARD_OUTPUT;
  const { O_WRONLY, O_CREAT } = constants;
  try {
    const descriptor = openSync(name, O_WRONLY | O_CREAT);
    if (from !== undefined) ftruncateSync(descriptor, from);
    return descriptor;
  } catch (error) {
    onFailure();
    throw cannotOpen(name, error);
  }
}

async function opened(name: string | undefined, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw cannotOpen(name ?? '', error);
  }
}

function cannotOpen(name: string, error: unknown): UsageError {
  return new UsageError(`${name} cannot be written: ${errorText(error)}`);
}
