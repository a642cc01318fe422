/** What is wrong with a commission or an insurance of a list (F1, F2, Q6). */

import { findPeriodicity } from '../lending/periodicity.ts';
import type { RecordContext } from './check-context.ts';
import { checkBase, checkCurrency, checkFilters, checkFormulaUse, checkValues } from './check-parts.ts';
import type { CommissionRecord, InsuranceRecord } from './list-records.ts';
import { below, type Report } from './record-report.ts';

/** Reports what keeps a commission from being charged. */
export function checkCommission(commission: CommissionRecord, context: RecordContext, report: Report): void {
  checkCurrency(commission.Currency, report);
  checkPeriodicity('PeriodicityType', commission.PeriodicityType, context, report);
  checkBase(commission.PercentAppliedTo, report);
  checkFormulaUse(commission, report);
  checkValues(commission.Values, report);
  const { ValueIsPercent, Percent, IsForUnusage, PercentAppliedTo } = commission;
  for (const [place, value] of commission.Values.entries()) {
    const tell = below(`Values[${place}]`, report);
    if (ValueIsPercent && value.CommissionPercent === null && Percent === null) {
      tell(
        'CommissionPercent',
        'is missing; must be there, or Percent of the commission, as ValueIsPercent says',
      );
    }
    if (!ValueIsPercent && value.CommissionValue === null) {
      tell('CommissionValue', 'is missing; must be there, or ValueIsPercent be true');
    }
  }
  if (IsForUnusage && !ValueIsPercent) {
    report('ValueIsPercent', 'must be true: a commission on the unused amount is a percentage of it');
  }
  if (IsForUnusage && PercentAppliedTo !== null && PercentAppliedTo !== 'UnusedAmount') {
    report('PercentAppliedTo', 'must be UnusedAmount, or null, as IsForUnusage says');
  }
}

/** Reports what keeps an insurance from being charged. */
export function checkInsurance(insurance: InsuranceRecord, context: RecordContext, report: Report): void {
  checkCurrency(insurance.Currency, report);
  checkPeriodicity('PeriodicityType', insurance.PeriodicityType, context, report);
  checkBase(insurance.PercentAppliedTo, report);
  checkFormulaUse(insurance, report);
  checkValues(insurance.Values, report);
  checkFilters(insurance.Filters, context.hasCustomList, report);
}

/** Periodicities are built in or of the catalogue (D7). */
export function checkPeriodicity(
  member: string,
  name: string,
  { lending }: Pick<RecordContext, 'lending'>,
  report: Report,
): void {
  if (lending === undefined || findPeriodicity(name, lending.periodicities) !== undefined) return;
  const known = lending.periodicities.map((periodicity) => periodicity.name).join(', ');
  report(
    member,
    `names the periodicity ${name}, which is not known: add it to periodicities, or name one of ${known}`,
  );
}
