import { expect, it } from 'vitest';
import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerText } from '../../../shared/messaging/headers.ts';
import { dyingWorker, type Death } from '../../support/worlds/dying-worker.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { idOf, notificationWorld, type NotificationWorld } from '../../support/worlds/notification-world.ts';
import { permanent, SENT, transient, unknown, type Answer } from '../../support/fakes/scripted-providers.ts';

/** A lease of some 5 s, and what a busy machine adds to it: what was begun before a death is unknown after it. */
const LEASE_OVER_MS = 20_000;
/**
 * Longer than the leases of all ids of a story one after another, so that the failure shows what is missing, not only
 * the time limit.
 */
const TEST_LIMIT_MS = 120_000;
const FINAL: ReadonlySet<string | undefined> = new Set(['sent', 'failed', 'parked']);

interface Story {
  readonly name: string;
  /** By the number of the call of this id, from 1. */
  readonly answer: (id: string, call: number) => ReturnType<Answer>;
  readonly env?: Readonly<Record<string, string>>;
  /** How many ids there are; all have one key. */
  readonly ids: number;
  /** More publishes than the story needs. */
  readonly most: number;
}

const STORIES: readonly Story[] = [
  { name: 'is sent at once', answer: () => SENT, ids: 1, most: 4 },
  { name: 'is refused permanently', answer: () => permanent(), ids: 1, most: 5 },
  {
    name: 'is sent at the second attempt',
    answer: (_, call) => (call === 1 ? transient() : SENT),
    ids: 1,
    most: 11,
  },
  {
    name: 'has followers that wait for its second attempt, and some of them for their own',
    answer: (id, call) => (call === 1 && id !== idOf(2) ? transient() : SENT),
    ids: 4,
    most: 36,
  },
  { name: 'has an unknown outcome and is parked', answer: () => unknown(), ids: 1, most: 5 },
  {
    name: 'has an unknown outcome and is sent again by policy',
    answer: (_, call) => (call === 1 ? unknown() : SENT),
    env: { NOTIFICATION_UNKNOWN_SMS: 'resend' },
    ids: 1,
    most: 11,
  },
];

interface Run {
  readonly world: NotificationWorld;
  readonly death: Death;
  /** The worker lived through the story: there are no more publishes. */
  readonly survived: boolean;
}

/** Tells the story to a worker that dies on the way, and to another one after it. */
async function tell(story: Story, death: Death): Promise<Run> {
  const world = await notificationWorld({
    tiersMs: [30, 60],
    env: { NOTIFICATION_SEND_TIMEOUT_MS: '100', ...story.env },
  });
  const calls = new Map<string, number>();
  world.providers.add('only').answer = ({ id }) => {
    const call = (calls.get(id) ?? 0) + 1;
    calls.set(id, call);
    return story.answer(id, call);
  };
  const victim = dyingWorker(world.broker, world.providers, death);
  await world.worker(victim);
  for (let number = 1; number <= story.ids; number += 1) await world.sms({ id: idOf(number) });
  const isOver = () => allEnded(world, story);
  await eventually('the end or a death', LEASE_OVER_MS, () => victim.isDead() || isOver());
  if (!victim.isDead()) return { world, death, survived: true };
  await world.worker();
  await eventually('the end', LEASE_OVER_MS * story.ids, isOver, () => [...world.states.values()]);
  return { world, death, survived: false };
}

/** Each has ended, and those that were not sent are dead letters. */
function allEnded(world: NotificationWorld, story: Story): boolean {
  return idsOf(story).every((id) => {
    const status = world.states.get(id)?.status;
    if (!FINAL.has(status)) return false;
    return status === 'sent' || lettersOf(world, id) > 0;
  });
}

const idsOf = (story: Story): string[] => Array.from({ length: story.ids }, (_, index) => idOf(index + 1));

const lettersOf = (world: NotificationWorld, id: string): number =>
  world.deadLetters.filter(({ headers }) => headerText(headers, HEADER.notificationId) === id).length;

/** What went wrong with one notification; undefined: nothing. */
function faultOf(world: NotificationWorld, id: string, policy: string): string | undefined {
  const state = world.states.get(id);
  const times = world.providers.delivered.get(id) ?? 0;
  const declared = state?.attempts.filter(({ result }) => result === 'unknown').length ?? 0;
  if (state?.status === 'sent' && times === 0) return 'was said to be sent';
  if (state?.status === 'failed' && times > 0) return 'was said to have failed';
  if (policy === 'park' && times > 1) return `was sent ${times} times`;
  return times > 1 + declared
    ? `was sent ${times} times, and only ${declared} were declared unknown`
    : undefined;
}

/** Every write of every story, all at once: most of the time is spent waiting for leases to end. */
it.each(['before', 'after'] as const)(
  'no notification is lost or sent twice by a worker that dies just %s any one of its writes',
  { timeout: TEST_LIMIT_MS },
  async (when) => {
    const faults = await Promise.all(STORIES.map((story) => faultsOf(story, when)));
    expect(faults.flat()).toEqual([]);
  },
);

async function faultsOf(story: Story, when: Death['when']): Promise<string[]> {
  const deaths = Array.from({ length: story.most }, (_, index) => ({ at: index + 1, when }));
  const runs = await Promise.all(deaths.map((death) => tell(story, death)));
  // Else the deaths did not go through all writes of the story.
  const whole = runs.some(({ survived }) => survived) ? [] : [`${story.name}: it has more writes`];
  const policy = story.env?.['NOTIFICATION_UNKNOWN_SMS'] ?? 'park';
  const faults = runs.flatMap(({ world, death }) =>
    idsOf(story).flatMap((id) => {
      const fault = faultOf(world, id, policy);
      return fault === undefined ? [] : [`${story.name}: ${id} ${fault} after a death at write ${death.at}`];
    }),
  );
  return [...whole, ...faults];
}
