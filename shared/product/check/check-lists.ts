/** Checks the lists of interests, commissions, insurances and discounts (Q3, Q5, Q6, F1, F2, R1, R2). */

import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/field-checks.ts';
import { codeKey, type CatalogueRecord, type RecordKind } from '../catalogue/catalogue-record.ts';
import type {
  BandedInterest,
  CollectionInterest,
  CommissionRecord,
  DiscountDimension,
  DiscountListRecord,
  DiscountRecord,
  InsuranceRecord,
  InterestListRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import {
  BASES_AT_START,
  comesWithContract,
  readCharge,
  type ChargeRecord,
} from '../simulation/charge-prices.ts';
import {
  MONEY_LIMITS,
  PERCENT_LIMITS,
  RATE_LIMITS,
  WHOLE_PERCENT,
  checkBase,
  checkBounds,
  checkCurrency,
  checkDays,
  checkFilters,
  checkFormula,
  checkFormulaUse,
  checkItems,
  checkMoney,
  checkNames,
  checkPercent,
  checkPeriodicity,
  checkValues,
  type ChargeNames,
  type RecordContext,
  type ReportFault,
} from './check-fields.ts';
import { selectEntries } from '../catalogue/catalogue-view.ts';
import { bandDays, daysOverlap, isActive, productDays, rangeDays } from '../catalogue/version-in-force.ts';
import type { ValidDays } from '../catalogue/record-kinds.ts';

export function checkCommission(
  commission: CommissionRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  checkCharge(commission, context, report);
  const { ValueIsPercent, Percent, IsForUnusage, PercentAppliedTo } = commission;
  checkPercent('Percent', Percent, PERCENT_LIMITS, report);
  if ((commission.GracePeriodFee ?? 0) > MAX_INSTALLMENTS) {
    report('GracePeriodFee', `must be at most ${MAX_INSTALLMENTS}, or null`);
  }
  checkItems('Values', commission.Values, report, (value, reportItem) => {
    checkPercent('CommissionPercent', value.CommissionPercent, PERCENT_LIMITS, reportItem);
    checkMoney('CommissionValue', value.CommissionValue, commission.Currency, reportItem);
    if (ValueIsPercent && value.CommissionPercent === null && Percent === null) {
      const message = 'is missing; must be set, or Percent of the commission, because ValueIsPercent is true';
      reportItem('CommissionPercent', message);
    }
    if (!ValueIsPercent && value.CommissionValue === null) {
      reportItem('CommissionValue', 'is missing; must be set, because ValueIsPercent is false');
    }
  });
  if (IsForUnusage && !ValueIsPercent) {
    report('ValueIsPercent', 'must be true: a commission on the unused amount is a percentage of it');
  }
  if (IsForUnusage && PercentAppliedTo !== null && PercentAppliedTo !== 'UnusedAmount') {
    report('PercentAppliedTo', 'must be UnusedAmount or null, because IsForUnusage is true');
  }
}

export function checkInsurance(
  insurance: InsuranceRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  checkCharge(insurance, context, report);
  for (const [place, { Value }] of insurance.Values.entries()) {
    const field = `Values[${place}].Value`;
    if (insurance.ValueIsPercentage) checkPercent(field, Value, PERCENT_LIMITS, report);
    else checkMoney(field, Value, insurance.Currency, report);
  }
  checkFilters(insurance.Filters, context, report);
}

function checkCharge(record: ChargeRecord, context: RecordContext, report: ReportFault): void {
  const { isPercent } = readCharge(record);
  checkCurrency(record.Currency, report);
  checkPeriodicity('PeriodicityType', record.PeriodicityType, context, report);
  checkBase(record.PercentAppliedTo, report);
  checkFormulaUse(record, isPercent ? PERCENT_LIMITS : MONEY_LIMITS, report);
  checkValues(record.Values, report);
  if (isPercent && comesWithContract(record)) checkChargedBase(record, context, report);
}

/** The percentage of a charge that comes with every contract must be applied to a figure of the simulation (Q6). */
function checkChargedBase(
  { PercentAppliedTo, PeriodicityType }: ChargeRecord,
  { lending }: RecordContext,
  report: ReportFault,
): void {
  const isOnce = findPeriodicity(PeriodicityType, lending?.periodicities)?.unit === 'Once';
  if (isOnce && PercentAppliedTo !== null && !BASES_AT_START.has(codeKey(PercentAppliedTo))) {
    report(
      'PercentAppliedTo',
      'must be FinancedAmount, RemainingValue or null, because a Once charge is paid at the start',
    );
  } else if (PercentAppliedTo === 'UnusedAmount') {
    report(
      'PercentAppliedTo',
      'must be another figure: simulations include this charge, and have no unused amount',
    );
  }
}

const FIELDS_OF_DIMENSION: Readonly<Record<DiscountDimension, readonly (keyof DiscountRecord)[]>> = {
  Interest: ['InterestType'],
  Commission: ['Commission', 'CommissionType'],
  Insurance: ['Insurance', 'InsuranceClass'],
};

const NAMED: Readonly<Record<keyof ChargeNames, string>> = {
  Commission: 'commission',
  CommissionType: 'type of commissions',
  Insurance: 'insurance',
  InsuranceClass: 'class of insurances',
};

/** The names of unreadable lists are unknown: any name may be one of them. */
const anyName = () => ({ has: () => true });

export function collectChargeNames(
  records: readonly CatalogueRecord[],
  mayExist: (kind: RecordKind) => boolean,
): ChargeNames {
  const active = <Kind extends 'commission-list' | 'insurance-list'>(kind: Kind) =>
    selectEntries(records, kind).flatMap(({ record }) => (record.Status === 'Active' ? [record] : []));
  const commissions = active('commission-list').flatMap((list) => list.Commissions);
  const insurances = active('insurance-list').flatMap((list) => list.Insurances);
  const ofCommissions = mayExist('commission-list') ? anyName : collectKeys;
  const ofInsurances = mayExist('insurance-list') ? anyName : collectKeys;
  return {
    Commission: ofCommissions(commissions.map(({ Name }) => Name)),
    CommissionType: ofCommissions(commissions.map(({ Type }) => Type)),
    Insurance: ofInsurances(insurances.map(({ InsuranceName }) => InsuranceName)),
    InsuranceClass: ofInsurances(insurances.map(({ Class }) => Class)),
  };
}

/** Reports discounts that cannot be applied, or that refer to unknown charges. */
export function checkDiscounts(
  { Discounts }: DiscountListRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  checkNames('Discounts', Discounts, report);
  checkItems('Discounts', Discounts, report, (discount, reportItem) =>
    checkDiscount(discount, context, reportItem),
  );
}

function checkDiscount(discount: DiscountRecord, context: RecordContext, report: ReportFault): void {
  const { DiscountValue, IsPercentage, Formula, AppliedToDimension } = discount;
  checkDays(['StartDate', 'EndDate'], productDays(discount), report);
  checkFormulaUse(discount, IsPercentage ? PERCENT_LIMITS : MONEY_LIMITS, report);
  checkFilters(discount.Filters, context, report);
  if (DiscountValue === null && Formula === null) {
    report('DiscountValue', 'is missing; must be a number from 0, unless the discount has a Formula');
  }
  if (DiscountValue !== null && IsPercentage && DiscountValue > WHOLE_PERCENT) {
    report('DiscountValue', `must be at most ${WHOLE_PERCENT}, because IsPercentage is true`);
  }
  for (const dimension of Object.keys(FIELDS_OF_DIMENSION) as DiscountDimension[]) {
    if (dimension === AppliedToDimension) continue;
    for (const field of FIELDS_OF_DIMENSION[dimension].filter((name) => discount[name] !== null)) {
      report(
        field,
        `must be left out, because AppliedToDimension is ${AppliedToDimension}, not ${dimension}`,
      );
    }
  }
  for (const field of Object.keys(NAMED) as (keyof ChargeNames)[]) {
    const name = discount[field];
    if (name === null || context.charges[field].has(codeKey(name))) continue;
    report(
      field,
      `names the ${NAMED[field]} ${name}, which no Active list of the catalogue has: add it, or name another`,
    );
  }
}

function collectKeys(names: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name !== null).map(codeKey));
}

/** Reports contradictory interests, and ranges that refer to an interest without a rate. */
export function checkInterests({ Interests }: InterestListRecord, report: ReportFault): void {
  checkNames('Interests', Interests, report);
  checkDefaults(Interests, report);
  const rates = new Set(Interests.filter(givesRate).map(({ Name }) => codeKey(Name)));
  checkItems('Interests', Interests, report, (interest, reportItem) => {
    checkValues(interest.Values, reportItem);
    checkItems('Values', interest.Values, reportItem, ({ Value }, reportValue) =>
      checkPercent('Value', Value, RATE_LIMITS, reportValue),
    );
    checkType(interest, reportItem);
    checkRanges(interest.CollectionInterests, rates, reportItem);
    checkBands(interest.BandedInterests, reportItem);
  });
}

/** A list has at most one default interest, which simulations without an interest type use (Q3). */
function checkDefaults(interests: readonly InterestRecord[], report: ReportFault): void {
  const first = interests.findIndex(isDefault);
  for (const [place, interest] of interests.entries()) {
    if (place === first || !isDefault(interest)) continue;
    report(
      `Interests[${place}].IsDefault`,
      `must be false here or in Interests[${first}]: only one interest can be the default`,
    );
  }
}

function isDefault(interest: InterestRecord): boolean {
  return interest.IsDefault && isActive(interest) && !interest.IsPenalty;
}

/** Only an interest with values can be the rate of a range. */
function givesRate({ Type, Status }: InterestRecord): boolean {
  return (Type === 'Fixed' || Type === 'Variable') && Status === 'Active';
}

/** The type of an interest determines which field holds its rate; the others would have no effect. */
function checkType(interest: InterestRecord, report: ReportFault): void {
  const { Type, CollectionInterests, BandedInterests, Formula } = interest;
  const isCollection = Type === 'Collection';
  const isFormula = Type === 'BankingFormula';
  if (isCollection && CollectionInterests.length > 0 === BandedInterests.length > 0) {
    report(
      'CollectionInterests',
      'must have items, or BandedInterests must, but not both: the Type is Collection',
    );
  }
  if (!isCollection && CollectionInterests.length > 0) {
    report('CollectionInterests', `must be left out, because the Type is ${Type}, not Collection`);
  }
  if (!isCollection && BandedInterests.length > 0) {
    report('BandedInterests', `must be left out, because the Type is ${Type}, not Collection`);
  }
  if (isFormula && Formula === null) {
    report('Formula', 'is missing; must be set, because the Type is BankingFormula');
  }
  if (!isFormula && Formula !== null) {
    report('Formula', `must be left out, because the Type is ${Type}, not BankingFormula`);
  }
  if (interest.UseBankingFormula !== isFormula) {
    report('UseBankingFormula', `must be ${isFormula ? 'true' : 'false'}: the Type is ${Type}`);
  }
  if (Formula !== null) checkFormula(Formula, RATE_LIMITS, report);
}

function checkRanges(
  ranges: readonly CollectionInterest[],
  rates: ReadonlySet<string>,
  report: ReportFault,
): void {
  checkItems('CollectionInterests', ranges, report, (range, reportItem) => {
    if (!rates.has(codeKey(range.InterestName))) {
      reportItem(
        'InterestName',
        `names ${range.InterestName}, which is not an Active interest of Type Fixed or Variable in this list: add it, or name another`,
      );
    }
    if (range.InterestStartPeriod === 0) reportItem('InterestStartPeriod', 'must be at least 1, or null');
    const first = ['InterestStartPeriod', range.InterestStartPeriod] as const;
    checkBounds(first, ['InterestEndPeriod', range.InterestEndPeriod], reportItem);
    checkDays(['InterestStartDate', 'InterestEndDate'], rangeDays(range), reportItem);
  });
  const spans = ranges.map((range) => ({
    days: rangeDays(range),
    from: range.InterestStartPeriod ?? 1,
    to: (range.InterestEndPeriod ?? Number.POSITIVE_INFINITY) + 1,
  }));
  reportOverlaps(spans, 'CollectionInterests', report);
}

function checkBands(bands: readonly BandedInterest[], report: ReportFault): void {
  checkItems('BandedInterests', bands, report, (band, reportItem) => {
    const least = ['MinUtilizedAmount', band.MinUtilizedAmount] as const;
    checkBounds(least, ['MaxUtilizedAmount', band.MaxUtilizedAmount], reportItem);
    if (band.MaxUtilizedAmount === (band.MinUtilizedAmount ?? 0)) {
      reportItem('MaxUtilizedAmount', 'must be above MinUtilizedAmount, or null: the band is empty');
    }
    checkPercent('Value', band.Value, RATE_LIMITS, reportItem);
    checkDays(['CollectionValidFrom', 'CollectionValidTo'], bandDays(band), reportItem);
  });
  const spans = bands.map((band) => ({
    days: bandDays(band),
    from: band.MinUtilizedAmount ?? 0,
    to: band.MaxUtilizedAmount ?? Number.POSITIVE_INFINITY,
  }));
  reportOverlaps(spans, 'BandedInterests', report);
}

interface Span {
  readonly days: ValidDays;
  readonly from: number;
  readonly to: number;
}

/** On any day an instalment, or an amount, has only one rate. */
function reportOverlaps(spans: readonly Span[], list: string, report: ReportFault): void {
  for (const [place, span] of spans.entries()) {
    const earlier = spans
      .slice(0, place)
      .findIndex(
        (other) => daysOverlap(span.days, other.days) && span.from < other.to && other.from < span.to,
      );
    if (earlier >= 0) {
      report(`${list}[${place}]`, `must not overlap ${list}[${earlier}]: end one before the other starts`);
    }
  }
}
