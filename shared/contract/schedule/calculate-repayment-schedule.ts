/** `PLAT_BP_CalculateRepaymentSchedule`: the contract of its request, and the action. */

import { findScheduleFaults } from '../../lending/terms/validate-schedule-request.ts';
import { scheduleUnits } from '../../lending/work-units.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction } from '../json/action-definition.ts';
import { isAbsent, isRecord, shapeFault, topField } from '../json/faults.ts';
import { createRequestContract, type Fields } from '../json/request-contract.ts';
import examples from './examples.json' with { type: 'json' };
import { renderRepaymentSchedule } from './render-schedule.ts';
import { repaymentScheduleReply } from './reply-fields.ts';
import { repaymentScheduleFields } from './request-fields.ts';

/** Placeholders for mandatory fields that cannot be read, large enough that no other field exceeds them. */
const PLACEHOLDERS: Fields = {
  ScheduleType: 'EqualInstallments',
  Amount: 1e12,
  InstallmentsNo: 1200,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 0,
};
/** Fields that determine the number of instalments. */
const ROW_FIELDS = ['InstallmentsNo', 'RealInstallmentNo', 'BlockInstallmentNo', 'LastDueDate'];
/** Fields that determine the due dates. */
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
/** Fields whose faults depend on other fields. */
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
/** Faults of amounts that depend on the number of decimals, which Currency and Precision determine (M2). */
const BY_DIGITS: ReadonlySet<string> = new Set(['too-many-decimals', 'amount-too-large']);

/** The request of HTTP calls and messages. */
export const repaymentScheduleRequest = createRequestContract<RepaymentScheduleRequest>({
  fields: repaymentScheduleFields,
  jsonParam: 'Terms of the schedule.',
  between: checkTogether,
  meaning: {
    placeholders: PLACEHOLDERS,
    // The definition and checkTogether report missing fields.
    faultsOf: (request, catalogue) =>
      findScheduleFaults(request, catalogue).filter(({ code }) => code !== 'missing'),
    dependsOn: ({ path, code }) => [
      ...(DEPENDS_ON[topField(path)] ?? []),
      ...(BY_DIGITS.has(code) ? ['Currency', 'Precision'] : []),
      ...(code === 'date-order' ? DATE_FIELDS : []),
    ],
  },
});

export const CALCULATE_REPAYMENT_SCHEDULE = defineAction<RepaymentScheduleRequest, RepaymentSchedule>({
  name: 'PLAT_BP_CalculateRepaymentSchedule',
  summary: 'Calculates the installments of a repayment schedule',
  description:
    'Returns one record for each installment. CalculateDAE selects the spelling of the fields and the effective rate ' +
    'that is shown (A5). Nothing is stored: the same request always gets the same answer (S1, S5, M3).',
  requestType: 'CalculateRepaymentScheduleRequest',
  request: repaymentScheduleRequest,
  replyShape: repaymentScheduleReply,
  examples,
  answerHeaders: ['holidayCalendar'],
  units: (request) => scheduleUnits(request),
  render: renderRepaymentSchedule,
});

function checkTogether(fields: Fields): readonly Fault[] {
  const faults: Fault[] = [];
  checkRate(fields, faults);
  checkItems(fields, 'Commission', COMMISSION_NAMES, faults);
  checkItems(fields, 'Insurance', INSURANCE_NAMES, faults);
  return faults;
}

/** Requires a rate: InterestPercent, ranges or bands (S4). */
function checkRate(fields: Fields, faults: Fault[]): void {
  if (!isAbsent(fields['InterestPercent'])) return;
  if (givesRates(fields['MultipleInterestRates']) || givesRates(fields['BandedInterestRates'])) return;
  const message = 'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent';
  faults.push(shapeFault('InterestPercent', 'missing', message));
}

/** True for a list that is not empty, and for a value of another type, which the definition reports. */
function givesRates(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : !isAbsent(value);
}

/** Fields that identify an item, at least one of which is required; the usual one is first (F1). */
const COMMISSION_NAMES = ['FeeName', 'FeeId'];
const INSURANCE_NAMES = ['InsuranceName', 'InsuranceClassId', 'InsuranceClassName'];

function checkItems(fields: Fields, list: string, names: readonly string[], faults: Fault[]): void {
  const items = fields[list];
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    if (isRecord(item)) checkItem(item, `${list}[${index}]`, names, faults);
  }
}

/** Requires exactly one of SourceValue and SourcePercent, and a name or id of the charge (F1). */
function checkItem(item: Fields, path: string, names: readonly string[], faults: Fault[]): void {
  const byValue = !isAbsent(item['SourceValue']);
  const byPercent = !isAbsent(item['SourcePercent']);
  if (byValue === byPercent) {
    const sent = byValue ? 'not both' : 'but has neither';
    const message = `must have exactly one of SourceValue and SourcePercent, ${sent}`;
    faults.push(shapeFault(`${path}.SourceValue`, 'mutually-exclusive', message));
  }
  if (names.every((name) => isAbsent(item[name]))) {
    const message = `is missing; one of ${names.join(', ')} must identify the charge`;
    faults.push(shapeFault(`${path}.${names[0]}`, 'missing', message));
  }
}
