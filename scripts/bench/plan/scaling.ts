/**
 * Measures the constants of the scaling model, and compares its prediction with one, two and three Kafka nodes and one to four
 * worker processes on this machine.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startLocalKafka } from '../../dev/local-kafka/start-local-kafka.ts';
import { writePortfolio } from '../bulk/portfolio.ts';
import { askRequester, startRawBatches } from '../bulk/raw-batches.ts';
import type { Group } from '../peers/systems.ts';
import { ownHttp } from '../peers/systems.ts';
import type { Child } from '../processes.ts';
import { type BenchOptions, type PartResults, type Ratio, toKnow } from '../rounds.ts';
import { ACCEPT_CALL, LOOK_UP_CALL, SCHEDULE_CALL, SIMULATE_CALL } from '../samples.ts';
import { openSystem, type System } from '../system.ts';
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
/** The command takes seconds for them, and mostly runs compiled code. */
const COMMAND_CONTRACTS = 30_000;
const COMMAND_LIMIT_MS = 300_000;
const SECOND_MS = 1_000;
const US_PER_SECOND = 1_000_000;

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
    const workers = [await startWorker(system)];
    const lines = place.nodes === 1 ? [await measureCommand(place, kafka, system, workers)] : [];
    const requester = await startRawBatches(system, 'requester');
    for (let count = 1; count <= MAX_WORKERS; count += 1) {
      while (workers.length < count) workers.push(await startWorker(system));
      await askRequester(requester, { measureMs: WARM_UP_MS });
      const processes = processesOf(place, kafka, workers);
      const cost = await measureCost(
        { ...processes, requester: [requester.process.pid] },
        place.measureMs,
        async (measureMs) => ({
          perSecond: (await askRequester(requester, { measureMs })).contractsPerSecond,
        }),
      );
      lines.push(report(place, { unit: CONTRACT, nodes: place.nodes, workers: count, ...cost }));
    }
    return lines;
  } finally {
    await system.close();
  }
}

function startWorker(system: System): Promise<Child> {
  return system.startWorker('schedule', { SCHEDULE_LANES: 'bulk' });
}

function processesOf({ folder }: Place, { brokerPids }: Group['kafka'], workers: readonly Child[]) {
  return { workers: workers.map((child) => child.process.pid), brokers: brokerPids, folder };
}

/** The command from a file of NDJSON to CSV; its start, measured with one contract, is subtracted. */
async function measureCommand(
  place: Place,
  kafka: Group['kafka'],
  system: System,
  workers: readonly Child[],
): Promise<ScaleLine> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-scale-'));
  try {
    const [one, all] = [path.join(folder, 'one.ndjson'), path.join(folder, 'all.ndjson')];
    await writePortfolio(one, 1);
    await writePortfolio(all, COMMAND_CONTRACTS);
    const start = await runCommand(system, one);
    let run = start;
    const processes = { ...processesOf(place, kafka, workers), requester: [] };
    const cost = await measureCost(processes, SECOND_MS, async () => {
      run = await runCommand(system, all);
      return { perSecond: COMMAND_CONTRACTS };
    });
    const requesterUs = ((run.cpuSeconds - start.cpuSeconds) * US_PER_SECOND) / COMMAND_CONTRACTS;
    const perSecond = COMMAND_CONTRACTS / (run.seconds - start.seconds);
    const unit = 'contract by npm run recalculate';
    return report(place, { ...cost, unit, nodes: place.nodes, workers: 1, requesterUs, perSecond });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the command until it exits; its processor time, user and system, is what the shell reports. */
async function runCommand(system: System, input: string) {
  const command = [process.execPath, 'scripts/recalculate.ts', '--overwrite', '--json'];
  const files = ['--input', input, '--output', `${input}.csv`];
  const timed = ['-c', 'TIMEFORMAT="%R %U %S"; time "$0" "$@"', ...command, ...files];
  const env = { ...process.env, ...system.env };
  const { stderr } = await promisify(execFile)('bash', timed, { env, timeout: COMMAND_LIMIT_MS });
  const [seconds = NaN, user = NaN, kernel = NaN] = (stderr.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number);
  return { seconds, cpuSeconds: user + kernel };
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

/** Retention may delete segments during a measurement; what was written is unknown then. */
function logBytesText(bytes: number): string {
  return bytes < 0 ? 'deleted' : thousands(bytes);
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
    logBytesText(line.requestBytes),
    logBytesText(line.replyBytes),
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
