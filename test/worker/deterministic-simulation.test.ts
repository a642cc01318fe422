import { expect, it, vi } from 'vitest';
import { SIMULATE_EXAMPLES } from '../../shared/contract/simulate/examples.ts';
import { systemPorts } from '../../shared/platform/system-ports.ts';
import { sleep } from '../../shared/platform/timers.ts';
import { ADDRESS, EMAIL, SMS } from '../support/builders/notification-call.ts';
import { ACTION_PATH, PROOF_REQUEST } from '../support/builders/schedule-call.ts';
import type { Answer, Call } from '../simulation/inject.ts';
import { simulateEngine, type SimulatedEngine } from '../simulation/simulated-engine.ts';

const CALLS = 40;
/** Requests arrive during this time, in simulated milliseconds. */
const ARRIVAL_MS = 20_000;
/** After this simulated time all retries have ended. */
const SETTLED_MS = 180_000;
const ACTIONS = '/platapi/automation-processors/actions';
const [EXAMPLE] = SIMULATE_EXAMPLES;
const ATTACHMENT = Buffer.from('attached text').toString('base64');

/** One run of the engine with the requests, faults and order of its seed. */
async function run(seed: number) {
  const engine = await simulateEngine(seed, { latePublish: 2, lostResponse: 2 });
  const { system } = engine;
  const answers = Promise.all(Array.from({ length: CALLS }, (_, number) => callLater(engine, number)));
  const all = await system.run(answers, SETTLED_MS);
  await system.pass(SETTLED_MS);
  const health = Object.values(engine.running.health()).map(({ status }) => status);
  const turns = system.turns();
  await engine.stop();
  return { trace: engine.trace, answers: all, health, turns };
}

async function callLater(engine: SimulatedEngine, number: number): Promise<Answer> {
  const { system } = engine;
  const request = chooseCall(system.picks, number);
  await sleep(system.timers, system.picks.whole(0, ARRIVAL_MS));
  const answer = await engine.call(request);
  const { notificationId } = JSON.parse(answer.body) as { readonly notificationId?: string };
  if (notificationId === undefined) return answer;
  await sleep(system.timers, system.picks.whole(0, ARRIVAL_MS));
  await engine.call({ method: 'GET', url: `${ADDRESS}/${notificationId}` });
  return answer;
}

const action = (name: string, body: unknown): Call => ({ method: 'POST', url: `${ACTIONS}/${name}`, body });

function chooseCall(picks: SimulatedEngine['system']['picks'], number: number): Call {
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

it('the engine repeats a run byte for byte from the same seed, and takes another course from another seed', async () => {
  const first = await run(1);
  const second = await run(1);
  expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
  expect(second.turns).toBe(first.turns);
  const others = [await run(2), await run(3)];
  expect(new Set([first, ...others].map(({ trace }) => trace.join('\n'))).size).toBe(3);
});

it('a run covers responses, records of every worker, and providers that fail', async () => {
  const { trace, answers, health } = await run(6);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  // The circuit breaker of a provider may be open.
  expect(health.filter((status) => status !== 'ready' && status !== 'degraded')).toEqual([]);
  const text = trace.join('\n');
  for (const part of ['schedule', 'product', 'simulation', 'notification', 'retry'])
    expect(text).toMatch(new RegExp(`record plat\\.[^ ]*${part}`));
  expect(text).toMatch(/provider \S+ \S+ transient/);
});

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
    await run(5);
    expect(used.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 0, 0, 0, 0]);
  } finally {
    for (const spy of used) spy.mockRestore();
  }
});
