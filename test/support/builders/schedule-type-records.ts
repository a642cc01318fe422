import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { compileScheduleType } from '../../../shared/lending/schedule-types/compile-schedule-type.ts';
import type { CompiledScheduleType } from '../../../shared/lending/schedule-types/schedule-type.ts';
import {
  findActivationFaults,
  formatActivationFault,
} from '../../../shared/lending/schedule-types/activation-checks.ts';
import { BUILT_IN_PERIODICITIES } from '../../../shared/lending/dates/periodicity.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { ScheduleOutcome } from '../../../shared/lending/request/repayment-schedule.ts';
import { createScheduleCatalogue } from '../../../shared/lending/schedule-types/schedule-catalogue.ts';
import { REQUEST_DAY, loan } from './lending-loan.ts';
import type {
  ScheduleColumnRecord,
  ScheduleTypeRecord,
} from '../../../shared/lending/schedule-types/schedule-type-record.ts';

export function guid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function columnOf(
  ColumnRepaymentSchedule: string,
  CalculationMethod: string,
  more: Partial<ScheduleColumnRecord> = {},
): ScheduleColumnRecord {
  return { PaymentScheduleTypeDetailId: '', ColumnRepaymentSchedule, CalculationMethod, ...more };
}

export function formulaColumn(
  name: string,
  Formula: string,
  more: Partial<ScheduleColumnRecord> = {},
): ScheduleColumnRecord {
  return columnOf(name, 'Formula', { Formula, ...more });
}

/** Columns such as `Interest Linear; Own = PMT / 2; Other Fee {"Fee":"Service"}`. */
export function columnsOf(text: string): readonly ScheduleColumnRecord[] {
  return text.split('; ').map((column) => {
    const [, name = '', formula, method = '', settings = '{}'] =
      /^(\S+) (?:= (.+?)|(\w+))(?: (\{.*\}))?$/.exec(column) ?? [];
    const more = JSON.parse(settings) as Partial<ScheduleColumnRecord>;
    return formula === undefined ? columnOf(name, method, more) : formulaColumn(name, formula, more);
  });
}

export const LEVEL_COLUMNS = columnsOf(
  'RemainingValue RemainingValue; Interest Linear; PMT PMT; Principal Balance; ManagementFee Fee; Insurance Insurance',
);

export function recordOf(
  columns: readonly ScheduleColumnRecord[] = LEVEL_COLUMNS,
  changes: Partial<ScheduleTypeRecord> = {},
): ScheduleTypeRecord {
  return {
    PaymentScheduleTypeId: guid(1),
    PaymentScheduleCode: 'OWN',
    PaymentScheduleTypeName: 'Own type',
    Status: 'Active',
    ProductTypes: ['TL'],
    ScheduleInterestCalculationType: '30/360',
    IsWithEqualInstallments: columns.some(({ CalculationMethod }) => CalculationMethod === 'PMT'),
    InstallmentValueCustom: false,
    UseMaturityDate: true,
    PaymentScheduleTypeDetails: columns.map((column, place) => ({
      ...column,
      PaymentScheduleTypeDetailId: guid(100 + place),
    })),
    ...changes,
  };
}

/** The activation faults of a record, as sentences. */
export function activationMessages(record: ScheduleTypeRecord): readonly string[] {
  return findActivationFaults(record).map(formatActivationFault);
}

export function compiledOf(record: ScheduleTypeRecord): CompiledScheduleType {
  const outcome = compileScheduleType(record);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.compiled;
}

/** The outcome of a loan whose schedule type is this record. */
export function outcomeWith(
  record: ScheduleTypeRecord,
  changes: Partial<RepaymentScheduleRequest> = {},
): ScheduleOutcome {
  const catalogue = createScheduleCatalogue([compiledOf(record)], BUILT_IN_PERIODICITIES);
  const request = loan({ ScheduleType: record.PaymentScheduleTypeName, ...changes });
  return calculateRepaymentSchedule(request, { requestDay: REQUEST_DAY, catalogue });
}
