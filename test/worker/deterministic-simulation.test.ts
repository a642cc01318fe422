import { expect, it, vi } from 'vitest';
import { SIMULATE_EXAMPLES } from '../../shared/contract/simulate/examples.ts';
import { TOPIC } from '../../shared/messaging/topics/topics.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { sleep } from '../../shared/platform/timers.ts';
import { describeRecord, startEmbeddedEngine, type EmbeddedEngine } from '../simulation/embedded-engine.ts';
import { planDiskFaults, type DiskIncident, type DiskPlan } from '../simulation/faults/disk-plan.ts';
import type { Call } from '../simulation/ingress-call.ts';
import type { CallResult } from '../simulation/restarting-process.ts';
import { ADDRESS, EMAIL, SMS } from '../support/builders/notification-call.ts';
import { ACTION_PATH, PROOF_REQUEST } from '../support/builders/schedule-call.ts';
import { Picks } from '../support/random/pick.ts';

const CALLS = 40;
/** Requests arrive during this time, in simulated milliseconds. */
const ARRIVAL_MS = 20_000;
/** After this simulated time all retries have ended. */
const SETTLED_MS = 400_000;
/** Seeds that SIMULATED_SEEDS adds, such as 1000-1200. */
const MORE = /^(\d+)-(\d+)$/.exec(process.env['SIMULATED_SEEDS'] ?? '');
const MORE_SEEDS =
  MORE === null
    ? []
    : Array.from({ length: Number(MORE[2]) - Number(MORE[1]) + 1 }, (_, at) => Number(MORE[1]) + at);
const SEED_LIMIT_MS = 60_000;
const ACTIONS = '/platapi/automation-processors/actions';
const [EXAMPLE] = SIMULATE_EXAMPLES;
const ATTACHMENT = Buffer.from('attached text').toString('base64');
const NO_FAULTS: DiskPlan = { ...planDiskFaults(1, ARRIVAL_MS), rates: {}, incidents: [] };

/** Turns of the event loop of an idle engine, in which sixteen consumers send heartbeats every two seconds. */
const MOST_IDLE_TURNS_PER_SECOND = 20;
const IDLE_SECONDS = 60;

interface Run {
  readonly trace: readonly string[];
  readonly answers: readonly CallResult[];
  /** How often a message was sent to its receiver, by notification. */
  readonly sent: ReadonlyMap<string, number>;
  /** The state of each accepted notification at the end. */
  readonly states: readonly string[];
  readonly turns: number;
  readonly starts: number;
}

/** One run of the engine with the requests of its seed and the faults of the plan. */
async function run(plan: DiskPlan): Promise<Run> {
  const trace: string[] = [];
  const sent = new Map<string, number>();
  const engine = await startEmbeddedEngine(plan, {
    onEvent: (line) => trace.push(line),
    onProviderCall: ({ provider, id, isSent, isIdempotent }) => {
      trace.push(`provider ${provider} ${id} ${isSent}`);
      const before = sent.get(id) ?? 0;
      if (isSent) sent.set(id, isIdempotent ? Math.max(1, before) : before + 1);
    },
  });
  const { system } = engine;
  engine.beginFaults();
  const picks = new Picks(plan.seed);
  const calls = Array.from({ length: CALLS }, (_, number) => callLater(engine, picks, number));
  const answers = await system.run(Promise.all(calls), SETTLED_MS);
  await system.pass(SETTLED_MS);
  for (const answer of answers) trace.push(describeAnswer(answer));
  for (const topic of Object.values(TOPIC)) trace.push(...(await engine.records(topic)).map(describeRecord));
  const states = await statesOf(engine, answers);
  const turns = system.turns();
  await engine.stop();
  return { trace, answers, sent, states, turns, starts: engine.process.starts() };
}

async function callLater(engine: EmbeddedEngine, picks: Picks, number: number): Promise<CallResult> {
  const request = chooseCall(picks, number);
  const waitMs = picks.whole(0, ARRIVAL_MS);
  await sleep(engine.system.timers, waitMs);
  return engine.call(request);
}

/** The states of all notifications that were accepted, from their status addresses. */
async function statesOf(engine: EmbeddedEngine, answers: readonly CallResult[]): Promise<string[]> {
  const states: string[] = [];
  for (const id of acceptedIds(answers)) {
    const look = engine.call({ method: 'GET', url: `${ADDRESS}/${id}` });
    const answer = await engine.system.run(look, SETTLED_MS);
    states.push(answer.kind === 'answer' ? String(JSON.parse(answer.body).status) : 'reset');
  }
  return states;
}

function acceptedIds(answers: readonly CallResult[]): ReadonlySet<string> {
  const accepted = answers.filter((answer) => answer.kind === 'answer' && answer.status === 202);
  const ids = accepted.map((answer) =>
    String(JSON.parse(answer.kind === 'answer' ? answer.body : '').notificationId),
  );
  return new Set(ids.filter((id) => id !== 'undefined'));
}

function describeAnswer(answer: CallResult): string {
  return answer.kind === 'answer' ? `${answer.status} ${answer.body}` : 'reset';
}

const action = (name: string, body: unknown): Call => ({ method: 'POST', url: `${ACTIONS}/${name}`, body });

function chooseCall(picks: Picks, number: number): Call {
  const notify = (channel: 'sms' | 'email', body: object): Call => ({
    method: 'POST',
    url: `${ADDRESS}/${channel}/send`,
    headers: {
      'x-communication-channel': channel === 'sms' ? '1' : '2',
      'x-sender-id': 'platrealm',
      ...(picks.chance(50) ? { 'idempotency-key': `key-${picks.whole(1, 5)}` } : {}),
    },
    body: { ...body, message: `Hello ${picks.chance(30) ? number : ''}` },
  });
  return picks.of<Call>(
    { method: 'POST', url: ACTION_PATH, body: { jsonParam: { ...PROOF_REQUEST, Amount: 100 + number } } },
    action('PLAT_BP_GetBankingProductByCode', { BankingProductCode: picks.of('tl-study', 'none') }),
    action('PLAT_BP_Simulate', EXAMPLE.request),
    notify('sms', SMS),
    notify('sms', SMS),
    notify('email', EMAIL),
    notify('email', { ...EMAIL, attachmentList: [{ name: 'a.txt', content: ATTACHMENT }] }),
  );
}

/** An incident of each kind, one after another. */
const INCIDENTS: readonly DiskIncident[] = [
  { kind: 'slow-disk', atMs: 500, forMs: 2_000, slowestSyncMs: 200 },
  { kind: 'crash', atMs: 3_000, afterEffects: 7, downMs: 1_000 },
  { kind: 'freeze', atMs: 5_000, forMs: 800 },
  { kind: 'power-loss', atMs: 7_000, afterEffects: 5, downMs: 1_500 },
  { kind: 'clock-step', atMs: 9_000, byMs: 400 },
  { kind: 'full-disk', atMs: 10_000, forMs: 2_000 },
  { kind: 'failing-disk', atMs: 13_000, forMs: 500, failedSyncPercent: 50 },
  { kind: 'power-loss', atMs: 16_000, afterEffects: 0, downMs: 500 },
];
const RATES = { 'refusing-provider': 0.2, 'silent-provider': 0.1 };
const planOf = (seed: number): DiskPlan => ({ ...NO_FAULTS, seed, rates: RATES, incidents: INCIDENTS });

it('the engine repeats a run byte for byte from the same plan, and takes another course from another seed', async () => {
  const first = await run(planOf(1));
  const second = await run(planOf(1));
  expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
  expect(second.turns).toBe(first.turns);
  const other = await run(planOf(2));
  expect(other.trace.join('\n')).not.toBe(first.trace.join('\n'));
});

it('the engine without faults answers everything, and sends every notification once', async () => {
  const { trace, answers, sent, states } = await run(NO_FAULTS);
  const failed = answers.filter((answer) => answer.kind !== 'answer' || answer.status >= 500);
  expect(failed).toEqual([]);
  expect(new Set(states)).toEqual(new Set(['sent']));
  expect(Object.fromEntries(sent)).toEqual(
    Object.fromEntries(Array.from(acceptedIds(answers), (id) => [id, 1])),
  );
  const text = trace.join('\n');
  for (const part of ['schedule', 'product', 'simulation', 'notification'])
    expect(text).toMatch(new RegExp(`record plat\\.[^ ]*${part}`));
});

/** Notifications that were accepted and have not ended, or were sent twice. */
function brokenPromises({ sent, states }: Run): readonly string[] {
  return [
    ...states.filter((state) => !['sent', 'failed', 'parked'].includes(state)),
    ...[...sent].filter(([, times]) => times > 1).map(([id, times]) => `${id} was sent ${times} times`),
  ];
}

it.each([3, 4])(
  'the engine loses no accepted notification and sends none twice over crashes, power losses and faults of the disk (seed %i)',
  async (seed) => {
    const result = await run(planOf(seed));
    expect(result.starts).toBeGreaterThan(3);
    expect(result.states.length).toBeGreaterThan(0);
    expect(brokenPromises(result)).toEqual([]);
  },
);

it.each(MORE_SEEDS)(
  'the engine keeps its promises under the faults of seed %i',
  { timeout: SEED_LIMIT_MS },
  async (seed) => expect(brokenPromises(await run(planDiskFaults(seed, ARRIVAL_MS)))).toEqual([]),
);

it('no part of a simulated engine uses the clocks, timers or randomness of the system', async () => {
  const { clock, monotonic, timers } = systemPorts;
  const used = [
    vi.spyOn(clock, 'now'),
    vi.spyOn(monotonic, 'elapsedMs'),
    vi.spyOn(timers, 'schedule'),
    vi.spyOn(timers, 'nextTurn'),
    vi.spyOn(systemPorts, 'newId'),
    vi.spyOn(systemPorts, 'random'),
  ];
  try {
    await run(planOf(5));
    expect(used.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 0, 0, 0]);
  } finally {
    for (const spy of used) spy.mockRestore();
  }
});

it('wakes an idle engine up at most twenty times a second', { timeout: SEED_LIMIT_MS }, async () => {
  const engine = await startEmbeddedEngine(NO_FAULTS);
  const { system } = engine;
  const body = { jsonParam: PROOF_REQUEST };
  await system.run(engine.call({ method: 'POST', url: ACTION_PATH, body }), SETTLED_MS);
  await system.pass(SETTLED_MS);
  const before = system.turns();
  await system.pass(IDLE_SECONDS * 1_000);
  expect((system.turns() - before) / IDLE_SECONDS).toBeLessThan(MOST_IDLE_TURNS_PER_SECOND);
  await engine.stop();
});
