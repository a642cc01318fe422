/** Measures what a unit of work costs its processes and its brokers (Linux: /proc). */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type KernelCounts, readKernelCounts } from '../proc-readings.ts';

/** The processes of a measurement, and the data folder of its brokers. */
export interface MeasuredProcesses {
  readonly requester: readonly (number | undefined)[];
  readonly workers: readonly (number | undefined)[];
  readonly brokers: readonly (number | undefined)[];
  readonly folder: string;
}

/** Averages of one run; bytes are those in all replicas. */
export interface MeasuredCost {
  readonly perSecond: number;
  readonly requesterUs: number;
  readonly workerUs: number;
  readonly brokerUs: number;
  readonly brokerSystemCalls: number;
  readonly requestBytes: number;
  readonly replyBytes: number;
}

const MS_PER_SECOND = 1_000;

/** Runs units for a time, and divides what the processes used by their number. */
export async function measureCost(
  processes: MeasuredProcesses,
  forMs: number,
  run: (forMs: number) => Promise<{ readonly perSecond: number }>,
): Promise<MeasuredCost> {
  const before = read(processes);
  const { perSecond } = await run(forMs);
  const after = read(processes);
  const units = (perSecond * forMs) / MS_PER_SECOND;
  const each = (name: keyof typeof before): number => (after[name] - before[name]) / units;
  return {
    perSecond,
    requesterUs: each('requesterUs'),
    workerUs: each('workerUs'),
    brokerUs: each('brokerUs'),
    brokerSystemCalls: each('brokerSystemCalls'),
    requestBytes: each('requestBytes'),
    replyBytes: each('replyBytes'),
  };
}

function read({ requester, workers, brokers, folder }: MeasuredProcesses): Omit<MeasuredCost, 'perSecond'> {
  return {
    requesterUs: total(requester, ({ cpuUs }) => cpuUs),
    workerUs: total(workers, ({ cpuUs }) => cpuUs),
    brokerUs: total(brokers, ({ cpuUs }) => cpuUs),
    brokerSystemCalls: total(brokers, ({ reads, writes }) => reads + writes),
    requestBytes: logBytes(folder, /\.(?:requests|sms|email)\b/),
    replyBytes: logBytes(folder, /\.(?:replies|acceptances)\b/),
  };
}

function total(pids: readonly (number | undefined)[], one: (counts: KernelCounts) => number): number {
  return pids.reduce<number>((all, pid) => all + one(readKernelCounts(pid)), 0);
}

/** The size of all segments of the topics that match. */
function logBytes(folder: string, topics: RegExp): number {
  const segments = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.log') && topics.test(path.basename(path.dirname(file))),
  );
  return segments.reduce(
    (sum, file) => sum + (statSync(path.join(folder, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
