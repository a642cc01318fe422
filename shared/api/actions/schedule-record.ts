/**
 * Schedules as Avro records. Avro decodes null as absent, so `show` tells which absent rates were requested (A5).
 * Columns and explanations are lists beside the rows, and what the last row overpays is a field beside them: fields in
 * each row would make the codec a quarter slower.
 */

import type { RepaymentSchedule, ScheduleRow, ShownParts } from '../../lending/request/repayment-schedule.ts';

type Rate = 'dae' | 'eir';
const RATES: readonly Rate[] = ['dae', 'eir'];

const REQUESTED_BY: Readonly<Record<Rate, readonly ShownParts[]>> = {
  dae: ['dae', 'rows-with-dae'],
  eir: ['rows-with-eir'],
};

interface RowLists {
  columns: readonly NonNullable<ScheduleRow['columns']>[] | undefined;
  explanations: readonly NonNullable<ScheduleRow['explanation']>[] | undefined;
  overpaid: number | undefined;
}
type ScheduleRecord = RepaymentSchedule & Partial<RowLists>;
type RowExtras = { -readonly [Extra in 'columns' | 'explanation' | 'overpaid']?: ScheduleRow[Extra] };

/** Throws Error unless a schedule has exactly the rates that `show` requests: records cannot tell null from absent. */
export function toScheduleRecord(schedule: RepaymentSchedule): ScheduleRecord {
  for (const rate of RATES) {
    if ((schedule[rate] !== undefined) !== REQUESTED_BY[rate].includes(schedule.show)) {
      throw new Error(`a schedule that shows ${schedule.show} has ${rate} ${String(schedule[rate])}`);
    }
  }
  const [first] = schedule.rows;
  const hasColumns = schedule.extraColumns !== undefined || (first?.columns ?? []).length > 0;
  const hasExplanations = first?.explanation !== undefined;
  const overpaid = schedule.rows.at(-1)?.overpaid;
  if (!hasColumns && !hasExplanations && overpaid === undefined) return schedule;
  return {
    ...schedule,
    overpaid,
    columns: hasColumns ? schedule.rows.map(({ columns = [] }) => columns) : undefined,
    explanations: hasExplanations ? schedule.rows.map(({ explanation = [] }) => explanation) : undefined,
  };
}

/** Turns a decoded record back into a schedule, in place. */
export function restoreSchedule(record: ScheduleRecord): void {
  const rates = record as { -readonly [Name in Rate]: RepaymentSchedule[Name] };
  for (const rate of RATES) {
    if (rates[rate] === undefined && REQUESTED_BY[rate].includes(record.show)) rates[rate] = null;
  }
  const { columns, explanations, overpaid } = record;
  const last: RowExtras | undefined = record.rows.at(-1);
  if (last !== undefined && overpaid !== undefined) last.overpaid = overpaid;
  if (columns !== undefined || explanations !== undefined) {
    for (const [index, row] of record.rows.entries()) {
      const extras: RowExtras = row;
      if (columns !== undefined) extras.columns = columns[index] ?? [];
      if (explanations !== undefined) extras.explanation = explanations[index] ?? [];
    }
  }
  record.columns = undefined;
  record.explanations = undefined;
  record.overpaid = undefined;
}
