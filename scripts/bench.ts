/** `npm run bench`: what a round trip costs beside raw kafkajs in the same run, and what the work itself costs,
 * beside packages that do similar work. */
import path from 'node:path';
import { parseArgs } from 'node:util';
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

function readArguments(): BenchOptions | undefined {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '4' },
        only: { type: 'string' },
        notifications: { type: 'string', default: '100000' },
        contracts: { type: 'string', default: '20000' },
        results: { type: 'string', default: 'ndjson' },
      },
    });
    if (values.help === true) {
      process.stdout.write(HELP);
      return undefined;
    }
    const rounds = Number(values.rounds);
    const seconds = Number(values.seconds);
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new Error('--rounds takes 1 to 100');
    if (!(seconds >= 0.5 && seconds <= 600)) throw new Error('--seconds takes 0.5 to 600');
    const notifications = Number(values.notifications);
    if (!Number.isInteger(notifications) || notifications < 10 || notifications > 1_000_000)
      throw new Error('--notifications takes 10 to 1000000');
    const contracts = Number(values.contracts);
    if (!Number.isInteger(contracts) || contracts < 1_000 || contracts > 10_000_000)
      throw new Error('--contracts takes 1000 to 10000000');
    const results = RESULT_FORMS.find((form) => form === values.results);
    if (results === undefined) throw new Error(`--results takes one of ${RESULT_FORMS.join(', ')}`);
    const parts = partsOf(values.only);
    const measureMs = seconds * 1_000;
    return { rounds, measureMs, notifications, contracts, results, parts, json: values.json === true };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    process.exitCode = 2;
    return undefined;
  }
}

function partsOf(only: string | undefined): readonly Part[] {
  const parts = only === undefined ? PARTS : (GROUPS[only] ?? PARTS.filter((part) => part === only));
  if (parts.length > 0) return parts;
  throw new Error(`--only takes one of ${[...PARTS, ...Object.keys(GROUPS)].join(', ')}`);
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
