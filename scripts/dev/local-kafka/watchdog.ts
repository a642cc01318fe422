/**
 * The process that guard.ts starts: `node watchdog.ts [TEMPORARY FOLDER]`. When its standard input closes, it kills every
 * watched process and removes the folder.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { GuardLine } from './guard.ts';

const temporaryFolder = process.argv[2];
const watched = new Set<number>();

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as GuardLine;
  if ('watch' in message) watched.add(message.watch);
  else watched.delete(message.forget);
}

for (const pid of watched) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    /* It has already ended. */
  }
}
/** A killed process may still be writing, so rm retries while the folder is not empty. */
if (temporaryFolder !== undefined) {
  rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
