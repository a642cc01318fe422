import { findFreePorts } from '../../scripts/dev/local-kafka/free-ports.ts';
import { HEADER, headerText } from '../../shared/messaging/headers.ts';
import { eventually, sleep } from '../support/conformance/wait.ts';
import { startProviderStandIn, type ProviderStandIn } from '../support/fakes/provider-stand-in.ts';
import { countingProviderFile } from '../support/builders/provider-entry.ts';
import { Picks } from '../support/random/pick.ts';
import { type FaultProxy, type NetworkFault, NETWORK_FAULTS, startFaultProxy } from './fault-proxy.ts';
import { callOnce, startLoad } from './http-load.ts';
import { NotificationCaller, type NotificationFigures } from './notification-calls.ts';
import { VerificationCaller, type VerificationFigures } from './verification-calls.ts';
import {
  matchReplies,
  nonZero,
  openSoakWorld,
  readTopic,
  type ReplyFigures,
  type Say,
  type SoakWorld,
  startEngines,
} from './soak-world.ts';
import { watchProcess, type WatchedProcess } from './watched-process.ts';

const NODES = 3;
const SEED = 20_260_501;
const SECOND_MS = 1_000;
const TICK_MS = 100;
const CALLS_PER_SECOND = 20;
const NOTIFICATIONS_PER_SECOND = 5;
const VERIFICATIONS_PER_SECOND = 1;
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
const SHOWN_CHARACTERS = 300;

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

/** Results of a run in which the clients reach the brokers over a failing network. */
export interface NetworkReport extends ReplyFigures, NotificationFigures, VerificationFigures {
  readonly phases: number;
  readonly torn: number;
  readonly calls: number;
  readonly answered: number;
  readonly refused: number;
  /** Calls that were not accepted, or whose process exited. */
  readonly cut: number;
  /** Calls that a running process did not answer. */
  readonly lost: number;
  readonly swapped: number;
  readonly deadLetters: string;
  /** Messages whose delivery the provider reported, and those that a notification does not show. */
  readonly receipts: number;
  readonly receiptsLost: number;
  readonly unansweredAfterwards: number;
  readonly recoveryMs: number;
  readonly slowestMs: number;
  readonly durationMs: number;
  /**
   * Empty: no process exits or hangs, every caller gets its own response, no accepted request is lost, and the system recovers
   * afterwards. Refusals and repeated replies are allowed.
   */
  readonly faults: readonly string[];
}

/**
 * Runs two ingresses and two workers against three brokers behind proxies that are torn, delayed, black-holed and
 * silent alternately for `failingMs`, under constant traffic. The brokers reach each other without the proxies.
 */
export async function runNetwork(say: Say, failingMs: number): Promise<NetworkReport> {
  const picks = new Picks(SEED);
  const targets = await findFreePorts(NODES);
  const share = (): number => picks.share();
  const proxies = await Promise.all(targets.map((target) => startFaultProxy({ target, share })));
  const listeners = targets.map((port, index) => [
    { name: 'PROXIED', port, advertisedPort: proxies[index]?.port ?? 0, protocol: 'PLAINTEXT' as const },
  ]);
  try {
    const world = await openSoakWorld({ say, listeners });
    try {
      await using provider = await startProviderStandIn();
      return await runIn(world, { proxies, provider, picks, failingMs });
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
  readonly failingMs: number;
}

async function runIn(world: SoakWorld, stage: Stage): Promise<NetworkReport> {
  const { say } = world;
  const { proxies, provider } = stage;
  const startedAt = performance.now();
  const env = processEnvironment(world, stage);
  const sightings: string[] = [];
  const kinds = [['schedule', 'notification'], ['schedule', 'notification'], ['ingress'], ['ingress']];
  const engines = await startEngines(kinds, env);
  const processes = engines.map((engine, index) =>
    watchProcess(kinds[index]?.join('+') ?? '', engine, (line) => {
      sightings.push(line);
      say(`!!! ${line}`);
    }),
  );
  const urls = engines.slice(-2).map(({ url }) => url);
  const notifications = new NotificationCaller(urls);
  provider.otherwise(({ body }) => {
    notifications.report((JSON.parse(body.toString()) as { readonly id: string }).id);
    return { status: 200 };
  });
  const sending = startLoad(NOTIFICATIONS_PER_SECOND, (number) => notifications.send(number));
  const verifications = new VerificationCaller(urls, provider);
  const verifying = startLoad(VERIFICATIONS_PER_SECOND, (number) => verifications.verify(number));
  const { tally, load, faults } = startCalls(urls);
  const stop = async (): Promise<void> => {
    notifications.giveUp();
    verifications.giveUp();
    await Promise.all([load.stop(), sending.stop(), verifying.stop()]);
  };
  try {
    await sleep(EDGE_MS);
    const phases = await failInTurn(stage, say);
    const recoveryMs = await recover(processes);
    const before = { calls: tally.calls, answered: tally.answered };
    await sleep(EDGE_MS);
    await stop();
    await untilDelivered(() => notifications.figures(provider));
    const receipts = await notifications.receipts();
    const exits = await Promise.all(processes.map((process) => process.end('SIGTERM')));
    const letters = await deadLetters(world);
    const figures = {
      phases,
      torn: proxies.reduce((sum, { torn }) => sum + torn, 0),
      ...tally,
      ...notifications.figures(provider, new Set(letters.map(({ id }) => id))),
      ...receipts,
      ...verifications.figures(),
      unansweredAfterwards: tally.calls - before.calls - (tally.answered - before.answered),
      ...(await matchReplies(world, 'scheduleRequests', 'ingressReplies')),
    };
    const codes = Map.groupBy(letters, ({ code }) => code);
    return {
      ...figures,
      deadLetters: [...codes].map(([code, all]) => `${code} ${all.length}`).join(', '),
      recoveryMs,
      durationMs: performance.now() - startedAt,
      faults: [
        ...sightings,
        ...faults,
        ...exits.filter((code) => code !== 0).map((code) => `exited with ${code} after SIGTERM`),
        ...[...codes.keys()].filter((code) => code !== PARKED).map((code) => `dead letters: ${code}`),
        ...nonZero(figures, 'lost', 'swapped', 'notificationsLost', 'notificationsRepeated', 'receiptsLost'),
        ...nonZero(figures, 'unansweredAfterwards', 'codesAcceptedWrongly'),
        ...(['answered', 'accepted', 'torn', 'codesAccepted'] as const).flatMap((name) =>
          figures[name] > 0 ? [] : [`${name}: 0`],
        ),
      ],
    };
  } finally {
    await stop();
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
  }
}

function processEnvironment(world: SoakWorld, { proxies, provider }: Stage) {
  return {
    ...world.env,
    KAFKA_BROKERS: proxies.map(({ port }) => `127.0.0.1:${port}`).join(','),
    REPLY_TIMEOUT_MS: String(REPLY_TIMEOUT_MS),
    NOTIFICATION_CONFIG_FILE: countingProviderFile(world.folder, provider.origin),
    HEALTH_PORT: '0',
    LOG_LEVEL: 'error',
    RESULT_ID_SECRET: 'a secret for soak tests only',
  };
}

/** One or two brokers at a time, sometimes all three. Returns the number of phases. */
async function failInTurn({ proxies, picks, failingMs }: Stage, say: Say): Promise<number> {
  const endAt = performance.now() + failingMs;
  let phases = 0;
  for (; performance.now() < endAt; phases += 1) {
    const faults = FIRST_PHASES[phases] ?? pickFaults(picks);
    const first = picks.whole(0, NODES - 1);
    for (const [index, fault] of faults.entries()) proxies[(first + index) % NODES]?.set(fault);
    say(`phase ${phases + 1}: ${faults.map((fault) => fault ?? 'well').join(', ')} from node ${first + 1}`);
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

/** A process that does not recover shows in the calls that follow. */
async function recover(processes: readonly WatchedProcess[]): Promise<number> {
  const startedAt = performance.now();
  const allReady = async (): Promise<boolean> => {
    await sleep(TICK_MS);
    return (await Promise.all(processes.map((process) => process.isReady()))).every(Boolean);
  };
  await eventually('all processes to be ready', RECOVERY_LIMIT_MS, allReady).catch(() => undefined);
  return performance.now() - startedAt;
}

/** Sends calls, each without retries, and judges their responses. */
function startCalls(urls: readonly string[]) {
  const tally = { calls: 0, answered: 0, refused: 0, cut: 0, lost: 0, swapped: 0, slowestMs: 0 };
  const faults: string[] = [];
  const load = startLoad(CALLS_PER_SECOND, async (number) => {
    const id = `network-${number}`;
    const startedAt = performance.now();
    const end = await callOnce(urls[number % urls.length] ?? '', id, {
      kinds: ['schedule', 'payment'],
      number,
    });
    tally.calls += 1;
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt);
    if (end.kind === 'unconnected' || end.kind === 'cut') tally.cut += 1;
    else if (end.kind === 'broken') {
      tally.lost += 1;
      faults.push(`${id}: ${end.reason}`);
    } else if (TOLD.has(end.status)) tally.refused += 1;
    else if (end.status !== 200) faults.push(`${id}: ${end.status} ${end.body.slice(0, SHOWN_CHARACTERS)}`);
    else if (end.isOwn) tally.answered += 1;
    else tally.swapped += 1;
  });
  return { tally, load, faults };
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

async function deadLetters({ broker, topic }: SoakWorld) {
  const letters: { readonly code: string; readonly id: string }[] = [];
  for (const key of ['scheduleDeadLetters', 'notificationDeadLetters'] as const) {
    await readTopic(broker, topic(key), ({ headers }) => {
      letters.push({
        code: headerText(headers, HEADER.deadLetterCode) ?? 'no code',
        id: headerText(headers, HEADER.notificationId) ?? '',
      });
    });
  }
  return letters;
}
