import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { adminFileShape, type AdminFile } from '../shared/messaging/log-protocol.ts';

/** Nobody but the user of the process may read the token. */
const FILE_MODE = 0o600;

/**
 * Writes where the admin endpoint is. The file is made under another name first, so that it never exists with other
 * rights or half of its content; that of a process before it is replaced. Throws when it cannot be written.
 */
export function writeAdminFile(file: string, content: AdminFile): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const made = `${file}.${randomUUID()}`;
  try {
    writeFileSync(made, `${JSON.stringify(content)}\n`, { mode: FILE_MODE, flag: 'wx' });
    renameSync(made, file);
  } finally {
    rmSync(made, { force: true });
  }
}

/** Removes the file, unless another process has written its own since. Never throws: the file says nothing of value then. */
export function removeAdminFile(file: string, token: string): void {
  try {
    const read = adminFileShape.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (read.success && read.data.token === token) rmSync(file, { force: true });
  } catch {
    // It is gone already.
  }
}
