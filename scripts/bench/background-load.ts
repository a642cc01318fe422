/** Busy processes beside a measurement: a neighbour on the same machine that uses all the processor time it gets. */

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { OWN_SESSION } from './processes.ts';

const BUSY = path.join(import.meta.dirname, 'busy-process.ts');

/** Starts `count` processes, which also end when this process does. */
export function startBackgroundLoad(count: number): {
  readonly processes: readonly ChildProcess[];
  stop(): void;
} {
  const processes = Array.from({ length: count }, () =>
    spawn(process.execPath, [BUSY], { ...OWN_SESSION, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
  );
  return {
    processes,
    stop: () => {
      for (const child of processes) child.kill('SIGKILL');
    },
  };
}
