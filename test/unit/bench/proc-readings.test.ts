import { expect, test } from 'vitest';
import {
  busyShare,
  growthOf,
  parseCpuTimes,
  parseProcessSeconds,
  parseResidentMiB,
  peaksOf,
} from '../../../scripts/bench/proc-readings.ts';

const STAT = 'cpu  100 5 50 800 20 0 10 15 3 0\ncpu0 50 2 25 400 10 0 5 8 1 0\nintr 1 2 3\n';

test('processor time is that of all processors; waiting for a disk counts as idle', () => {
  expect(parseCpuTimes(STAT)).toEqual({ total: 1_000, idle: 820 });
});

test('a file other than /proc/stat is refused', () => {
  expect(() => parseCpuTimes('MemTotal: 1 kB')).toThrow('/proc/stat is not as expected');
});

test('the busy share is calculated between two readings', () => {
  const before = { total: 1_000, idle: 820 };
  expect(busyShare(before, { total: 1_200, idle: 840 })).toBeCloseTo(0.9);
  expect(busyShare(before, before)).toBe(0);
});

test('resident memory is in MiB, and undefined for a process that has exited', () => {
  expect(parseResidentMiB('Name:\tnode\nVmRSS:\t  204800 kB\nThreads:\t11\n')).toBe(200);
  expect(parseResidentMiB('Name:\tnode\nState:\tZ (zombie)\n')).toBeUndefined();
});

test('processor seconds of a process include user and kernel time, whatever its name', () => {
  expect(parseProcessSeconds('42 (a b) c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0')).toBe(3);
});

test('the peak of a process is given for the whole run and for its first quarter', () => {
  const samples = [100, 150, 140, 190, 120, 180, 150, 160].map((mib, second) => ({
    second,
    rss: second < 2 ? { command: mib } : { command: mib, worker: 90 },
  }));
  expect(peaksOf(samples, 'command')).toEqual({ early: 150, all: 190 });
  expect(peaksOf(samples, 'worker')).toEqual({ early: 0, all: 90 });
  expect(peaksOf(samples, 'broker')).toEqual({ early: 0, all: 0 });
});

test('growth is that of the process that grew most, and 0 without samples', () => {
  const samples = [1, 2, 3, 4].map((second) => ({
    second,
    rss: { command: 100 + second, worker: 50 * second },
  }));
  expect(growthOf(samples)).toBe(150);
  expect(growthOf([])).toBe(0);
});
