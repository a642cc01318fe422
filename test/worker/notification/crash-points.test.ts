import { it, type TestContext } from 'vitest';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import { dyingWorker, type Death } from '../../support/worlds/dying-worker.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, type NotificationWorld } from '../../support/worlds/notification-world.ts';
import { permanent, SENT, transient, unknown, type Answer } from '../../support/fakes/scripted-providers.ts';

/** A lease takes about 5 s on a busy machine; then a round of the crashed worker has an unknown outcome. */
const LEASE_OVER_MS = 20_000;
/** Longer than the successive leases of all ids of a scenario, so that a failure shows the missing outcome. */
const TEST_LIMIT_MS = 120_000;
const FINAL: ReadonlySet<string | undefined> = new Set(['sent', 'failed', 'parked']);

interface Scenario {
  readonly name: string;
  readonly answer: (id: string, call: number) => ReturnType<Answer>;
  readonly env?: Readonly<Record<string, string>>;
  readonly ids: number;
  readonly most: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'is sent immediately', answer: () => SENT, ids: 1, most: 4 },
  { name: 'is rejected permanently', answer: () => permanent(), ids: 1, most: 5 },
  {
    name: 'is sent at the second attempt',
    answer: (_, call) => (call === 1 ? transient() : SENT),
    ids: 1,
    most: 11,
  },
  {
    name: 'has followers that wait for its second attempt, some of which are retried themselves',
    answer: (id, call) => (call === 1 && id !== idOf(2) ? transient() : SENT),
    ids: 3,
    most: 27,
  },
  { name: 'has an unknown outcome and is parked', answer: () => unknown(), ids: 1, most: 5 },
  {
    name: 'has an unknown outcome and is sent again by policy',
    answer: (_, call) => (call === 1 ? unknown() : SENT),
    env: { NOTIFICATION_UNKNOWN: 'resend' },
    ids: 1,
    most: 11,
  },
];

/** `survived`: the worker completed the scenario before the publish at which it would crash. */
async function run(scenario: Scenario, death: Death, { onTestFinished }: TestContext) {
  const world = await notificationWorld({
    onTestFinished,
    tiersMs: [30, 60],
    env: { NOTIFICATION_SEND_TIMEOUT_MS: '100', ...scenario.env },
  });
  const calls = new Map<string, number>();
  world.providers.add('only').answer = ({ id }) => {
    const call = (calls.get(id) ?? 0) + 1;
    calls.set(id, call);
    return scenario.answer(id, call);
  };
  const victim = dyingWorker(world.broker, world.providers, death);
  await world.worker(victim);
  for (let number = 1; number <= scenario.ids; number += 1) await world.sms({ id: idOf(number) });
  const isOver = () => allEnded(world, scenario);
  await eventually('the outcomes or a crash', LEASE_OVER_MS, () => victim.isDead() || isOver());
  if (!victim.isDead()) return { world, death, survived: true };
  await world.worker();
  await eventually('the outcomes', LEASE_OVER_MS * scenario.ids, isOver, () => [...world.states.values()]);
  return { world, death, survived: false };
}

function allEnded(world: NotificationWorld, scenario: Scenario): boolean {
  return idsOf(scenario).every((id) => {
    const status = world.states.get(id)?.status;
    if (!FINAL.has(status)) return false;
    return status === 'sent' || lettersOf(world, id) > 0;
  });
}

const idsOf = (scenario: Scenario): string[] =>
  Array.from({ length: scenario.ids }, (_, index) => idOf(index + 1));

const lettersOf = (world: NotificationWorld, id: string): number =>
  world.deadLetters.filter(({ headers }) => headerText(headers, HEADER.notificationId) === id).length;

function faultOf(world: NotificationWorld, id: string, policy: string): string | undefined {
  const state = world.states.get(id);
  const times = world.providers.delivered.get(id) ?? 0;
  const declared = state?.attempts.filter(({ result }) => result === 'unknown').length ?? 0;
  if (state?.status === 'sent' && times === 0) return 'was recorded as sent but not delivered';
  if (state?.status === 'failed' && times > 0) return 'was recorded as failed but delivered';
  if (policy === 'park' && times > 1) return `was sent ${times} times`;
  return times > 1 + declared ? `was sent ${times} times with only ${declared} unknown outcomes` : undefined;
}

/** Crashes at all writes of all scenarios are tested concurrently, since they mostly wait for leases to expire. */
it.concurrent.for(['before', 'after'] as const)(
  'neither loses a notification nor sends one twice when a worker crashes just %s any of its writes',
  { timeout: TEST_LIMIT_MS },
  async (when, context) => {
    const faults = await Promise.all(SCENARIOS.map((scenario) => faultsOf(scenario, when, context)));
    const { expect } = context;
    expect(faults.flat()).toEqual([]);
  },
);

async function faultsOf(scenario: Scenario, when: Death['when'], context: TestContext): Promise<string[]> {
  const deaths = Array.from({ length: scenario.most }, (_, index) => ({ at: index + 1, when }));
  const runs = await Promise.all(deaths.map((death) => run(scenario, death, context)));
  // Otherwise the crashes did not cover all writes of the scenario.
  const whole = runs.some(({ survived }) => survived)
    ? []
    : [`${scenario.name}: has more writes than the test covers`];
  const policy = scenario.env?.['NOTIFICATION_UNKNOWN'] ?? 'park';
  const faults = runs.flatMap(({ world, death }) =>
    idsOf(scenario).flatMap((id) => {
      const fault = faultOf(world, id, policy);
      return fault === undefined ? [] : [`${scenario.name}: ${id} ${fault} after write ${death.at}`];
    }),
  );
  return [...whole, ...faults];
}
