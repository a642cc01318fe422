/**
 * Measures the constants of the scaling model, and compares its prediction with one, two and three Kafka nodes and one to four
 * worker processes on this machine.
 */

import { availableParallelism } from 'node:os';
import { startLocalKafka } from '../../dev/local-kafka/start-local-kafka.ts';
import { askRequester, startRawBatches } from '../bulk/raw-batches.ts';
import type { Group } from '../peers/systems.ts';
import { ownHttp } from '../peers/systems.ts';
import type { Child } from '../processes.ts';
import { type BenchOptions, type PartResults, type Ratio, toKnow } from '../rounds.ts';
import { ACCEPT_CALL, LOOK_UP_CALL, SCHEDULE_CALL, SIMULATE_CALL } from '../samples.ts';
import { openSystem } from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import { rateOnOneMachine, type UnitCost } from './model.ts';
import { type MeasuredCost, measureCost } from './unit-cost.ts';

type Options = Pick<BenchOptions, 'measureMs' | 'progress'>;

/** One kind of work on a number of nodes with a number of worker processes. */
interface ScaleLine extends MeasuredCost {
  readonly unit: string;
  readonly nodes: number;
  readonly workers: number;
}

interface ScaleFigures {
  readonly lines: readonly ScaleLine[];
  readonly ratios: readonly Ratio[];
}

const NODES = [1, 2, 3] as const;
const MAX_WORKERS = 4;
const CONTRACT = 'contract';
const CALLS = {
  'schedule call': SCHEDULE_CALL,
  'product look-up': LOOK_UP_CALL,
  'Simulate call': SIMULATE_CALL,
  'accepted SMS': ACCEPT_CALL,
} as const;
const WINDOW = 64;
const WARM_UP_MS = 4_000;

/** Measures every kind of work on one and three nodes, and contracts on two nodes too. */
export async function benchScaling(options: Options): Promise<PartResults<ScaleFigures>> {
  const lines: ScaleLine[] = [];
  for (const nodes of NODES) lines.push(...(await measureNodes(options, nodes)));
  const ratios = ratiosOf(lines);
  return { figures: { lines, ratios }, tables: [costTable(lines), ratioTable(ratios)] };
}

async function measureNodes(options: Options, nodes: (typeof NODES)[number]): Promise<readonly ScaleLine[]> {
  options.progress(`starting Apache Kafka with ${nodes} nodes`);
  const local = await startLocalKafka({ nodes, registry: false });
  try {
    const kafka = { brokers: local.brokers, brokerPids: local.nodes.map(({ pid }) => pid) };
    const at = { ...options, nodes, folder: local.folder };
    const calls = nodes === 2 ? [] : await measureCalls(at, { kafka, java: undefined });
    return [...calls, ...(await measureContracts(at, kafka))];
  } finally {
    await local.stop();
  }
}

interface Place extends Options {
  readonly nodes: number;
  readonly folder: string;
}

async function measureCalls(
  place: Place,
  kafka: Pick<Group, 'kafka' | 'java'>,
): Promise<readonly ScaleLine[]> {
  await using cleanup = new AsyncDisposableStack();
  const trips = await ownHttp({ ...kafka, cleanup }, 'kafkajs', CALLS, [WINDOW]);
  const lines: ScaleLine[] = [];
  for (const { system: unit, pids, run } of trips) {
    await run(WINDOW, WARM_UP_MS);
    const { ingress: requester = [], worker: workers = [], broker: brokers = [] } = pids;
    const processes = { requester, workers, brokers, folder: place.folder };
    const cost = await measureCost(processes, place.measureMs, (forMs) => run(WINDOW, forMs));
    lines.push(report(place, { unit, nodes: place.nodes, workers: 1, ...cost }));
  }
  return lines;
}

async function measureContracts(place: Place, kafka: Group['kafka']): Promise<readonly ScaleLine[]> {
  const system = openSystem(kafka, 'scale');
  try {
    const requester = await startRawBatches(system, 'requester');
    const workers: Child[] = [];
    const lines: ScaleLine[] = [];
    while (workers.length < MAX_WORKERS) {
      workers.push(await system.startWorker('schedule', { SCHEDULE_LANES: 'bulk' }));
      await askRequester(requester, { measureMs: WARM_UP_MS });
      const processes = {
        requester: [requester.process.pid],
        workers: workers.map((child) => child.process.pid),
        brokers: kafka.brokerPids,
        folder: place.folder,
      };
      const cost = await measureCost(processes, place.measureMs, async (measureMs) => {
        const { contractsPerSecond } = await askRequester(requester, { measureMs });
        return { perSecond: contractsPerSecond };
      });
      lines.push(report(place, { unit: CONTRACT, nodes: place.nodes, workers: workers.length, ...cost }));
    }
    return lines;
  } finally {
    await system.close();
  }
}

function report({ progress }: Options, line: ScaleLine): ScaleLine {
  const { unit, nodes, workers, perSecond } = line;
  progress(`${unit}, ${nodes} nodes, ${workers} workers: ${thousands(perSecond)} per second`);
  return line;
}

/** Measured rates relative to those that the model predicts from the first worker on one and on three nodes. */
function ratiosOf(lines: readonly ScaleLine[]): readonly Ratio[] {
  const contracts = lines.filter(({ unit }) => unit === CONTRACT);
  const cost = costOf(contracts);
  if (cost === undefined) return [];
  return contracts.map(({ nodes, workers, perSecond }) => {
    const predicted = rateOnOneMachine(cost, { cores: availableParallelism(), workers, replicas: nodes });
    return toKnow(`contracts per second / predicted: ${nodes} nodes, ${workers} workers`, {
      value: perSecond / predicted,
    });
  });
}

/** The constants from the lines with one worker; undefined if one is missing. */
function costOf(lines: readonly ScaleLine[]): UnitCost | undefined {
  const [one, three] = [1, 3].map((count) =>
    lines.find(({ nodes, workers }) => nodes === count && workers === 1),
  );
  if (one === undefined || three === undefined) return undefined;
  return { ...one, requestHours: 0, replicaUs: (three.brokerUs - one.brokerUs) / 2 };
}

function costTable(lines: readonly ScaleLine[]): string {
  const rows = lines.map((line) => [
    line.unit,
    String(line.nodes),
    String(line.workers),
    thousands(line.perSecond),
    thousands(line.requesterUs),
    thousands(line.workerUs),
    thousands(line.brokerUs),
    line.brokerSystemCalls.toFixed(2),
    thousands(line.requestBytes),
    thousands(line.replyBytes),
  ]);
  const head = [
    'unit',
    'nodes',
    'workers',
    'per second',
    'us of requester',
    'us of workers',
    'us of brokers',
  ];
  return table([...head, 'system calls of brokers', 'request bytes', 'reply bytes'], rows);
}
