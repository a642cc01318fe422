import { expect, it } from 'vitest';
import type { Violation } from '../../simulation/check/rule.ts';
import { SYSTEM_KINDS } from '../../simulation/faults/fault-plan.ts';
import { planSeed, type SeedPlan } from '../../simulation/seed-plan.ts';
import { partsOf, shrinkPlan, withParts } from '../../simulation/shrink.ts';

const RULE = 'the rule';
const violation: Violation = { rule: RULE, source: 'test', detail: 'violated', ids: [], atMs: 0 };

/** A run that fails when these activities and this number of incidents are in the plan. */
function failingWith(ids: readonly string[], incidents: number) {
  let runs = 0;
  return {
    runs: () => runs,
    run: ({ activities, faults }: SeedPlan) => {
      runs += 1;
      const has = ids.every((id) => activities.some((activity) => activity.id === id));
      const fails = has && faults.incidents.length >= incidents;
      return Promise.resolve({ violations: fails ? [violation] : [] });
    },
  };
}

it('leaves the parts without which a plan does not fail, and no others', async () => {
  const plan = planSeed(15);
  const failing = failingWith(['action-2', 'notification-3'], 1);
  const shrunk = await shrinkPlan(plan, RULE, { run: failing.run });
  expect(shrunk.plan.activities.map(({ id }) => id).toSorted()).toEqual(['action-2', 'notification-3']);
  expect(shrunk.plan.faults.incidents).toHaveLength(1);
  expect(shrunk.parts).toHaveLength(3);
  expect(shrunk.runs).toBe(failing.runs());
  expect(shrunk.runs).toBeLessThan(200);
});

it('does not take the violation of another rule for the same failure', async () => {
  const plan = planSeed(15);
  const run = ({ activities }: SeedPlan) => {
    const rule = activities.length === plan.activities.length ? RULE : 'another rule';
    return Promise.resolve({ violations: [{ ...violation, rule }] });
  };
  const { plan: shrunk } = await shrinkPlan(plan, RULE, { run });
  expect(shrunk.activities).toHaveLength(plan.activities.length);
  expect(shrunk.faults).toMatchObject({ incidents: [], rates: {}, clocks: {} });
});

it('a plan with all of its parts is the plan', () => {
  for (const seed of [1, 2, 15]) {
    for (const plan of SYSTEM_KINDS.map((kind) => planSeed(seed, kind)))
      expect(withParts(plan, partsOf(plan))).toEqual(plan);
  }
});
