/**
 * Notes how the figures of rows came about, while they are worked out, for a request that asks for explanations (S6).
 * Nothing is calculated from these notes.
 */

import type { AmortisedRow } from './amortised-row.ts';
import { interestSlicesOf } from './interest-slices.ts';
import type { AccruedRow } from './planned-principal.ts';
import type { InterestFrom, LoanState, RepaymentPlan } from './repayment-plan.ts';
import type { GraceType } from '../terms/repayment-terms.ts';
import type {
  InterestTrace,
  KeptBackInterest,
  LateInterest,
  PaymentTrace,
  PrincipalTrace,
} from './row-trace.ts';

/** What is noted of a row; charges and columns are added once they are known. */
export interface RowNote {
  readonly row: AmortisedRow;
  readonly previous?: AmortisedRow;
  readonly interest?: InterestTrace;
  readonly keptBack?: KeptBackInterest;
  readonly late?: LateInterest;
  readonly payment?: PaymentTrace;
  readonly principal: PrincipalTrace;
  readonly blocked?: { readonly principal: number; readonly interest: number };
}

/** Members of {@link RowNote} while a row is worked out. */
type Draft = { -readonly [Member in keyof RowNote]?: RowNote[Member] };

/** The row, or part of one, that figures are noted of. */
interface NotedRow {
  readonly count: number;
  readonly interest: InterestFrom;
}

/** Takes notes: begin, then what happens in the row, then end. */
export interface RowNotes {
  readonly rows: readonly RowNote[];
  begin(plan: RepaymentPlan, state: LoanState, row: NotedRow): void;
  /** Interest by a formula. */
  interest(trace: InterestTrace): void;
  /** A payment by a formula, which holds for its row alone. */
  payment(trace: PaymentTrace & { readonly kind: 'formula' }): void;
  /** The level payment was solved. */
  level(plan: RepaymentPlan, solved: { balance: number; residual: number }, row: AccruedRow): void;
  /** The equal part was found. */
  part(solved: { balance: number; residual: number; rows: number }): void;
  principal(trace: PrincipalTrace): void;
  block(part: { principal: number } | { interest: number }): void;
  keepBack(as: KeptBackInterest['as'], amount: number): void;
  takeLate(
    graceType: GraceType,
    amount: number,
    rows: readonly [first: number, last: number],
    share?: { readonly total: number; readonly rows: number },
  ): void;
  end(row: AmortisedRow): void;
}

/** Notes of one schedule. */
export function createRowNotes(): RowNotes {
  const rows: RowNote[] = [];
  let draft: Draft = {};
  let state: LoanState | undefined;
  let solved: PaymentTrace | undefined;
  return {
    rows,
    begin: (plan, loan, row) => {
      state = loan;
      if (solved?.kind === 'formula') solved = undefined;
      const previous = rows.at(-1)?.row;
      const interest = interestTraceOf(plan, loan, row);
      draft = { ...(previous && { previous }), ...(interest && { interest }) };
    },
    interest: (trace) => {
      draft.interest = trace;
    },
    payment: (trace) => {
      solved = trace;
    },
    level: (plan, { balance, residual }, row) => {
      solved = {
        kind: 'level',
        amount: state?.payment ?? 0,
        firstRow: row.no,
        lastRow: plan.dates.settledRows + plan.dates.dueDates.length,
        balance,
        residual,
        ...levelRatesOf(plan, row),
        ...closedFormOf(plan, row),
      };
    },
    part: ({ balance, residual, rows: left }) => {
      solved = { kind: 'equal-part', amount: state?.payment ?? 0, balance, residual, rows: left };
    },
    principal: (trace) => {
      draft.principal = trace;
      const payment = followsPayment(trace) ? paymentInForce(state, solved) : undefined;
      if (payment !== undefined) draft.payment = payment;
    },
    block: (part) => {
      draft.blocked = { principal: 0, interest: 0, ...draft.blocked, ...part };
    },
    keepBack: (as, amount) => {
      draft.keptBack = { as, amount };
    },
    takeLate: (graceType, amount, [firstRow, lastRow], share) => {
      const as = graceType === 'Spread' ? 'spread' : 'deferred';
      draft.late = { as, amount, firstRow, lastRow, ...(share && { share }) };
    },
    end: (row) => {
      const principal = draft.principal ?? { rule: 'rest', balance: row.remaining, residual: 0 };
      rows.push({ ...draft, row, principal });
      draft = {};
    },
  };
}

/** False of rows that pay no principal by their plan, or another than a payment leaves. */
function followsPayment(trace: PrincipalTrace): boolean {
  if (trace.rule === 'none') return trace.why === 'interest-exceeds-payment';
  return trace.rule !== 'percent' && trace.rule !== 'early';
}

function paymentInForce(
  state: LoanState | undefined,
  solved: PaymentTrace | undefined,
): PaymentTrace | undefined {
  if (state?.payment === undefined || state.hold === 'none') return solved;
  return { kind: state.hold, amount: state.payment };
}

/** Interest by a formula is noted when it is calculated. */
function interestTraceOf(
  { compiled, rates, counts }: RepaymentPlan,
  { balance }: LoanState,
  { count, interest }: NotedRow,
): InterestTrace | undefined {
  if (count === 0 && counts.length > 0) return undefined;
  const { kind } = compiled.interest;
  if (kind === 'Formula') return undefined;
  const slices = interestSlicesOf(rates, interest.rate, balance);
  return { method: kind === 'EffectiveRate' ? 'effective' : 'simple', slices };
}

function levelRatesOf(
  { rates }: RepaymentPlan,
  { interest: { rate } }: AccruedRow,
): Pick<PaymentTrace & { kind: 'level' }, 'at' | 'isWhole'> {
  if (rates.kind === 'rows') return { at: rate === undefined ? [] : [{ percent: rate.percent }] };
  return { at: rates.bands.map(({ percent, from }) => ({ percent, from })), isWhole: rates.whole };
}

/** The closed annuity formula holds where one rate and equal periods do. */
function closedFormOf(
  plan: RepaymentPlan,
  row: AccruedRow,
): Pick<PaymentTrace & { kind: 'level' }, 'closed'> {
  const { rate } = row.interest;
  const isEven = plan.counts.slice(row.index + 1).every((count) => count === row.count);
  if (rate === undefined || !isEven) return {};
  const method = plan.compiled.interest.kind === 'EffectiveRate' ? 'effective' : 'simple';
  return { closed: { method, percent: rate.percent, count: row.count } };
}
