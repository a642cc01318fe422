/** What is wrong with a discount list (Q5), and the names that discounts may refer to. */

import type { CatalogueRecord } from './catalogue-records.ts';
import type { ChargeNames, RecordContext } from './check-context.ts';
import { checkDays, checkFilters, checkFormulaUse, checkNames, WHOLE_PERCENT } from './check-parts.ts';
import type { DiscountDimension, DiscountListRecord, DiscountRecord } from './list-records.ts';
import { codeKey } from './record-identity.ts';
import { below, type Report } from './record-report.ts';
import { entriesOfKind } from './records-of-kind.ts';

/** Members that only make sense in one dimension. */
const MEMBERS_OF_DIMENSION: Readonly<Record<DiscountDimension, readonly (keyof DiscountRecord)[]>> = {
  Interest: ['InterestType'],
  Commission: ['Commission', 'CommissionType'],
  Insurance: ['Insurance', 'InsuranceClass'],
};

/** What each member names, for messages. */
const NAMED: Readonly<Record<keyof ChargeNames, string>> = {
  Commission: 'commission',
  CommissionType: 'type of commissions',
  Insurance: 'insurance',
  InsuranceClass: 'class of insurances',
};

/** What discounts may name. */
export function chargeNamesOf(records: readonly CatalogueRecord[]): ChargeNames {
  const commissions = entriesOfKind(records, 'commission-list')
    .filter(({ record }) => record.Status === 'Active')
    .flatMap(({ record }) => record.Commissions);
  const insurances = entriesOfKind(records, 'insurance-list')
    .filter(({ record }) => record.Status === 'Active')
    .flatMap(({ record }) => record.Insurances);
  return {
    Commission: keysOf(commissions.map(({ Name }) => Name)),
    CommissionType: keysOf(commissions.map(({ Type }) => Type)),
    Insurance: keysOf(insurances.map(({ InsuranceName }) => InsuranceName)),
    InsuranceClass: keysOf(insurances.map(({ Class }) => Class)),
  };
}

/** Reports discounts that cannot be given, or that name what they cannot lower. */
export function checkDiscounts(
  { Discounts }: DiscountListRecord,
  context: RecordContext,
  report: Report,
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

function checkDiscount(discount: DiscountRecord, context: RecordContext, report: Report): void {
  const { DiscountValue, IsPercentage, Formula, AppliedToDimension, StartDate, EndDate } = discount;
  checkDays(['StartDate', 'EndDate'], { ValidFrom: StartDate, ValidTo: EndDate }, report);
  checkFormulaUse(discount, report);
  checkFilters(discount.Filters, context.hasCustomList, report);
  if (DiscountValue === null && Formula === null) {
    report('DiscountValue', 'is missing; must be a number from 0, unless a Formula gives it');
  }
  if (DiscountValue !== null && IsPercentage && DiscountValue > WHOLE_PERCENT) {
    report('DiscountValue', `must be at most ${WHOLE_PERCENT}, as IsPercentage says`);
  }
  for (const dimension of Object.keys(MEMBERS_OF_DIMENSION) as DiscountDimension[]) {
    if (dimension === AppliedToDimension) continue;
    for (const member of MEMBERS_OF_DIMENSION[dimension].filter((name) => discount[name] !== null)) {
      report(member, `must be left out, or AppliedToDimension be ${dimension}, not ${AppliedToDimension}`);
    }
  }
  for (const member of Object.keys(NAMED) as (keyof ChargeNames)[]) {
    const name = discount[member];
    if (name === null || context.charges[member].has(codeKey(name))) continue;
    report(
      member,
      `names the ${NAMED[member]} ${name}, which no Active list of the catalogue has: add it, or name another`,
    );
  }
}

function keysOf(names: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(names.filter((name) => name !== null).map(codeKey));
}
