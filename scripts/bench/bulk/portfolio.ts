/** Measures the cost of `npm run recalculate` per contract, from small to large portfolios, and its memory. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { killAtExit } from '../processes.ts';
import { growthOf, peaksOf, sampleMemory, type MemorySample } from '../proc-readings.ts';
import {
  asTarget,
  atMost,
  type BenchOptions,
  type Comparison,
  type PartResults,
  type Ratio,
  toKnow,
} from '../rounds.ts';
import { openSystem, type KafkaUnderTest } from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { contractBody } from './contracts.ts';

/** Sizes of the portfolios, except the largest one. */
const SIZES = [1_000, 10_000, 100_000] as const;
/** Size of a nearly empty portfolio, whose duration is subtracted from that of the others. */
const START_SIZE = 1;
/**
 * Targets: the cost of a contract relative to the cheapest smaller portfolio, and the additional MiB after the first
 * quarter of the run.
 */
const AIM = { growth: 1.05, memoryMiB: 64, peakMiB: 256 } as const;
/** Minimum number of memory samples, one per second; the memory of a shorter run is mostly that of its startup. */
const LEAST_SAMPLES = 60;
/** The arguments of Node in `npm run recalculate`: options that limit its memory, and the program. */
const NODE_ARGS = packageJson.scripts.recalculate.split(' ').slice(1);
const LINES_OF_A_CHUNK = 1_000;
const RUN_LIMIT_MS = 120_000;
/** Time limit of a run per contract, in milliseconds. */
const LIMIT_MS_PER_CONTRACT = 5;
const US_PER_MS = 1_000;
/** Bytes of the command's standard error that are kept in case it fails. */
const KEPT_BYTES = 2_000;

/** One run of the command. */
interface PortfolioRun {
  readonly broker: 'embedded' | 'Kafka';
  readonly contracts: number;
  /** From the start of the process to its exit. */
  readonly seconds: number;
  /** Microseconds, excluding start and end of the command. */
  readonly perContractUs: number;
  readonly memory: readonly MemorySample[];
}

interface PortfolioFigures {
  readonly runs: readonly PortfolioRun[];
  readonly ratios: readonly Ratio[];
}

type Options = Pick<BenchOptions, 'contracts' | 'results' | 'progress'>;

/**
 * Runs the command over Kafka with one bulk worker process, then everything in one process over the embedded broker.
 */
export async function benchPortfolio(
  options: Options,
  kafka: KafkaUnderTest,
): Promise<PartResults<PortfolioFigures>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-portfolio-'));
  try {
    const runs = [...(await overKafka(options, kafka, folder)), ...(await embedded(options, folder))];
    const ratios = (['Kafka', 'embedded'] as const).flatMap((broker) => ratiosOf(broker, runs));
    return { figures: { runs, ratios }, tables: [runTable(runs), ratioTable(ratios)] };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function overKafka(
  options: Options,
  kafka: KafkaUnderTest,
  folder: string,
): Promise<readonly PortfolioRun[]> {
  const system = openSystem(kafka, 'portfolio');
  try {
    const worker = await system.startWorker('schedule', { SCHEDULE_LANES: 'bulk' });
    const place = { broker: 'Kafka', env: system.env, pids: { worker: worker.process.pid } } as const;
    return await allSizes(options, folder, place);
  } finally {
    await system.close();
  }
}

function embedded(options: Options, folder: string): Promise<readonly PortfolioRun[]> {
  const env = { KAFKA_BROKERS: '', LOG_LEVEL: 'warn', ADMIN_FILE: 'none' };
  return allSizes(options, folder, { broker: 'embedded', env, pids: {} });
}

interface Place {
  readonly broker: PortfolioRun['broker'];
  readonly env: Readonly<Record<string, string>>;
  /** Other processes whose memory is sampled. */
  readonly pids: Readonly<Record<string, number | undefined>>;
}

async function allSizes(options: Options, folder: string, place: Place): Promise<readonly PortfolioRun[]> {
  const sizes = [...SIZES.filter((size) => size < options.contracts), options.contracts];
  const input = path.join(folder, 'portfolio.ndjson');
  await writePortfolio(input, START_SIZE);
  await runCommand(options, folder, place);
  const start = await runCommand(options, folder, place);
  const runs: PortfolioRun[] = [];
  for (const contracts of sizes) {
    await writePortfolio(input, contracts);
    const { seconds, memory } = await runCommand(options, folder, place, contracts);
    const perContractUs = ((seconds - start.seconds) * US_PER_MS * 1_000) / contracts;
    options.progress(
      `${place.broker}: ${contracts} contracts in ${seconds.toFixed(1)} s, ${perContractUs.toFixed(0)} us each`,
    );
    runs.push({ broker: place.broker, contracts, seconds, perContractUs, memory });
  }
  return runs;
}

/** A file with a line for each contract, written in chunks. */
export async function writePortfolio(file: string, contracts: number): Promise<void> {
  function* chunks(): Generator<string> {
    for (let from = 0; from < contracts; from += LINES_OF_A_CHUNK) {
      const length = Math.min(LINES_OF_A_CHUNK, contracts - from);
      yield Array.from({ length }, (_, place) => lineOf(from + place)).join('');
    }
  }
  await pipeline(Readable.from(chunks()), createWriteStream(file));
}

function lineOf(index: number): string {
  return `${JSON.stringify({ id: `contract-${index}`, ...contractBody(index) })}\n`;
}

/** Runs the command until it exits; rejects unless it succeeds. */
async function runCommand(
  { results }: Options,
  folder: string,
  { env, pids }: Place,
  contracts = START_SIZE,
): Promise<{ readonly seconds: number; readonly memory: readonly MemorySample[] }> {
  const output = path.join(folder, `results.${results === 'csv' ? 'csv' : 'ndjson'}`);
  const summary = results === 'summary' ? ['--summary'] : ['--output', output];
  const args = [...NODE_ARGS, '--overwrite', '--input', path.join(folder, 'portfolio.ndjson'), ...summary];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...args, '--json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
    timeout: RUN_LIMIT_MS + contracts * LIMIT_MS_PER_CONTRACT,
  });
  killAtExit(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-KEPT_BYTES);
  });
  const sampling = sampleMemory({ command: child.pid, ...pids });
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - startedAt) / 1_000;
  const memory = sampling.stop();
  if (code !== 0) throw new Error(`recalculate exited with ${code}: ${errors}`);
  await rm(output, { force: true });
  return { seconds, memory };
}

function ratiosOf(broker: PortfolioRun['broker'], all: readonly PortfolioRun[]): readonly Ratio[] {
  const runs = all.filter((run) => run.broker === broker);
  const largest = runs.at(-1);
  const smaller = runs.slice(0, -1).map(({ perContractUs }) => perContractUs);
  if (largest === undefined || smaller.length === 0) return [];
  const count = largest.contracts.toLocaleString('en-US');
  const growth = largest.perContractUs / Math.min(...smaller);
  const grown = growthOf(largest.memory);
  const grownName = `MiB more than in the first quarter, ${count} contracts: ${broker}`;
  return [
    asTarget(
      atMost(
        `cost of a contract, ${count} / cheapest smaller portfolio: ${broker}`,
        single(growth),
        AIM.growth,
      ),
    ),
    asTarget(
      atMost(
        `resident MiB of the command at most, ${count} contracts: ${broker}`,
        single(peaksOf(largest.memory, 'command').all),
        AIM.peakMiB,
      ),
    ),
    largest.memory.length < LEAST_SAMPLES
      ? toKnow(grownName, single(grown), 'less')
      : atMost(grownName, single(grown), AIM.memoryMiB),
  ];
}

/** A single measurement. */
function single(value: number): Comparison {
  return { value, byFastest: value };
}

/** Runs of the command with their memory. */
function runTable(runs: readonly PortfolioRun[]): string {
  const rows = runs.map(({ broker, contracts, seconds, perContractUs, memory }) => {
    const peaks = ['command', 'worker'].flatMap((name) => {
      const { early, all } = peaksOf(memory, name);
      return [early, all];
    });
    return [
      broker,
      thousands(contracts),
      seconds.toFixed(1),
      thousands(contracts / seconds),
      thousands(perContractUs),
      ...peaks.map((mib) => (mib === 0 ? '' : thousands(mib))),
    ];
  });
  const head = ['npm run recalculate', 'contracts', 'seconds', 'per second', 'us per contract'];
  const memoryHead = ['command MiB, first quarter', 'peak', 'worker MiB, first quarter', 'peak'];
  return table([...head, ...memoryHead], rows);
}
