/** Checks discount lists (Q5), and collects the names that discounts may refer to. */

import { type CatalogueRecord, codeKey, type RecordKind } from '../catalogue/catalogue-record.ts';
import { below, type ChargeNames, type RecordContext, type ReportFault } from './check-context.ts';
import {
  checkDays,
  checkFilters,
  checkFormulaUse,
  checkNames,
  MONEY_LIMITS,
  PERCENT_LIMITS,
  WHOLE_PERCENT,
} from './check-parts.ts';
import type { DiscountDimension, DiscountListRecord, DiscountRecord } from '../catalogue/list-records.ts';
import { selectEntries } from '../catalogue/catalogue-view.ts';

/** Fields that apply to one dimension only. */
const FIELDS_OF_DIMENSION: Readonly<Record<DiscountDimension, readonly (keyof DiscountRecord)[]>> = {
  Interest: ['InterestType'],
  Commission: ['Commission', 'CommissionType'],
  Insurance: ['Insurance', 'InsuranceClass'],
};

/** What each field refers to, for messages. */
const NAMED: Readonly<Record<keyof ChargeNames, string>> = {
  Commission: 'commission',
  CommissionType: 'type of commissions',
  Insurance: 'insurance',
  InsuranceClass: 'class of insurances',
};

/** The names of unreadable lists are unknown: any name may be one of them. */
const ANY_NAME = { has: () => true };
const NAMING_FIELDS = /^(?:Status|Commissions|Insurances)$|\.(?:Name|Type|InsuranceName|Class)$/;

function isNaming({ unread }: CatalogueRecord): boolean {
  return unread !== undefined && [...unread].some((field) => NAMING_FIELDS.test(field));
}

/** The names that discounts may refer to. */
export function collectChargeNames(
  records: readonly CatalogueRecord[],
  mayExist: (kind: RecordKind) => boolean,
): ChargeNames {
  const commissions = selectEntries(records, 'commission-list')
    .filter(({ record }) => record.Status === 'Active')
    .flatMap(({ record }) => record.Commissions);
  const insurances = selectEntries(records, 'insurance-list')
    .filter(({ record }) => record.Status === 'Active')
    .flatMap(({ record }) => record.Insurances);
  const hasOthers = (kind: 'commission-list' | 'insurance-list'): boolean =>
    mayExist(kind) || records.some((entry) => entry.kind === kind && isNaming(entry));
  const names = (kind: Parameters<typeof hasOthers>[0], found: readonly (string | null)[]) =>
    hasOthers(kind) ? ANY_NAME : collectKeys(found);
  return {
    Commission: names(
      'commission-list',
      commissions.map(({ Name }) => Name),
    ),
    CommissionType: names(
      'commission-list',
      commissions.map(({ Type }) => Type),
    ),
    Insurance: names(
      'insurance-list',
      insurances.map(({ InsuranceName }) => InsuranceName),
    ),
    InsuranceClass: names(
      'insurance-list',
      insurances.map(({ Class }) => Class),
    ),
  };
}

/** Reports discounts that cannot be applied, or that refer to what they cannot lower. */
export function checkDiscounts(
  { Discounts }: DiscountListRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  checkNames(
    Discounts.map(({ Name }) => Name),
    (place) => `Discounts[${place}].Name`,
    report,
  );
  for (const [place, discount] of Discounts.entries()) {
    checkDiscount(discount, context, below(`Discounts[${place}]`, report));
  }
}

function checkDiscount(discount: DiscountRecord, context: RecordContext, report: ReportFault): void {
  const { DiscountValue, IsPercentage, Formula, AppliedToDimension, StartDate, EndDate } = discount;
  checkDays(['StartDate', 'EndDate'], { ValidFrom: StartDate, ValidTo: EndDate }, report);
  checkFormulaUse(discount, IsPercentage ? PERCENT_LIMITS : MONEY_LIMITS, report);
  checkFilters(discount.Filters, context, report);
  if (DiscountValue === null && Formula === null) {
    report('DiscountValue', 'is missing; must be a number from 0, unless a Formula gives it');
  }
  if (DiscountValue !== null && IsPercentage && DiscountValue > WHOLE_PERCENT) {
    report('DiscountValue', `must be at most ${WHOLE_PERCENT}, as IsPercentage says`);
  }
  for (const dimension of Object.keys(FIELDS_OF_DIMENSION) as DiscountDimension[]) {
    if (dimension === AppliedToDimension) continue;
    for (const field of FIELDS_OF_DIMENSION[dimension].filter((name) => discount[name] !== null)) {
      report(field, `must be left out, or AppliedToDimension be ${dimension}, not ${AppliedToDimension}`);
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
