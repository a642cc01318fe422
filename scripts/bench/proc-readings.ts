/** Reads processor and process figures of the kernel (Linux: /proc). */

import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of all processors since the machine started, in ticks. */
export interface CpuTimes {
  readonly total: number;
  /** Idle, or waiting for a disk. */
  readonly idle: number;
}

/** What a process has done since its start, all threads included. */
export interface KernelCounts {
  /** Processor time in microseconds. */
  readonly cpuUs: number;
  /** How often a thread waited and was woken up (voluntary context switches). */
  readonly wakeUps: number;
  /** How often a thread lost its processor to another one (involuntary context switches). */
  readonly preempted: number;
  /** System calls that read or write a file or socket. */
  readonly reads: number;
  readonly writes: number;
}

/** The memory of the sampled processes at a point in time. */
export interface MemorySample {
  /** Seconds since the sampling started. */
  readonly second: number;
  /** Resident memory in MiB, by the name given to the process. */
  readonly rss: Readonly<Record<string, number>>;
}

const KIB_PER_MIB = 1_024;
/** Columns of the first line of /proc/stat. */
const IDLE_COLUMN = 3;
const WAITING_COLUMN = 4;
/** Columns from here on are included in earlier ones. */
const GUEST_COLUMN = 8;
/** Columns of /proc/PID/stat after the name in brackets. */
const USER_COLUMN = 11;
const KERNEL_COLUMN = 12;
/** USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const MS_PER_SECOND = 1_000;
const NS_PER_US = 1_000;

/** Parses the text of /proc/stat. Throws if its format is different. */
export function parseCpuTimes(text: string): CpuTimes {
  const fields = /^cpu +(.+)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  const idle = (fields[IDLE_COLUMN] ?? Number.NaN) + (fields[WAITING_COLUMN] ?? 0);
  const total = fields.slice(0, GUEST_COLUMN).reduce((sum, ticks) => sum + ticks, 0);
  if (Number.isNaN(idle) || total === 0) throw new Error('/proc/stat is not as expected');
  return { total, idle };
}

/** The share of the machine's processor time, 0 to 1, that was not idle between two readings. */
export function busyShare(before: CpuTimes, after: CpuTimes): number {
  const total = after.total - before.total;
  return total === 0 ? 0 : 1 - (after.idle - before.idle) / total;
}

/** Resident memory in MiB from the text of /proc/PID/status; undefined for a process that has exited. */
export function parseResidentMiB(text: string): number | undefined {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) / KIB_PER_MIB;
}

/**
 * Processor seconds of all threads from the text of /proc/PID/stat, in which the process name may contain blanks and
 * brackets.
 */
export function parseProcessSeconds(text: string): number {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_COLUMN]) + Number(fields[KERNEL_COLUMN])) / TICKS_PER_SECOND;
}

/** The current processor times of the machine. */
export function readCpuTimes(): CpuTimes {
  return parseCpuTimes(readFileSync('/proc/stat', 'utf8'));
}

/** Processor seconds of a process; 0 if it has exited. */
export function processSeconds(pid: number | undefined): number {
  const text = procText(pid, 'stat');
  return text === undefined ? 0 : parseProcessSeconds(text);
}

/** Resident memory of a process in MiB; 0 if it has exited. */
export function residentMiB(pid: number | undefined): number {
  return parseResidentMiB(procText(pid, 'status') ?? '') ?? 0;
}

/** The microseconds of processor time from the text of /proc/PID/task/TID/schedstat, which is exact to the nanosecond. */
export function parseThreadCpuUs(text: string): number {
  return Number(text.split(' ')[0]) / NS_PER_US;
}

/** The value of a line `name: value` from the text of /proc/PID/status or /proc/PID/io; 0 if there is no such line. */
export function parseProcValue(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** The counts of a process; all 0 if it has exited. Threads that have ended are not included. */
export function readKernelCounts(pid: number | undefined): KernelCounts {
  const threads = threadsOf(pid);
  const sum = (of: (thread: string) => number): number =>
    threads.reduce((total, thread) => total + of(thread), 0);
  const io = procText(pid, 'io') ?? '';
  const switches = (name: string): number =>
    sum((thread) => parseProcValue(procText(pid, `task/${thread}/status`) ?? '', name));
  return {
    cpuUs: sum((thread) => parseThreadCpuUs(procText(pid, `task/${thread}/schedstat`) ?? '0')),
    wakeUps: switches('voluntary_ctxt_switches'),
    preempted: switches('nonvoluntary_ctxt_switches'),
    reads: parseProcValue(io, 'syscr'),
    writes: parseProcValue(io, 'syscw'),
  };
}

/** Samples the resident memory of processes once a second until it is stopped; omits processes that have exited. */
export function sampleMemory(pids: Readonly<Record<string, number | undefined>>): {
  stop(): readonly MemorySample[];
} {
  const samples: MemorySample[] = [];
  const take = (): void => {
    const rss: Record<string, number> = {};
    for (const [name, pid] of Object.entries(pids)) {
      const mib = parseResidentMiB(procText(pid, 'status') ?? '');
      if (mib !== undefined) rss[name] = Math.round(mib);
    }
    samples.push({ second: samples.length, rss });
  };
  take();
  const timer = setInterval(take, MS_PER_SECOND);
  return {
    stop: () => {
      clearInterval(timer);
      return samples;
    },
  };
}

/** The first quarter of the samples. Caches are full by then and must not grow further. */
function firstQuarter(memory: readonly MemorySample[]): readonly MemorySample[] {
  return memory.slice(0, Math.ceil(memory.length / 4));
}

/** The peak memory in MiB of a process with this name, overall and in the first quarter; 0 if the name is unknown. */
export function peaksOf(
  memory: readonly MemorySample[],
  name: string,
): { readonly early: number; readonly all: number } {
  const peak = (samples: readonly MemorySample[]): number =>
    Math.max(0, ...samples.map(({ rss }) => rss[name] ?? 0));
  return { early: peak(firstQuarter(memory)), all: peak(memory) };
}

/**
 * The additional MiB at the peak of a process compared with its peak in the first quarter, for the process that grew
 * most.
 */
export function growthOf(memory: readonly MemorySample[]): number {
  const names = new Set(memory.flatMap(({ rss }) => Object.keys(rss)));
  const grown = [...names].map((name) => {
    const { early, all } = peaksOf(memory, name);
    return all - early;
  });
  return Math.max(0, ...grown);
}

function threadsOf(pid: number | undefined): readonly string[] {
  try {
    return pid === undefined ? [] : readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function procText(pid: number | undefined, file: string): string | undefined {
  if (pid === undefined) return undefined;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
