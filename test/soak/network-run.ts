import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePorts } from '../../scripts/dev/local-kafka/free-ports.ts';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { startProviderStandIn, type ProviderStandIn } from '../support/fakes/provider-stand-in.ts';
import { Picks } from '../support/random/pick.ts';
import { type FaultProxy, type NetworkFault, NETWORK_FAULTS, startFaultProxy } from './fault-proxy.ts';
import { createHttpCaller, type HttpCaller } from './http-caller.ts';
import { markedCall, type CallKind } from './marked-calls.ts';
import { NotificationCaller, type NotificationFigures } from './notification-calls.ts';
import { openSoakWorld, type Say, type SoakWorld } from './soak-world.ts';
import { matchReplies, readTopic, type ReplyFigures } from './topic-reading.ts';
import { type Sightings, WatchedProcess } from './watched-process.ts';
import { KAFKA_CLIENT } from '../support/kafka/broker.ts';

const NODES = 3;
const SECOND_MS = 1_000;
const TICK_MS = 100;
/** Traffic before the first fault and after the last one. */
const EDGE_MS = 3 * SECOND_MS;
/** Range of fault durations; the longest exceeds the request timeout, so that clients give up connections. */
const FAULT_MS = [2 * SECOND_MS, 9 * SECOND_MS] as const;
const CALM_MS = [SECOND_MS, 4 * SECOND_MS] as const;
/**
 * Every process must be ready within this time after the last fault: sessions, back-offs and breakers end well
 * before.
 */
const RECOVERY_LIMIT_MS = 90 * SECOND_MS;
/** Notifications are retried within a minute. */
const NO_DELIVERY_MS = 75 * SECOND_MS;
/** Dead-letter code of a notification with an unknown outcome, under the policy that never resends. */
const PARKED = 'outcome-unknown';
/** The ingress responds before its caller times out, even if the request cannot be stored. */
const REPLY_TIMEOUT_MS = 5 * SECOND_MS;
/** Expected responses while the network fails; the caller may retry. */
const TOLD: ReadonlySet<number> = new Set([503, 504]);
const DEAD_LETTER_TOPICS = ['scheduleDeadLetters', 'notificationDeadLetters'] as const;
const TEXT_CHARACTERS = 300;

type Faults = readonly (NetworkFault | undefined)[];

/**
 * The first faults of every run, however short: a silent broker together with one that closes connections, then the
 * others.
 */
const FIRST_PHASES: readonly Faults[] = [
  ['silent', 'refused', undefined],
  ['torn', 'torn', undefined],
  ['black-holed', 'delayed', undefined],
];

export interface NetworkOptions {
  /** How long the network fails. */
  readonly durationMs: number;
  readonly seed: number;
  readonly calls: readonly CallKind[];
  readonly callsPerSecond: number;
  readonly notificationsPerSecond: number;
}

/** Results of a run in which the clients reach the brokers over a failing network. */
export interface NetworkReport extends Sightings, ReplyFigures, NotificationFigures {
  readonly phases: number;
  /** Connections to brokers, and the number cut in the middle of a response. */
  readonly connections: number;
  readonly torn: number;
  readonly calls: number;
  readonly answered: number;
  /** Responses with 503 or 504, with the count of each code. */
  readonly refused: number;
  readonly refusedHow: string;
  /** Calls that were not accepted, or whose process exited. */
  readonly cut: number;
  /** Calls that a running process did not answer. */
  readonly lost: number;
  readonly swapped: number;
  readonly wrongAnswers: readonly string[];
  /** Dead letters except those of parked notifications, and the count of each code including them. */
  readonly deadLetters: number;
  readonly deadLettersHow: string;
  /** Unanswered calls after the recovery. */
  readonly unansweredAfterwards: number;
  readonly badExits: readonly string[];
  readonly recoveryMs: number;
  readonly slowestMs: number;
  readonly durationMs: number;
}

/**
 * Runs two ingresses and two workers against three brokers behind proxies that are torn, delayed, black-holed and
 * silent alternately, under constant traffic. The brokers reach each other without the proxies.
 */
export async function runNetwork(say: Say, options: NetworkOptions): Promise<NetworkReport> {
  const picks = new Picks(options.seed);
  const targets = await findFreePorts(NODES);
  const proxies = await Promise.all(
    targets.map((target) => startFaultProxy({ target, share: () => picks.share() })),
  );
  const proxied = targets.map((port, index) => ({ port, advertisedPort: proxies[index]?.port ?? 0 }));
  try {
    const world = await openSoakWorld({ say, proxied });
    try {
      await using provider = await startProviderStandIn();
      return await runIn(world, { proxies, provider, picks }, options);
    } finally {
      await world.close();
    }
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }
}

interface Stage {
  readonly proxies: readonly FaultProxy[];
  readonly provider: ProviderStandIn;
  readonly picks: Picks;
}

async function runIn(world: SoakWorld, stage: Stage, options: NetworkOptions): Promise<NetworkReport> {
  const { say } = world;
  const { proxies, provider, picks } = stage;
  const startedAt = performance.now();
  const env = await processEnvironment(world, stage);
  const sightings: Sightings = { crashes: [], spins: [], hangs: [], failedStarts: [] };
  const processes = await startAll(
    [['schedule', 'notification'], ['schedule', 'notification'], ['ingress'], ['ingress']],
    (workers) => WatchedProcess.start({ workers, env, sightings, say }),
  );
  const urls = (): string[] => processes.slice(-2).map((process) => process.url);
  const load = startLoad(urls, options);
  try {
    await sleep(EDGE_MS);
    const phases = await failInTurn(proxies, { picks, durationMs: options.durationMs, say });
    const recoveryMs = await recover(processes, say);
    const before = load.figures();
    await sleep(EDGE_MS);
    await load.stop();
    const after = load.figures();
    await untilDelivered(() => load.notifications.figures(provider));
    const exits = await Promise.all(processes.map((process) => process.stop()));
    const letters = await deadLetters(world);
    const topics = { requests: world.topic('scheduleRequests'), replies: world.topic('ingressReplies') };
    return {
      phases,
      connections: sum(proxies.map(({ connections }) => connections)),
      torn: sum(proxies.map(({ torn }) => torn)),
      ...after,
      ...load.notifications.figures(provider, new Set(letters.map(({ id }) => id))),
      unansweredAfterwards: after.calls - before.calls - (after.answered - before.answered),
      ...(await matchReplies(world.broker, topics)),
      deadLetters: letters.filter(({ code }) => code !== PARKED).length,
      deadLettersHow: countedText(letters.map(({ code }) => code)),
      ...sightings,
      badExits: exits.filter((code) => code !== 0).map((code) => `exited with ${code} after SIGTERM`),
      recoveryMs,
      durationMs: performance.now() - startedAt,
    };
  } finally {
    await load.stop();
    await Promise.all(processes.map((process) => process.abandon()));
  }
}

async function processEnvironment(world: SoakWorld, { proxies, provider }: Stage) {
  const file = path.join(world.folder, 'providers.json');
  const entry = {
    url: `${provider.origin}/sms`,
    provider: 'counting',
    'communication-channel': 'sms',
    'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
    defaultSender: 'Bank',
  };
  const notificationConfigurations = [{ realmId: 'platrealm', 'provider-configurations': [entry] }];
  await writeFile(file, JSON.stringify({ notificationConfigurations }));
  return {
    ...world.env,
    KAFKA_CLIENT,
    KAFKA_BROKERS: proxies.map(({ port }) => `127.0.0.1:${port}`).join(','),
    REPLY_TIMEOUT_MS: String(REPLY_TIMEOUT_MS),
    NOTIFICATION_CONFIG_FILE: file,
    HEALTH_PORT: '0',
    LOG_LEVEL: 'error',
  };
}

/** Starts all processes in parallel. If one fails to start, the others are stopped. */
async function startAll(
  kinds: readonly (readonly string[])[],
  start: (workers: readonly string[]) => Promise<WatchedProcess>,
): Promise<WatchedProcess[]> {
  const starting = kinds.map(start);
  const ends = await Promise.allSettled(starting);
  const started = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  if (started.length < kinds.length) await Promise.all(started.map((process) => process.abandon()));
  return Promise.all(starting);
}

interface Failing {
  readonly picks: Picks;
  readonly durationMs: number;
  readonly say: Say;
}

/** One or two brokers at a time, sometimes all three. */
async function failInTurn(
  proxies: readonly FaultProxy[],
  { picks, durationMs, say }: Failing,
): Promise<number> {
  const endAt = performance.now() + durationMs;
  let phases = 0;
  for (; performance.now() < endAt; phases += 1) {
    const faults = FIRST_PHASES[phases] ?? pickFaults(picks);
    const first = picks.whole(0, NODES - 1);
    for (const [index, fault] of faults.entries()) proxies[(first + index) % NODES]?.set(fault);
    const state = proxies.map((_, index) => faults[(index - first + NODES) % NODES] ?? 'well');
    say(`phase ${phases + 1}: ${state.join(', ')}`);
    await sleep(Math.min(picks.whole(...FAULT_MS), endAt - performance.now()));
    for (const proxy of proxies) proxy.set(undefined);
    await sleep(Math.max(0, Math.min(picks.whole(...CALM_MS), endAt - performance.now())));
  }
  return phases;
}

function pickFaults(picks: Picks): Faults {
  const one = picks.of(...NETWORK_FAULTS);
  if (picks.chance(10)) return [one, one, one];
  return [one, picks.chance(50) ? picks.of(...NETWORK_FAULTS) : undefined, undefined];
}

async function recover(processes: readonly WatchedProcess[], say: Say): Promise<number> {
  const startedAt = performance.now();
  const allReady = async (): Promise<boolean> => {
    await sleep(TICK_MS);
    return (await Promise.all(processes.map((process) => process.isReady()))).every(Boolean);
  };
  await eventually('all processes to be ready', RECOVERY_LIMIT_MS, allReady).catch(() => {
    say('!!! not every process is ready again');
  });
  return performance.now() - startedAt;
}

interface Tally {
  calls: number;
  answered: number;
  cut: number;
  lost: number;
  swapped: number;
  slowestMs: number;
  readonly codes: string[];
  readonly wrongAnswers: string[];
}

/** Sends calls and notifications at a constant rate, independent of their duration. */
function startLoad(urls: () => readonly string[], options: NetworkOptions) {
  const caller = createHttpCaller();
  const tally: Tally = {
    calls: 0,
    answered: 0,
    cut: 0,
    lost: 0,
    swapped: 0,
    slowestMs: 0,
    codes: [],
    wrongAnswers: [],
  };
  const notifications = new NotificationCaller(urls);
  const underWay = new Set<Promise<void>>();
  const follow = (call: Promise<void>): void => {
    underWay.add(call);
    void call.finally(() => underWay.delete(call));
  };
  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    const pastS = (performance.now() - startedAt) / SECOND_MS;
    for (; begun < pastS * options.callsPerSecond; begun += 1) {
      const all = urls();
      follow(callOnce(caller, all[begun % all.length] ?? '', { tally, number: begun, kinds: options.calls }));
    }
    while (notifications.begun < pastS * options.notificationsPerSecond) follow(notifications.begin());
  }, TICK_MS);
  const figures = () => {
    const { codes, ...counts } = tally;
    return { ...counts, refused: codes.length, refusedHow: countedText(codes) };
  };
  return {
    figures,
    notifications,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      notifications.giveUp();
      await Promise.all(underWay);
      caller.close();
    },
  };
}

interface Call {
  readonly tally: Tally;
  readonly number: number;
  readonly kinds: readonly CallKind[];
}

/** Sends one call without retries and checks its response. */
async function callOnce(caller: HttpCaller, url: string, { tally, number, kinds }: Call): Promise<void> {
  const { path: action, body, answers } = markedCall(kinds, number);
  const startedAt = performance.now();
  const id = `network-${number}`;
  const end = await caller.post(url + action, body, id);
  tally.calls += 1;
  tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt);
  if (end.kind === 'unconnected' || end.kind === 'cut') tally.cut += 1;
  else if (end.kind === 'broken') {
    tally.lost += 1;
    tally.wrongAnswers.push(`${id}: ${end.reason}`);
  } else if (TOLD.has(end.status))
    tally.codes.push(/"code":"([^"]+)"/.exec(end.body)?.[1] ?? `${end.status}`);
  else if (end.status !== 200)
    tally.wrongAnswers.push(`${id}: ${end.status} ${end.body.slice(0, TEXT_CHARACTERS)}`);
  else if (end.correlationId === id && isOwn(end.body, answers)) tally.answered += 1;
  else tally.swapped += 1;
}

/** An unreadable body counts as a wrong response. */
function isOwn(body: string, answers: (body: string) => boolean): boolean {
  try {
    return answers(body);
  } catch {
    return false;
  }
}

/** Waits until the provider has received everything, or nothing has arrived for a while. */
async function untilDelivered(figures: () => NotificationFigures): Promise<void> {
  for (let known = -1, sinceMs = 0; sinceMs < NO_DELIVERY_MS; sinceMs += SECOND_MS) {
    const { notificationsLost, delivered } = figures();
    if (notificationsLost === 0) return;
    if (delivered !== known) sinceMs = 0;
    known = delivered;
    await sleep(SECOND_MS);
  }
}

interface Letter {
  readonly code: string;
  /** Id of the notification; empty for other messages. */
  readonly id: string;
}

async function deadLetters({ broker, topic }: SoakWorld): Promise<Letter[]> {
  const letters: Letter[] = [];
  for (const key of DEAD_LETTER_TOPICS) {
    await readTopic(broker, topic(key), ({ headers }) => {
      letters.push({
        code: headerText(headers, HEADER.deadLetterCode) ?? 'no code',
        id: headerText(headers, HEADER.notificationId) ?? '',
      });
    });
  }
  return letters;
}

function countedText(names: readonly string[]): string {
  return (
    [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name} ${all.length}`).join(', ') || 'none'
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
