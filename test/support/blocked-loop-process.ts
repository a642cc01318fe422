import { pbkdf2Sync } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { watchEventLoop } from '../../shared/platform/loop-watchdog.ts';

/** Arguments: how the process blocks its event loop (a key of BLOCKS), and the watchdog's limit in milliseconds. */
const [kind = '', limit = '0'] = process.argv.slice(2);
watchEventLoop({ limitMs: Number(limit), name: 'blocked' });

async function fetchNothing(): Promise<readonly string[]> {
  return Promise.resolve([]);
}

async function pollForever(): Promise<void> {
  let fetched = 0;
  while (fetched >= 0) fetched += (await fetchNothing()).length;
}

function countForever(): void {
  let count = 0;
  while (count >= 0) count = (count + 1) % 1_000;
}

const BLOCKS: Readonly<Record<string, () => unknown>> = {
  microtasks: pollForever,
  loop: countForever,
  native: () => pbkdf2Sync('password', 'salt', 2_000_000_000, 64, 'sha512'),
  idle: () => setInterval(() => process.stdout.write('turn\n'), 100),
  // Blocks repeatedly for less than the limit.
  busy: () =>
    setInterval(() => {
      const until = performance.now() + Number(limit) / 3;
      while (performance.now() < until);
      process.stdout.write('turn\n');
    }, 1),
  // Runs at low priority and blocks for less CPU time than the limit.
  starved: () => {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    setInterval(() => {
      const before = process.cpuUsage();
      while (usedMs(before) < Number(limit) / 5);
      process.stdout.write('turn\n');
    }, 1);
  },
};

function usedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

process.stdout.write('ready\n');
setTimeout(() => BLOCKS[kind]?.(), 50);
setTimeout(() => process.exit(0), 60_000);
