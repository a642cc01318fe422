/**
 * Additional columns and explanations of a schedule's rows lie beside the rows in Avro, one list for each row: nearly
 * all schedules have neither, and a member in every row would make writing and reading them a quarter slower.
 */

import type { RepaymentSchedule, ScheduleRow } from '../../lending/request/repayment-schedule.ts';

/** Extras beside the rows, in the order of the rows. */
interface BesideRows {
  columns: readonly NonNullable<ScheduleRow['columns']>[] | undefined;
  explanations: readonly NonNullable<ScheduleRow['explanation']>[] | undefined;
}
type RowExtras = { -readonly [Extra in 'columns' | 'explanation']?: ScheduleRow[Extra] };

/** The schedule with its rows' extras beside them. Throws when one row has extras and another has not: a bug. */
export function putExtrasBesideRows(schedule: RepaymentSchedule): RepaymentSchedule & Partial<BesideRows> {
  const [first] = schedule.rows;
  const hasColumns = schedule.extraColumns !== undefined || (first?.columns ?? []).length > 0;
  const hasExplanations = first?.explanation !== undefined;
  if (!hasColumns && !hasExplanations) return schedule;
  return {
    ...schedule,
    columns: hasColumns ? schedule.rows.map((row) => columnsOf(row, schedule)) : undefined,
    explanations: hasExplanations ? schedule.rows.map(explanationOf) : undefined,
  };
}

/** Puts the extras of a decoded schedule back into its rows, in place. */
export function putExtrasIntoRows(schedule: RepaymentSchedule): void {
  const beside = schedule as RepaymentSchedule & Partial<BesideRows>;
  const { columns, explanations } = beside;
  if (columns !== undefined || explanations !== undefined) {
    for (const [index, row] of schedule.rows.entries()) {
      const extras: RowExtras = row;
      if (columns !== undefined) extras.columns = columns[index] ?? [];
      if (explanations !== undefined) extras.explanation = explanations[index] ?? [];
    }
  }
  beside.columns = undefined;
  beside.explanations = undefined;
}

function columnsOf({ columns }: ScheduleRow, { extraColumns }: RepaymentSchedule) {
  if (columns === undefined || columns.length !== extraColumns?.length) {
    throw new Error('a row has not one amount for each additional column of its schedule');
  }
  return columns;
}

function explanationOf({ explanation }: ScheduleRow) {
  if (explanation === undefined) throw new Error('some rows are explained and others are not');
  return explanation;
}
