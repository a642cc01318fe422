import { MESSAGES } from '../../schemas/messages.ts';
import { MESSAGE_FORMS } from '../../shared/api/actions/message-forms.ts';
import { createMessageCodec, type MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import { combineHealth } from '../../shared/platform/health.ts';
import { QUEUE_LIMITS } from '../../shared/platform/queue-limits.ts';
import { sleep } from '../../shared/platform/system-ports.ts';
import { History, placeOf, type ProviderCall } from './check/history.ts';
import { FAULTS, Journal } from './check/journal.ts';
import { acceptedIds, currentState, FINAL } from './check/notification-rules.ts';
import { createWatcher, type Watcher } from './check/watcher.ts';
import { startCluster, type SimCluster } from './cluster.ts';
import { isCalm, type SeedPlan } from './seed-plan.ts';
import { createMachine, ProcessLife } from './sim-process.ts';
import { callAction, lookAt, sendNotification } from './workload/callers.ts';
import { redrive } from './workload/operators.ts';
import { ARRIVAL_MS, planLastCalls, REPLY_TOPICS, type Activity } from './workload/plan.ts';
import { REPORTS_FILE, reportDelivery } from './workload/reports.ts';
import { createProviders } from './workload/providers.ts';
import { writeCommand, writePoison, writeRequest } from './workload/upstream.ts';
import { verify } from './workload/verifications.ts';
import type { World } from './workload/world.ts';

const MINUTE_MS = 60_000;
/** A notification settles within its time limit, one whose copy was lost 15 minutes later (docs/notification-delivery.md). */
export const SETTLE_LIMIT_MS = 25 * MINUTE_MS;
/** Everything but the delivery of notifications has settled by then: requests, redrives, and all processes. */
const REQUESTS_SETTLE_MS = 5 * MINUTE_MS;
/** What has settled stays so: a consumer that makes no progress is reported as unhealthy after a minute. */
const STAYS_SETTLED_MS = 70_000;
const LOOK_EVERY_MS = 1_000;
const SETTINGS = {
  NOTIFICATION_RETRY_TIERS: '5s,30s',
  NOTIFICATION_TIME_LIMIT: '2m',
  // Never reached: it only has the messages counted.
  NOTIFICATION_QUOTA_CALLER: '1000000000',
  // Shorter than the latest answers of a provider.
  NOTIFICATION_SEND_TIMEOUT_MS: '2000',
};
const REPLY_PARTITIONS = 2;
/** The notifications of the day. */
const COUNTED = /^plat_notification_quota_counted\{figure="messages"\} (\d+)$/m;

export type SeedResult = Awaited<ReturnType<typeof runPlan>>;

/** Created once: it takes longer than a run. */
let codec: Promise<MessageCodec> | undefined;

async function createCodec(): Promise<MessageCodec> {
  const created = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });
  await created.prepare(MESSAGES.map(({ type }) => type));
  return created;
}

export async function runPlan(plan: SeedPlan) {
  const ownCodec = await (codec ??= createCodec());
  const history = new History();
  const reports = { begin: (_call: ProviderCall): void => undefined };
  const clocks: { elapsedMs: () => number } = { elapsedMs: () => 0 };
  const elapsedMs = (): number => clocks.elapsedMs();
  const journal = new Journal(elapsedMs);
  const watcher = createWatcher({
    history,
    journal,
    codec: ownCodec,
    elapsedMs,
    isCalm: isCalm(plan.faults),
    isEmbedded: plan.system === 'embedded',
    mayEvictResults: plan.limits.resultBytes < QUEUE_LIMITS.resultBytes,
    mayLoseOrder: plan.limits.hold.keys < QUEUE_LIMITS.hold.keys,
    unknownPolicy: plan.unknownPolicy,
  });
  const onDelivery = (call: ProviderCall): void => {
    watcher.onDelivery(call);
    reports.begin(call);
  };
  const onRejection = (error: unknown): void =>
    watcher.report(
      'no rejection is unhandled',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
  process.on('unhandledRejection', onRejection);
  try {
    const cluster = await startCluster({
      plan: plan.faults,
      kind: plan.system,
      topics: REPLY_TOPICS.map((topic) => ({ topic, partitions: REPLY_PARTITIONS })),
      env: { ...SETTINGS, NOTIFICATION_UNKNOWN: plan.unknownPolicy },
      limits: plan.limits,
      configFile: REPORTS_FILE,
      plant: plan.plant,
      observer: {
        ...watcher,
        onLoss: (end, seen) => watcher.onLoss({ ...end, seen }),
        onEvent: (line) => journal.note(FAULTS, line),
      },
      createProviders: (system, fates) => {
        clocks.elapsedMs = () => system.monotonic.elapsedMs();
        return createProviders({ system, fates, plan: plan.faults, journal, history, onDelivery });
      },
    });
    try {
      await drive(cluster, { plan, journal, watcher, history, codec: ownCodec, reports });
    } catch (error) {
      watcher.report('time passes', String(error));
    }
    return {
      plan,
      violations: watcher.violations,
      journal,
      steps: cluster.system.turns(),
      simulatedMs: elapsedMs(),
      faults: cluster.counts,
    };
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}

type Parts = Pick<World, 'journal' | 'history' | 'codec'> & {
  readonly plan: SeedPlan;
  readonly watcher: Watcher;
  /** Set once the processes run, which is before a provider is called. */
  readonly reports: { begin: (call: ProviderCall) => void };
};

async function drive(cluster: SimCluster, parts: Parts): Promise<void> {
  const { plan, watcher, history } = parts;
  const { system } = cluster;
  let isOver = false;
  const world = createWorld(cluster, parts, () => isOver);
  const startedAtMs = system.monotonic.elapsedMs();
  cluster.beginFaults();
  const pending = new Map<string, Promise<void>>();
  const begin = (id: string, work: Promise<void>): void => {
    pending.set(id, work);
    work.then(
      () => pending.delete(id),
      (error: unknown) =>
        watcher.report('the simulated caller works', `${id}: ${String((error as Error).stack)}`),
    );
  };
  for (const activity of plan.activities)
    begin(
      activity.id,
      sleep(system.timers, activity.atMs).then(() => perform(world, activity)),
    );
  parts.reports.begin = (call) =>
    begin(`report of ${call.notificationId} ${call.startedAtMs}`, reportDelivery(world, call));
  const unsettled = (): Promise<readonly string[]> => findUnsettled(cluster, parts, [...pending.keys()]);
  for (let passedMs = 0; passedMs < ARRIVAL_MS; passedMs += LOOK_EVERY_MS) {
    await system.pass(LOOK_EVERY_MS);
    for (const [name, state] of healthOf(cluster))
      watcher.onLook({ process: name, isReady: state === 'ready', absentMs: cluster.broker.absentMs(name) });
  }
  let waiting = await unsettled();
  const isInTime = (): boolean => {
    const sinceMs = system.monotonic.elapsedMs() - startedAtMs - ARRIVAL_MS;
    return sinceMs < (waiting.every(isAboutNotifications) ? SETTLE_LIMIT_MS : REQUESTS_SETTLE_MS);
  };
  while (watcher.violations.length === 0 && waiting.length > 0 && isInTime()) {
    await system.pass(LOOK_EVERY_MS);
    waiting = await unsettled();
  }
  if (watcher.violations.length > 0) return;
  if (waiting.length === 0) {
    await system.run(callAgain(world), REQUESTS_SETTLE_MS);
    await system.pass(STAYS_SETTLED_MS);
    waiting = await unsettled();
  }
  isOver = true;
  for (const process of cluster.processes) {
    const [, count] = COUNTED.exec((await process.running()?.metrics.text()) ?? '') ?? [];
    if (count !== undefined) history.counted.set(process.name, Number(count));
  }
  await lookAtAll(world, cluster, acceptedIds(history));
  const unready = await unreadyAddresses(cluster);
  watcher.atEnd({ isCalm: isCalm(plan.faults), unsettled: [...waiting, ...unready] });
}

function createWorld(cluster: SimCluster, { plan, ...parts }: Parts, isOver: () => boolean): World {
  const { system, broker } = cluster;
  const ingresses = cluster.processes
    .filter(({ workers }) => workers.includes('ingress'))
    .map(({ name }) => name);
  const ingressName = (ingress: number): string => ingresses[ingress % ingresses.length] ?? '';
  return {
    ...parts,
    system,
    ingressName,
    absentMs: (ingress) => {
      const name = ingressName(ingress);
      const isRunning = cluster.processes.some((one) => one.name === name && one.state() === 'running');
      return isRunning ? broker.absentMs(name) : Infinity;
    },
    isOver,
    call: async (ingress, call) => {
      const result = await cluster.call(ingressName(ingress), call);
      return result.kind === 'answer' ? result : undefined;
    },
    startClient: (name) => {
      const life = new ProcessLife(`${name}#1`, createMachine(system, plan.seed));
      return { ports: life.ports, broker: broker.connectClient(life) };
    },
  };
}

async function callAgain(world: World): Promise<void> {
  for (const activity of planLastCalls()) await perform(world, activity);
}

function perform(world: World, activity: Activity): Promise<void> {
  switch (activity.kind) {
    case 'action':
      return callAction(world, activity);
    case 'notification':
      return sendNotification(world, activity);
    case 'request':
      return writeRequest(world, activity);
    case 'command':
      return writeCommand(world, activity);
    case 'poison':
      return writePoison(world, activity);
    case 'verification':
      return verify(world, activity);
    case 'redrive':
      return redrive(world, activity);
    default:
      return activity satisfies never;
  }
}

function isAboutNotifications(waiting: string): boolean {
  return /^notification-?|plat\.notification\./.test(waiting);
}

async function findUnsettled(
  cluster: SimCluster,
  { history }: Parts,
  pending: readonly string[],
): Promise<readonly string[]> {
  const waiting: string[] = [];
  if (pending.length > 0) waiting.push(`in progress: ${pending.join(', ')}`);
  for (const [name, state] of healthOf(cluster))
    if (state !== 'ready') waiting.push(`process ${name} is ${state}`);
  for (const id of acceptedIds(history)) {
    const status = currentState(history, id)?.status ?? 'not in the ledger';
    if (status === 'not in the ledger' || !FINAL.has(status)) waiting.push(`notification ${id} is ${status}`);
  }
  return [...waiting, ...(await groupsInWaiting(cluster, history))];
}

/** Groups with uncommitted records, or without a consumer of a process. Offsets without a record do not count. */
async function groupsInWaiting(
  { broker, processes }: SimCluster,
  { byPlace }: World['history'],
): Promise<readonly string[]> {
  return (await broker.groups()).flatMap(({ groupId, state, members, partitions }) => {
    const [, worker] = groupId.split('.');
    const wanted = processes.filter(({ workers }) => workers.some((name) => name === worker)).length;
    const isComplete = state === 'stable' && members.length === wanted;
    const lags = partitions.flatMap(({ topic, partition, low, high, committed = low }) => {
      let next = committed;
      while (next < high && !byPlace.has(placeOf(topic, partition, next))) next += 1;
      return next >= high ? [] : [`${groupId} is at ${next} of ${high} in ${topic}/${partition}`];
    });
    return isComplete
      ? lags
      : [`${groupId} is ${state} with ${members.length} of ${wanted} consumers`, ...lags];
  });
}

function healthOf({ processes }: SimCluster): ReadonlyMap<string, string> {
  return new Map(
    processes.map((process) => {
      const health = process.running()?.health();
      if (health === undefined) return [process.name, process.state()];
      const { status, reason = status } = combineHealth(health);
      return [process.name, status === 'ready' || status === 'degraded' ? 'ready' : reason];
    }),
  );
}

/** Health addresses of ingresses that do not say ready. Those of other processes say what healthOf() returns. */
async function unreadyAddresses(cluster: SimCluster): Promise<readonly string[]> {
  const url = '/health/ready';
  const asked = cluster.processes
    .filter(({ workers }) => workers.includes('ingress'))
    .map(async ({ name }) => {
      const answer = await cluster.call(name, { method: 'GET', url });
      return answer.kind === 'answer' && answer.status === 200
        ? []
        : [`${url} of ${name} does not say ready`];
    });
  return (await cluster.system.run(Promise.all(asked), MINUTE_MS)).flat();
}

async function lookAtAll(world: World, cluster: SimCluster, ids: ReadonlySet<string>): Promise<void> {
  const accepted = world.history.notifications.flatMap(({ notificationId, call }) =>
    notificationId !== undefined && ids.has(notificationId) ? [[notificationId, call.id] as const] : [],
  );
  const known = new Map(accepted);
  const looks = [...known].flatMap(([notificationId, id]) =>
    [0, 1].map((ingress) => lookAt(world, ingress, { notificationId, id })),
  );
  const seen = await cluster.system.run(Promise.all(looks), MINUTE_MS);
  world.history.lastLooks.push(...seen.filter((look) => look !== undefined));
  // An embedded broker delivers replies before they are on its disk.
  await cluster.system.pass(LOOK_EVERY_MS);
}
