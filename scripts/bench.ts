/**
 * `npm run bench`: measures round trips, calculations, bulk runs and notifications beside their peers in the same run, and
 * records the ratios. Compares two such records, and prints what a number of contracts or calls needs.
 */
import { loadavg } from 'node:os';
import path from 'node:path';
import { errorText } from '../shared/platform/errors.ts';
import { startBackgroundLoad } from './bench/background-load.ts';
import { benchIsolation } from './bench/bulk/isolation.ts';
import { benchLanes } from './bench/bulk/lanes.ts';
import { benchPortfolio } from './bench/bulk/portfolio.ts';
import { benchThroughput } from './bench/bulk/throughput.ts';
import { benchCosts } from './bench/calls/engine-costs.ts';
import { benchEmbedded, benchKafka } from './bench/calls/scenarios.ts';
import { benchCatalogue } from './bench/catalogue/scenarios.ts';
import { comparisonText, newestRecord, readRecord, recordOf, writeRecord } from './bench/history.ts';
import { benchDelivery } from './bench/notification/scenarios.ts';
import { benchEmbeddedOverload, benchKafkaOverload } from './bench/overload/scenarios.ts';
import { benchPeers } from './bench/peers/scenarios.ts';
import { benchScaling } from './bench/plan/scaling.ts';
import { parsePlan, planText, type PlanQuestion } from './bench/plan/plan-text.ts';
import { type BenchOptions, type PartResults, RESULT_FORMS } from './bench/rounds.ts';
import { ACCEPT_CALL, LOOK_UP_CALL, SCHEDULE_CALL } from './bench/samples.ts';
import type { KafkaUnderTest } from './bench/system.ts';
import { ratiosIn, targetTable } from './bench/targets.ts';
import { benchStart } from './bench/start/scenarios.ts';
import { benchWakeUps } from './bench/wake-ups/scenarios.ts';
import {
  flag,
  oneOf,
  optionalText,
  parseCommandLine,
  parsed,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from './command-line/parse-command-line.ts';
import { startLocalKafka } from './dev/local-kafka/start-local-kafka.ts';
import { installOwnPackages } from './command-packages.ts';

type Bench = (options: BenchOptions) => Promise<PartResults<unknown>>;

/** The benchmarks of each part, in the order in which they run. */
const PARTS = {
  costs: [benchCosts],
  peers: [overKafka(benchPeers)],
  embedded: [benchEmbedded],
  kafka: [overKafka((options, kafka) => benchKafka(options, kafka, SCHEDULE_CALL))],
  catalogue: [overKafka((options, kafka) => benchKafka(options, kafka, LOOK_UP_CALL)), benchCatalogue],
  notifications: [
    overKafka((options, kafka) => benchKafka(options, kafka, ACCEPT_CALL)),
    overKafka(benchDelivery),
  ],
  throughput: [overKafka(benchThroughput)],
  lanes: [overKafka(benchLanes)],
  portfolio: [overKafka(benchPortfolio)],
  isolation: [overKafka(benchIsolation)],
  overload: [benchEmbeddedOverload],
  'kafka-overload': [overKafka(benchKafkaOverload)],
  start: [benchStart],
  'wake-ups': [overKafka(benchWakeUps)],
  scaling: [benchScaling],
  lending: [async (options) => (await import('./bench/lending/scenarios.ts')).benchLending(options)],
} satisfies Readonly<Record<string, readonly Bench[]>>;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];
/** Groups of parts. */
const GROUPS: Readonly<Record<string, readonly Part[]>> = { bulk: ['throughput', 'lanes', 'portfolio'] };

const RECORDS = 'var/bench';
const SIGNAL_EXIT_CODE = 128;
const HELP = `Usage: npm run bench [-- OPTIONS]
       npm run bench -- --compare OLD [NEW]
       npm run bench -- --plan contracts=100e6,hours=4

  --json            one JSON document on stdout instead of tables
  --rounds N        rounds per scenario, medians are shown (default 3, of the peers 7)
  --seconds N       measured seconds per round and scenario (default 4, of the peers 2)
  --only PART       ${PART_NAMES.join(', ')},
                    or ${Object.entries(GROUPS)
                      .map(([name, parts]) => `${name} (${parts.join(', ')})`)
                      .join(', ')}
  --load N          busy processes that run beside the measurement (default 0)
  --save FILE       where the ratios are recorded (default: a new file in ${RECORDS})
  --compare OLD     compares the record NEW (default: the newest in ${RECORDS}) with the record OLD
  --plan QUESTION   what contracts=N,hours=N or calls=N (per second) need, with replicas=N (default 3)
  --notifications N notifications during which memory is measured (default 100000)
  --contracts N     contracts in the largest portfolio to recalculate (default 20000)
  --results FORM    what the recalculation writes: ndjson (default), csv or summary
  KAFKA_BROKERS     the Kafka to use (environment variable); otherwise the command starts one

Packages and Spring programs that only the peers need are installed or built in scripts/bench when they are first needed.

Exit codes: 0 measured or compared, 1 failed, 2 wrong arguments.
`;

type Sizes = Omit<BenchOptions, 'progress' | 'rounds' | 'measureMs'>;
interface Measuring extends Sizes {
  readonly kind: 'measure';
  /** As given. */
  readonly rounds: number | undefined;
  readonly seconds: number | undefined;
  readonly parts: readonly Part[];
  readonly json: boolean;
  /** The file with the ratios. */
  readonly record: string;
}
interface Comparing {
  readonly kind: 'compare';
  readonly before: string;
  readonly after: string;
}
interface Planning {
  readonly kind: 'plan';
  readonly question: PlanQuestion;
}

/** Progress goes to stderr, so that stdout contains only the figures. */
const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

// The processes that were started end with this one, as they would not by the signal itself.
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => process.exit(SIGNAL_EXIT_CODE + number));
}
const chosen = readArguments();
if (chosen?.kind === 'measure') await measure(chosen);
if (chosen?.kind === 'compare') {
  process.stdout.write(comparisonText(readRecord(chosen.before), readRecord(chosen.after)));
}
if (chosen?.kind === 'plan') process.stdout.write(planText(chosen.question));

async function measure({ json, parts, record, ...asked }: Measuring): Promise<void> {
  const load = startBackgroundLoad(asked.busyProcesses);
  try {
    const results = await runParts(parts, asked);
    const ratios = results.flatMap(({ figures }) => ratiosIn(figures));
    const loadAverage = Number((loadavg()[0] ?? 0).toFixed(1));
    const { busyProcesses } = asked;
    const conditions = { node: process.version, busyProcesses, loadAverage };
    if (json) {
      const document = { ...conditions, ...Object.groupBy(results, ({ part }) => part) };
      process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
    } else {
      const beside = `${busyProcesses} busy processes beside, load average ${loadAverage}`;
      const tables = [...results.flatMap((part) => part.tables), targetTable(ratios, beside)];
      process.stdout.write(`\n${tables.filter((text) => text !== '').join('\n')}`);
    }
    writeRecord(record, recordOf(ratios, conditions));
    progress(`the ratios are recorded in ${record}`);
  } finally {
    load.stop();
  }
}

async function runParts(
  parts: readonly Part[],
  asked: Omit<Measuring, 'kind' | 'json' | 'record' | 'parts'>,
) {
  // Installed before the first measurement, so that a failure is reported early.
  if (parts.includes('lending')) await installOwnPackages(path.join(import.meta.dirname, 'bench'), progress);
  const results: (PartResults<unknown> & { readonly part: Part })[] = [];
  for (const part of parts) {
    const { rounds = part === 'peers' ? 7 : 3, seconds = part === 'peers' ? 2 : 4, ...sizes } = asked;
    const options = { ...sizes, rounds, measureMs: seconds * 1_000, progress };
    for (const bench of PARTS[part]) results.push({ part, ...(await bench(options)) });
  }
  return results;
}

/** Undefined if the arguments are wrong or ask for help only. */
function readArguments(): Measuring | Comparing | Planning | undefined {
  try {
    const line = parseCommandLine(process.argv.slice(2), {
      json: flag(),
      rounds: wholeNumber(1, 100),
      seconds: parsed(secondsOf, 'a number from 0.5 to 600'),
      only: oneOf([...PART_NAMES, ...Object.keys(GROUPS)]),
      load: wholeNumber(0, 64),
      save: optionalText(),
      compare: optionalText(),
      plan: parsed(parsePlan, 'contracts=N,hours=N or calls=N, each with replicas=1, 2 or 3'),
      notifications: wholeNumber(10, 1_000_000),
      contracts: wholeNumber(1_000, 10_000_000),
      results: oneOf(RESULT_FORMS),
    });
    if (line === undefined) {
      process.stdout.write(HELP);
      return undefined;
    }
    const {
      compare: before,
      plan: question,
      save,
      only,
      json,
      load: busyProcesses = 0,
      ...sizes
    } = line.values;
    const records = before === undefined ? 0 : 1;
    refuseFaults([...line.faults, ...unexpectedArguments(line.positionals.slice(records))]);
    if (before !== undefined) {
      return { kind: 'compare', before, after: line.positionals[0] ?? newestRecord(RECORDS) };
    }
    if (question !== undefined) return { kind: 'plan', question };
    const parts = partsOf(only);
    const { rounds, seconds, notifications = 100_000, contracts = 20_000, results = 'ndjson' } = sizes;
    const record = save ?? path.join(RECORDS, `${new Date().toISOString().replaceAll(':', '-')}.json`);
    const counts = { rounds, seconds, notifications, contracts, results, busyProcesses };
    return { kind: 'measure', ...counts, parts, json, record };
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
  return only === undefined ? PART_NAMES : (GROUPS[only] ?? PART_NAMES.filter((part) => part === only));
}

/** Runs a benchmark with the given Kafka, or starts one. */
function overKafka(
  bench: (options: BenchOptions, kafka: KafkaUnderTest) => Promise<PartResults<unknown>>,
): Bench {
  return async (options) => {
    const given = process.env.KAFKA_BROKERS;
    if (given !== undefined && given !== '') {
      return bench(options, { brokers: given.split(','), brokerPids: [] });
    }
    progress('starting Apache Kafka on loopback');
    const kafka = await startLocalKafka({ nodes: 1, registry: false });
    try {
      return await bench(options, {
        brokers: kafka.brokers,
        brokerPids: kafka.nodes.map(({ pid }) => pid),
      });
    } finally {
      await kafka.stop();
    }
  };
}
