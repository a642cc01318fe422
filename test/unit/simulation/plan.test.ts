import { expect, it } from 'vitest';
import { planSeed } from '../../simulation/seed-plan.ts';
import { planActivities, type Activity } from '../../simulation/workload/plan.ts';

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
const ALL = SEEDS.flatMap((seed) => planActivities(seed));
const of = <Kind extends Activity['kind']>(kind: Kind) =>
  ALL.filter((activity): activity is Extract<Activity, { kind: Kind }> => activity.kind === kind);

it('a seed always plans the same work, with a name for each activity', () => {
  for (const seed of SEEDS) {
    const plan = planActivities(seed);
    expect(planActivities(seed)).toEqual(plan);
    expect(new Set(plan.map(({ id }) => id)).size).toBe(plan.length);
  }
});

it('a fifth of the seeds run over the embedded broker, with the work and the faults that it can have', () => {
  const plans = Array.from({ length: 500 }, (_, seed) => planSeed(seed));
  const embedded = plans.filter(({ system }) => system === 'embedded');
  expect(embedded.length).toBeGreaterThan(plans.length * 0.15);
  expect(embedded.length).toBeLessThan(plans.length * 0.25);
  const kinds = new Set(embedded.flatMap(({ activities }) => activities.map(({ kind }) => kind)));
  expect([...kinds].toSorted()).toEqual([
    'action',
    'command',
    'notification',
    'poison',
    'redrive',
    'request',
  ]);
  const incidents = embedded.flatMap(({ faults }) => faults.incidents);
  const targets = incidents.flatMap((one) => ('target' in one ? [one.target] : []));
  expect(new Set(targets)).toEqual(new Set(['engine']));
  expect(planSeed(7, 'embedded').system).toBe('embedded');
  expect(planSeed(7, 'cluster').system).toBe('cluster');
});

it('the seeds together cover every form of call, message and operation', () => {
  const actions = of('action');
  expect(new Set(actions.map(({ form }) => form))).toEqual(new Set(['direct', 'object', 'text']));
  expect(new Set(actions.map(({ requestType }) => requestType)).size).toBe(7);
  expect(actions.some(({ isAsync }) => isAsync)).toBe(true);
  const notifications = of('notification');
  expect(notifications.some(({ isValid }) => !isValid)).toBe(true);
  expect(notifications.some(({ key }) => key === undefined)).toBe(true);
  expect(notifications.some(({ repeats }) => repeats.some(({ isOther }) => isOther))).toBe(true);
  const requests = of('request');
  expect(new Set(requests.map(({ format, isBatch }) => `${format} ${isBatch}`)).size).toBe(4);
  expect(requests.some(({ copies }) => copies > 1)).toBe(true);
  expect(new Set(of('poison').map(({ fault }) => fault)).size).toBe(5);
  expect(of('recalculation').some(({ killsAfterMs }) => killsAfterMs.length === 2)).toBe(true);
  expect(new Set(of('redrive').map(({ acceptDuplicates }) => acceptDuplicates)).size).toBe(2);
  expect(of('catalogue').length).toBeGreaterThan(0);
  expect(of('command').some(({ clockErrorMs }) => clockErrorMs < -3_600_000)).toBe(true);
  const floods = of('poison').filter(({ count }) => count > 1);
  expect(new Set(floods.map(({ topic }) => topic)).size).toBe(3);
});
