/** The parts of a balance with the rate of each, for explanations (R2, S6). */

import type { RateFrom, RateTerms } from '../terms/rate-terms.ts';
import type { InterestSlice } from './row-trace.ts';

/** One slice with the rate in force, or one for each band that the balance reaches into. */
export function interestSlicesOf(
  rates: RateTerms,
  rate: RateFrom | undefined,
  balance: number,
): readonly InterestSlice[] {
  if (rates.kind === 'rows') return rate === undefined ? [] : [{ percent: rate.percent }];
  if (rates.whole) {
    const inForce = rates.bands.findLast((band, index) => index === 0 || band.from <= balance);
    return inForce === undefined ? [] : [{ percent: inForce.percent }];
  }
  const reached = rates.bands.filter((band, index) => index === 0 || band.from < balance);
  return reached.map(({ percent, from }, index) => {
    const start = index === 0 ? 0 : from;
    return { percent, base: (reached[index + 1]?.from ?? balance) - start };
  });
}
