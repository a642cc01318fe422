/**
 * Records how the figures of rows are calculated, for a request that asks for explanations (S6). Nothing is calculated
 * from these notes.
 */

import type { AmortisedRow } from './amortised-row.ts';
import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { RateFrom, RateTerms } from '../terms/rate-ranges.ts';
import type { RepaidBalance } from '../interest/level-payment.ts';
import type { GraceType } from '../terms/repayment-terms.ts';
import type { ChargeTrace } from '../charges/charge-amounts.ts';

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

// The inputs of a row's figures, recorded only when the request asks for an explanation (S6, Explain). Amounts are in
// minor units, percentages are decimal text, and row numbers are the original ones.

/**
 * How the interest of a row accrues, before a grace period, blocked amounts or capitalisation change what is collected;
 * absent in rows without interest.
 */
export type InterestTrace =
  | {
      /** simple: base * rate * fraction; effective: base * ((1 + rate)^fraction - 1). */
      readonly method: 'simple' | 'effective';
      /** One rate for the whole balance, or the slices with their own rates (R2). */
      readonly slices: readonly InterestSlice[];
    }
  /** The schedule type's formula with its numbers substituted. */
  | {
      readonly method: 'formula';
      readonly text: string;
      /** True if the formula reads the day-count fraction. */
      readonly readsDays: boolean;
      /** The annual rate, if the formula contains it. */
      readonly percent?: string;
    };

/** A part of the balance with its annual rate. */
export interface InterestSlice {
  readonly percent: string;
  /** The part's amount; absent: the whole balance at the start of the row. */
  readonly base?: number;
}

/** An annual rate used to calculate a level payment. */
export interface LevelRate {
  readonly percent: string;
  /** Lower limit of a band. */
  readonly from?: number;
}

/** How the payment in force was calculated. It stays the same from row to row, so rows may share one object. */
export type PaymentTrace =
  | {
      readonly kind: 'level';
      readonly amount: number;
      /** First and last of the rows for which it was calculated (S5). */
      readonly firstRow: number;
      readonly lastRow: number;
      readonly balance: number;
      readonly residual: number;
      /** The rates used: the rate in force at that time, or all bands with their lower limits. */
      readonly at: readonly LevelRate[];
      /** True if a band's rate applies to the whole balance, not only to its slice (R2). */
      readonly isWhole?: boolean;
      /**
       * Set if there is one rate and all these rows have the same day-count numerator: the closed annuity formula
       * then applies and is shown.
       */
      readonly closed?: {
        readonly method: 'simple' | 'effective';
        readonly percent: string;
        readonly count: number;
      };
    }
  /** Fixed by the request (B2). */
  | { readonly kind: 'fixed'; readonly amount: number }
  /** Kept after a prepayment (X3, DecreaseInstallment false). */
  | { readonly kind: 'kept'; readonly amount: number }
  | {
      readonly kind: 'equal-part';
      readonly amount: number;
      readonly balance: number;
      readonly residual: number;
      /** Rows that share the principal. */
      readonly rows: number;
    }
  /** `text` is the formula with its numbers substituted. */
  | { readonly kind: 'formula'; readonly amount: number; readonly text: string };

/** How the principal of the row was calculated, before blocked principal is added. */
export type PrincipalTrace =
  /**
   * The payment less interest: the accrued interest, or `planInterest` if the planned balance applies (G2, X2).
   */
  | { readonly rule: 'payment'; readonly planInterest?: number }
  /** The equal part in force. */
  | { readonly rule: 'part' }
  /** A percentage of the balance, or of the planned balance (B3, G2, X2). */
  | { readonly rule: 'percent'; readonly percent: string; readonly base: number }
  /**
   * The whole balance above the residual: in the last row, or if the calculated principal exceeds it. `balance` is the
   * planned balance if that applies; `capitalised` is negative interest that reduces it.
   */
  | {
      readonly rule: 'rest';
      readonly balance: number;
      readonly residual: number;
      readonly capitalised?: number;
    }
  | { readonly rule: 'none'; readonly why: 'grace' | 'before-maturity' | 'interest-exceeds-payment' }
  /** A prepayment of the request (X3). */
  | { readonly rule: 'prepayment' }
  /** The row of the residual (B1). */
  | { readonly rule: 'residual' }
  | { readonly rule: 'formula'; readonly text: string };

/** Accrued interest that is not collected with its row (G2, B4). */
export interface UncollectedInterest {
  readonly as: 'deferred' | 'spread' | 'capitalised' | 'forgiven';
  readonly amount: number;
}

/** Interest of earlier rows that is collected with this row (G2). */
export interface DeferredInterest {
  readonly as: 'deferred' | 'spread';
  readonly amount: number;
  /**
   * Set if the amount is an equal part of a total that is spread over this number of rows; the last row collects the
   * remainder.
   */
  readonly share?: { readonly total: number; readonly rows: number };
  /** The rows in which it accrued, inclusive. */
  readonly firstRow: number;
  readonly lastRow: number;
}

/** A figure of an additional column; `text` is its formula with the numbers substituted. */
export interface ColumnTrace {
  readonly name: string;
  readonly amount: number;
  readonly text: string;
}

/** The notes taken while a row is calculated. */
export interface RowNote {
  readonly row: AmortisedRow;
  /** The previous row, from which the balance follows; absent for the first row. */
  readonly previous?: AmortisedRow;
  readonly interest?: InterestTrace;
  readonly uncollected?: UncollectedInterest;
  readonly deferred?: DeferredInterest;
  readonly payment?: PaymentTrace;
  readonly principal: PrincipalTrace;
  /** BlockAmount and BlockInterestAmount if this row collects them (X2). */
  readonly blocked?: { readonly principal: number; readonly interest: number };
}

/** A row with the inputs of its figures. */
export interface RowTrace extends RowNote {
  /** Commissions, then insurances, each in the order of the request. */
  readonly charges: readonly ChargeTrace[];
  /** True if the request contains insurances, so that the row shows their sum (F4). */
  readonly showsInsurance: boolean;
  readonly columns?: readonly ColumnTrace[];
}

/** Data shared by all rows of a schedule. */
export interface ExplanationContext {
  /** Decimals of the currency (M2). */
  readonly currencyDigits: number;
  /** Published name of the day count. */
  readonly dayCount: string;
  /** Denominator of the day-count fractions. */
  readonly dayCountDenominator: number;
}
