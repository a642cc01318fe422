/** The effects that the examples of the fields of a schedule request state, computed from answers. */

import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import { formatCalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { findCalendar } from '../../shared/lending/calendars/find-calendar.ts';
import { formatMinorUnits } from '../../shared/lending/numbers/money.ts';
import type { RepaymentSchedule, ScheduleRow } from '../../shared/lending/request/repayment-schedule.ts';
import { BUILT_IN_CATALOGUE } from '../../shared/lending/schedule-types/schedule-catalogue.ts';
import { REQUEST_DAY } from './builders/lending-loan.ts';
import type { JsonObject } from './request-fields-table.ts';

/** A schedule, or the faults as `path code`, in their order. */
export type Answer =
  | { readonly kind: 'schedule'; readonly schedule: RepaymentSchedule }
  | { readonly kind: 'refused'; readonly faults: readonly string[]; readonly messages: readonly string[] };

/** Parses and calculates a request with the built-in catalogue, as a worker without a catalogue folder does. */
export function answerTo(fields: JsonObject): Answer {
  const read = repaymentScheduleRequest.read({ jsonParam: fields }, BUILT_IN_CATALOGUE);
  if (read.kind === 'invalid') return refusedWith(read.faults);
  const outcome = calculateRepaymentSchedule(read.payload, {
    requestDay: REQUEST_DAY,
    catalogue: BUILT_IN_CATALOGUE,
    calendars: { find: (name) => findCalendar(name, {}) },
  });
  if (outcome.kind === 'refused') return refusedWith(outcome.faults);
  const { kind: _, ...schedule } = outcome;
  return { kind: 'schedule', schedule };
}

function refusedWith(faults: readonly { path: string; code: string; message: string }[]): Answer {
  return {
    kind: 'refused',
    faults: faults.map(({ path, code }) => `${path.replace(/^jsonParam\./, '')} ${code}`),
    messages: faults.map(({ message }) => message),
  };
}

type EffectText = (schedule: RepaymentSchedule) => string;

const money = (pick: (row: ScheduleRow) => number | undefined): EffectText => {
  return ({ rows, currencyDigits }) =>
    rows.map((row) => formatMinorUnits(pick(row) ?? 0, currencyDigits)).join(', ');
};
const list = (pick: (row: ScheduleRow) => string | number): EffectText => {
  return ({ rows }) => rows.map((row) => String(pick(row))).join(', ');
};

/** Names of the parts of an answer in the document. */
const SHOWN: Readonly<Record<RepaymentSchedule['show'], string>> = {
  rows: 'rows',
  dae: 'DAE alone',
  'rows-with-dae': 'rows with DAE',
  'rows-with-eir': 'rows with EIR',
};

/** The text of each effect, by the effect's name. */
const EFFECT_TEXTS: Readonly<Record<string, EffectText>> = {
  totals: money((row) => row.totalInstallment),
  payments: money((row) => row.pmt),
  interest: money((row) => row.interest),
  principal: money((row) => row.principal),
  remaining: money((row) => row.remainingValue),
  fees: money((row) => row.managementFee),
  insurances: money((row) => row.insurance),
  capitalised: money((row) => row.capitalisedInterest),
  overpaid: money((row) => row.overpaid),
  'due dates': list((row) => formatCalendarDate(row.dueDate)),
  days: list((row) => row.noDays),
  numbers: list((row) => row.InstallmentNo),
  'early rows': list((row) => (row.isEarlyRepayment ? 'yes' : 'no')),
  start: ({ startDate }) => formatCalendarDate(startDate),
  dae: ({ dae }) => String(dae),
  eir: ({ eir }) => String(eir),
  answer: ({ casing, show }) =>
    casing === 'lower' ? `lower-case ${SHOWN[show]}` : `capitalised ${SHOWN[show]}`,
  'charges of row 1': chargesOfFirstRow,
  'explained interest of row 1': ({ rows }) =>
    rows[0]?.explanation?.find(({ figure }) => figure === 'interest')?.formula ?? '',
};

/** Names and amounts of the charges in the explanation of the first row. */
function chargesOfFirstRow({ rows, currencyDigits }: RepaymentSchedule): string {
  const explained = rows[0]?.explanation ?? [];
  const charges = explained.filter(
    ({ figure, name }) => (figure === 'managementFee' || figure === 'insurance') && name !== undefined,
  );
  return charges.map(({ name, amount }) => `${name} ${formatMinorUnits(amount, currencyDigits)}`).join(', ');
}

/** The text of an effect on an answer; throws if the name is unknown. */
export function effectOf(answer: Answer, name: string): string {
  if (answer.kind === 'refused') {
    if (name === 'refused') return answer.faults.join(', ');
    throw new Error(`refused, so it has no ${name}: ${answer.faults.join(', ')}`);
  }
  const { schedule } = answer;
  if (name === 'warning') return schedule.warnings.map(({ path }) => path).join(', ');
  if (name === 'refused') return 'not refused';
  const effectText = EFFECT_TEXTS[name];
  if (effectText === undefined) throw new Error(`unknown effect: ${name}`);
  return effectText(schedule);
}

/** True for warnings and faults, which concern the request and not the figures. */
export function isReport(name: string): boolean {
  return name === 'warning' || name === 'refused';
}
