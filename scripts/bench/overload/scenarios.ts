/**
 * Measures an ingress at its capacity and beyond, with loads that arrive at a fixed rate whether or not earlier calls were
 * answered, as those of many independent callers do.
 */

import type { Serializable } from 'node:child_process';
import { median } from '../load.ts';
import { askChild, startChild, type Child } from '../processes.ts';
import type { BenchOptions, PartResults } from '../rounds.ts';
import { SAMPLE_BODY, SCHEDULE_CALL } from '../samples.ts';
import { addressOf, INGRESS_READY, type KafkaUnderTest, openSystem } from '../system.ts';
import { percent, table, thousands } from '../tables.ts';
import type { LoadReport, OpenLoad } from './open-load.ts';

/** A load relative to the capacity; the figures are medians over the rounds, per second and in milliseconds. */
export interface OverloadFigures {
  readonly scenario: string;
  readonly multiple: number;
  readonly offered: number;
  /** Answers within a second. */
  readonly goodput: number;
  /** Goodput relative to that at the capacity in the same round. */
  readonly share: number;
  readonly refused: number;
  readonly answeredP99Ms: number;
  readonly refusedP50Ms: number;
  readonly refusedP99Ms: number;
  /** The longest call of another caller, which has one in progress at a time. */
  readonly quietLongestMs: number;
  readonly quietRefused: number;
  readonly healthLongestMs: number;
  /** How late the load itself was at the 99th percentile: part of the latencies above. */
  readonly lateP99Ms: number;
  /** In all rounds: resets, other responses, and calls without a response. */
  readonly failed: number;
}

interface Scenario {
  readonly name: string;
  readonly body: string;
  /** Calls in progress at a time while the capacity is measured. */
  readonly window: number;
}

const MULTIPLES = [1, 2, 10] as const;
const WARM_UP_MS = 3_000;
const CAPACITY_MS = 2_000;
const DRAIN_MS = 30_000;
const LIMIT_MS = 180_000;
/** More than the refusals of a process need, few enough for the ports of a machine. */
const CONNECTIONS = 1_000;
/** A rate that a closed loop never reaches. */
const ENDLESS = 50_000;
const QUIET = { perSecond: 5, connections: 1, from: '127.0.0.2' } as const;
const HEALTH_INTERVAL_MS = 50;
const SECOND_MS = 1_000;
const EXPLAINED_BODY = SAMPLE_BODY.replace('"InstallmentsNo":12', '"InstallmentsNo":120,"Explain":true');

const SCENARIOS: readonly Scenario[] = [
  { name: '12 rows', body: SAMPLE_BODY, window: 64 },
  { name: '120 rows, explained', body: EXPLAINED_BODY, window: 8 },
];

/** One process with the embedded broker. */
export async function benchEmbeddedOverload(
  options: BenchOptions,
): Promise<PartResults<readonly OverloadFigures[]>> {
  const env = {
    KAFKA_BROKERS: '',
    DATA_DIR: 'memory',
    PORT: '0',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'warn',
  };
  const system = await startChild(['workers/main.ts'], INGRESS_READY, env);
  try {
    return await measureAll(options, 'embedded', addressOf(system));
  } finally {
    await system.stop();
  }
}

/** Ingress and schedule worker as processes of their own. */
export async function benchKafkaOverload(
  options: BenchOptions,
  kafka: KafkaUnderTest,
): Promise<PartResults<readonly OverloadFigures[]>> {
  const system = openSystem(kafka, 'overload');
  try {
    await system.startWorker('schedule');
    return await measureAll(options, 'Kafka', await system.startIngress());
  } finally {
    await system.close();
  }
}

async function measureAll(
  { rounds, measureMs, progress }: BenchOptions,
  broker: string,
  address: string,
): Promise<PartResults<readonly OverloadFigures[]>> {
  const generator = await startChild(['scripts/bench/overload/load-process.ts']);
  try {
    const figures: OverloadFigures[] = [];
    for (const scenario of SCENARIOS) {
      const measured: OverloadFigures[][] = [];
      await run(generator, [
        loadOf(address, scenario, {
          perSecond: ENDLESS,
          forMs: WARM_UP_MS,
          connections: scenario.window,
          drainMs: 0,
        }),
      ]);
      for (let round = 1; round <= rounds; round += 1) {
        measured.push(await measureRound(generator, address, scenario, measureMs));
        progress(`round ${round}/${rounds}: ${broker}, ${scenario.name}`);
      }
      for (const [index] of MULTIPLES.entries()) {
        figures.push(
          summarise(
            `${broker}: ${scenario.name}`,
            measured.flatMap((round) => round[index] ?? []),
          ),
        );
      }
    }
    return { figures, tables: [overloadTable(figures)] };
  } finally {
    await generator.stop();
  }
}

/** The capacity at this moment, then the loads relative to it. */
async function measureRound(
  generator: Child,
  address: string,
  scenario: Scenario,
  measureMs: number,
): Promise<OverloadFigures[]> {
  const closed = loadOf(address, scenario, {
    perSecond: ENDLESS,
    forMs: CAPACITY_MS,
    connections: scenario.window,
    drainMs: 0,
  });
  const [capacity] = await run(generator, [closed]);
  const perSecond = ((capacity?.answered ?? 0) * SECOND_MS) / CAPACITY_MS;
  const rounds: OverloadFigures[] = [];
  for (const multiple of MULTIPLES) {
    const load = { perSecond: perSecond * multiple, forMs: measureMs };
    const health = watchHealth(address);
    const [flood, quiet] = await run(generator, [
      loadOf(address, scenario, load),
      loadOf(address, scenario, { ...QUIET, forMs: measureMs }),
    ]);
    const healthLongestMs = await health.stop();
    if (flood === undefined || quiet === undefined) throw new Error('the load has no report');
    const goodput = (flood.inTime * SECOND_MS) / measureMs;
    rounds.push({
      scenario: scenario.name,
      multiple,
      offered: load.perSecond,
      goodput,
      share: goodput / (rounds[0]?.goodput ?? goodput),
      refused: (flood.refused * SECOND_MS) / measureMs,
      answeredP99Ms: flood.answeredMs.p99,
      refusedP50Ms: flood.refusedMs.p50,
      refusedP99Ms: flood.refusedMs.p99,
      quietLongestMs: quiet.answeredMs.longest,
      quietRefused: quiet.refused,
      healthLongestMs,
      lateP99Ms: flood.sentLateMs.p99,
      failed: countFailed(flood) + countFailed(quiet),
    });
  }
  return rounds;
}

function loadOf(
  address: string,
  { body }: Scenario,
  load: Pick<OpenLoad, 'perSecond' | 'forMs'> & Partial<OpenLoad>,
): OpenLoad {
  return { url: address + SCHEDULE_CALL.path, body, connections: CONNECTIONS, drainMs: DRAIN_MS, ...load };
}

function run(generator: Child, loads: readonly OpenLoad[]): Promise<readonly LoadReport[]> {
  return askChild(generator, loads as unknown as Serializable, LIMIT_MS);
}

/** Queries health repeatedly; returns the longest time of a response. Rejects if one is not 200. */
function watchHealth(address: string): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let longestMs = 0;
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      const { ok, status } = await fetch(`${address}/health/ready`);
      if (!ok) throw new Error(`health responded with ${status}`);
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, HEALTH_INTERVAL_MS));
    }
  };
  const watching = watch();
  return {
    stop: async () => {
      stopping.abort();
      await watching;
      return longestMs;
    },
  };
}

function countFailed({ unanswered, broken, other }: LoadReport): number {
  return [...Object.values(broken), ...Object.values(other)].reduce((sum, count) => sum + count, unanswered);
}

function summarise(scenario: string, rounds: readonly OverloadFigures[]): OverloadFigures {
  const middle = (figure: (round: OverloadFigures) => number): number => median(rounds.map(figure));
  const total = (figure: (round: OverloadFigures) => number): number =>
    rounds.reduce((sum, round) => sum + figure(round), 0);
  return {
    scenario,
    multiple: rounds[0]?.multiple ?? 0,
    offered: middle(({ offered }) => offered),
    goodput: middle(({ goodput }) => goodput),
    share: middle(({ share }) => share),
    refused: middle(({ refused }) => refused),
    answeredP99Ms: middle(({ answeredP99Ms }) => answeredP99Ms),
    refusedP50Ms: middle(({ refusedP50Ms }) => refusedP50Ms),
    refusedP99Ms: middle(({ refusedP99Ms }) => refusedP99Ms),
    quietLongestMs: middle(({ quietLongestMs }) => quietLongestMs),
    quietRefused: total(({ quietRefused }) => quietRefused),
    healthLongestMs: middle(({ healthLongestMs }) => healthLongestMs),
    lateP99Ms: middle(({ lateP99Ms }) => lateP99Ms),
    failed: total(({ failed }) => failed),
  };
}

function overloadTable(figures: readonly OverloadFigures[]): string {
  const head = [
    'load',
    'offered/s',
    '200 within 1 s',
    'of 1x',
    '503/s',
    '200 p99',
    '503 p50',
    '503 p99',
    'quiet caller',
    'its 503',
    'health',
    'sent late p99',
    'failed',
  ];
  const rows = figures.map((line) => [
    `${line.scenario}, ${line.multiple}x`,
    thousands(line.offered),
    thousands(line.goodput),
    percent(line.share),
    thousands(line.refused),
    ...[line.answeredP99Ms, line.refusedP50Ms, line.refusedP99Ms, line.quietLongestMs].map((ms) =>
      ms.toFixed(0),
    ),
    String(line.quietRefused),
    line.healthLongestMs.toFixed(0),
    line.lateP99Ms.toFixed(0),
    String(line.failed),
  ]);
  return table(head, rows);
}
