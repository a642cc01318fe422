import { createHistogram, performance } from 'node:perf_hooks';

/** How late timers fire, in seconds; each includes the interval of the samples, as that of Node's monitorEventLoopDelay. */
export interface LoopLag {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  percentile(percent: number): number;
}

/** What the samples are taken from. */
export interface LoopMeter {
  /** Monotonic milliseconds. */
  now(): number;
  /** The share of the time in callbacks since the last call, 0 to 1. */
  busyShare(): number;
}

/** The interval of the samples while the event loop is busy. */
const BUSY_MS = 10;
/**
 * The interval while it is idle: a hundred timers a second would cost more than everything else that an idle process does. A
 * sudden block shows with the part of it that follows the next sample.
 */
const IDLE_MS = 500;
/** Number of samples that an idle interval stands for. */
const SAMPLES_PER_IDLE = IDLE_MS / BUSY_MS;
/** Samples of a busy event loop between two looks at how busy it is. */
const SAMPLES_PER_LOOK = 100;
/** The loop is busy above this share of the time in callbacks. */
const BUSY_SHARE = 0.1;
const NS_PER_MS = 1_000_000;
const NS_PER_SECOND = 1_000_000_000;

/**
 * Samples how late timers of the event loop fire, until the process ends. An idle event loop is sampled twice a second; the
 * samples that were left out count as punctual, so that idle and busy times have the same weight.
 */
export function watchLoopLag(meter: LoopMeter = createSystemMeter()): { take(): LoopLag } {
  let histogram = createHistogram();
  let samples = 0;
  const sampleAfter = (intervalMs: number): void => {
    const startedMs = meter.now();
    setTimeout(() => {
      const lateMs = Math.max(0, meter.now() - startedMs - intervalMs);
      record(histogram, BUSY_MS + lateMs, 1);
      if (intervalMs === IDLE_MS) record(histogram, BUSY_MS, SAMPLES_PER_IDLE - 1);
      samples += 1;
      if (intervalMs === BUSY_MS && samples < SAMPLES_PER_LOOK) return sampleAfter(BUSY_MS);
      samples = 0;
      sampleAfter(meter.busyShare() > BUSY_SHARE ? BUSY_MS : IDLE_MS);
    }, intervalMs).unref();
  };
  sampleAfter(BUSY_MS);
  return {
    /** The lag since the last call. */
    take: () => {
      const taken = histogram;
      histogram = createHistogram();
      if (taken.count === 0) record(taken, BUSY_MS, 1);
      return {
        min: inSeconds(taken.min),
        max: inSeconds(taken.max),
        mean: inSeconds(taken.mean),
        stddev: inSeconds(taken.stddev),
        percentile: (percent) => inSeconds(taken.percentile(percent)),
      };
    },
  };
}

function record(histogram: ReturnType<typeof createHistogram>, ms: number, times: number): void {
  const nanoseconds = Math.round(ms * NS_PER_MS);
  for (let left = times; left > 0; left -= 1) histogram.record(nanoseconds);
}

function inSeconds(nanoseconds: number): number {
  return nanoseconds / NS_PER_SECOND;
}

function createSystemMeter(): LoopMeter {
  let before = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  };
}
