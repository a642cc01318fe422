/** The files of a recalculation: results, failures, and the checkpoint up to which both are valid. */

import { accessSync, constants, existsSync, ftruncateSync, realpathSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../../shared/platform/errors.ts';
import type { Tally } from '../../../shared/portfolio/tally.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { STANDARD_STREAM } from '../input/source.ts';
import { RunError } from '../run-error.ts';
import { type CheckpointFile, checkpointName, type RunState } from './checkpoint.ts';
import { createLineWriter, type LineWriter } from './line-writer.ts';
import { csvHeader } from './result-lines.ts';
import { isPlainFile, type RunPlan } from './resume.ts';

const STANDARD_OUTPUT = 1;

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
  close(): Promise<void>;
}

/**
 * Opens the files and truncates them at the positions where the plan continues. Rejects with UsageError if one cannot
 * be opened; then nothing is changed.
 */
export async function openRunFiles(
  args: RecalculateArguments,
  plan: RunPlan,
  checkpoint: CheckpointFile | undefined,
): Promise<RunFiles> {
  const { output, failures: failuresFile } = args;
  const opened = await openTargets([
    ...(output === undefined
      ? []
      : [{ name: output.file, from: plan.outputBytes, isCompressed: output.gzip }]),
    ...(failuresFile === undefined
      ? []
      : [{ name: failuresFile, from: plan.failuresBytes, isCompressed: false }]),
  ]);
  const store = (state: RunState, outputBytes: number, failuresBytes: number): void => {
    try {
      checkpoint?.save({ ...plan, ...state, outputBytes, failuresBytes });
    } catch (error) {
      throw new RunError(`${checkpoint?.name} cannot be written: ${errorText(error)}`, { cause: error });
    }
  };
  // Before truncating: a run that is killed in between can be resumed, which truncates the files.
  store(plan, plan.outputBytes, plan.failuresBytes);
  for (const { descriptor, from } of opened) if (from !== undefined) ftruncateSync(descriptor, from);
  const writers = opened.map(createLineWriter);
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
      store(state, outputBytes, hasLength ? failuresBytes : 0);
      saved = structuredClone(state.tally);
    },
    saved: () => saved,
    close: () => closeAll(opened),
  };
}

/**
 * Throws UsageError if two of the files of a run are the same because of a link: writing one would destroy the other. A name that
 * does not exist yet is compared by its folder.
 */
export function refuseSameFiles({ input, output, failures, html }: RecalculateArguments): void {
  const isFile = output !== undefined && output.file !== STANDARD_STREAM;
  const named = [
    ['--input', input],
    ['--output', output?.file],
    ['--failures', failures],
    ['--html', html],
    ['the checkpoint', isFile ? checkpointName(output.file) : undefined],
  ] as const;
  const seen = new Map<string, string>();
  for (const [name, file] of named) {
    if (file === undefined || !isPlainFile(file)) continue;
    const identity = identityOf(file);
    const other = seen.get(identity);
    if (other !== undefined) throw new UsageError(`${other} and ${name} are the same file: ${file}`);
    seen.set(identity, name);
  }
}

function identityOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (found !== undefined) return `${found.dev}/${found.ino}`;
  const folder = path.dirname(file);
  return path.join(existsSync(folder) ? realpathSync(folder) : path.resolve(folder), path.basename(file));
}

/** Throws UsageError if the file cannot be replaced, before a run of hours that would end with it. */
export function refuseUnwritable(file: string): void {
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new UsageError(`${file} cannot be written: it exists and is not a file`);
}

/** Replaces a whole file: its former or its new content is found, never a part. `draft` is a name in the same folder. */
export async function replaceFile(file: string, draft: string, text: string): Promise<void> {
  try {
    await writeFile(draft, text, { flush: true });
    await rename(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

interface Target {
  /** `-` is the standard output. */
  readonly name: string;
  readonly from: number;
  readonly isCompressed: boolean;
}

interface OpenTarget extends Omit<Target, 'from'> {
  readonly from: number | undefined;
  readonly descriptor: number;
  /** Undefined for the standard output. */
  readonly handle: FileHandle | undefined;
  readonly isNew: boolean;
}

/** Opens all files before any is changed, and removes new ones if one cannot be opened. */
async function openTargets(targets: readonly Target[]): Promise<readonly OpenTarget[]> {
  const opened: OpenTarget[] = [];
  try {
    for (const target of targets) {
      const { name } = target;
      const from = isPlainFile(name) ? target.from : undefined;
      const isNew = name !== STANDARD_STREAM && !existsSync(name);
      // Not truncated yet.
      const flags = constants.O_WRONLY | constants.O_CREAT;
      const handle = name === STANDARD_STREAM ? undefined : await open(name, flags);
      opened.push({ ...target, from, isNew, handle, descriptor: handle?.fd ?? STANDARD_OUTPUT });
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    for (const { name, isNew } of opened) if (isNew) rmSync(name, { force: true });
    throw cannotWrite(targets[opened.length]?.name ?? '', error);
  }
}

async function closeAll(opened: readonly OpenTarget[]): Promise<void> {
  for (const { handle } of opened) await handle?.close();
}

function cannotWrite(name: string, error: unknown): UsageError {
  return new UsageError(`${name} cannot be written: ${errorText(error)}`);
}
