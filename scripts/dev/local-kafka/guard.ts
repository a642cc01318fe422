import { spawn } from 'node:child_process';
import path from 'node:path';

/** A line to the watchdog: a process to watch or to forget, or all is over. */
export type GuardLine = { readonly watch: number } | { readonly forget: number };

export interface Guard {
  /** From now on the process ends with this one. */
  watch(pid: number): void;
  forget(pid: number): void;
  /** Ends the watchdog: it kills what is still watched and removes the temporary folder. */
  close(): Promise<void>;
}

/**
 * Starts a small process that outlives this one, whatever happens to it (also SIGKILL): when the pipe to it closes, it
 * kills the watched processes and removes `temporaryFolder`. Brokers have no such switch of their own.
 */
export function startGuard(temporaryFolder: string | undefined): Guard {
  const script = path.join(import.meta.dirname, 'watchdog.ts');
  const args = temporaryFolder === undefined ? [script] : [script, temporaryFolder];
  /** Detached: Ctrl-C goes to the whole foreground group and must not end the watchdog first. */
  const watchdog = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => {
    watchdog.once('close', () => resolve());
    watchdog.once('error', () => resolve());
  });
  watchdog.stdin.on('error', () => {
    /* The watchdog was killed. The nodes are still stopped in the ordinary way. */
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
