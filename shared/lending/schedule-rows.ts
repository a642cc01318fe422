/** Builds the rows of a schedule for the reply: interest and principal, charges, additional columns, explanations. */

import type { AmortisedRow, RowKind } from './amortisation/amortised-row.ts';
import type { RepaymentPlan } from './amortisation/repayment-plan.ts';
import { collectRowCharges, NO_CHARGES, sumColumnCharges } from './charges/charge-amounts.ts';
import type { RowCharges } from './charges/schedule-charges.ts';
import { explainCharge, selectWithSum } from './explain/explain-charge.ts';
import { equation, explainSum } from './explain/explanation-text.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type FigureExplanation,
  type ScheduleRow,
} from './request/repayment-schedule.ts';
import type { Validation } from './request/validation.ts';

const TYPE_IDS: Readonly<Record<RowKind, string>> = {
  regular: INSTALLMENT_TYPE_IDS.Regular,
  grace: INSTALLMENT_TYPE_IDS.Grace,
  residual: INSTALLMENT_TYPE_IDS.Residual,
  prepayment: INSTALLMENT_TYPE_IDS.EarlyRepayment,
};

/** A row under construction: assigning optional fields is faster than spreading objects in every row. */
type RowDraft = { -readonly [Field in keyof ScheduleRow]: ScheduleRow[Field] };

/** Fewest Avro bytes of an explained figure besides its strings: lengths, the amount, a byte for each absent field. */
const FIGURE_BYTES = 9;

/** Names of the additional columns that the rows show, in order (F4). */
export function listShownColumns({ compiled }: RepaymentPlan): readonly string[] {
  return compiled.extras.filter(({ display }) => display).map(({ name }) => name);
}

/** Builds the rows; reports a fault if the explanations exceed `maxReplyBytes` (E6; no limit if undefined). */
export function buildScheduleRows(
  amortised: readonly AmortisedRow[],
  plan: RepaymentPlan,
  maxReplyBytes: number | undefined,
  validation: Validation,
): ScheduleRow[] {
  const hasColumns = plan.compiled.extras.length > 0;
  const showsInsurance =
    plan.charges.hasInsurances ||
    plan.compiled.extras.some(
      ({ method }) => method.kind === 'Formula' && method.countsAs.kind === 'Insurance',
    );
  let room = maxReplyBytes ?? Infinity;
  const rows = amortised.map((row, at) => {
    const { managementFee, insurance, onlyInRows, onlyInRate } = sumCharges(row, plan);
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
    if (onlyInRows !== 0) answer.onlyInRows = onlyInRows;
    if (onlyInRate !== 0) answer.onlyInRate = onlyInRate;
    if (row.overpaid !== undefined) answer.overpaid = row.overpaid;
    if (row.capitalised !== 0) answer.capitalisedInterest = row.capitalised;
    const columns = hasColumns ? listColumns(row, plan) : NO_COLUMNS;
    if (hasColumns) answer.columns = keepShown(plan, columns);
    const shown = { columns, showsInsurance, total: answer.totalInstallment };
    const explanation = room < 0 ? undefined : explain(plan, at, row, shown);
    if (explanation === undefined) return answer;
    answer.explanation = explanation;
    for (const { figure, name, formula } of explanation) {
      room -= FIGURE_BYTES + figure.length + (name?.length ?? 0) + formula.length;
    }
    return answer;
  });
  if (room < 0) {
    const message = `must be false: the explanations need more than the ${maxReplyBytes} bytes of a reply`;
    validation.reject('Explain', 'reply-too-large', message);
  }
  return rows;
}

const NO_COLUMNS: readonly number[] = [];

function sumCharges(row: AmortisedRow, { charges, formulas }: RepaymentPlan): Readonly<RowCharges> {
  if (!collectsCharges(row)) return NO_CHARGES;
  return formulas?.finished[row.index] ?? collectRowCharges(charges, row.index, row);
}

function listColumns(row: AmortisedRow, { charges, formulas, compiled }: RepaymentPlan): readonly number[] {
  if (!collectsCharges(row)) return NO_COLUMNS;
  const byFormula = formulas?.finished[row.index]?.columns;
  return byFormula ?? compiled.extras.map(({ name }) => sumColumnCharges(charges, name, row.index, row));
}

/** Due rows collect charges; prepayments and the row of a residual do not (F3, X3, B1). */
function collectsCharges({ kind }: AmortisedRow): boolean {
  return kind === 'regular' || kind === 'grace';
}

function keepShown({ compiled }: RepaymentPlan, amounts: readonly number[]): readonly number[] {
  return compiled.extras.flatMap(({ display }, index) => (display ? [amounts[index] ?? 0] : []));
}

/** Explains balance, interest and principal, then charges, the formula columns shown, and the total, in this order. */
function explain(
  plan: RepaymentPlan,
  at: number,
  row: AmortisedRow,
  { columns, showsInsurance, total }: { columns: readonly number[]; showsInsurance: boolean; total: number },
): ScheduleRow['explanation'] {
  const { charges, formulas, compiled, explanations } = plan;
  const entries = explanations?.rows[at];
  if (explanations === undefined || entries === undefined) return undefined;
  const { context } = explanations;
  const isDue = collectsCharges(row);
  const items = isDue
    ? charges.charges.flatMap((one) => explainCharge(one, row.index, row, context) ?? [])
    : [];
  const byFormula = (isDue ? compiled.extras : []).flatMap((column, place) => {
    const { method } = column;
    if (method.kind !== 'Formula') return [];
    const text = formulas?.finished[row.index]?.texts[place] as string;
    const amount = columns[place] as number;
    return [{ ...column, countsAs: method.countsAs, amount, formula: equation(text, amount, context) }];
  });
  const counted = byFormula.flatMap(({ countsAs, amount, formula }): FigureExplanation[] => {
    if (countsAs.kind === 'Nothing') return [];
    return countsAs.kind === 'Fee'
      ? [{ figure: 'managementFee', name: countsAs.fee, amount, formula }]
      : [{ figure: 'insurance', name: countsAs.insuranceClass, amount, formula }];
  });
  const all = [...items, ...counted];
  const fees = selectWithSum('managementFee', all, context);
  const insurances = selectWithSum('insurance', all, context);
  const totalTerms = [
    { label: 'PMT', amount: row.interest + row.principal },
    { label: 'commissions', amount: fees.at(-1)?.amount ?? 0 },
    ...(showsInsurance ? [{ label: 'insurances', amount: insurances.at(-1)?.amount ?? 0 }] : []),
  ];
  return [
    ...entries,
    ...fees,
    ...(showsInsurance ? insurances : []),
    ...byFormula
      .filter(({ display }) => display)
      .map(({ name, amount, formula }) => ({ figure: 'column', name, amount, formula }) as const),
    explainSum('totalInstallment', totalTerms, total, context),
  ];
}
