/** A child process that kills the watched processes and removes the folder when its parent ends or calls `close`. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

export type Watchdog = ReturnType<typeof startWatchdog>;

/** `close` makes the watchdog kill the processes that it watches and remove the folder, and resolves afterwards. */
export function startWatchdog(temporaryFolder: string) {
  // Detached, so that Ctrl-C, which signals the whole foreground group, does not end the watchdog.
  const child = spawn(process.execPath, [import.meta.filename, temporaryFolder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  child.unref();
  const send = (line: string): void => {
    if (child.stdin.writable) child.stdin.write(`${line}\n`);
  };
  return {
    watch: (pid: number) => send(`watch ${pid}`),
    forget: (pid: number) => send(`forget ${pid}`),
    close: async (): Promise<void> => {
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}

async function guard(temporaryFolder: string): Promise<void> {
  const watched = new Set<number>();
  for await (const line of createInterface({ input: process.stdin })) {
    const [what, pid] = line.split(' ');
    if (what === 'watch') watched.add(Number(pid));
    else watched.delete(Number(pid));
  }
  for (const pid of watched) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
  // A killed process may still write, so the removal is tried again.
  rmSync(temporaryFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

if (import.meta.main) await guard(process.argv[2] ?? '');
