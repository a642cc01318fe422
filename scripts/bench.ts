/** `npm run bench`: what a round trip costs beside raw kafkajs in the same run, and what the work itself costs,
 * beside packages that do similar work. */
import path from 'node:path';
import { errorText } from '../shared/platform/errors.ts';
import { benchBulk } from './bench/bulk/scenarios.ts';
import type { KafkaUnderTest } from './bench/bulk/system.ts';
import { benchCatalogue } from './bench/catalogue/scenarios.ts';
import { benchEmbedded } from './bench/calls/embedded-scenario.ts';
import { benchCosts } from './bench/calls/engine-costs.ts';
import { benchIsolation } from './bench/bulk/isolation-scenario.ts';
import { benchLanes } from './bench/bulk/lane-scenario.ts';
import {
  benchKafka,
  ECHO_WINDOW,
  PING_PONG_WINDOW,
  RAW_PING_PONG,
  SCHEDULE_CALL,
  type KafkaCall,
} from './bench/calls/kafka-scenarios.ts';
import type { benchLending } from './bench/lending/scenarios.ts';
import { formatResults, type Measurement, type Ratio } from './bench/measurement.ts';
import { benchDelivery } from './bench/notification/scenarios.ts';
import { benchPortfolio, RESULT_FORMS, type ResultForm } from './bench/bulk/portfolio-scenario.ts';
import { LOOK_UP_CALL } from './bench/calls/sample-look-up.ts';
import { ACCEPT_CALL, notificationMessageSizes } from './bench/notification/sample-notification.ts';
import { lookUpMessageSizes, sampleMessageSizes } from './bench/calls/sample-messages.ts';
import {
  flag,
  oneOf,
  parseCommandLine,
  parsed,
  refuseFaults,
  unexpectedArguments,
  wholeNumber,
} from './command-line.ts';
import { startLocalKafka } from './dev/local-kafka/start-local-kafka.ts';
import { installOwnPackages } from './own-packages.ts';

const HELP = `Usage: npm run bench [-- OPTIONS]

  --json            one JSON document on stdout instead of tables
  --rounds N        rounds per scenario, medians are shown (default 3)
  --seconds N       measured seconds per round and scenario (default 4)
  --only PART       embedded, kafka, costs, lending, catalogue, notifications, isolation, or bulk, which is
                    throughput, lanes and portfolio, each of them a part too
  --notifications N notifications over which memory is measured (default 100000)
  --contracts N     contracts of the largest portfolio that is recalculated (default 20000)
  --results FORM    what recalculating writes: ndjson (default), csv or summary
  KAFKA_BROKERS     a Kafka to use instead of one started for the run

The packages that the part lending compares with are installed into scripts/bench when they are first needed.

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
] as const;
type Part = (typeof PARTS)[number];
/** Parts that are asked for together. */
const GROUPS: Readonly<Record<string, readonly Part[]>> = { bulk: ['throughput', 'lanes', 'portfolio'] };
/** Aims for the round trip over Kafka: median latency at most so many times the raw one, throughput at least this share. */
const AIM_LATENCY = 1.5;
const AIM_THROUGHPUT = 0.7;

/** Progress goes to stderr, so that the figures stand alone on stdout. */
const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const chosen = readArguments();
if (chosen !== undefined) {
  const wants = (part: Part): boolean => chosen.parts.includes(part);
  const measureLending = wants('lending') ? await loadLendingBench() : undefined;
  const costs = wants('costs') ? await benchCosts(progress) : [];
  const measurements: Measurement[] = [];
  if (wants('embedded')) measurements.push(...(await benchEmbedded({ ...chosen, progress })));
  const ratios: Ratio[] = [];
  const measureOverKafka = async (call: KafkaCall, sizes: MessageSizes): Promise<void> => {
    const measured = await overKafka(({ brokers }) =>
      benchKafka({ ...chosen, ...sizes, call, brokers, progress }),
    );
    measurements.push(...measured);
    ratios.push(...ratiosOf(measured, call));
  };
  if (wants('kafka')) await measureOverKafka(SCHEDULE_CALL, await sampleMessageSizes());
  if (wants('catalogue')) await measureOverKafka(LOOK_UP_CALL, await lookUpMessageSizes());
  if (wants('notifications')) await measureOverKafka(ACCEPT_CALL, await notificationMessageSizes());
  const delivery = wants('notifications')
    ? await overKafka(({ brokers }) => benchDelivery({ ...chosen, brokers, progress }))
    : undefined;
  const ifWanted = <T>(
    part: Part,
    bench: (options: BenchOptions & KafkaUnderTest & { progress: typeof progress }) => Promise<T>,
  ): Promise<T> | undefined =>
    wants(part) ? overKafka((kafka) => bench({ ...chosen, ...kafka, progress })) : undefined;
  const bulk = await ifWanted('throughput', benchBulk);
  const lanes = await ifWanted('lanes', benchLanes);
  const portfolio = await ifWanted('portfolio', benchPortfolio);
  const isolation = await ifWanted('isolation', benchIsolation);
  const lending = measureLending?.({ ...chosen, progress });
  const catalogue = wants('catalogue') ? benchCatalogue({ ...chosen, progress }) : undefined;
  const large = { bulk, lanes, portfolio, isolation };
  const results = {
    node: process.version,
    measurements,
    ratios,
    costs,
    lending,
    catalogue,
    delivery,
    ...large,
  };
  process.stdout.write(
    chosen.json ? `${JSON.stringify(results, undefined, 2)}\n` : `\n${formatResults(results)}`,
  );
}

/** Bytes of a request and of its reply on Kafka. */
interface MessageSizes {
  readonly requestBytes: number;
  readonly replyBytes: number;
}

/** Installs the packages that the engine is compared with: before anything is measured, so that a failure costs nothing. */
async function loadLendingBench(): Promise<typeof benchLending> {
  await installOwnPackages(path.join(import.meta.dirname, 'bench'), progress);
  return (await import('./bench/lending/scenarios.ts')).benchLending;
}

interface BenchOptions {
  readonly rounds: number;
  readonly measureMs: number;
  readonly parts: readonly Part[];
  readonly notifications: number;
  readonly contracts: number;
  readonly results: ResultForm;
  readonly json: boolean;
}

const DEFAULT_SECONDS = 4;

function readArguments(): BenchOptions | undefined {
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
    const { json, rounds = 3, seconds = DEFAULT_SECONDS, only, ...sizes } = line.values;
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

/** Uses the Kafka that is given, or one started for it. */
async function overKafka<T>(use: (kafka: KafkaUnderTest) => Promise<T>): Promise<T> {
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

function ratiosOf(measurements: readonly Measurement[], { scenario: own }: KafkaCall): readonly Ratio[] {
  const find = (scenario: string, window: number): Measurement | undefined =>
    measurements.find((line) => line.scenario === scenario && line.window === window);
  const ratios: Ratio[] = [];
  const rawOne = find(RAW_PING_PONG, PING_PONG_WINDOW);
  const httpOne = find(own, PING_PONG_WINDOW);
  const rawMany = find(RAW_PING_PONG, ECHO_WINDOW);
  const httpMany = find(own, ECHO_WINDOW);
  if (rawOne !== undefined && httpOne !== undefined) {
    const value = httpOne.p50Ms / rawOne.p50Ms;
    ratios.push({
      name: `p50 / raw, window 1: ${own}`,
      value,
      aim: `<= ${AIM_LATENCY}`,
      reached: value <= AIM_LATENCY,
    });
  }
  if (rawMany !== undefined && httpMany !== undefined) {
    const latency = httpMany.p50Ms / rawMany.p50Ms;
    const value = httpMany.perSecond / rawMany.perSecond;
    ratios.push(
      {
        name: `p50 / raw, window 64: ${own}`,
        value: latency,
        aim: `<= ${AIM_LATENCY}`,
        reached: latency <= AIM_LATENCY,
      },
      {
        name: `throughput / raw, window 64: ${own}`,
        value,
        aim: `>= ${AIM_THROUGHPUT}`,
        reached: value >= AIM_THROUGHPUT,
      },
    );
  }
  return ratios;
}
