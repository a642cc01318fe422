/** Checks discount lists (Q5), and collects the names that discounts may refer to. */

import { type CatalogueRecord, codeKey, type RecordKind } from '../catalogue/catalogue-record.ts';
import { checkItems, type ChargeNames, type RecordContext, type ReportFault } from './check-context.ts';
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
import { productDays } from '../catalogue/valid-versions.ts';

/** Fields of one dimension only. */
const FIELDS_OF_DIMENSION: Readonly<Record<DiscountDimension, readonly (keyof DiscountRecord)[]>> = {
  Interest: ['InterestType'],
  Commission: ['Commission', 'CommissionType'],
  Insurance: ['Insurance', 'InsuranceClass'],
};

/** The kind of name that each field contains, as messages call it. */
const NAMED: Readonly<Record<keyof ChargeNames, string>> = {
  Commission: 'commission',
  CommissionType: 'type of commissions',
  Insurance: 'insurance',
  InsuranceClass: 'class of insurances',
};

/** The names of unreadable lists are unknown: any name may be one of them. */
const anyName = () => ({ has: () => true });

/** Collects the names that discounts may refer to. */
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
