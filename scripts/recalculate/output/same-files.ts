/** Tells files that are one and the same, whatever names lead to them. */

import { fstatSync, statSync, type BigIntStats } from 'node:fs';
import { checkpointFile } from './checkpoint.ts';
import { UsageError } from '../../command-line.ts';
import type { RecalculateArguments } from '../arguments.ts';
import { STANDARD_STREAM } from '../input/bytes.ts';
import { lockFile } from './output-lock.ts';

const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/**
 * Throws UsageError when two of the files of a run are one: by a symbolic or a hard link, or since a standard stream leads
 * there. Writing one of them would destroy the other.
 */
export function refuseSameFiles({ input, output, failures }: RecalculateArguments): void {
  const isFile = output !== undefined && output.file !== STANDARD_STREAM;
  const named: readonly (readonly [string, BigIntStats | undefined])[] = [
    [`--input ${input}`, statsOf(input, STANDARD_INPUT)],
    [`--output ${output?.file ?? ''}`, output && statsOf(output.file, STANDARD_OUTPUT)],
    [`--failures ${failures ?? ''}`, failures === undefined ? undefined : statsOf(failures)],
    ['the checkpoint', isFile ? statsOf(checkpointFile(output.file)) : undefined],
    ['the lock', isFile ? statsOf(lockFile(output.file)) : undefined],
  ];
  const seen = new Map<string, string>();
  for (const [name, stats] of named) {
    if (stats?.isFile() !== true) continue;
    const identity = `${stats.dev}/${stats.ino}`;
    const other = seen.get(identity);
    if (other !== undefined) throw new UsageError(`${other} and ${name} are the same file`);
    seen.set(identity, name);
  }
}

/** Undefined where there is nothing, or nothing that can be looked at. */
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
