import { createRequire } from 'node:module';
import { processSeconds } from './processes.ts';
import { type BenchOptions, inTurns, median, quantile, table, thousands } from './rounds.ts';
import { scheduleBody } from './samples.ts';

export interface MeasuredSystem {
  readonly name: string;
  readonly url: string;
  /** Process ids by the role of the process in a call, such as `broker`. */
  readonly pids: Readonly<Record<string, number>>;
  readonly warmUpMs: number;
}

interface TripRound {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
  /** Processor time (user and system) of each part, in microseconds per answered call. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

export interface TripLine {
  readonly system: string;
  /** The number of calls in progress. */
  readonly window: number;
  readonly rounds: readonly TripRound[];
}

export const ONE = 1;
export const MANY = 64;

const MEASURE_MS = 2_000;
const WAKE_MS = 300;
const WARM_UP_SLICE_MS = 5_000;
const SLICES_WITHOUT_RISE = 3;
const SMALLEST_RISE = 1.02;
const LONGEST_WARM_UP_MS = 15 * 60_000;

interface Autocannon extends PromiseLike<{ readonly errors: number; readonly non2xx: number }> {
  on(
    event: 'response',
    listener: (client: unknown, status: number, bytes: number, latencyMs: number) => void,
  ): void;
}

const require = createRequire(import.meta.url);

/** Warms up the systems, then measures each with each window once a round. Rejects if a system answers no call. */
export async function measureTrips(
  { rounds, progress }: BenchOptions,
  systems: readonly MeasuredSystem[],
  windows: readonly number[],
): Promise<readonly TripLine[]> {
  for (const system of systems) await warmUp(system, progress);
  const trips = systems.flatMap((system) => windows.map((window) => ({ system, window })));
  const results = await inTurns(rounds, trips, async ({ system, window }, round) => {
    const result = await measureOnce(system, window);
    const { perSecond, p50Ms } = result;
    progress(
      `round ${round}/${rounds}: ${system.name}, window ${window}, ` +
        `${thousands(perSecond)} per second, p50 ${p50Ms.toFixed(2)} ms`,
    );
    return result;
  });
  return trips.map(({ system, window }, index) => ({
    system: system.name,
    window,
    rounds: results[index] ?? [],
  }));
}

/** Calls a system with full load until its throughput no longer rises, at most 15 minutes. Java takes many minutes. */
async function warmUp({ name, url, warmUpMs }: MeasuredSystem, progress: BenchOptions['progress']) {
  let best = 0;
  let withoutRise = 0;
  let warmMs = 0;
  while ((warmMs < warmUpMs || withoutRise < SLICES_WITHOUT_RISE) && warmMs < LONGEST_WARM_UP_MS) {
    const { perSecond } = await load(url, MANY, WARM_UP_SLICE_MS);
    withoutRise = perSecond > best * SMALLEST_RISE ? 0 : withoutRise + 1;
    best = Math.max(best, perSecond);
    warmMs += WARM_UP_SLICE_MS;
  }
  progress(`warm after ${warmMs / 1_000} s: ${name}, ${thousands(best)} per second`);
}

async function measureOnce({ url, pids }: MeasuredSystem, window: number): Promise<TripRound> {
  await load(url, window, WAKE_MS);
  const before = Object.values(pids).map(processSeconds);
  const { latencies, ...result } = await load(url, window, MEASURE_MS);
  if (latencies.length === 0) {
    throw new Error(`${url} answered no call in ${MEASURE_MS} ms, and refused ${result.refused}`);
  }
  const cpuUs = Object.entries(pids).map(([part, pid], index) => {
    const seconds = processSeconds(pid) - (before[index] ?? 0);
    return [part, (seconds * 1_000_000) / latencies.length] as const;
  });
  return {
    ...result,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuUs: Object.fromEntries(cpuUs),
  };
}

async function load(url: string, window: number, forMs: number) {
  const autocannon = require('autocannon') as (options: object) => Autocannon;
  const latencies: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const run = autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: scheduleBody(12),
    connections: window,
    duration: forMs / 1_000,
    sampleInt: 50,
  });
  // Collects the latencies, since the summary of autocannon has only whole milliseconds.
  run.on('response', (_client, status, _bytes, latencyMs) => {
    endedAt = performance.now();
    if (status === 200) latencies.push(latencyMs);
  });
  const { errors, non2xx } = await run;
  const perSecond = latencies.length === 0 ? 0 : (latencies.length / (endedAt - startedAt)) * 1_000;
  return { latencies, perSecond, refused: errors + non2xx };
}

/** For each round, a figure of one system divided by the figure of another; NaN if the other was not measured. */
export function quotients(
  lines: readonly TripLine[],
  [own, other]: readonly [string, string],
  window: number,
  figure: (round: TripRound) => number,
): readonly number[] {
  const roundsOf = (name: string) =>
    lines.find((line) => line.system === name && line.window === window)?.rounds.map(figure) ?? [];
  const others = roundsOf(other);
  return roundsOf(own).map((value, round) => value / (others[round] ?? Number.NaN));
}

export function tripTable(title: string, lines: readonly TripLine[]): string {
  const rows = lines.map(({ system, window, rounds }) => {
    const middle = (figure: (round: TripRound) => number): number => median(rounds.map(figure));
    const cpu = Object.keys(rounds[0]?.cpuUs ?? {}).map(
      (part) => `${Math.round(middle(({ cpuUs }) => cpuUs[part] ?? 0))} ${part}`,
    );
    return [
      system,
      String(window),
      thousands(middle(({ perSecond }) => perSecond)),
      middle(({ p50Ms }) => p50Ms).toFixed(2),
      middle(({ p99Ms }) => p99Ms).toFixed(2),
      thousands(rounds.reduce((sum, { refused }) => sum + refused, 0)),
      cpu.join(' + '),
    ];
  });
  const head = [title, 'window', 'per second', 'p50 ms', 'p99 ms', 'refused'];
  return table([...head, 'us of processor time per call'], rows);
}
