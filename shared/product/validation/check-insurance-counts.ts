/** Whether the insurance lists of a product have more insurances together than a schedule may collect (F1, Q6). */

import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { MOST_ITEMS } from '../../lending/charges/read-charge-terms.ts';
import type { RecordContext } from './check-context.ts';
import { statesBetween } from '../catalogue/days-of-change.ts';
import type { InsuranceRecord } from '../catalogue/list-records.ts';
import { isMandatory } from '../simulation/offered-charges.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import type { Report } from './record-report.ts';
import { daysOverlap, isActive, startsBy } from '../catalogue/valid-values.ts';

/** After the last day that can be written. */
const NEVER = '~';

/** Insurances of an item, and when it counts. */
interface CountedItem {
  readonly days: ValidDays;
  readonly insurances: readonly InsuranceRecord[];
}

/**
 * Reports lists of which every simulation on some day would have more than the most insurances. Only items and
 * insurances that no filter leaves out count. What is too much within one list is told of that list.
 */
export function checkInsuranceCounts(product: ProductRecord, context: RecordContext, report: Report): void {
  const items = product.Insurances.filter(({ Filters }) => Filters.length === 0).map((item) => ({
    days: { ValidFrom: item.StartDate, ValidTo: item.EndDate },
    insurances: (context.soundLists.insuranceList(item.InsuranceList)?.Insurances ?? []).filter((insurance) =>
      isAlwaysCollected(insurance, context),
    ),
  }));
  const isTold = items.some(({ insurances }) => insurances.length > MOST_ITEMS);
  if (isTold || distinct(items).size <= MOST_ITEMS) return;
  const most = mostOnADay(items, { ValidFrom: product.StartDate, ValidTo: product.EndDate });
  if (most <= MOST_ITEMS) return;
  const message = `must have at most ${MOST_ITEMS} insurances without Filters that come with a contract, not ${most} on one day: filter or remove some`;
  report('Insurances', message);
}

function isAlwaysCollected(insurance: InsuranceRecord, { lending }: RecordContext): boolean {
  const isOnce = findPeriodicity(insurance.PeriodicityType, lending?.periodicities)?.unit === 'Once';
  return isMandatory(insurance) && insurance.Filters.length === 0 && !isOnce;
}

/** One that several items name comes once. */
function distinct(items: readonly CountedItem[]): ReadonlySet<InsuranceRecord> {
  return new Set(items.flatMap(({ insurances }) => insurances));
}

/** The most insurances with a price on any one day of a validity. */
function mostOnADay(items: readonly CountedItem[], validity: ValidDays): number {
  const counts = statesBetween(items.map(({ days }) => days)).map((state) => {
    const within = common(state.days, validity);
    if (within === undefined) return 0;
    const held = items.filter(({ days }) => daysOverlap(days, within));
    return mostAtOnce([...distinct(held)].flatMap((insurance) => pricedDays(insurance, within)));
  });
  return Math.max(0, ...counts);
}

/** Days of a span on which an insurance has a price. */
function pricedDays({ UseBankingFormula, Values }: InsuranceRecord, within: ValidDays): readonly ValidDays[] {
  if (UseBankingFormula) return [within];
  return Values.filter(isActive).flatMap((value) => common(value, within) ?? []);
}

/** The days that two spans share. */
function common(one: ValidDays, other: ValidDays): ValidDays | undefined {
  const ValidFrom = (one.ValidFrom ?? '') > (other.ValidFrom ?? '') ? one.ValidFrom : other.ValidFrom;
  const ValidTo = (one.ValidTo ?? NEVER) < (other.ValidTo ?? NEVER) ? one.ValidTo : other.ValidTo;
  return startsBy(ValidFrom, ValidTo) ? { ValidFrom, ValidTo } : undefined;
}

/** How many spans share a day at the most: those that began by then less those that ended before. */
function mostAtOnce(spans: readonly ValidDays[]): number {
  const starts = spans.map(({ ValidFrom }) => ValidFrom ?? '').toSorted();
  const ends = spans.map(({ ValidTo }) => ValidTo ?? NEVER).toSorted();
  let [ended, most] = [0, 0];
  for (const [begun, day] of starts.entries()) {
    while ((ends[ended] ?? NEVER) < day) ended += 1;
    most = Math.max(most, begun + 1 - ended);
  }
  return most;
}
