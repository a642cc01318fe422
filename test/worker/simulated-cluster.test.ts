import { expect, it } from 'vitest';
import { TOPIC } from '../../shared/messaging/topics/topics.ts';
import { sleep } from '../../shared/platform/timers.ts';
import { PROCESSES as ALL_PROCESSES, startCluster, type SimCluster } from '../simulation/cluster.ts';
import type { CallResult } from '../simulation/restarting-process.ts';
import { calmPlan, planFaults, type FaultPlan, type Incident } from '../simulation/faults/fault-plan.ts';
import { ADDRESS, SMS } from '../support/builders/notification-call.ts';
import { ACTION_PATH, PROOF_REQUEST } from '../support/builders/schedule-call.ts';

const PROCESSES = ALL_PROCESSES.cluster;
const CALLS = 24;
const INTERVAL_MS = 400;
/** After this simulated time everything has settled. */
const SETTLED_MS = 150_000;

interface Run {
  readonly cluster: SimCluster;
  readonly trace: readonly string[];
  readonly results: readonly CallResult[];
  /** Notifications that a provider sent, by id. */
  readonly sent: ReadonlyMap<string, number>;
}

/** Runs calls of both ingresses, half of them notifications, during the faults of the plan. */
async function run(plan: FaultPlan): Promise<Run> {
  const trace: string[] = [];
  const sent = new Map<string, number>();
  const cluster = await startCluster({
    plan,
    observer: {
      onEvent: (line) => trace.push(line),
      onRecord: ({ topic, partition, offset, value, timestampMs }, by) =>
        trace.push(
          `${by} ${topic}/${partition}@${offset} ${timestampMs} ${value?.toString('base64') ?? '-'}`,
        ),
      onProviderCall: ({ id, isSent }) => {
        trace.push(`provider ${id} ${isSent}`);
        if (isSent) sent.set(id, (sent.get(id) ?? 0) + 1);
      },
    },
  });
  cluster.beginFaults();
  const calls = Array.from({ length: CALLS }, async (_, number) => {
    await sleep(cluster.system.timers, number * INTERVAL_MS);
    const result = await cluster.call(`ingress-${1 + (number % 2)}`, callOf(number));
    trace.push(result.kind === 'answer' ? `${number} ${result.status} ${result.body}` : `${number} reset`);
    return result;
  });
  const results = await cluster.system.run(Promise.all(calls), SETTLED_MS);
  await cluster.system.pass(SETTLED_MS);
  return { cluster, trace, results, sent };
}

function callOf(number: number) {
  if (number % 4 < 2) {
    const body = { jsonParam: { ...PROOF_REQUEST, Amount: 100 + number } };
    return { method: 'POST', url: ACTION_PATH, body } as const;
  }
  const headers = { 'x-communication-channel': '1', 'x-sender-id': 'platrealm' };
  const body = { ...SMS, message: `Hello ${number}` };
  return { method: 'POST', url: `${ADDRESS}/sms/send`, headers, body } as const;
}

function acceptedIds(results: readonly CallResult[]): string[] {
  return results.flatMap((result) => {
    if (result.kind !== 'answer' || result.status !== 202) return [];
    return [(JSON.parse(result.body) as { readonly notificationId: string }).notificationId];
  });
}

const crash = (target: string, atMs: number, afterEffects: number): Incident => ({
  kind: 'crash',
  atMs,
  target,
  afterEffects,
  downMs: 9_000,
});
const incidents = (...list: Incident[]): FaultPlan => ({ ...calmPlan(1), faultMs: 20_000, incidents: list });
const statusOf = (result: CallResult): number | 'reset' =>
  result.kind === 'answer' ? result.status : 'reset';

it('a cluster without faults answers everything and sends every notification once', async () => {
  const { cluster, results, sent } = await run(calmPlan(1));
  expect(new Set(results.map(statusOf))).toEqual(new Set([200, 202]));
  expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(acceptedIds(results).map((id) => [id, 1])));
  const health = cluster.processes.flatMap((process) => Object.values(process.health() ?? {}));
  expect(health.length).toBeGreaterThanOrEqual(PROCESSES.length);
  expect(new Set(health.map(({ status }) => status))).toEqual(new Set(['ready']));
  await cluster.stop();
  expect(cluster.processes.map((process) => process.state())).toEqual(PROCESSES.map(() => 'down'));
});

it('a notification that was accepted before its worker crashed is sent by the other or after the restart', async () => {
  const plan = incidents(crash('notification-1', 1_000, 5), crash('notification-2', 1_500, 9));
  const { cluster, trace, results, sent } = await run(plan);
  expect(trace.filter((line) => line.endsWith('crashed'))).toHaveLength(2);
  expect(cluster.processes.map((process) => process.starts()).filter((starts) => starts > 1)).toEqual([2, 2]);
  const accepted = acceptedIds(results);
  expect(accepted).toHaveLength(CALLS / 2);
  // One whose worker crashed after the call of its provider may have been sent, and is parked.
  const parked = trace.filter((line) => line.includes(` ${TOPIC.notificationDeadLetters}/`)).length;
  expect(accepted.filter((id) => !sent.has(id)).length).toBeLessThanOrEqual(parked);
});

it('callers of an ingress that crashes get no response, and those of a frozen one a late response', async () => {
  const plan = incidents(
    { kind: 'crash', atMs: 2_000, target: 'ingress-1', afterEffects: 0, downMs: 5_000 },
    { kind: 'freeze', atMs: 2_000, target: 'ingress-2', forMs: 3_000 },
  );
  const { results, cluster } = await run(plan);
  const statuses = results.map(statusOf);
  expect(statuses.filter((_, number) => number % 2 === 0)).toContain('reset');
  expect(statuses.filter((_, number) => number % 2 === 1)).not.toContain('reset');
  expect(cluster.counts).toEqual({ crash: 1, freeze: 1 });
});

it('an ingress that gets SIGTERM answers the calls in progress, refuses later ones, and starts again', async () => {
  const { cluster, trace, results } = await run(
    incidents(
      // The eighth call comes in this time.
      { kind: 'pause', atMs: 3_100, forMs: 4_000 },
      { kind: 'terminate', atMs: 3_300, target: 'ingress-1', downMs: 1_000 },
    ),
  );
  expect(trace).toContain('ingress-1#1 has ended: stopped');
  expect(cluster.processes.map((process) => process.starts())).toEqual(
    PROCESSES.map(({ name }) => (name === 'ingress-1' ? 2 : 1)),
  );
  const statuses = results.map(statusOf);
  expect(statuses[8]).toBe(200);
  expect([10, 12, 14, 16].map((number) => statuses[number])).toEqual([503, 503, 503, 503]);
  expect(statuses.at(-2)).toBe(202);
});

it('a worker that cannot write what it has left ends on SIGTERM all the same, within its time', async () => {
  // While a provider sends the sixth message.
  const atMs = 2_430;
  const { trace } = await run(
    incidents(
      ...[0, 1, 2].map((node): Incident => ({ kind: 'leader-change', node, atMs, forMs: 30_000 })),
      ...PROCESSES.filter(({ workers }) => !workers.includes('ingress')).map(
        ({ name: target }): Incident => ({ kind: 'terminate', target, atMs: atMs + 50, downMs: 40_000 }),
      ),
    ),
  );
  const ends = trace.filter((line) => line.includes(' has ended: '));
  expect(ends.map((line) => line.replace(/.*: /, ''))).toEqual(ends.map(() => 'stopped'));
  expect(ends).toHaveLength(6);
});

it('two runs of one plan give the same trace, and another plan gives another one', async () => {
  const plan = planFaults(6, { processes: PROCESSES.map(({ name }) => name), faultMs: 10_000 });
  const [first, second] = [await run(plan), await run(plan)];
  expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
  expect(second.cluster.system.turns()).toBe(first.cluster.system.turns());
  const other = await run({ ...plan, seed: 7 });
  expect(other.trace.join('\n')).not.toBe(first.trace.join('\n'));
});
