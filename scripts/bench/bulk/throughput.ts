/** How many contracts go through the bulk lane, beside what the broker and the calculation alone would allow. */

import { availableParallelism } from 'node:os';
import { askChild, startChild, type Child } from '../child-process.ts';
import { median } from '../closed-loop.ts';
import { openBulkSystem, type BulkSystem, type KafkaUnderTest } from './system.ts';
import { laneRatio } from './ratios.ts';
import { toKnow } from '../interleaved.ts';
import type { Ratio } from '../measurement.ts';
import { busyShare, processSeconds, readCpuTimes } from '../proc-readings.ts';
import type { BulkAnswer, BulkWords } from './raw-batch-requester.ts';

/** Worker processes that scaling is shown with. */
const WORKERS = [1, 2, 3] as const;
/** The first time for the compilers of all processes; later ones fill the pipe. */
const FIRST_WARM_UP_MS = 8_000;
const WARM_UP_MS = 1_500;
const ANSWER_MARGIN_MS = 60_000;
const US_PER_SECOND = 1_000_000;

/** One round of contracts over Kafka. */
interface BulkRound {
  readonly contractsPerSecond: number;
  /** Of the machine, 0 to 1. */
  readonly busyShare: number;
  /** Microseconds of processor time for each contract, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

/** Rounds of one scenario. */
export interface BulkLine {
  readonly scenario: string;
  readonly rounds: readonly BulkRound[];
}

/** Figures of the bulk lane. */
export interface BulkResults {
  readonly lines: readonly BulkLine[];
  readonly ratios: readonly Ratio[];
}

export interface BulkBenchOptions extends KafkaUnderTest {
  readonly rounds: number;
  readonly measureMs: number;
  readonly progress: (text: string) => void;
}

/** What is asked for batches, and whose processor time that takes. */
interface Measured {
  readonly scenario: string;
  readonly rounds: BulkRound[];
  readonly run: (warmUpMs: number) => Promise<BulkRound>;
}

/** Echo, engine and lane in turns; then the lane with more worker processes. Every part is a process of its own. */
export async function benchBulk(options: BulkBenchOptions): Promise<BulkResults> {
  const prefix = `bench-${process.pid}.`;
  const system = openBulkSystem(options, `${prefix}bulk.`);
  const raw = openBulkSystem(options, `${prefix}echo.`);
  const full = openBulkSystem(options, `${prefix}full.`);
  const engine = await startChild(['scripts/bench/bulk/engine-alone.ts'], /READY/);
  try {
    const echo = overKafka(options, 'echo alone: raw kafkajs', {
      requester: await raw.startRequester(),
      others: { echo: await raw.startEcho() },
    });
    const requester = await system.startRequester();
    const first = await system.startWorker('bulk');
    const lane = overKafka(options, laneName(1), { requester, others: { worker: first } });
    const fullLane = await laneOfAllCores(options, full);
    const alone = engineAlone(options, engine);
    await inTurns(options, [echo, alone, lane, fullLane]);
    await raw.close();
    await full.close();
    const more = await withMoreWorkers(options, system, { requester, first });
    const lines = [echo, alone, lane, fullLane, ...more].map(lineOf);
    return { lines, ratios: ratiosOf({ echo, alone, lanes: [lane, fullLane], more }) };
  } finally {
    await engine.stop();
    await raw.close();
    await full.close();
    await system.close();
  }
}

const laneName = (workers: number): string =>
  `bulk lane, ${workers} worker process${workers === 1 ? '' : 'es'}`;

/** The lane as a machine is used that calculates nothing else: a worker process for each core. */
async function laneOfAllCores(options: BulkBenchOptions, system: BulkSystem): Promise<Measured> {
  const workers = availableParallelism();
  const others: Record<string, Child> = {};
  for (let worker = 1; worker <= workers; worker += 1) {
    others[`worker ${worker}`] = await system.startWorker('bulk');
  }
  return overKafka(options, laneName(workers), { requester: await system.startRequester(), others });
}

async function inTurns(options: BulkBenchOptions, all: readonly Measured[]): Promise<void> {
  for (const measured of all) {
    options.progress(`warming up: ${measured.scenario}`);
    await measured.run(FIRST_WARM_UP_MS);
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const measured of round % 2 === 1 ? all : all.toReversed()) {
      const result = await measured.run(WARM_UP_MS);
      measured.rounds.push(result);
      const rate = Math.round(result.contractsPerSecond);
      options.progress(`round ${round}/${options.rounds}: ${measured.scenario}, ${rate} contracts a second`);
    }
  }
}

/** The lane with one worker process after another; each comes to stay. */
async function withMoreWorkers(
  options: BulkBenchOptions,
  system: BulkSystem,
  { requester, first }: { readonly requester: Child; readonly first: Child },
): Promise<readonly Measured[]> {
  const others: Record<string, Child> = { worker: first };
  const lines: Measured[] = [];
  for (const workers of WORKERS) {
    if (workers > 1) others[`worker ${workers}`] = await system.startWorker('bulk');
    const title = `scaling: ${workers} worker process${workers === 1 ? '' : 'es'}`;
    const line = overKafka(options, title, { requester, others });
    await inTurns(options, [line]);
    lines.push(line);
  }
  return lines;
}

function overKafka(
  options: BulkBenchOptions,
  scenario: string,
  { requester, others }: { readonly requester: Child; readonly others: Readonly<Record<string, Child>> },
): Measured {
  const pids = {
    requester: [requester.process.pid],
    broker: options.brokerPids,
    workers: Object.values(others).map((child) => child.process.pid),
  };
  const used = (): number[] =>
    Object.values(pids).map((group) => group.reduce<number>((sum, pid) => sum + processSeconds(pid), 0));
  const run = async (warmUpMs: number): Promise<BulkRound> => {
    await askRequester(requester, { warmUpMs: 0, measureMs: warmUpMs });
    const [cpuBefore, usedBefore] = [readCpuTimes(), used()];
    const answer = await askRequester(requester, { warmUpMs: 0, measureMs: options.measureMs });
    const usedAfter = used();
    const cpuUs = Object.keys(pids).map((name, index) => {
      const seconds = (usedAfter[index] ?? 0) - (usedBefore[index] ?? 0);
      return [name, (seconds * US_PER_SECOND) / answer.contracts] as const;
    });
    return {
      contractsPerSecond: answer.contractsPerSecond,
      busyShare: busyShare(cpuBefore, readCpuTimes()),
      cpuUs: Object.fromEntries(cpuUs),
    };
  };
  return { scenario, rounds: [], run };
}

function askRequester(requester: Child, words: BulkWords): Promise<BulkAnswer> {
  return askChild<BulkAnswer>(requester, words, words.warmUpMs + words.measureMs + ANSWER_MARGIN_MS);
}

function engineAlone(options: BulkBenchOptions, engine: Child): Measured {
  const ask = (measureMs: number): Promise<number> =>
    askChild<number>(engine, { measureMs }, measureMs + ANSWER_MARGIN_MS);
  const run = async (warmUpMs: number): Promise<BulkRound> => {
    await ask(warmUpMs);
    const [cpuBefore, usedBefore] = [readCpuTimes(), processSeconds(engine.process.pid)];
    const contractsPerSecond = await ask(options.measureMs);
    const seconds = processSeconds(engine.process.pid) - usedBefore;
    const contracts = (contractsPerSecond * options.measureMs) / 1_000;
    return {
      contractsPerSecond,
      busyShare: busyShare(cpuBefore, readCpuTimes()),
      cpuUs: { workers: (seconds * US_PER_SECOND) / contracts },
    };
  };
  return { scenario: 'engine and codec alone, no broker', rounds: [], run };
}

function lineOf({ scenario, rounds }: Measured): BulkLine {
  return { scenario, rounds };
}

const ratesOf = ({ rounds }: Measured): readonly number[] =>
  rounds.map(({ contractsPerSecond }) => contractsPerSecond);

function ratiosOf(measured: {
  readonly echo: Measured;
  readonly alone: Measured;
  readonly lanes: readonly Measured[];
  readonly more: readonly Measured[];
}): readonly Ratio[] {
  const { echo, alone, lanes, more } = measured;
  const [one, ...others] = more.map(ratesOf);
  return [
    ...lanes.map((lane) =>
      laneRatio(lane.scenario, { echo: ratesOf(echo), engine: ratesOf(alone), lane: ratesOf(lane) }),
    ),
    ...others.map((rates, index) =>
      toKnow(`contracts per second: ${index + 2} worker processes / 1`, {
        value: median(rates) / median(one ?? []),
        byFastest: Math.max(...rates) / Math.max(...(one ?? [])),
      }),
    ),
  ];
}
