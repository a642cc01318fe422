/** Measures the throughput of the bulk lane, compared with that of the broker and of the calculation alone. */

import { availableParallelism } from 'node:os';
import { median } from '../load.ts';
import { busyShare, processSeconds, readCpuTimes } from '../proc-readings.ts';
import { askChild, startChild, type Child } from '../processes.ts';
import {
  atLeast,
  type BenchOptions,
  compareWithSeries,
  inTurns,
  type PartResults,
  type Ratio,
  toKnow,
} from '../rounds.ts';
import { openSystem, type KafkaUnderTest, type System } from '../system.ts';
import { percent, ratioTable, table, thousands } from '../tables.ts';
import { askRequester, startRawBatches } from './raw-batches.ts';

/** Numbers of worker processes in the scaling test. */
const WORKERS = [1, 2, 3] as const;
/** Duration of the warm-up: the first one lets all processes compile their code, later ones fill the pipeline. */
const FIRST_WARM_UP_MS = 8_000;
const WARM_UP_MS = 1_500;
const ANSWER_MARGIN_MS = 60_000;
const US_PER_SECOND = 1_000_000;
const PROCESSES = ['requester', 'broker', 'workers'] as const;
/** Target: the rate of the lane as a share of the rate that echo and calculation would reach sequentially. */
const AIM_SHARE = 0.8;

/** One round of contracts over Kafka. */
interface BulkRound {
  readonly contractsPerSecond: number;
  /** Share of the machine, 0 to 1. */
  readonly busyShare: number;
  /** Microseconds of processor time for each contract, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Rounds of one scenario. */
interface BulkLine {
  readonly scenario: string;
  readonly rounds: readonly BulkRound[];
}

interface BulkFigures {
  readonly lines: readonly BulkLine[];
  readonly ratios: readonly Ratio[];
}

interface Scenario {
  readonly name: string;
  readonly run: (warmUpMs: number) => Promise<BulkRound>;
}

type Options = Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>;

/**
 * Measures echo, engine and lane alternately, then the lane with more worker processes. Every part is a separate
 * process.
 */
export async function benchThroughput(
  options: Options,
  kafka: KafkaUnderTest,
): Promise<PartResults<BulkFigures>> {
  const system = openSystem(kafka, 'bulk');
  const raw = openSystem(kafka, 'echo');
  const full = openSystem(kafka, 'full');
  const engine = await startChild(['scripts/bench/bulk/engine-alone.ts']);
  const overKafka = (name: string, requester: Child, others: readonly Child[]): Scenario => ({
    name,
    run: (warmUpMs) => measureOverKafka(options, kafka, { requester, others }, warmUpMs),
  });
  try {
    const rawRequester = await startRawBatches(raw, 'requester');
    const echo = overKafka('echo alone: raw kafkajs', rawRequester, [await startRawBatches(raw, 'echo')]);
    const requester = await startRawBatches(system, 'requester');
    const workers = [await startWorker(system)];
    // The lane with a worker process for each core, on a machine that does not calculate anything else.
    const all: Child[] = [];
    while (all.length < availableParallelism()) all.push(await startWorker(full));
    const fullRequester = await startRawBatches(full, 'requester');
    const [own, alone, one, most] = await measure(options, [
      echo,
      engineAlone(options, engine),
      overKafka(`bulk lane, ${processes(1)}`, requester, workers),
      overKafka(`bulk lane, ${processes(all.length)}`, fullRequester, all),
    ]);
    await raw.close();
    await full.close();
    const scaling: BulkLine[] = [];
    for (const count of WORKERS) {
      while (workers.length < count) workers.push(await startWorker(system));
      scaling.push(
        ...(await measure(options, [overKafka(`scaling: ${processes(count)}`, requester, workers)])),
      );
    }
    if (own === undefined || alone === undefined || one === undefined || most === undefined) {
      throw new RangeError('a scenario was not measured');
    }
    const lines = [own, alone, one, most, ...scaling];
    const ratios = [...[one, most].map((lane) => laneRatio(lane, own, alone)), ...scalingRatios(scaling)];
    return { figures: { lines, ratios }, tables: [bulkTable(lines), ratioTable(ratios)] };
  } finally {
    await engine.stop();
    await raw.close();
    await full.close();
    await system.close();
  }
}

const processes = (workers: number): string => `${workers} worker process${workers === 1 ? '' : 'es'}`;

function startWorker(system: System): Promise<Child> {
  return system.startWorker('schedule', { SCHEDULE_LANES: 'bulk' });
}

async function measure(options: Options, scenarios: readonly Scenario[]): Promise<readonly BulkLine[]> {
  for (const { name, run } of scenarios) {
    options.progress(`warming up: ${name}`);
    await run(FIRST_WARM_UP_MS);
  }
  const rounds = await inTurns(
    options,
    scenarios,
    ({ run }) => run(WARM_UP_MS),
    ({ contractsPerSecond }) => `, ${Math.round(contractsPerSecond)} contracts per second`,
  );
  return scenarios.map(({ name }, index) => ({ scenario: name, rounds: rounds[index] ?? [] }));
}

async function measureOverKafka(
  { measureMs }: Options,
  { brokerPids }: KafkaUnderTest,
  { requester, others }: { readonly requester: Child; readonly others: readonly Child[] },
  warmUpMs: number,
): Promise<BulkRound> {
  const pids = {
    requester: [requester.process.pid],
    broker: brokerPids,
    workers: others.map((child) => child.process.pid),
  };
  await askRequester(requester, { measureMs: warmUpMs });
  const cpuBefore = readCpuTimes();
  const before = PROCESSES.map((name) => secondsOf(pids[name]));
  const { contractsPerSecond, contracts } = await askRequester(requester, { measureMs });
  const cpuUs = PROCESSES.map((name, index) => {
    const seconds = secondsOf(pids[name]) - (before[index] ?? 0);
    return [name, (seconds * US_PER_SECOND) / contracts] as const;
  });
  return {
    contractsPerSecond,
    busyShare: busyShare(cpuBefore, readCpuTimes()),
    cpuUs: Object.fromEntries(cpuUs),
  };
}

function secondsOf(pids: readonly (number | undefined)[]): number {
  return pids.reduce<number>((sum, pid) => sum + processSeconds(pid), 0);
}

function engineAlone({ measureMs: ownMs }: Options, engine: Child): Scenario {
  const ask = (measureMs: number): Promise<number> =>
    askChild<number>(engine, { measureMs }, measureMs + ANSWER_MARGIN_MS);
  const run = async (warmUpMs: number): Promise<BulkRound> => {
    await ask(warmUpMs);
    const [cpuBefore, usedBefore] = [readCpuTimes(), processSeconds(engine.process.pid)];
    const contractsPerSecond = await ask(ownMs);
    const seconds = processSeconds(engine.process.pid) - usedBefore;
    const contracts = (contractsPerSecond * ownMs) / 1_000;
    return {
      contractsPerSecond,
      busyShare: busyShare(cpuBefore, readCpuTimes()),
      cpuUs: { workers: (seconds * US_PER_SECOND) / contracts },
    };
  };
  return { name: 'engine and codec alone, no broker', run };
}

const ratesOf = ({ rounds }: BulkLine): readonly number[] =>
  rounds.map(({ contractsPerSecond }) => contractsPerSecond);

function laneRatio(lane: BulkLine, echo: BulkLine, engine: BulkLine): Ratio {
  const measured = compareWithSeries(ratesOf(lane), ratesOf(echo), ratesOf(engine));
  return atLeast(`${lane.scenario} / (echo and engine sequentially)`, measured, AIM_SHARE);
}

function scalingRatios([one, ...more]: readonly BulkLine[]): readonly Ratio[] {
  const base = one === undefined ? [] : ratesOf(one);
  return more.map(ratesOf).map((rates, index) =>
    toKnow(`contracts per second: ${index + 2} worker processes / 1`, {
      value: median(rates) / median(base),
      byFastest: Math.max(...rates) / Math.max(...base),
    }),
  );
}

/** Contracts per second, and their processor time. */
function bulkTable(lines: readonly BulkLine[]): string {
  const rows = lines.map((line) => {
    const { scenario, rounds } = line;
    const rates = ratesOf(line);
    const cpu = PROCESSES.map((name) => {
      const used = rounds.flatMap(({ cpuUs }) => cpuUs[name] ?? []);
      return used.length === 0 ? '' : thousands(median(used));
    });
    const busy = percent(median(rounds.map((round) => round.busyShare)));
    return [scenario, thousands(median(rates)), thousands(Math.max(...rates)), ...cpu, busy];
  });
  const cpuHead = PROCESSES.map((name) => `us of ${name}`);
  return table(['contracts of 60 rows', 'per second', 'fastest round', ...cpuHead, 'processors busy'], rows);
}
