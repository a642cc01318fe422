/** What is wrong with a commission or an insurance of a list (F1, F2, Q6). */

import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import { MOST_INSTALLMENTS } from '../../lending/terms/loan-terms.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { CommissionRecord, InsuranceRecord } from '../catalogue/list-records.ts';
import { belongsToContract, isMandatory } from '../simulation/offered-charges.ts';
import { BASES_AT_START } from '../simulation/priced-charges.ts';
import { below, type RecordContext, type Report } from './check-context.ts';
import {
  checkBase,
  checkCurrency,
  checkFilters,
  checkFormulaUse,
  checkMoney,
  checkPercent,
  checkValues,
  MONEY_LIMITS,
  PERCENT_LIMITS,
} from './check-parts.ts';

/** Reports what keeps a commission from being charged. */
export function checkCommission(commission: CommissionRecord, context: RecordContext, report: Report): void {
  checkCurrency(commission.Currency, report);
  checkPeriodicity('PeriodicityType', commission.PeriodicityType, context, report);
  checkBase(commission.PercentAppliedTo, report);
  checkFormulaUse(commission, commission.ValueIsPercent ? PERCENT_LIMITS : MONEY_LIMITS, report);
  checkValues(commission.Values, report);
  checkPercent('Percent', commission.Percent, PERCENT_LIMITS, report);
  const isUnusage = commission.IsForUnusage;
  if (belongsToContract(commission) && commission.ValueIsPercent && !isUnusage) {
    checkChargedBase(commission, context, report);
  }
  if ((commission.GracePeriodFee ?? 0) > MOST_INSTALLMENTS) {
    report('GracePeriodFee', `must be at most ${MOST_INSTALLMENTS}, or null`);
  }
  const { ValueIsPercent, Percent, IsForUnusage, PercentAppliedTo } = commission;
  for (const [place, value] of commission.Values.entries()) {
    const tell = below(`Values[${place}]`, report);
    checkPercent('CommissionPercent', value.CommissionPercent, PERCENT_LIMITS, tell);
    checkMoney('CommissionValue', value.CommissionValue, commission.Currency, tell);
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
  checkFormulaUse(insurance, insurance.ValueIsPercentage ? PERCENT_LIMITS : MONEY_LIMITS, report);
  checkValues(insurance.Values, report);
  for (const [place, { Value }] of insurance.Values.entries()) {
    const member = `Values[${place}].Value`;
    if (insurance.ValueIsPercentage) checkPercent(member, Value, PERCENT_LIMITS, report);
    else checkMoney(member, Value, insurance.Currency, report);
  }
  if (isMandatory(insurance) && insurance.ValueIsPercentage) checkChargedBase(insurance, context, report);
  checkFilters(insurance.Filters, context, report);
}

/** A percentage that comes with every contract is of a figure that a simulation has (Q6). */
function checkChargedBase(
  { PercentAppliedTo, PeriodicityType }: CommissionRecord | InsuranceRecord,
  { lending }: RecordContext,
  report: Report,
): void {
  const isOnce = findPeriodicity(PeriodicityType, lending?.periodicities)?.unit === 'Once';
  if (isOnce && PercentAppliedTo !== null && !BASES_AT_START.has(codeKey(PercentAppliedTo))) {
    report(
      'PercentAppliedTo',
      'must be FinancedAmount or RemainingValue, or null, as PeriodicityType is Once: it is paid at the start',
    );
  } else if (PercentAppliedTo === 'UnusedAmount') {
    report(
      'PercentAppliedTo',
      'must be another figure: what comes with every contract is simulated, where no amount is unused',
    );
  }
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
