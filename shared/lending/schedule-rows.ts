/** Builds the rows of a schedule for the reply: interest and principal, charges, additional columns, explanations. */

import type { AmortisedRow, RowKind } from './amortisation/amortised-row.ts';
import {
  collectRowCharges,
  sumColumnCharges,
  traceRowCharges,
  type ChargeTrace,
  type ChargedFigures,
} from './charges/charge-amounts.ts';
import { dayCountDenominator } from './dates/day-count.ts';
import { explainRow } from './explain/explain-row.ts';
import type { RowCharges } from './charges/schedule-charges.ts';
import { INSTALLMENT_TYPE_IDS, type ScheduleRow } from './request/repayment-schedule.ts';
import type { Validation } from './request/validation.ts';
import type { RepaymentPlan } from './amortisation/repayment-plan.ts';
import type { ColumnTrace } from './amortisation/row-notes.ts';

const TYPE_IDS: Readonly<Record<RowKind, string>> = {
  regular: INSTALLMENT_TYPE_IDS.Regular,
  grace: INSTALLMENT_TYPE_IDS.Grace,
  residual: INSTALLMENT_TYPE_IDS.Residual,
  prepayment: INSTALLMENT_TYPE_IDS.EarlyRepayment,
};

/** A row under construction: assigning optional fields is faster than spreading objects in every row. */
type RowDraft = { -readonly [Field in keyof ScheduleRow]: ScheduleRow[Field] };

/** The data with which rows are completed. */
interface RowSetting {
  readonly plan: RepaymentPlan;
  readonly currencyDigits: number;
  /** The calculation stops when the explanations exceed this size (E6); undefined: no limit. */
  readonly maxReplyBytes?: number | undefined;
}

/**
 * Shortest encoding of an explained figure without its strings: their lengths, the amount, and a byte for each absent
 * field.
 */
const FIGURE_BYTES = 9;

/** Names of the additional columns of the rows, in order (F4). */
export function listShownColumns({ compiled }: RepaymentPlan): readonly string[] {
  return compiled.extras.filter(({ display }) => display).map(({ name }) => name);
}

/** The rows, one for each amortised row. Stops with a fault when the explanations exceed the size of a reply. */
export function buildScheduleRows(
  amortised: readonly AmortisedRow[],
  setting: RowSetting,
  validation: Validation,
): ScheduleRow[] {
  const hasColumns = setting.plan.compiled.extras.length > 0;
  const showsInsurance = setting.plan.charges.hasInsurances || countsInsurance(setting.plan);
  let room = setting.maxReplyBytes ?? Infinity;
  const rows = amortised.map((row, at) => {
    const { managementFee, insurance } = sumCharges(row, setting.plan);
    const pmt = row.interest + row.principal;
    const answer: RowDraft = {
      InstallmentNo: row.no,
      dueDate: row.dueDate,
      noDays: row.to - row.from,
      installmentTypeId: TYPE_IDS[row.kind],
      remainingValue: row.remaining,
      pmt,
      interest: row.interest,
      principal: row.principal,
      managementFee,
      totalInstallment: pmt + managementFee + insurance,
      isEarlyRepayment: row.kind === 'prepayment',
    };
    if (showsInsurance) answer.insurance = insurance;
    if (row.capitalised !== 0) answer.capitalisedInterest = row.capitalised;
    const columns = hasColumns ? listColumns(row, setting.plan) : NO_COLUMNS;
    if (hasColumns) answer.columns = keepShown(setting.plan, columns);
    const explanation = room < 0 ? undefined : explain(setting, at, columns, showsInsurance);
    if (explanation === undefined) return answer;
    answer.explanation = explanation;
    for (const { figure, name, formula } of explanation) {
      room -= FIGURE_BYTES + figure.length + (name?.length ?? 0) + formula.length;
    }
    return answer;
  });
  if (room < 0) {
    const message = `must be absent here: the explanations need more than the ${setting.maxReplyBytes} bytes of a reply`;
    validation.reject('Explain', 'reply-too-large', message);
  }
  return rows;
}

const NO_CHARGES: RowCharges = { managementFee: 0, insurance: 0 };
const NO_COLUMNS: readonly number[] = [];

/** The sums of a row's charges; read them before those of the next row. */
function sumCharges(row: AmortisedRow, { charges, formulas }: RepaymentPlan): Readonly<RowCharges> {
  if (!collectsCharges(row)) return NO_CHARGES;
  return formulas?.finished[row.index] ?? collectRowCharges(charges, row.index, row);
}

/** The amounts of the additional columns, including hidden ones. */
function listColumns(row: AmortisedRow, { charges, formulas, compiled }: RepaymentPlan): readonly number[] {
  if (!collectsCharges(row)) return NO_COLUMNS;
  const byFormula = formulas?.finished[row.index]?.columns;
  return byFormula ?? compiled.extras.map(({ name }) => sumColumnCharges(charges, name, row.index, row));
}

/** Only due rows collect charges, not prepayments or the row of a residual (F3, X3, B1). */
function collectsCharges({ kind }: AmortisedRow): boolean {
  return kind === 'regular' || kind === 'grace';
}

function keepShown({ compiled }: RepaymentPlan, amounts: readonly number[]): readonly number[] {
  return compiled.extras.flatMap(({ display }, index) => (display ? [amounts[index] ?? 0] : []));
}

function countsInsurance({ compiled }: RepaymentPlan): boolean {
  return compiled.extras.some(
    ({ method }) => method.kind === 'Formula' && method.countsAs.kind === 'Insurance',
  );
}

function explain(
  { plan, currencyDigits }: RowSetting,
  at: number,
  columns: readonly number[],
  showsInsurance: boolean,
): ScheduleRow['explanation'] {
  const note = plan.notes?.rows[at];
  if (note === undefined) return undefined;
  const isDue = collectsCharges(note.row);
  const context = {
    currencyDigits,
    dayCount: plan.dayCount,
    dayCountDenominator: dayCountDenominator(plan.dayCount),
  };
  const trace = {
    ...note,
    charges: isDue ? chargeTraces(plan, note.row.index, note.row) : [],
    showsInsurance,
    columns: isDue ? columnTraces(plan, columns, note.row.index) : [],
  };
  return explainRow(trace, context);
}

/** The items of the request, then the formula columns that count as one. */
function chargeTraces(plan: RepaymentPlan, index: number, figures: ChargedFigures): readonly ChargeTrace[] {
  const finished = plan.formulas?.finished[index];
  const byFormula = plan.compiled.extras.flatMap(({ method }, at): ChargeTrace[] => {
    if (method.kind !== 'Formula' || method.countsAs.kind === 'Nothing') return [];
    const amount = finished?.columns[at] ?? 0;
    const text = finished?.texts[at] ?? method.formula.text;
    const { countsAs } = method;
    const name = countsAs.kind === 'Fee' ? countsAs.fee : countsAs.insuranceClass;
    const kind = countsAs.kind === 'Fee' ? 'commission' : 'insurance';
    return [{ kind, name, amount, charges: 1, each: { rule: 'formula', text } }];
  });
  const all = [...traceRowCharges(plan.charges, index, figures), ...byFormula];
  return [
    ...all.filter(({ kind }) => kind === 'commission'),
    ...all.filter(({ kind }) => kind !== 'commission'),
  ];
}

function columnTraces(
  plan: RepaymentPlan,
  columns: readonly number[],
  index: number,
): readonly ColumnTrace[] {
  return plan.compiled.extras.flatMap(({ name, display, method }, at): ColumnTrace[] => {
    if (!display || method.kind !== 'Formula') return [];
    const text = plan.formulas?.finished[index]?.texts[at] ?? method.formula.text;
    return [{ name, amount: columns[at] ?? 0, text }];
  });
}
