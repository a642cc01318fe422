import { accessSync, constants, existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { UsageError } from '../command-line/parse-command-line.ts';
import { RunError } from './interruption.ts';
import type { RecalculateArguments } from './recalculate-arguments.ts';
import { csvHeader } from './result-lines.ts';
import { type CheckpointFile, checkpointName, type Checkpoint } from './resume.ts';
import { errorText } from '../../shared/platform/errors.ts';

type RunState = Pick<Checkpoint, 'input' | 'tally' | 'elapsedMs'>;

export type RunFiles = Awaited<ReturnType<typeof openRunFiles>>;

/** Truncates the files to the lengths in the plan. If one cannot be opened, changes none; rejects with UsageError. */
export async function openRunFiles(
  args: RecalculateArguments,
  plan: Checkpoint,
  checkpoint: CheckpointFile | undefined,
) {
  const { output, failures: failuresFile } = args;
  const opened = await openFiles([
    ...(output ? [{ name: output.file, from: plan.outputBytes, isCompressed: output.gzip }] : []),
    ...(failuresFile ? [{ name: failuresFile, from: plan.failuresBytes, isCompressed: false }] : []),
  ]);
  const store = (state: RunState, outputBytes: number, failuresBytes: number): void => {
    try {
      checkpoint?.save({ ...plan, ...state, outputBytes, failuresBytes });
    } catch (error) {
      throw new RunError(`${checkpoint?.name} cannot be written: ${errorText(error)}`, { cause: error });
    }
  };
  // The checkpoint comes first: if the process is killed before the truncation, a resumed run truncates the files.
  store(plan, plan.outputBytes, plan.failuresBytes);
  for (const { handle, from } of opened) await handle.truncate(from);
  const writers = opened.map(createLineWriter);
  const results = output === undefined ? undefined : writers.shift();
  const [failures] = writers;
  if (output?.format === 'csv' && plan.outputBytes === 0) await results?.write(csvHeader(args.compare));
  let saved = structuredClone(plan.tally);
  return {
    results,
    failures,
    /** Resolves when lines and checkpoint are durable. After a RunError the previous checkpoint stays valid. */
    save: async (state: RunState): Promise<void> => {
      const outputBytes = (await results?.sync()) ?? 0;
      const failuresBytes = (await failures?.sync()) ?? 0;
      store(state, outputBytes, failuresBytes);
      saved = structuredClone(state.tally);
    },
    /** The tally of the last checkpoint. */
    saved: () => saved,
    close: () => closeAll(opened),
  };
}

/** Throws UsageError if two files of a run are the same (links included), since writing one would destroy the other. */
export function refuseSameFiles({ input, output, failures, html }: RecalculateArguments): void {
  const named = [
    ['--input', input],
    ['--output', output?.file],
    ['--failures', failures],
    ['--html', html],
    ['the checkpoint', output && checkpointName(output.file)],
  ] as const;
  const seen = new Map<string, string>();
  for (const [name, file] of named) {
    if (file === undefined) continue;
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

/** Throws UsageError if the folder is not writable or the path is not a file, before hours of work would be lost. */
export function refuseUnwritable(file: string | undefined): void {
  if (file === undefined) return;
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (error) {
    throw cannotWrite(file, error);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new UsageError(`${file} cannot be written: it exists and is not a file`);
}

/** Replaces a file as a whole, so that no reader sees only a part. `draft` is another name in its folder. */
export async function replaceFile(file: string, draft: string, text: string): Promise<void> {
  try {
    await writeFile(draft, text, { flush: true });
    await rename(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly name: string;
  /** The position in bytes where writing continues. */
  readonly from: number;
  readonly isCompressed: boolean;
}

/** Opens all files without changing any. If one cannot be opened, removes those that it has created. */
async function openFiles(files: readonly Omit<OpenFile, 'handle'>[]): Promise<readonly OpenFile[]> {
  const opened: (OpenFile & { readonly isNew: boolean })[] = [];
  try {
    for (const file of files) {
      const isNew = !existsSync(file.name);
      // Opened without O_TRUNC, since nothing may be changed yet.
      const handle = await open(file.name, constants.O_WRONLY | constants.O_CREAT);
      opened.push({ ...file, isNew, handle });
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    for (const { name, isNew } of opened) if (isNew) rmSync(name, { force: true });
    throw cannotWrite(files[opened.length]?.name ?? '', error);
  }
}

async function closeAll(opened: readonly OpenFile[]): Promise<void> {
  for (const { handle } of opened) await handle.close();
}

function cannotWrite(name: string, error: unknown): UsageError {
  return new UsageError(`${name} cannot be written: ${errorText(error)}`);
}

/** A line of 60 instalments has 20 kB, so one system call writes 50 of them. */
const BLOCK_LENGTH = 1_024 * 1_024;
/** Gives most of the compression of the default level for a third of the processor time. */
const GZIP_LEVEL = 3;

const compress = promisify(gzip);

/** Writes lines in blocks. A compressed block is a gzip member (RFC 1952, 2.2): the file can be truncated after it. */
export function createLineWriter({ handle, name, from, isCompressed }: OpenFile) {
  let position = from;
  let lines: string[] = [];
  let length = 0;
  let failed: unknown;

  const flush = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    length = 0;
    // A file without lines gets an empty member, since programs report a gzip file of 0 bytes as truncated.
    const isMember = isCompressed && (text !== '' || position === 0);
    const bytes = isMember ? await compress(text, { level: GZIP_LEVEL }) : Buffer.from(text);
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position);
      done += bytesWritten;
      position += bytesWritten;
    }
  };
  const orFail = async (work: () => Promise<void>): Promise<void> => {
    if (failed !== undefined) throw failed;
    try {
      await work();
    } catch (cause) {
      failed = new RunError(`${name} cannot be written: ${errorText(cause)}`, { cause });
      throw failed;
    }
  };
  return {
    /** Wait for a returned promise before the next call. It rejects with RunError if lines cannot be written. */
    write: (line: string): Promise<void> | undefined => {
      lines.push(line);
      length += line.length;
      return length < BLOCK_LENGTH ? undefined : orFail(flush);
    },
    /** Resolves with the durable length in bytes. Rejects after any failed write: the system may have dropped data. */
    sync: async (): Promise<number> => {
      await orFail(async () => {
        await flush();
        await handle.sync();
      });
      return position;
    },
  };
}
