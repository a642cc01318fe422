/** Whether a product has more offers than one simulation may answer (Q3). */

import type { RecordContext } from './check-context.ts';
import type { OfferedLoans } from './check-offered-rates.ts';
import { MOST_OFFERS } from '../simulation/interest-choice.ts';
import { INTEREST_TYPES, type InterestRecord, type InterestType } from '../catalogue/list-records.ts';
import type { Report } from './record-report.ts';
import { MOST_ROWS } from '../simulation/simulate.ts';
import { isActive } from '../catalogue/valid-values.ts';

/**
 * Reports a type of interests of which every simulation would have more than the most offers, or than the most rows in
 * the shortest term. Only items that no filter leaves out count, and interests with one rate for good.
 */
export function checkOfferCounts(
  { product, range }: OfferedLoans,
  { soundLists }: RecordContext,
  report: Report,
): void {
  const rows = range.periodicity.unit === 'Once' ? 1 : range.leastPeriods;
  const most = Math.min(MOST_OFFERS, Math.floor(MOST_ROWS / rows));
  const interests = product.InterestsAndCommissions.filter(({ Filters }) => Filters.length === 0).flatMap(
    ({ InterestList }) =>
      InterestList === null ? [] : (soundLists.interestList(InterestList)?.Interests ?? []),
  );
  if (interests.length <= most) return;
  const offered = interests.filter((interest) => isAlwaysOffered(interest));
  const counts = new Map<InterestType, number>();
  for (const { Type } of offered) counts.set(Type, (counts.get(Type) ?? 0) + 1);
  for (const type of INTEREST_TYPES) {
    const count = counts.get(type) ?? 0;
    if (count <= most) continue;
    const message = `must have at most ${most} interests of Type ${type} without Filters, not ${count}: filter or remove some`;
    report('InterestsAndCommissions', message);
  }
}

function isAlwaysOffered(interest: InterestRecord): boolean {
  if (!isActive(interest) || interest.IsPenalty) return false;
  if (interest.Type === 'BankingFormula') return true;
  return interest.Values.some((value) => isActive(value) && value.ValidTo === null);
}
