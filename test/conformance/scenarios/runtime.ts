import { expect } from 'vitest';
import { HEADER } from '../../../shared/messaging/headers.ts';
import type { PartitionOffset } from '../../../shared/messaging/message.ts';
import { echoSystem, numberedIds, type EchoSystem } from '../../support/conformance/echo.ts';
import { eventually, sleep } from '../../support/conformance/wait.ts';
import type { ScenarioTest } from '../../support/conformance/world.ts';

const SECOND = 1_000;
/** Some message is always in progress while later ones are done, so that committing those would be wrong. */
const SOMETIMES_LONG = (index: number) => (index % 10 === 0 ? 400 : index % 5);
/** Time limit for traffic that continues until a condition is met. */
const MOST_TRAFFIC = 50_000;
const KILL_WITHIN_MS = 300;

/** Without duplicate effect: each id has one effective reply; repeated ones have the same bytes. */
export function runtimeScenarios(test: ScenarioTest): void {
  test('answers invalid messages or stores them as dead letters, and continues with the others', async ({
    world,
  }) => {
    const system = await echoSystem(world, 1);
    await system.worker();
    const { topics } = system;
    const poison = { topic: topics.requests, key: 'k', value: Buffer.from('\u0001 not a message') };
    const headers = { [HEADER.correlationId]: 'undecodable', [HEADER.replyTopic]: topics.replies };
    await system.publisher.publish([
      system.request('k', { id: 'before' }),
      poison,
      { ...poison, headers },
      { ...poison, value: null },
      system.request('k', { id: 'thrown', fail: true }),
      system.request('k', { id: 'after' }),
    ]);
    await system.allAnswered(['before', 'undecodable', 'thrown', 'after']);
    expect(String(system.reply('undecodable')?.headers[HEADER.errorCode])).toBe('undecodable-message');
    expect(String(system.reply('thrown')?.headers[HEADER.errorCode])).toBe('unexpected');
    expect(system.reply('after')?.headers[HEADER.errorCode]).toBeUndefined();
    await system.allCommitted();
    // Two messages without a reply topic, and the answered one whose handler failed.
    expect(await world.readAll(topics.deadLetters)).toHaveLength(3);
  });

  test('does not delay other keys or partitions behind a slow key', async ({ world }) => {
    const system = await echoSystem(world, 2);
    const { requests, groupId } = system.topics;
    await system.worker();
    const at = (partition: number, key: string, id: string, workMs?: number) => ({
      ...system.request(key, { id, ...(workMs === undefined ? {} : { workMs }) }),
      partition,
    });
    await system.publisher.publish([at(0, 'warm', 'warm-0'), at(1, 'warm', 'warm-1')]);
    await system.allAnswered(['warm-0', 'warm-1']);
    await system.allCommitted();
    const startedMs = performance.now();
    await system.publisher.publish([
      at(0, 'slow', 'slow', world.target.slowMs),
      at(0, 'slow', 'follower'),
      ...numberedIds('same', 50).map((id) => at(0, id, id)),
      ...numberedIds('other', 50).map((id) => at(1, id, id)),
    ]);
    await system.allAnswered([...numberedIds('same', 50), ...numberedIds('other', 50)], world.target.slowMs);
    expect(performance.now() - startedMs).toBeLessThan(world.target.slowMs);
    expect(system.answered()).not.toContain('slow');
    const ends = await world.broker.admin.offsets(requests);
    const endOfOther = ends.find(({ partition }) => partition === 1)?.high;
    let committed: readonly PartitionOffset[] = [];
    // Both partitions are committed in the same turn, so the commit of the other partition shows that this one was
    // committed as far as allowed.
    await eventually('a commit', world.target.stepMs, async () => {
      committed = await world.broker.admin.committed(groupId, [requests]);
      return committed.find(({ partition }) => partition === 1)?.offset === endOfOther;
    });
    expect(committed.find(({ partition }) => partition === 0)?.offset).toBe(1);
    await system.allAnswered(['slow', 'follower']);
    await system.allCommitted();
  });

  test('finishes and commits started messages on stop, so that they are not repeated', async ({ world }) => {
    const system = await echoSystem(world, 2);
    const first = await system.worker({ commitIntervalMs: 60 * SECOND });
    await system.publisher.publish(
      numberedIds('n', 40).map((id, index) => system.request(`key-${index}`, { id, workMs: 300 })),
    );
    await eventually('messages in progress', world.target.stepMs, () => first.started.length > 10);
    await first.stop();
    const done = new Set(first.started);
    await system.allAnswered([...done]);
    const second = await system.worker();
    const last = (partition: number) => ({ ...system.request('k', { id: `last-${partition}` }), partition });
    await system.publisher.publish([last(0), last(1)]);
    await system.allAnswered([...numberedIds('n', 40), 'last-0', 'last-1']);
    expect(second.started.filter((id) => done.has(id))).toEqual([]);
    expect(system.replies).toHaveLength(42);
  });

  test('answers every request effectively once while workers join and leave under load', async ({
    world,
  }) => {
    const system = await echoSystem(world, 6);
    const stayer = await system.worker();
    let isOver = false;
    const load = publishUntil(system, () => isOver, world.target.trafficMessages);
    const passing: (readonly string[])[] = [];
    for (let round = 0; round < 3; round += 1) {
      const worker = await system.worker();
      const hasStarted = () => worker.started.length > 0 || round > 0;
      await eventually('messages for each worker', world.target.stepMs, hasStarted);
      await worker.stop();
      passing.push(worker.started);
    }
    isOver = true;
    const requested = await load;
    await system.allAnswered(requested);
    expect(new Set(system.answered())).toEqual(new Set(requested));
    expect(system.unequalRepeats()).toEqual([]);
    await system.allCommitted();
    expect(passing.flat().length).toBeGreaterThan(0);
    expect(stayer.started.length).toBeGreaterThan(0);
  });

  test('does not lose a request when a worker is killed', async ({ world }) => {
    const system = await echoSystem(world, 4);
    const requested = numberedIds('n', Math.min(1_000, world.target.trafficMessages));
    const victim = await system.killableWorker();
    await system.worker();
    const load = publishAll(system, requested);
    const hasSome = () => system.replies.length > requested.length / 10;
    await eventually('some replies', world.target.stepMs, hasSome);
    await sleep(Math.random() * KILL_WITHIN_MS);
    await victim.kill();
    await load;
    await system.allAnswered(requested, world.target.sessionTimeoutMs + world.target.stepMs);
    expect(new Set(system.answered())).toEqual(new Set(requested));
    expect(system.unequalRepeats()).toEqual([]);
    await system.allCommitted();
    await system.ask('k', { id: 'still alive' });
    await system.allAnswered(['still alive']);
  });
}

async function publishUntil(system: EchoSystem, isOver: () => boolean, atLeast: number) {
  const requested: string[] = [];
  while (requested.length < atLeast || (!isOver() && requested.length < MOST_TRAFFIC)) {
    const id = `n-${requested.length}`;
    await system.ask(`key-${requested.length % 31}`, { id, workMs: requested.length % 5 });
    requested.push(id);
    if (requested.length % 10 === 0) await sleep(5);
  }
  return requested;
}

async function publishAll(system: EchoSystem, requested: readonly string[]): Promise<void> {
  for (const [index, id] of requested.entries()) {
    await system.ask(`key-${index % 31}`, { id, workMs: SOMETIMES_LONG(index) });
    if (index % 10 === 0) await sleep(5);
  }
}
