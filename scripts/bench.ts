/**
 * `npm run bench`: measures the cost of a round trip compared with raw kafkajs in the same run, and the cost of
 * calculations compared with similar packages.
 */
import path from 'node:path';
import { errorText } from '../shared/platform/errors.ts';
import { benchIsolation } from './bench/bulk/isolation.ts';
import { benchLanes } from './bench/bulk/lanes.ts';
import { benchPortfolio } from './bench/bulk/portfolio.ts';
import { benchThroughput } from './bench/bulk/throughput.ts';
import { benchCosts } from './bench/calls/engine-costs.ts';
import {
  benchEmbedded,
  benchKafka,
  diskRatios,
  type Measurement,
  tripRatios,
} from './bench/calls/scenarios.ts';
import { benchCatalogue } from './bench/catalogue/scenarios.ts';
import { benchDelivery } from './bench/notification/scenarios.ts';
import { benchStart } from './bench/start/scenarios.ts';
import { benchEmbeddedOverload, benchKafkaOverload } from './bench/overload/scenarios.ts';
import { benchEmbeddedWakeUps, benchKafkaWakeUps, wakeUpResults } from './bench/wake-ups/scenarios.ts';
import {
  type BenchOptions,
  type CostPerCall,
  type PartResults,
  type Ratio,
  RESULT_FORMS,
} from './bench/rounds.ts';
import { ACCEPT_CALL, LOOK_UP_CALL, SCHEDULE_CALL } from './bench/samples.ts';
import type { KafkaUnderTest } from './bench/system.ts';
import { ratioTable, table, thousands } from './bench/tables.ts';
import {
  flag,
  oneOf,
  parseCommandLine,
  parsed,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { startLocalKafka } from './dev/local-kafka/start-local-kafka.ts';
import { installOwnPackages } from './command-packages.ts';

const HELP = `Usage: npm run bench [-- OPTIONS]

  --json            one JSON document on stdout instead of tables
  --rounds N        rounds per scenario, medians are shown (default 3)
  --seconds N       measured seconds per round and scenario (default 4)
  --only PART       embedded, kafka, costs, lending, catalogue, notifications, isolation, overload,
                    kafka-overload, start, wake-ups, throughput, lanes, portfolio, or bulk for the last three
  --notifications N notifications during which memory is measured (default 100000)
  --contracts N     contracts in the largest portfolio to recalculate (default 20000)
  --results FORM    what the recalculation writes: ndjson (default), csv or summary
  KAFKA_BROKERS     the Kafka to use (environment variable); otherwise the command starts one

The packages for the comparison in the part lending are installed into scripts/bench when they are first needed.

Exit codes: 0 measured, 1 failed, 2 wrong arguments.
`;

const PARTS = [
  'embedded',
  'kafka',
  'costs',
  'lending',
  'catalogue',
  'notifications',
  'throughput',
  'lanes',
  'portfolio',
  'isolation',
  'overload',
  'kafka-overload',
  'start',
  'wake-ups',
] as const;
type Part = (typeof PARTS)[number];
/** Groups of parts. */
const GROUPS: Readonly<Record<string, readonly Part[]>> = { bulk: ['throughput', 'lanes', 'portfolio'] };
/** Calls over Kafka, each with its part of the benchmark. */
const CALLS = [
  ['kafka', SCHEDULE_CALL],
  ['catalogue', LOOK_UP_CALL],
  ['notifications', ACCEPT_CALL],
] as const;

interface BenchArguments extends Omit<BenchOptions, 'progress'> {
  readonly parts: readonly Part[];
  readonly json: boolean;
}

/** Progress goes to stderr, so that stdout contains only the figures. */
const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const chosen = readArguments();
if (chosen !== undefined) await run(chosen);

async function run({ json, parts, ...asked }: BenchArguments): Promise<void> {
  const options = { ...asked, progress };
  const wants = (part: Part): boolean => parts.includes(part);
  const overKafka = <T>(
    part: Part,
    bench: (all: BenchOptions, kafka: KafkaUnderTest) => Promise<T>,
  ): Promise<T> | undefined => (wants(part) ? withKafka((kafka) => bench(options, kafka)) : undefined);
  // Installed before the first measurement, so that a failure is reported early.
  const benchLending = wants('lending') ? await loadLendingBench() : undefined;
  const costs = wants('costs') ? await benchCosts(options) : [];
  const measurements = wants('embedded') ? [...(await benchEmbedded(options))] : [];
  const ratios: Ratio[] = wants('embedded') ? [...diskRatios(measurements)] : [];
  for (const [part, call] of CALLS) {
    const measured = await overKafka(part, (_, kafka) => benchKafka(options, kafka, call));
    if (measured === undefined) continue;
    measurements.push(...measured);
    ratios.push(...tripRatios(measured, call));
  }
  const delivery = await overKafka('notifications', benchDelivery);
  const bulk = await overKafka('throughput', benchThroughput);
  const lanes = await overKafka('lanes', benchLanes);
  const portfolio = await overKafka('portfolio', benchPortfolio);
  const isolation = await overKafka('isolation', benchIsolation);
  const overload = wants('overload') ? await benchEmbeddedOverload(options) : undefined;
  const kafkaOverload = await overKafka('kafka-overload', benchKafkaOverload);
  const embeddedWakeUps = wants('wake-ups') ? await benchEmbeddedWakeUps(options) : [];
  const kafkaWakeUps = await overKafka('wake-ups', benchKafkaWakeUps);
  const wakeUps = kafkaWakeUps && wakeUpResults([...embeddedWakeUps, ...kafkaWakeUps]);
  const start = wants('start') ? await benchStart(options) : undefined;
  const lending = await benchLending?.(options);
  const catalogue = wants('catalogue') ? await benchCatalogue(options) : undefined;
  const large = {
    lending,
    catalogue,
    delivery,
    bulk,
    lanes,
    portfolio,
    isolation,
    overload,
    kafkaOverload,
    start,
    wakeUps,
  };
  if (json) printJson({ measurements, ratios, costs }, large);
  else printTables([tripTable(measurements), ratioTable(ratios), workTable(costs)], Object.values(large));
}

function printJson(
  results: Readonly<Record<string, unknown>>,
  parts: Readonly<Record<string, PartResults<unknown> | undefined>>,
): void {
  const figures = Object.entries(parts).map(([name, part]) => [name, part?.figures] as const);
  const document = { node: process.version, ...results, ...Object.fromEntries(figures) };
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** Omits empty tables. */
function printTables(tables: readonly string[], parts: readonly (PartResults<unknown> | undefined)[]): void {
  const all = [...tables, ...parts.flatMap((part) => part?.tables ?? [])];
  process.stdout.write(`\n${all.filter((text) => text !== '').join('\n')}`);
}

function tripTable(measurements: readonly Measurement[]): string {
  const rows = measurements.map(({ scenario, window, perSecond, p50Ms, p99Ms }) => [
    scenario,
    String(window),
    thousands(perSecond),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  return table(['round trip', 'window', 'per second', 'p50 ms', 'p99 ms'], rows);
}

function workTable(costs: readonly CostPerCall[]): string {
  const rows = costs.map(({ name, microseconds }) => [name, microseconds.toFixed(1)]);
  return table(['work per call', 'us'], rows);
}

/** The packages for the comparison with the engine are installed when they are first needed. */
async function loadLendingBench() {
  await installOwnPackages(path.join(import.meta.dirname, 'bench'), progress);
  return (await import('./bench/lending/scenarios.ts')).benchLending;
}

function readArguments(): BenchArguments | undefined {
  try {
    const line = parseCommandLine(process.argv.slice(2), {
      json: flag(),
      rounds: wholeNumber(1, 100),
      seconds: parsed(secondsOf, 'a number from 0.5 to 600'),
      only: oneOf([...PARTS, ...Object.keys(GROUPS)]),
      notifications: wholeNumber(10, 1_000_000),
      contracts: wholeNumber(1_000, 10_000_000),
      results: oneOf(RESULT_FORMS),
    });
    if (line === undefined) {
      process.stdout.write(HELP);
      return undefined;
    }
    refuseFaults([...line.faults, ...unexpectedArguments(line.positionals)]);
    const { json, rounds = 3, seconds = 4, only, ...sizes } = line.values;
    const { notifications = 100_000, contracts = 20_000, results = 'ndjson' } = sizes;
    const measureMs = seconds * 1_000;
    return { rounds, measureMs, notifications, contracts, results, parts: partsOf(only), json };
  } catch (error) {
    process.stderr.write(`bench: ${errorText(error)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

function secondsOf(sent: string): number | undefined {
  const seconds = Number(sent);
  return seconds >= 0.5 && seconds <= 600 ? seconds : undefined;
}

function partsOf(only: string | undefined): readonly Part[] {
  return only === undefined ? PARTS : (GROUPS[only] ?? PARTS.filter((part) => part === only));
}

/** Uses the given Kafka, or starts one. */
async function withKafka<T>(use: (kafka: KafkaUnderTest) => Promise<T>): Promise<T> {
  const given = process.env.KAFKA_BROKERS;
  if (given !== undefined && given !== '') return use({ brokers: given.split(','), brokerPids: [] });
  progress('starting Apache Kafka on loopback');
  const kafka = await startLocalKafka({ nodes: 1, registry: false });
  try {
    return await use({ brokers: kafka.brokers, brokerPids: kafka.nodes.map(({ pid }) => pid) });
  } finally {
    await kafka.stop();
  }
}
