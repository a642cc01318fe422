import { spawn } from 'node:child_process';
import path from 'node:path';

/** A message to the watchdog: the id of a process to watch, or to stop watching. */
export type GuardLine = { readonly watch: number } | { readonly forget: number };

export interface Guard {
  /** Makes the watchdog kill this process when the calling process ends. */
  watch(pid: number): void;
  forget(pid: number): void;
  /** Stops the watchdog, which kills the processes still watched and removes the temporary folder. */
  close(): Promise<void>;
}

/**
 * Starts a watchdog process. When the calling process ends, also by SIGKILL, the pipe between them closes, and the watchdog
 * kills the watched processes and removes `temporaryFolder`. Brokers cannot be started in such a way that they exit
 * with their parent.
 */
export function startGuard(temporaryFolder: string | undefined): Guard {
  const script = path.join(import.meta.dirname, 'watchdog.ts');
  const args = temporaryFolder === undefined ? [script] : [script, temporaryFolder];
  /** Detached, so that Ctrl-C, which signals the whole foreground group, does not stop the watchdog first. */
  const watchdog = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => {
    watchdog.once('close', () => resolve());
    watchdog.once('error', () => resolve());
  });
  watchdog.stdin.on('error', () => {
    /* The watchdog was killed. The calling process still stops the nodes itself. */
  });
  watchdog.unref();
  const send = (line: GuardLine): void => {
    if (watchdog.stdin.writable) watchdog.stdin.write(`${JSON.stringify(line)}\n`);
  };
  return {
    watch: (pid) => send({ watch: pid }),
    forget: (pid) => send({ forget: pid }),
    close: async () => {
      watchdog.ref();
      watchdog.stdin.end();
      await ended;
    },
  };
}
