/** Replaces a whole file atomically: after any interruption either its former or its new content is found. */

import { accessSync, constants, statSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../../shared/platform/errors.ts';
import { UsageError } from '../../command-line/parse-command-line.ts';

/**
 * Writes the text to `draft`, a file of the same folder that no other process writes, and renames it. Resolves when the new
 * content, and not the former, would be found after a power loss.
 */
export async function replaceFile(file: string, draft: string, text: string): Promise<void> {
  try {
    const handle = await open(draft, 'w');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** Throws UsageError if the file cannot be replaced, before a run of hours that would end with it. */
export function refuseUnwritable(file: string): void {
  try {
    accessSync(path.dirname(file), constants.W_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${errorText(error)}`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new UsageError(`${file} cannot be written: it exists and is not a file`);
}

/** A rename is durable when its folder is synced; systems that cannot open folders do not need this. */
async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch {
    // After a power loss the former file would be found, which is valid too.
  } finally {
    await handle?.close();
  }
}
