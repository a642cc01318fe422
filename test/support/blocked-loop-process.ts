import { pbkdf2Sync } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { watchEventLoop } from '../../shared/platform/loop-watchdog.ts';

/** Blocks its event loop in the way that its first argument names; its second is the limit of the watchdog in ms. */
const [kind = '', limit = '0'] = process.argv.slice(2);
watchEventLoop({ limitMs: Number(limit), name: 'blocked' });

async function answerNothing(): Promise<readonly string[]> {
  return Promise.resolve([]);
}

async function askForEver(): Promise<void> {
  let answers = 0;
  while (answers >= 0) answers += (await answerNothing()).length;
}

function countForEver(): void {
  let count = 0;
  while (count >= 0) count = (count + 1) % 1_000;
}

const BLOCKS: Readonly<Record<string, () => unknown>> = {
  microtasks: askForEver,
  loop: countForEver,
  native: () => pbkdf2Sync('password', 'salt', 2_000_000_000, 64, 'sha512'),
  idle: () => setInterval(() => process.stdout.write('turn\n'), 100),
  // Busy for less than the limit, again and again.
  busy: () =>
    setInterval(() => {
      const until = performance.now() + Number(limit) / 3;
      while (performance.now() < until);
      process.stdout.write('turn\n');
    }, 1),
  // Gives way to others, and then is busy for less than the limit of its own time.
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
