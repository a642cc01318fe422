import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalKafkaError } from './local-kafka-error.ts';

/** A first fetch over a slow line; whoever waits longer than this is told instead. */
const LOCK_LIMIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 300;

/**
 * Runs `work` while holding the lock file, which names the owner's process id. A lock whose owner is gone is taken over.
 * Two processes may in a rare race both hold it: whatever is done under it must therefore end in an atomic rename.
 */
export async function withLock<T>(
  file: string,
  onWait: (ownerPid: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + LOCK_LIMIT_MS;
  for (let waits = 0; !tryLock(file); waits += 1) {
    const owner = readOwner(file);
    if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
    else if (Date.now() > giveUpAt) {
      throw new LocalKafkaError(
        'fetch-failed',
        `process ${owner} has been fetching for long: end it, or delete ${file}`,
      );
    } else {
      if (waits === 0 && owner !== undefined) onWait(owner);
      await sleep(LOCK_POLL_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined while the owner has made the file and not yet written into it, or has just removed it. */
function readOwner(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
