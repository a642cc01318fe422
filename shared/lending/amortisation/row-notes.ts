/**
 * Records how the figures of rows are calculated, for a request that asks for explanations (S6). Nothing is calculated
 * from these notes.
 */

import type { AmortisedRow } from './amortised-row.ts';
import type { CompiledScheduleType } from '../schedule-types/compiled-schedule-type.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RateFrom, RateTerms } from '../terms/rate-terms.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { GraceType } from '../terms/repayment-terms.ts';
import type {
  InterestSlice,
  InterestTrace,
  PaymentTrace,
  PrincipalTrace,
  RowNote,
  UncollectedInterest,
} from './row-trace.ts';

/** The inputs shared by the notes of all rows. */
interface NotedSchedule {
  readonly compiled: CompiledScheduleType;
  readonly rates: RateTerms;
  /** Day-count numerators of the planned rows. */
  readonly counts: readonly number[];
  /** Original number of the last planned row. */
  readonly lastRow: number;
}

type LevelTrace = PaymentTrace & { readonly kind: 'level' };

/** Notes of one schedule. For each row call `begin`, then the methods for what happens in the row, then `end`. */
export class RowNotes {
  readonly rows: RowNote[] = [];
  readonly #schedule: NotedSchedule;
  #draft: { -readonly [Field in keyof RowNote]?: RowNote[Field] } = {};
  #state: LoanState | undefined;
  #solved: PaymentTrace | undefined;

  constructor(schedule: NotedSchedule) {
    this.#schedule = schedule;
  }

  begin(state: LoanState, row: Pick<RowPeriod, 'count' | 'segment'>): void {
    this.#state = state;
    if (this.#solved?.kind === 'formula') this.#solved = undefined;
    const previous = this.rows.at(-1)?.row;
    const interest = this.#interestTrace(state.balance, row);
    this.#draft = { ...(previous && { previous }), ...(interest && { interest }) };
  }

  /** Notes interest calculated by a formula. */
  interest(trace: InterestTrace): void {
    this.#draft.interest = trace;
  }

  /** Notes a payment calculated by a formula; it applies to its row only. */
  payment(trace: PaymentTrace & { readonly kind: 'formula' }): void {
    this.#solved = trace;
  }

  /** Notes a newly calculated level payment; `count` is the day-count numerator of its first row. */
  levelPayment(amount: number, { balance, residual }: RepaidBalance, row: RowPeriod, count: number): void {
    const { lastRow } = this.#schedule;
    const rates = this.#levelRates(row);
    const closed = this.#closedForm(row, count);
    this.#solved = {
      kind: 'level',
      amount,
      firstRow: row.no,
      lastRow,
      balance,
      residual,
      ...rates,
      ...closed,
    };
  }

  /** Notes a newly calculated equal part of the principal. */
  equalPart(amount: number, { balance, residual }: RepaidBalance, rows: number): void {
    this.#solved = { kind: 'equal-part', amount, balance, residual, rows };
  }

  principal(trace: PrincipalTrace): void {
    this.#draft.principal = trace;
    const payment = followsPayment(trace) ? this.#paymentInForce() : undefined;
    if (payment !== undefined) this.#draft.payment = payment;
  }

  block(part: { readonly principal: number } | { readonly interest: number }): void {
    this.#draft.blocked = { principal: 0, interest: 0, ...this.#draft.blocked, ...part };
  }

  /** Notes accrued interest that the row does not collect. */
  uncollected(as: UncollectedInterest['as'], amount: number): void {
    this.#draft.uncollected = { as, amount };
  }

  /** Notes deferred interest of earlier rows that this row collects. */
  collectDeferred(
    graceType: GraceType,
    amount: number,
    [firstRow, lastRow]: readonly [first: number, last: number],
    share?: { readonly total: number; readonly rows: number },
  ): void {
    const as = graceType === 'Spread' ? 'spread' : 'deferred';
    this.#draft.deferred = { as, amount, firstRow, lastRow, ...(share && { share }) };
  }

  end(row: AmortisedRow): void {
    const principal = this.#draft.principal ?? { rule: 'rest', balance: row.remaining, residual: 0 };
    this.rows.push({ ...this.#draft, row, principal });
    this.#draft = {};
  }

  #paymentInForce(): PaymentTrace | undefined {
    const { payment, hold = 'none' } = this.#state ?? {};
    return payment === undefined || hold === 'none' ? this.#solved : { kind: hold, amount: payment };
  }

  /** Undefined in rows without interest, and for interest by a formula, which is noted when it is calculated. */
  #interestTrace(balance: number, row: Pick<RowPeriod, 'count' | 'segment'>): InterestTrace | undefined {
    const { compiled, rates } = this.#schedule;
    const { kind } = compiled.interest;
    if (row.count === 0 || kind === 'Formula') return undefined;
    const slices = interestSlices(rates, row.segment.rate, balance);
    return { method: kind === 'EffectiveRate' ? 'effective' : 'simple', slices };
  }

  #levelRates({ segment: { rate } }: RowPeriod): Pick<LevelTrace, 'at' | 'isWhole'> {
    const { rates } = this.#schedule;
    if (rates.kind === 'rows') return { at: rate === undefined ? [] : [{ percent: rate.percent }] };
    return { at: rates.bands.map(({ percent, from }) => ({ percent, from })), isWhole: rates.whole };
  }

  /** The closed annuity formula applies if there is one rate and all periods have the same day-count numerator. */
  #closedForm({ index, segment: { rate } }: RowPeriod, first: number): Pick<LevelTrace, 'closed'> {
    const { compiled, counts } = this.#schedule;
    const isEven = counts.slice(index + 1).every((count) => count === first);
    if (rate === undefined || !isEven) return {};
    const method = compiled.interest.kind === 'EffectiveRate' ? 'effective' : 'simple';
    return { closed: { method, percent: rate.percent, count: first } };
  }
}

/**
 * False for principal that does not depend on a payment: in a grace period, before maturity, as a percentage, or as a
 * prepayment.
 */
function followsPayment(trace: PrincipalTrace): boolean {
  if (trace.rule === 'none') return trace.why === 'interest-exceeds-payment';
  return trace.rule !== 'percent' && trace.rule !== 'prepayment';
}

/**
 * The parts of a balance with their rates: the whole balance at the rate in force, or one part for each band that the
 * balance reaches (R2).
 */
function interestSlices(
  rates: RateTerms,
  rate: RateFrom | undefined,
  balance: number,
): readonly InterestSlice[] {
  if (rates.kind === 'rows') return rate === undefined ? [] : [{ percent: rate.percent }];
  if (rates.whole) {
    const inForce = rates.bands.findLast((band, index) => index === 0 || band.from <= balance);
    return inForce === undefined ? [] : [{ percent: inForce.percent }];
  }
  const reached = rates.bands.filter((band, index) => index === 0 || band.from < balance);
  return reached.map(({ percent, from }, index) => {
    const start = index === 0 ? 0 : from;
    return { percent, base: (reached[index + 1]?.from ?? balance) - start };
  });
}
