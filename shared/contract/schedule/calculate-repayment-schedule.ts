/** `PLAT_BP_CalculateRepaymentSchedule`: its request, which fields of it go together, and the action. */

import { findScheduleFaults } from '../../lending/terms/validate-schedule-request.ts';
import { scheduleEffort } from '../../lending/request-effort.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction } from '../json/action.ts';
import { isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import { createRequestContract, type Fields } from '../json/request-contract.ts';
import { REPAYMENT_SCHEDULE_EXAMPLES } from './examples.ts';
import { renderRepaymentSchedule } from './render-schedule.ts';
import { repaymentScheduleReply } from './reply-fields.ts';
import { repaymentScheduleFields } from './request-fields.ts';

/** Values for mandatory fields that cannot be read, so large that no other field exceeds them. */
const PLACEHOLDERS: Fields = {
  ScheduleType: 'EqualInstallments',
  Amount: 1e12,
  InstallmentsNo: 1200,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 0,
};
/** Fields that decide how many rows there are, and when they are due. */
const ROW_FIELDS = ['InstallmentsNo', 'RealInstallmentNo', 'BlockInstallmentNo', 'LastDueDate'];
const DATE_FIELDS = [
  ...ROW_FIELDS,
  'ScheduleType',
  'PeriodicityType',
  'InstallmentDay',
  'InstallmentMethod',
  'ActivationDate',
  'FirstDueDate',
  'MaturityDate',
  'ExpiryDateForOD',
  'HolidayShift',
  'HolidayMethod',
  'HolidayCountry',
  'DeferDueDate',
];
/** Fields whose faults cannot be established while another field is not known. */
const DEPENDS_ON: Readonly<Record<string, readonly string[]>> = {
  ProductType: ['ScheduleType'],
  RealInstallmentNo: ROW_FIELDS,
  BlockInstallmentNo: ROW_FIELDS,
  GracePeriodPrincipal: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  GracePeriodInterest: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  MultipleInterestRates: ['InstallmentsNo'],
  BandedInterestRates: ['MultipleInterestRates'],
  installmentValue: ['ScheduleType'],
  principalValue: ['ScheduleType'],
};
/** Faults of amounts that depend on the number of digits, which Currency and Precision decide (M2). */
const BY_DIGITS: ReadonlySet<string> = new Set(['too-many-decimals', 'amount-too-large']);

/** The request as HTTP calls and messages carry it. */
export const repaymentScheduleRequest = createRequestContract<RepaymentScheduleRequest>({
  fields: repaymentScheduleFields,
  jsonParam: 'Terms of the schedule.',
  between: checkTogether,
  meaning: {
    placeholders: PLACEHOLDERS,
    // What is missing is reported by the definition and by the checks between fields.
    faultsOf: (request, catalogue) =>
      findScheduleFaults(request, catalogue).filter(({ code }) => code !== 'missing'),
    dependsOn: ({ path, code }) => [
      ...(DEPENDS_ON[path.split(/[.[]/, 1)[0] ?? ''] ?? []),
      ...(BY_DIGITS.has(code) ? ['Currency', 'Precision'] : []),
      ...(code === 'date-order' ? DATE_FIELDS : []),
    ],
  },
});

export const CALCULATE_REPAYMENT_SCHEDULE = defineAction<RepaymentScheduleRequest, RepaymentSchedule>({
  name: 'PLAT_BP_CalculateRepaymentSchedule',
  summary: 'Calculates the installments of a repayment schedule',
  description:
    'Answers one record for each installment. CalculateDAE decides the spelling of the fields and which effective ' +
    'rate is shown. Nothing is stored: the same request always gets the same answer.',
  requestType: 'CalculateRepaymentScheduleRequest',
  request: repaymentScheduleRequest,
  replyShape: repaymentScheduleReply,
  examples: REPAYMENT_SCHEDULE_EXAMPLES,
  answerHeaders: ['holidayCalendar'],
  effort: scheduleEffort,
  render: renderRepaymentSchedule,
});

function checkTogether(fields: Fields): readonly Fault[] {
  const faults: Fault[] = [];
  checkRate(fields, faults);
  checkItems(fields, 'Commission', COMMISSION_NAMES, faults);
  checkItems(fields, 'Insurance', INSURANCE_NAMES, faults);
  return faults;
}

/** A rate comes from InterestPercent, from ranges or from bands (S4). */
function checkRate(fields: Fields, faults: Fault[]): void {
  if (!isAbsent(fields['InterestPercent'])) return;
  if (givesRates(fields['MultipleInterestRates']) || givesRates(fields['BandedInterestRates'])) return;
  const message = 'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent';
  faults.push(shapeFault('InterestPercent', 'missing', message));
}

/** True for a list that is not empty, and for what was sent in place of one: that is a fault of its own. */
function givesRates(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : !isAbsent(value);
}

/** Fields of which at least one identifies an item, the usual one first (F1). */
const COMMISSION_NAMES = ['FeeName', 'FeeId'];
const INSURANCE_NAMES = ['InsuranceName', 'InsuranceClassId', 'InsuranceClassName'];

function checkItems(fields: Fields, list: string, names: readonly string[], faults: Fault[]): void {
  const items = fields[list];
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    if (isRecord(item)) checkItem(item, `${list}[${index}]`, names, faults);
  }
}

/** Exactly one of SourceValue and SourcePercent, and something that says which charge it is (F1). */
function checkItem(item: Fields, path: string, names: readonly string[], faults: Fault[]): void {
  const byValue = !isAbsent(item['SourceValue']);
  const byPercent = !isAbsent(item['SourcePercent']);
  if (byValue === byPercent) {
    const sent = byValue ? 'not both' : 'but has neither';
    const message = `must have exactly one of SourceValue and SourcePercent, ${sent}`;
    faults.push(shapeFault(`${path}.SourceValue`, 'mutually-exclusive', message));
  }
  if (names.every((name) => isAbsent(item[name]))) {
    const message = `is missing; one of ${names.join(', ')} must say what is charged`;
    faults.push(shapeFault(`${path}.${names[0]}`, 'missing', message));
  }
}
