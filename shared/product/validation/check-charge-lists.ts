/** Checks the commissions and insurances of lists (F1, F2, Q6). */

import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/max-installments.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { CommissionRecord, InsuranceRecord } from '../catalogue/list-records.ts';
import { comesWithContract, readCharge, type ChargeRecord } from '../simulation/contract-charges.ts';
import { BASES_AT_START } from '../simulation/discounted-charges.ts';
import { checkItems, type RecordContext, type ReportFault } from './check-context.ts';
import {
  checkBase,
  checkCurrency,
  checkFilters,
  checkFormulaUse,
  checkMoney,
  checkPercent,
  checkPeriodicity,
  checkValues,
  MONEY_LIMITS,
  PERCENT_LIMITS,
} from './check-parts.ts';

/** Reports faults that prevent charging a commission. */
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

/** Reports faults that prevent charging an insurance. */
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
