import type { Schemas } from '../schemas.ts';

/** Figures of one moment by key, for the lines that show their past. */
export type Figures = ReadonlyMap<string, number>;

/** Keys of figures of the whole system. */
export const TOTAL = { requests: 'requests', slowest: 'slowest', waiting: 'waiting', failed: 'failed' };

export const lagKey = ({ groupId }: Schemas['SystemGroup']): string => `lag ${groupId}`;
export const rateKey = ({ process, kind, name }: Schemas['SystemRate']): string =>
  `rate ${process} ${kind} ${name}`;
export const durationKey = ({ process, kind, name }: Schemas['SystemRate']): string =>
  `p99 ${process} ${kind} ${name}`;

/** The figures of a state; durations are absent where nothing was done. */
export function figuresOf(state: Schemas['SystemState']): Figures {
  const figures = new Map<string, number>();
  const totals = totalsOf(state);
  figures.set(TOTAL.requests, totals.requestsPerSecond);
  figures.set(TOTAL.waiting, totals.waiting);
  figures.set(TOTAL.failed, totals.failed);
  if (totals.slowestMs !== undefined) figures.set(TOTAL.slowest, totals.slowestMs);
  for (const group of state.groups) figures.set(lagKey(group), group.lag);
  for (const rate of state.rates) {
    // A rate since the start of the process would begin the line with a value of another kind.
    if (rate.windowSeconds > LONGEST_WINDOW_S) continue;
    figures.set(rateKey(rate), rate.perSecond);
    if (rate.p99Ms !== undefined) figures.set(durationKey(rate), rate.p99Ms);
  }
  return figures;
}

/** Beyond it a rate is that since the start of its process. */
const LONGEST_WINDOW_S = 65;

/** The figures of the whole system. */
export function totalsOf({ rates, groups }: Schemas['SystemState']) {
  const requests = rates.filter(({ kind }) => kind === 'request');
  const durations = requests.flatMap(({ p99Ms }) => p99Ms ?? []);
  return {
    requestsPerSecond: requests.reduce((sum, { perSecond }) => sum + perSecond, 0),
    /** The p99 of the slowest action; undefined without requests. */
    slowestMs: durations.length === 0 ? undefined : Math.max(...durations),
    failed: rates.reduce((sum, { failed }) => sum + failed, 0),
    /** Without those that wait until they are due. */
    waiting: groups.reduce((sum, { lag, delayed }) => sum + (delayed ? 0 : lag), 0),
  };
}
