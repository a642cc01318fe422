/** Whether the charges that come with a contract can be charged with the product (F1, F2, Q5, Q6). */

import { basesOf } from '../../lending/charges/charge-rules.ts';
import { MOST_ITEMS } from '../../lending/charges/read-charge-terms.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { currencyDigits } from '../../lending/numbers/currency-digits.ts';
import type { CompiledScheduleType } from '../../lending/schedule-types/compiled-schedule-type.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type {
  CommissionListRecord,
  CommissionRecord,
  DiscountRecord,
  InsuranceListRecord,
  InsuranceRecord,
} from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import { daysOverlap, isActive, startsBy, type WithStatus } from '../catalogue/validity.ts';
import { type DiscountedCharge, lowersCharge } from '../simulation/discounts.ts';
import { belongsToContract, isMandatory } from '../simulation/offered-charges.ts';
import type { RecordContext, Report } from './check-context.ts';
import { statesBetween } from './days-of-change.ts';

/** A charge that comes with every contract of an offer. */
export interface ContractCharge extends DiscountedCharge {
  readonly currency: string;
  readonly isPercent: boolean;
  /** PercentAppliedTo, in lower case. */
  readonly base: string;
  readonly isOnce: boolean;
  readonly hasPriceIn: (days: ValidDays) => boolean;
}

/** Charges of a list, and the member of the product that names it. */
export interface ListedCharges {
  readonly member: string;
  readonly what: 'commission' | 'insurance';
  readonly list: string;
  readonly charges: readonly ContractCharge[];
}

/** The commissions of a list that come with every contract. */
export function contractCommissions(
  { Commissions }: CommissionListRecord,
  context: RecordContext,
): readonly ContractCharge[] {
  return Commissions.filter(belongsToContract).map((commission) => ({
    dimension: 'Commission',
    name: commission.Name,
    group: commission.Type,
    isPercent: commission.ValueIsPercent,
    hasPriceIn: (days) =>
      (commission.ValueIsPercent && commission.Percent !== null) || hasPrice(commission, days),
    ...commonOf(commission, context),
  }));
}

/** The insurances of a list that come with every contract. */
export function contractInsurances(
  { Insurances }: InsuranceListRecord,
  context: RecordContext,
): readonly ContractCharge[] {
  return Insurances.filter(isMandatory).map((insurance) => ({
    dimension: 'Insurance',
    name: insurance.InsuranceName,
    group: insurance.Class,
    isPercent: insurance.ValueIsPercentage,
    hasPriceIn: (days) => hasPrice(insurance, days),
    ...commonOf(insurance, context),
  }));
}

function commonOf(record: CommissionRecord | InsuranceRecord, { lending }: RecordContext) {
  return {
    currency: codeKey(record.Currency),
    base: codeKey(record.PercentAppliedTo ?? 'FinancedAmount'),
    isOnce: findPeriodicity(record.PeriodicityType, lending?.periodicities)?.unit === 'Once',
  };
}

function hasPrice(
  { UseBankingFormula, Values }: { UseBankingFormula: boolean; Values: readonly (ValidDays & WithStatus)[] },
  days: ValidDays,
): boolean {
  return UseBankingFormula || Values.some((value) => isActive(value) && daysOverlap(value, days));
}

/** What charges are checked against. */
export interface ChargedProduct {
  readonly product: ProductRecord;
  readonly types: readonly CompiledScheduleType[];
  readonly discounts: readonly { readonly code: string; readonly record: DiscountRecord }[];
}

/** Reports charges that a simulation of the product would be refused for. */
export function checkContractCharges(
  { member, what, list, charges }: ListedCharges,
  { product, types, discounts }: ChargedProduct,
  report: Report,
): void {
  const days = { ValidFrom: product.StartDate, ValidTo: product.EndDate };
  const { Currency } = product.Availability;
  const tell = (problem: string): void => report(member, `names the ${what} list ${list}, ${problem}`);
  const priced = charges.filter((charge) => charge.hasPriceIn(days));
  for (const { name, currency } of priced) {
    if (currency === codeKey(Currency) || currencyDigits(Currency) === undefined) continue;
    tell(
      `whose ${what} ${name} is in ${currency.toUpperCase()}, not ${Currency}: name a list in ${Currency}`,
    );
  }
  const repeated = priced.filter(({ isOnce }) => !isOnce);
  if (repeated.length > MOST_ITEMS) {
    tell(`of which ${repeated.length} come with a contract: ${MOST_ITEMS} are the most`);
  }
  for (const type of types) checkType(repeated, type, what, tell);
  for (const charge of repeated) {
    if (!charge.isPercent || charge.base === 'financedamount') continue;
    for (const { code, record } of discounts) {
      if (!takesMoney(record, charge, days)) continue;
      const fault = `money off its ${what} ${charge.name}, a percentage of another figure than FinancedAmount`;
      tell(`while ${record.Name} of ${code} takes ${fault}: make that a percentage, or narrow it`);
    }
  }
}

function checkType(
  charges: readonly ContractCharge[],
  type: CompiledScheduleType,
  what: string,
  tell: (problem: string) => void,
): void {
  const { name } = type.type;
  const [first] = charges;
  if (first !== undefined && !type.type.acceptsCharges) {
    tell(`whose ${what} ${first.name} ${name} does not accept: detach the one or the other`);
    return;
  }
  const bases: ReadonlySet<string> = new Set(basesOf(type).map(codeKey));
  for (const charge of charges.filter(({ isPercent, base }) => isPercent && !bases.has(base))) {
    const reason = `of a figure that ${name} calculates after it`;
    tell(`whose ${what} ${charge.name} is a percentage ${reason}: apply it to another, or detach ${name}`);
  }
}

function takesMoney(record: DiscountRecord, charge: ContractCharge, days: ValidDays): boolean {
  const { Status, IsPercentage, UseBankingFormula, DiscountValue, StartDate, EndDate } = record;
  const isGiven = Status === 'Active' && (UseBankingFormula || (DiscountValue ?? 0) > 0);
  const isMoney = isGiven && !IsPercentage && lowersCharge(record, charge);
  return isMoney && daysOverlap({ ValidFrom: StartDate, ValidTo: EndDate }, days);
}

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
    insurances: (context.soundLists.list('insurance-list', item.InsuranceList)?.Insurances ?? []).filter(
      (insurance) => isAlwaysCollected(insurance, context),
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
