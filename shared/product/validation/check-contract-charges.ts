/** Checks that the charges that come with every contract can be charged with the product (F1, F2, Q5, Q6). */

import { listAllowedBases } from '../../lending/charges/charge-rules.ts';
import { MAX_CHARGES } from '../../lending/charges/charge-terms.ts';
import { findPeriodicity, type Periodicity } from '../../lending/dates/periodicity.ts';
import { currencyDigits } from '../../lending/numbers/money.ts';
import type { CompiledScheduleType } from '../../lending/schedule-types/compiled-schedule-type.ts';
import { codeKey, isSameCode } from '../catalogue/catalogue-record.ts';
import type { DiscountRecord, InsuranceRecord } from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import {
  daysOverlap,
  isActive,
  startsBy,
  type WithStatus,
  productDays,
} from '../catalogue/valid-versions.ts';
import { appliesToCharge } from '../simulation/discounts.ts';
import {
  comesWithContract,
  readCharge,
  type ChargeRecord,
  type ListCharge,
} from '../simulation/contract-charges.ts';
import { chargeBase, chargeTitle } from '../simulation/discounted-charges.ts';
import type { RecordContext, ReportFault } from './check-context.ts';
import { splitAtChanges } from './days-of-change.ts';

/** A product, with the schedule types, periodicities and discounts for its charges. */
export interface ChargedProduct {
  readonly product: ProductRecord;
  readonly types: readonly CompiledScheduleType[];
  readonly periodicities: readonly Periodicity[];
  readonly discounts: readonly { readonly code: string; readonly record: DiscountRecord }[];
}

/** Continues a message after `names the commission list X, `. */
type ReportProblem = (problem: string) => void;

/** Reports charges of a list because of which every simulation of the product would be refused. */
export function checkContractCharges(
  records: readonly ChargeRecord[],
  { product, types, periodicities, discounts }: ChargedProduct,
  reportProblem: ReportProblem,
): void {
  const days = productDays(product);
  const { Currency } = product.Availability;
  const priced = records
    .filter((record) => comesWithContract(record) && hasPriceIn(record, days))
    .map(readCharge);
  for (const charge of priced) {
    if (isSameCode(charge.currency, Currency) || currencyDigits(Currency) === undefined) continue;
    const currency = charge.currency.trim().toUpperCase();
    reportProblem(
      `whose ${chargeTitle(charge)} is in ${currency}, not ${Currency}: name a list in ${Currency}`,
    );
  }
  const repeated = priced.filter((charge) => !isOnce(charge.periodicityType, periodicities));
  if (repeated.length > MAX_CHARGES) {
    reportProblem(`of which ${repeated.length} come with every contract: at most ${MAX_CHARGES} are allowed`);
  }
  for (const type of types) checkType(repeated, type, reportProblem);
  for (const charge of repeated) {
    if (!charge.isPercent || chargeBase(charge) === 'financedamount') continue;
    for (const { code, record } of discounts) {
      if (!deductsMoney(record, charge, days)) continue;
      const fault = `an amount from its ${chargeTitle(charge)}, a percentage of a figure other than FinancedAmount`;
      reportProblem(
        `but the discount ${record.Name} of ${code} deducts ${fault}: make it a percentage, or restrict it`,
      );
    }
  }
}

function hasPriceIn(record: ChargeRecord, days: ValidDays): boolean {
  const { UseBankingFormula } = record;
  const hasPercent = 'ValueIsPercent' in record && record.ValueIsPercent && record.Percent !== null;
  const values: readonly (ValidDays & WithStatus)[] = record.Values;
  return (
    UseBankingFormula || hasPercent || values.some((value) => isActive(value) && daysOverlap(value, days))
  );
}

function isOnce(periodicityType: string, periodicities: readonly Periodicity[] | undefined): boolean {
  return findPeriodicity(periodicityType, periodicities)?.unit === 'Once';
}

function checkType(
  charges: readonly ListCharge[],
  type: CompiledScheduleType,
  reportProblem: ReportProblem,
): void {
  const { name } = type.type;
  const [first] = charges;
  if (first !== undefined && !type.type.acceptsCharges) {
    reportProblem(
      `whose ${chargeTitle(first)} the schedule type ${name} does not accept: remove one of the two`,
    );
    return;
  }
  const bases: ReadonlySet<string> = new Set(listAllowedBases(type).map(codeKey));
  for (const charge of charges.filter((one) => one.isPercent && !bases.has(chargeBase(one)))) {
    const reason = `is a percentage of a figure that ${name} calculates later`;
    reportProblem(`whose ${chargeTitle(charge)} ${reason}: apply it to another figure, or remove ${name}`);
  }
}

function deductsMoney(record: DiscountRecord, charge: ListCharge, days: ValidDays): boolean {
  const { Status, IsPercentage, UseBankingFormula, DiscountValue } = record;
  const isGiven = Status === 'Active' && (UseBankingFormula || (DiscountValue ?? 0) > 0);
  const isMoney = isGiven && !IsPercentage && appliesToCharge(record, charge);
  return isMoney && daysOverlap(productDays(record), days);
}

/** Sorts after every `yyyy-mm-dd`. */
const NEVER = '~';

/** The insurances of an item, and its validity. */
interface CountedItem {
  readonly days: ValidDays;
  readonly insurances: readonly InsuranceRecord[];
}

/**
 * Reports insurance lists that together exceed the maximum number of insurances in every simulation on some day. Only
 * items and insurances without filters count. A list that exceeds the limit alone is reported by {@link
 * checkContractCharges}.
 */
export function checkInsuranceCounts(
  product: ProductRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  const items = product.Insurances.filter(({ Filters }) => Filters.length === 0).map((item) => ({
    days: productDays(item),
    insurances: (context.soundLists.list('insurance-list', item.InsuranceList)?.Insurances ?? []).filter(
      (insurance) => isAlwaysCollected(insurance, context),
    ),
  }));
  const isReported = items.some(({ insurances }) => insurances.length > MAX_CHARGES);
  if (isReported || collectInsurances(items).size <= MAX_CHARGES) return;
  const most = countMost(items, productDays(product));
  if (most <= MAX_CHARGES) return;
  const message = `must have at most ${MAX_CHARGES} insurances without Filters that come with a contract, not ${most} on one day: filter or remove some`;
  report('Insurances', message);
}

function isAlwaysCollected(insurance: InsuranceRecord, { lending }: RecordContext): boolean {
  const isRepeated = !isOnce(insurance.PeriodicityType, lending?.periodicities);
  return isRepeated && comesWithContract(insurance) && insurance.Filters.length === 0;
}

/** The insurances of all items; one that several items name counts once. */
function collectInsurances(items: readonly CountedItem[]): ReadonlySet<InsuranceRecord> {
  return new Set(items.flatMap(({ insurances }) => insurances));
}

/** The largest number of insurances with a price on any day of the validity. */
function countMost(items: readonly CountedItem[], validity: ValidDays): number {
  const counts = splitAtChanges(items.map(({ days }) => days)).map((state) => {
    const within = intersectDays(state.days, validity);
    if (within === undefined) return 0;
    const valid = items.filter(({ days }) => daysOverlap(days, within));
    return countSharing(
      [...collectInsurances(valid)].flatMap((insurance) => listPricedDays(insurance, within)),
    );
  });
  return Math.max(0, ...counts);
}

/** Lists the days of a span on which an insurance has a price. */
function listPricedDays(
  { UseBankingFormula, Values }: InsuranceRecord,
  within: ValidDays,
): readonly ValidDays[] {
  if (UseBankingFormula) return [within];
  return Values.filter(isActive).flatMap((value) => intersectDays(value, within) ?? []);
}

/** The days that two spans share. */
function intersectDays(one: ValidDays, other: ValidDays): ValidDays | undefined {
  const ValidFrom = (one.ValidFrom ?? '') > (other.ValidFrom ?? '') ? one.ValidFrom : other.ValidFrom;
  const ValidTo = (one.ValidTo ?? NEVER) < (other.ValidTo ?? NEVER) ? one.ValidTo : other.ValidTo;
  return startsBy(ValidFrom, ValidTo) ? { ValidFrom, ValidTo } : undefined;
}

/** The largest number of spans that share a day: on each first day, the spans that have started minus those that have ended. */
function countSharing(spans: readonly ValidDays[]): number {
  const starts = spans.map(({ ValidFrom }) => ValidFrom ?? '').toSorted();
  const ends = spans.map(({ ValidTo }) => ValidTo ?? NEVER).toSorted();
  let [ended, most] = [0, 0];
  for (const [earlier, day] of starts.entries()) {
    while ((ends[ended] ?? NEVER) < day) ended += 1;
    most = Math.max(most, earlier + 1 - ended);
  }
  return most;
}
