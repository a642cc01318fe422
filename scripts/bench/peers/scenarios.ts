/**
 * Measures this project beside what its users would write instead: a Spring Boot pair with request-reply over Kafka, a fastify
 * server with the engine in its handler, and the Kafka clients alone.
 */

import type { KafkaClientName } from '../../../shared/messaging/kafka/open-kafka-broker.ts';
import {
  asTarget,
  atLeast,
  atMost,
  type BenchOptions,
  compareRates,
  compareTimes,
  type PartResults,
  type Ratio,
} from '../rounds.ts';
import { LOOK_UP_CALL, SCHEDULE_CALL, SIMULATE_CALL } from '../samples.ts';
import type { KafkaUnderTest } from '../system.ts';
import { buildSpringPair } from './spring-pair.ts';
import {
  type Group,
  httpProcess,
  ownHttp,
  ownRequester,
  rawClient,
  springHttp,
  springTemplate,
} from './systems.ts';
import { figuresOf, measureTrips, type Trip, type TripLine, type TripRound, tripTable } from './trips.ts';

type Options = Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress' | 'busyProcesses'>;

interface PeerFigures {
  readonly lines: readonly TripLine[];
  readonly ratios: readonly Ratio[];
}

const CLIENTS: readonly KafkaClientName[] = ['platformatic', 'kafkajs'];
/** Windows: one call at a time, and as many as a busy caller has in flight. */
const ONE = 1;
const MANY = 64;

/** Targets with each client; the others are the same with both. */
const AIM = {
  throughput: { platformatic: 2, kafkajs: 1.2 },
  busyThroughput: { platformatic: 1.5, kafkajs: 1.5 },
  latency: { platformatic: 0.8, kafkajs: 1.1 },
  direct: { platformatic: 1.2, kafkajs: 1.2 },
  otherCalls: { platformatic: 1, kafkajs: 1 },
  embedded: 1.2,
} as const;

const SPRING_HTTP = 'Spring Boot pair, echo';
const SPRING_TEMPLATE = 'Spring template and listener, echo';
const EMBEDDED = 'this project, embedded';
const INLINE = 'fastify with the engine in its handler';
const schedule = (client: KafkaClientName): string => `this project on ${client}`;
const lookUp = (client: KafkaClientName): string => `look-up on ${client}`;
const simulation = (client: KafkaClientName): string => `Simulate on ${client}`;

/**
 * Measures schedules over HTTP and Kafka, the same without HTTP, look-ups and simulations, and the embedded broker. Only the
 * systems of one group run beside each other.
 */
export async function benchPeers(options: Options, kafka: KafkaUnderTest): Promise<PartResults<PeerFigures>> {
  const java = await buildSpringPair(options.progress);
  const measure = (start: (group: Group) => Promise<readonly Trip[]>) =>
    measureGroup(options, { kafka, java }, start);
  const http = await measure(startHttp);
  const direct = await measure(startDirect);
  const others = await measure(startOtherCalls);
  const embedded = await measure(startEmbedded);
  const lines = [...http, ...direct, ...others, ...embedded];
  const isBusy = options.busyProcesses > 0;
  const ratios = [
    ...CLIENTS.flatMap((client) => clientRatios(client, lines, isBusy)),
    ...embeddedRatios(lines),
  ];
  const tables = [
    tripTable('schedules over HTTP and Kafka', http),
    tripTable('request and reply over Kafka, no HTTP', direct),
    tripTable('other calls over HTTP and Kafka', others),
    tripTable('schedules over HTTP, no Kafka', embedded),
  ];
  return { figures: { lines, ratios }, tables };
}

async function measureGroup(
  options: Options,
  peers: Pick<Group, 'kafka' | 'java'>,
  start: (group: Group) => Promise<readonly Trip[]>,
): Promise<readonly TripLine[]> {
  await using cleanup = new AsyncDisposableStack();
  return await measureTrips(options, await start({ ...peers, cleanup }));
}

async function startHttp(group: Group): Promise<readonly Trip[]> {
  const trips = await springHttp(group, SPRING_HTTP, [MANY, ONE]);
  for (const client of CLIENTS) {
    trips.push(...(await ownHttp(group, client, { [schedule(client)]: SCHEDULE_CALL }, [MANY, ONE])));
  }
  return trips;
}

async function startDirect(group: Group): Promise<readonly Trip[]> {
  const trips = await springTemplate(group, SPRING_TEMPLATE, [MANY, ONE]);
  for (const client of CLIENTS) {
    trips.push(...(await ownRequester(group, client, `${schedule(client)}, no HTTP`, [MANY, ONE])));
  }
  for (const client of CLIENTS)
    trips.push(...(await rawClient(group, client, `${client} alone, echo`, [MANY, ONE])));
  return trips;
}

async function startOtherCalls(group: Group): Promise<readonly Trip[]> {
  // Calls one at a time are too few during the warm-up for the compilers.
  const windows = [MANY, ONE];
  const trips = await springHttp(group, `${SPRING_HTTP} again`, windows);
  for (const client of CLIENTS) {
    const calls = { [lookUp(client)]: LOOK_UP_CALL, [simulation(client)]: SIMULATE_CALL };
    trips.push(...(await ownHttp(group, client, calls, windows)));
  }
  return trips;
}

async function startEmbedded(group: Group): Promise<readonly Trip[]> {
  return [
    ...(await httpProcess(group, EMBEDDED, ['workers/main.ts'], MANY)),
    ...(await httpProcess(group, INLINE, ['scripts/bench/peers/inline-server.ts'], MANY)),
  ];
}

/** The ratios of one client; none of those whose peer was left out. */
function clientRatios(
  client: KafkaClientName,
  lines: readonly TripLine[],
  isBusy: boolean,
): readonly Ratio[] {
  const rates = (system: string, window: number) =>
    figuresOf(lines, { system, window }, ({ perSecond }) => perSecond);
  const times = (system: string) => figuresOf(lines, { system, window: ONE }, ({ p50Ms }) => p50Ms);
  const springTimes = times(SPRING_HTTP);
  if (springTimes.length === 0) return [];
  const throughput = compareRates(rates(schedule(client), MANY), rates(SPRING_HTTP, MANY));
  const direct = compareRates(rates(`${schedule(client)}, no HTTP`, MANY), rates(SPRING_TEMPLATE, MANY));
  const latency = compareTimes(times(schedule(client)), springTimes);
  const again = times(`${SPRING_HTTP} again`);
  const aim = isBusy ? AIM.busyThroughput : AIM.throughput;
  return [
    atLeast(`${client}: HTTP over Kafka, window 64, throughput / Spring`, throughput, aim[client]),
    atMost(`${client}: HTTP over Kafka, window 1, p50 / Spring`, latency, AIM.latency[client]),
    atLeast(`${client}: Kafka without HTTP, window 64, throughput / Spring`, direct, AIM.direct[client]),
    atMost(
      `${client}: look-up, window 1, p50 / Spring echo`,
      compareTimes(times(lookUp(client)), again),
      AIM.otherCalls[client],
    ),
    atMost(
      `${client}: Simulate, window 1, p50 / Spring echo`,
      compareTimes(times(simulation(client)), again),
      AIM.otherCalls[client],
    ),
  ].map(asTarget);
}

const processUs = ({ cpuUs }: TripRound): number => cpuUs['process'] ?? Number.NaN;

function embeddedRatios(lines: readonly TripLine[]): readonly Ratio[] {
  const [own, inline] = [EMBEDDED, INLINE].map((system) =>
    figuresOf(lines, { system, window: MANY }, processUs),
  );
  const measured = compareTimes(own ?? [], inline ?? []);
  return [
    asTarget(atMost('embedded, processor time per call / fastify with the engine', measured, AIM.embedded)),
  ];
}
