import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeConsumerGroup } from '../../../support/fakes/consumer-group.ts';
import { settleMicrotasks } from '../../../support/fakes/work.ts';

const COMMIT_MS = 200;
const MAX_ROUNDS = 2_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const keys = fc.array(
  fc.array(fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null, freq: 5 }), { maxLength: 25 }),
  { minLength: 1, maxLength: 3 },
);
const lanesOf = fc.integer({ min: 1, max: 4 });
const choice = fc.nat({ max: 50 });
const count = fc.integer({ min: 1, max: 6 });
const deliver = fc.record({ do: fc.constant('deliver' as const), choice, count });
const stepWithoutKills = fc.oneof(
  { weight: 6, arbitrary: deliver },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('finish' as const), choice }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('assign' as const), choice }) },
);
const anyStep = fc.oneof(
  { weight: 19, arbitrary: stepWithoutKills },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), choice }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('join' as const) }) },
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

async function perform(group: FakeConsumerGroup, step: Step): Promise<void> {
  if (step.do === 'deliver') group.deliver(step.choice, step.count);
  else if (step.do === 'finish') group.finish(step.choice);
  else if (step.do === 'commit') await vi.advanceTimersByTimeAsync(COMMIT_MS);
  else if (step.do === 'revoke') group.revoke();
  else {
    if (step.do === 'kill') group.kill(step.choice);
    if (group.counts.members < { kill: 1, join: 3, assign: 0 }[step.do]) group.join();
    group.assign(step.do === 'join' ? 0 : step.choice);
  }
  await settleMicrotasks();
}

async function finishAll(group: FakeConsumerGroup): Promise<boolean> {
  group.assign(0);
  for (let round = 0; round < MAX_ROUNDS && !group.isComplete(); round += 1) {
    for (let partition = 0; partition < 3; partition += 1) group.deliver(partition, 5);
    group.finish(round);
    await settleMicrotasks();
    if (group.counts.calls === 0) await vi.advanceTimersByTimeAsync(COMMIT_MS);
  }
  return group.isComplete();
}

test('does not lose a message, keeps the order of keys and commits only completed prefixes despite rebalances and kills', async () => {
  await fc.assert(
    fc.asyncProperty(keys, lanesOf, fc.array(anyStep, { maxLength: 120 }), async (log, lanes, steps) => {
      const group = new FakeConsumerGroup(log, lanes);
      group.join();
      group.join();
      group.assign(0);
      for (const step of steps) await perform(group, step);
      const complete = await finishAll(group);
      group.close();
      expect(group.breaches).toEqual([]);
      expect(complete).toBe(true);
    }),
    { numRuns: 300 },
  );
});
