import { expect, it } from 'vitest';
import { CallFates } from '../../simulation/faults/call-fates.ts';
import {
  CALL_FAULTS,
  INCIDENT_KINDS,
  planFaults,
  SYSTEM_KINDS,
  type FaultPlan,
} from '../../simulation/faults/fault-plan.ts';

const OPTIONS = { processes: ['ingress-1', 'notification-1'], faultMs: 20_000 };
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);
const plans = SEEDS.map((seed) => planFaults(seed, OPTIONS));

function kindsOf({ rates, incidents }: FaultPlan): ReadonlySet<string> {
  return new Set([...Object.keys(rates), ...incidents.map(({ kind }) => kind)]);
}

const allPlans = SYSTEM_KINDS.flatMap((kind) => SEEDS.map((seed) => planFaults(seed, { ...OPTIONS, kind })));

it('a plan is data that the seed determines', () => {
  expect(JSON.parse(JSON.stringify(plans[7]))).toEqual(planFaults(7, OPTIONS));
});

it('some seeds have few kinds of faults, some have many, and together they have all', () => {
  const sizes = plans.map((plan) => kindsOf(plan).size);
  expect(sizes.filter((size) => size <= 2).length).toBeGreaterThan(SEEDS.length / 5);
  expect(sizes.filter((size) => size > CALL_FAULTS.length).length).toBeGreaterThan(SEEDS.length / 5);
  const all = new Set(allPlans.flatMap((plan) => [...kindsOf(plan)]));
  expect([...all].toSorted()).toEqual([...CALL_FAULTS, ...INCIDENT_KINDS].toSorted());
});

it('every incident is over at the end of the fault period', () => {
  for (const { faultMs, incidents } of allPlans) {
    for (const incident of incidents) {
      const forMs = 'forMs' in incident ? incident.forMs : 'downMs' in incident ? incident.downMs : 0;
      expect(incident.atMs + forMs).toBeLessThanOrEqual(faultMs);
    }
  }
});

it('many incidents follow another one in the same process soon', () => {
  const pairs = plans.flatMap(({ incidents }) =>
    incidents.slice(1).map((incident, index) => [incidents[index], incident] as const),
  );
  const soon = pairs.filter(
    ([one, other]) =>
      one !== undefined &&
      'target' in one &&
      'target' in other &&
      one.target === other.target &&
      other.atMs - one.atMs <= 3_000,
  );
  expect(soon.length).toBeGreaterThan(pairs.length / 5);
});

it('the deviation of a clock with all its steps stays within the limit', () => {
  const limitMs = 60_000;
  for (const seed of SEEDS) {
    const { clocks, incidents } = planFaults(seed, { ...OPTIONS, maxSkewMs: limitMs });
    const steps = incidents.map((incident) => (incident.kind === 'clock-step' ? Math.abs(incident.byMs) : 0));
    const constant = Object.values(clocks).map(({ skewMs }) => Math.abs(skewMs));
    expect(Math.max(...constant) + steps.reduce((sum, byMs) => sum + byMs, 0)).toBeLessThanOrEqual(limitMs);
  }
});

const RATES = { 'late-request': 0.2, 'lost-request': 0.2, 'lost-response': 0.2, 'torn-batch': 0.2 };

function activeFates(seed: number, rates: FaultPlan['rates'] = RATES): CallFates {
  const fates = new CallFates({ seed, rates });
  fates.isActive = true;
  return fates;
}

it('the fate of a call does not depend on other calls', () => {
  const all = activeFates(3);
  const fates = Array.from({ length: 50 }, (_, number) => all.ofCall('client', number, true));
  expect(activeFates(3).ofCall('client', 40, true)).toEqual(fates[40]);
  expect(activeFates(4).ofCall('client', 40, true)).not.toEqual(fates[40]);
  expect(activeFates(3).ofCall('other', 40, true)).not.toEqual(fates[40]);
});

it('a kind of fault that is removed leaves the other faults of a call as they are', () => {
  const { 'lost-request': _removed, ...others } = RATES;
  const before = activeFates(3);
  const after = activeFates(3, others);
  for (let number = 0; number < 200; number += 1) {
    const one = before.ofCall('client', number, false);
    if (one.lost === 'request') continue;
    expect(after.ofCall('client', number, false)).toEqual(one);
  }
});

it('faults of calls happen at their rates, are counted, and happen only during the fault period', () => {
  const fates = activeFates(5);
  const lost = Array.from({ length: 2_000 }, (_, number) => fates.ofCall('client', number, false).lost);
  const requests = lost.filter((what) => what === 'request').length;
  expect(requests).toBeGreaterThan(300);
  expect(requests).toBeLessThan(500);
  expect(fates.counts['lost-request']).toBe(requests);
  fates.isActive = false;
  expect(Array.from({ length: 200 }, (_, number) => fates.ofCall('client', number, false).lost)).toEqual(
    Array.from({ length: 200 }, () => undefined),
  );
});
