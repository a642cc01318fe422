/** The plan of `npm run bench -- --plan` as text. */

import { table, thousands } from '../tables.ts';
import { COSTS, MACHINES } from './constants.ts';
import { type Demand, type Limits, limitsOf, planFor, type Resource } from './model.ts';

/** What to plan: contracts in a number of hours, or calls per second. */
export interface PlanQuestion {
  /** Contracts of a night; absent for calls. */
  readonly contracts?: number;
  readonly hours: number;
  /** Calls per second; absent for contracts. */
  readonly calls?: number;
  readonly replicas: number;
}

const DEFAULTS = { hours: 4, replicas: 3 } as const;
const HOURS_PER_DAY = 24;
const SECONDS_PER_HOUR = 3_600;
const MB = 1_000_000;
const GB = 1_000 * MB;
/** The installation whose limits are listed: what one command and the default partitions allow on the fewest brokers. */
const FIRST = { requesters: 1, workers: MACHINES.partitions } as const;
const LIMITED_BY: Readonly<Record<Resource, (replicas: number) => string>> = {
  requester: () => 'the thread of one requester',
  worker: () => `the threads of ${FIRST.workers} workers, one for each partition`,
  brokerCores: (replicas) => `the processors of ${replicas} brokers`,
  network: (replicas) => `the network of ${replicas} brokers`,
  disk: (replicas) => `the disks of ${replicas} brokers`,
};

/**
 * The question in a text such as `contracts=100e6,hours=4` or `calls=10000,replicas=3`; undefined if it is not one: exactly one
 * of contracts and calls, positive numbers, one to three replicas.
 */
export function parsePlan(text: string): PlanQuestion | undefined {
  const pairs = text.split(',').map((pair) => pair.split('='));
  const values = new Map(pairs.map(([name = '', value = '']) => [name, value === '' ? NaN : Number(value)]));
  const isKnown = [...values.keys()].every((name) =>
    ['contracts', 'hours', 'calls', 'replicas'].includes(name),
  );
  const isPositive = [...values.values()].every((value) => Number.isFinite(value) && value > 0);
  const [contracts, calls] = [values.get('contracts'), values.get('calls')];
  const { hours = DEFAULTS.hours, replicas = DEFAULTS.replicas } = Object.fromEntries(values);
  if (!isKnown || !isPositive || values.size !== pairs.length) return undefined;
  if (![1, 2, 3].includes(replicas)) return undefined;
  if (contracts !== undefined && calls === undefined) return { contracts, hours, replicas };
  if (calls !== undefined && contracts === undefined && !values.has('hours')) {
    return { calls, hours: HOURS_PER_DAY, replicas };
  }
  return undefined;
}

/** What the demand needs, and what limits the smallest installation first. */
export function planText(question: PlanQuestion): string {
  const { contracts, calls = 0, hours, replicas } = question;
  const isBulk = contracts !== undefined;
  const perSecond = isBulk ? contracts / (hours * SECONDS_PER_HOUR) : calls;
  const demand: Demand = { cost: isBulk ? COSTS.contract : COSTS.schedule, perSecond, hours, replicas };
  const title = isBulk
    ? `${thousands(contracts)} contracts in ${hours} hours: ${thousands(perSecond)} per second`
    : `${thousands(calls)} schedule calls per second`;
  const found = limitsOf(demand.cost, { ...FIRST, brokers: replicas, replicas }, MACHINES);
  const hoursOfFirst = (contracts ?? 0) / (found[0]?.perSecond ?? 0) / SECONDS_PER_HOUR;
  const alone = `${FIRST.requesters} requester, ${FIRST.workers} workers and ${replicas} brokers`;
  const time = isBulk ? `\nWith ${alone} they take ${hoursOfFirst.toFixed(1)} hours.\n` : '';
  return `${title}, ${replicas} replicas\n\n${needs(demand, isBulk)}\n${limits(found, replicas)}${time}`;
}

function needs(demand: Demand, isBulk: boolean): string {
  const plan = planFor(demand, MACHINES);
  return table(
    ['needed', 'number'],
    [
      [
        isBulk ? 'requester processes, each with a part of the file' : 'ingress processes',
        thousands(plan.requesters),
      ],
      ['worker processes', thousands(plan.workers)],
      ['partitions of the request topic, at least', thousands(plan.partitions)],
      [`brokers of ${MACHINES.coresOfBroker} cores`, thousands(plan.brokers)],
      ['cores in use', plan.cores.toFixed(1)],
      ['network of each broker, MB/s', (plan.networkOfBroker / MB).toFixed(1)],
      ['disk of each broker, MB/s', (plan.diskOfBroker / MB).toFixed(1)],
      ['stored on all brokers, GB', thousands(plan.storedBytes / GB)],
    ],
  );
}

function limits(found: Limits, replicas: number): string {
  const rows = found.map(({ resource, perSecond }) => [LIMITED_BY[resource](replicas), thousands(perSecond)]);
  return table(['what limits first', 'per second'], rows);
}
