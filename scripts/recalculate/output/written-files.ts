/** Opens the files that a run writes, all of them before any of them is changed. */

import {
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
import { fileSink, type ByteSink } from './byte-sink.ts';
import { UsageError } from '../../command-line.ts';
import { STANDARD_STREAM } from '../input/bytes.ts';
import { isPlainFile } from './run-plan.ts';

const STANDARD_OUTPUT = 1;
/** Whoever is to read a pipe opens it in his own time; asking so often costs nothing. */
const NO_READER_WAIT_MS = 50;

/** A file of the run, and where to write on. */
export interface WrittenFile {
  /** `-` is the standard output. */
  readonly name: string;
  readonly from: number;
}

/** The files of a run, open and as they were. */
export interface WrittenFiles {
  readonly sinks: readonly ByteSink[];
  /** Cuts each where it is written on. Throws UsageError. */
  cut(): void;
  close(): void;
  /** Closes them, and removes those that were not there before: for a run that does not begin. */
  undo(): void;
}

interface OpenedFile extends WrittenFile {
  readonly descriptor: number;
  readonly isPlain: boolean;
  readonly isNew: boolean;
}

/** Rejects with UsageError when one cannot be opened, with the reason of the signal when that was aborted meanwhile. */
export async function openWrittenFiles(
  files: readonly WrittenFile[],
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
    refuseSame(opened);
  } catch (error) {
    undo();
    throw error;
  }
  const sinks = opened.map(({ descriptor, name, isPlain, from }) =>
    fileSink({ descriptor, name, from: isPlain ? from : undefined }),
  );
  const cut = (): void => {
    for (const { descriptor, name, isPlain, from } of opened) if (isPlain) cutFile(descriptor, name, from);
  };
  return { sinks, cut, close, undo };
}

/** Names that did not exist, and led to one file all the same. */
function refuseSame(opened: readonly OpenedFile[]): void {
  const seen = new Map<string, string>();
  for (const { descriptor, name, isPlain } of opened) {
    if (!isPlain) continue;
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    const other = seen.get(`${dev}/${ino}`);
    if (other !== undefined) throw new UsageError(`${other} and ${name} are the same file`);
    seen.set(`${dev}/${ino}`, name);
  }
}

async function openFile(name: string, stopped: AbortSignal): Promise<number> {
  if (name === STANDARD_STREAM) return STANDARD_OUTPUT;
  const { O_WRONLY, O_CREAT, O_NONBLOCK } = constants;
  // A pipe that nobody reads yet would hold up the whole process, signals included.
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

function cutFile(descriptor: number, name: string, from: number): void {
  try {
    ftruncateSync(descriptor, from);
  } catch (error) {
    throw cannotWrite(name, error);
  }
}

export function cannotWrite(name: string, error: unknown): UsageError {
  return new UsageError(`${name} cannot be written: ${errorText(error)}`);
}
