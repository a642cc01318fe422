/** The reference implementation of the schedule rules, simple and slow, with 60 digits and no code of the engine. */

import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { annualPercent, daysOver365, intervalOf } from './annual-rate.ts';
import { chargesOf } from './charges.ts';
import { Exact, Refused } from './decimal.ts';
import { collectedPlan } from './grace.ts';
import { checkRates, interestOfResidual } from './interest.ts';
import { termsOf, type ReferenceContext, type Terms } from './terms.ts';

export type ReferenceKind = 'Regular' | 'Grace' | 'Residual' | 'EarlyRepayment';

/** Figures of the engine's rows: amounts in minor units, dates in days since 1970. */
export const ROW_FIGURES = [
  'InstallmentNo',
  'dueDate',
  'noDays',
  'remainingValue',
  'pmt',
  'interest',
  'principal',
  'managementFee',
  'insurance',
  'totalInstallment',
  'capitalisedInterest',
  'overpaid',
] as const;

export type ReferenceRow = Readonly<Record<(typeof ROW_FIGURES)[number], number> & { kind: ReferenceKind }>;

export type ReferenceOutcome =
  | {
      readonly kind: 'schedule';
      readonly startDate: number;
      readonly digits: number;
      readonly rows: readonly ReferenceRow[];
      readonly terms: Terms;
    }
  | { readonly kind: 'refused'; readonly reason: string };

function kindOf(terms: Terms, row: { readonly no: number; readonly isEarly: boolean }): ReferenceKind {
  if (row.isEarly) return 'EarlyRepayment';
  return row.no <= Math.max(terms.gracePrincipal, terms.graceInterest) ? 'Grace' : 'Regular';
}

function rowsOf(terms: Terms): ReferenceRow[] {
  checkRates(terms);
  const plan = collectedPlan(terms);
  const charges = chargesOf(terms, plan.rows);
  const rows = plan.rows.map((row, index): ReferenceRow => {
    const fee = charges.fees[index]!.toNumber();
    const insurance = charges.insurances[index]!.toNumber();
    const pmt = row.interest.plus(row.principal).toNumber();
    return {
      InstallmentNo: row.no,
      dueDate: row.isEarly ? row.date : terms.dates.shown[row.no]!,
      noDays: row.days,
      kind: kindOf(terms, row),
      remainingValue: row.remaining.toNumber() + 0,
      pmt: pmt + 0,
      interest: row.interest.toNumber() + 0,
      principal: row.principal.toNumber() + 0,
      managementFee: fee + 0,
      insurance: insurance + 0,
      totalInstallment: pmt + fee + insurance + 0,
      capitalisedInterest: row.capitalised.toNumber() + 0,
      overpaid: row.overpaid.toNumber() + 0,
    };
  });
  const residual = plan.residual.toNumber() + 0;
  const last = rows.findLast((row) => row.kind !== 'EarlyRepayment');
  if (residual === 0 || last === undefined) return rows;
  const { dates, lastRow, hasResidualPeriod } = terms;
  const grown = hasResidualPeriod ? interestOfResidual(terms, plan.residual).plus(residual) : plan.residual;
  const pmt = hasResidualPeriod ? Exact.min(grown, terms.residual).toNumber() : residual;
  return [
    ...rows,
    {
      ...last,
      ...(hasResidualPeriod && { dueDate: dates.shown[lastRow + 1]! }),
      InstallmentNo: last.InstallmentNo + 1,
      noDays: hasResidualPeriod ? dates.accrual[lastRow + 1]! - dates.accrual[lastRow]! : 0,
      kind: 'Residual',
      remainingValue: residual,
      pmt,
      interest: pmt - residual,
      principal: residual,
      managementFee: 0,
      insurance: 0,
      totalInstallment: pmt,
      capitalisedInterest: 0,
      overpaid: 0,
    },
  ];
}

export function referenceSchedule(
  request: RepaymentScheduleRequest,
  context: ReferenceContext,
): ReferenceOutcome {
  try {
    const terms = termsOf(request, context);
    const rows = rowsOf(terms);
    const { start, accrualStart } = terms.dates;
    const startDate = rows.some((row) => row.dueDate < start) ? accrualStart : start;
    return { kind: 'schedule', startDate, digits: terms.digits, rows, terms };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

type Schedule = Extract<ReferenceOutcome, { kind: 'schedule' }>;

/** DAE in percent (A1); see {@link annualPercent}. */
export function referenceDae({ terms, rows, startDate }: Schedule): string | null | undefined {
  const flows = rows.map((row) => ({
    time: intervalOf(startDate, row.dueDate, terms.period.rateUnit),
    amount: row.totalInstallment,
  }));
  return annualPercent(terms.amount.minus(terms.upFront).toNumber(), flows);
}

/** EIR in percent (A2); see {@link annualPercent}. */
export function referenceEir({ terms, rows, startDate }: Schedule): string | null | undefined {
  const flows = rows.map((row) => ({
    time: daysOver365(startDate, row.dueDate),
    amount: row.pmt + row.managementFee,
  }));
  return annualPercent(terms.amount.minus(terms.upFront).toNumber(), flows);
}
