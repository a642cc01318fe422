import { describe, expect, test } from 'vitest';
import {
  limitsOf,
  type Machines,
  planFor,
  rateOnOneMachine,
  type UnitCost,
} from '../../../scripts/bench/plan/model.ts';
import { parsePlan, planText } from '../../../scripts/bench/plan/plan-text.ts';

/** Costs whose sums are easy: 1 ms in the worker, 1 MB on the log. */
const COST: UnitCost = {
  requesterUs: 100,
  workerUs: 1_000,
  brokerUs: 200,
  replicaUs: 100,
  requestBytes: 200_000,
  replyBytes: 800_000,
  requestHours: 24,
  brokerSystemCalls: 4,
};
const MACHINES: Machines = {
  usedShare: 0.5,
  coresOfBroker: 4,
  networkBytesPerSecond: 1_000_000_000,
  diskBytesPerSecond: 500_000_000,
  replyHours: 1,
  replyBytesOfPartition: 100_000_000_000,
  partitions: 12,
};

const stored = (hours: number, perSecond = 1): number =>
  planFor({ cost: COST, perSecond, hours, replicas: 3 }, MACHINES).storedBytes;
const rate = (cores: number, workers: number): number =>
  rateOnOneMachine(COST, { cores, workers, replicas: 1 });

describe('the plan for a demand', () => {
  test('has as many processes as keep each below the planned share of a core', () => {
    const plan = planFor({ cost: COST, perSecond: 10_000, hours: 1, replicas: 1 }, MACHINES);
    expect(plan.workers).toBe(20);
    expect(plan.requesters).toBe(2);
    expect(plan.cores).toBeCloseTo(13);
  });

  test('has a partition for each worker, and never fewer than the topic has', () => {
    const partitions = [1_000, 10_000].map(
      (perSecond) => planFor({ cost: COST, perSecond, hours: 1, replicas: 1 }, MACHINES).partitions,
    );
    expect(partitions).toEqual([12, 20]);
  });

  test('has as many brokers as replicas, processors, network and disk need', () => {
    const brokers = (perSecond: number, cost: UnitCost = COST): number =>
      planFor({ cost, perSecond, hours: 1, replicas: 3 }, MACHINES).brokers;
    expect(brokers(1)).toBe(3);
    // 400 us of broker time for three replicas: 40 cores of which 2 are used in each broker.
    expect(brokers(100_000, { ...COST, requestBytes: 1, replyBytes: 1 })).toBe(20);
    // 3 GB/s, of which a disk takes 250 MB/s.
    expect(brokers(1_000)).toBe(12);
  });

  test('stores requests and replies until their topics delete them', () => {
    expect(stored(1)).toBe(3 * 3_600 * 1_000_000);
    expect(stored(10)).toBe(3 * 3_600 * (10 * 200_000 + 800_000));
    expect(stored(100)).toBe(stored(24));
    // The replies of an hour, 2,880 GB, are more than 12 partitions keep.
    expect(stored(1, 1_000)).toBe(3 * (720_000_000_000 + 12 * 100_000_000_000));
  });
});

test('the limits of an installation begin with the lowest', () => {
  const installation = { requesters: 1, workers: 12, brokers: 3, replicas: 3 };
  expect(limitsOf(COST, installation, MACHINES)).toEqual([
    { resource: 'disk', perSecond: 250 },
    { resource: 'network', perSecond: 500 },
    { resource: 'requester', perSecond: 5_000 },
    { resource: 'worker', perSecond: 6_000 },
    { resource: 'brokerCores', perSecond: 15_000 },
  ]);
});

test('on one machine the rate is limited by a thread until the processors are busy', () => {
  expect(rate(8, 1)).toBeCloseTo(1_000);
  expect(rate(8, 4)).toBeCloseTo(4_000);
  expect(rate(2, 4)).toBeCloseTo(2_000_000 / 1_300);
  expect(rate(64, 64)).toBeCloseTo(10_000);
});

describe('the question of --plan', () => {
  test('is a number of contracts, in four hours by default, or of calls per second', () => {
    expect(parsePlan('contracts=100e6,hours=6')).toEqual({ contracts: 100e6, hours: 6, replicas: 3 });
    expect(parsePlan('contracts=10000')).toEqual({ contracts: 10_000, hours: 4, replicas: 3 });
    expect(parsePlan('calls=10000,replicas=1')).toEqual({ calls: 10_000, hours: 24, replicas: 1 });
  });

  test.each(['', 'hours=4', 'contracts=1,calls=1', 'calls=5,hours=2', 'contracts=-1', 'contracts=', 'x=1'])(
    'is refused if it is %j',
    (text) => {
      expect(parsePlan(text)).toBeUndefined();
    },
  );

  test('is refused with more than three replicas, and with a name twice', () => {
    expect(parsePlan('calls=5,replicas=4')).toBeUndefined();
    expect(parsePlan('calls=5,calls=6')).toBeUndefined();
  });

  test('is answered with processes, partitions and brokers, and the limit that comes first', () => {
    const text = planText({ contracts: 100e6, hours: 4, replicas: 3 });
    expect(text).toContain('100,000,000 contracts in 4 hours: 6,944 per second, 3 replicas');
    for (const name of ['worker processes', 'partitions of the request topic', 'brokers of 4 cores']) {
      expect(text).toMatch(new RegExp(`${name}[^|]*\\| +[\\d,]+ \\|`));
    }
    expect(text).toMatch(/With 1 requester, 12 workers and 3 brokers they take \d+\.\d hours\.\n$/);
    expect(planText({ calls: 10, hours: 24, replicas: 3 })).not.toContain('hours');
    expect(text).toMatch(/what limits first[^\n]*\n[^\n]*\n\| the thread of one requester/);
  });
});
