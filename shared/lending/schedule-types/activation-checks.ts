/** All checks that a schedule type passes before it may calculate (S3). */

import { compileFormulas } from './activation-formulas.ts';
import { checkMethods, columnSetOf, type ColumnSet } from './activation-methods.ts';
import { checkOrder } from './activation-order.ts';
import { isGuid, settingsOf } from './activation-settings.ts';
import { draftColumn } from './column-draft.ts';
import { MOST_COLUMNS } from './schedule-columns.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';
import type { ScheduleType } from './schedule-type.ts';

/** A record as it was understood. Without faults it is complete and can be compiled. */
export interface CheckedScheduleType {
  /** Undefined when a setting is wrong. */
  readonly type: ScheduleType | undefined;
  readonly columns: ColumnSet;
  readonly faults: readonly ActivationFault[];
}

/** Checks a record and answers everything that is wrong at once, in the order of the record's members. */
export function checkScheduleType(record: ScheduleTypeRecord): CheckedScheduleType {
  const faults: ActivationFault[] = [];
  const type = settingsOf(record, faults);
  const details = record.PaymentScheduleTypeDetails;
  if (details.length === 0 || details.length > MOST_COLUMNS) {
    faults.push({ message: `PaymentScheduleTypeDetails must list from 1 to ${MOST_COLUMNS} columns` });
    return { type, columns: columnSetOf([]), faults };
  }
  checkDetailIds(record, faults);
  const columns = columnSetOf(details.map((detail) => draftColumn(detail, faults)));
  compileFormulas(columns.all, type?.rounding ?? 'HALF_UP', faults);
  checkMethods(record, columns, faults);
  checkOrder(columns.all, faults);
  return { type, columns, faults };
}

/** Why a record cannot be activated: every reason at once, none when it can. Never throws. */
export function activationFaultsOf(record: ScheduleTypeRecord): readonly ActivationFault[] {
  return checkScheduleType(record).faults;
}

/** A fault as a sentence: the column, if it is about one, and what to do. */
export function activationMessage(fault: ActivationFault): string {
  return fault.column === undefined ? fault.message : `column ${fault.column} ${fault.message}`;
}

function checkDetailIds(record: ScheduleTypeRecord, faults: ActivationFault[]): void {
  const seen = new Set<string>();
  for (const { PaymentScheduleTypeDetailId, ColumnRepaymentSchedule } of record.PaymentScheduleTypeDetails) {
    const id = PaymentScheduleTypeDetailId.toLowerCase();
    if (!isGuid(id) || seen.has(id)) {
      const message = 'must have a PaymentScheduleTypeDetailId that is a GUID and that no other column has';
      faults.push({ column: ColumnRepaymentSchedule, message });
    }
    seen.add(id);
  }
}
