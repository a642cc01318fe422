/** The row loop of the reference implementation: balance, interest and principal of each row (S4, S5, G, B, X). */

import { type Exact, greater, lesser, minorUnits, NONE, rounded, refuseIf } from './decimal.ts';
import { balanceForResidual, interestOf, levelPayment, partOfRow, restOfRow } from './interest.ts';
import type { Terms } from './terms.ts';
import type { YearPart } from './day-count.ts';

/** Above this limit a number cannot represent every figure exactly (M6). */
const MAX_FIGURE = Number.MAX_SAFE_INTEGER - 1;

/** A row before charges; amounts in minor units. */
export interface PlanRow {
  readonly no: number;
  readonly isEarly: boolean;
  readonly remaining: Exact;
  readonly accrued: Exact;
  readonly principal: Exact;
  readonly capitalised: Exact;
  /** What a prepayment exceeds the balance by (X3). */
  readonly overpaid: Exact;
  readonly date: number;
  readonly days: number;
}

export interface Plan {
  readonly rows: readonly PlanRow[];
  readonly residual: Exact;
  /** The current payment at the end; undefined if it must be solved. */
  readonly payment: Exact | undefined;
}

interface EarlyRepayment {
  readonly date: number;
  readonly amount: Exact;
  readonly decreases: boolean;
}

export interface RowLoopMode {
  /** Interest is added to the balance in its grace period; rows repay the principal that this function returns (G2). */
  readonly planned?: (row: number) => Exact;
  /** The payment that prepayments keep from this row, the first after the grace period (X3). */
  readonly kept?: { readonly row: number; readonly payment: Exact | undefined };
  /** Used to plan another loop: stops after this row and limits prepayments to the balance. */
  readonly until?: number;
}

export class RowLoop {
  readonly #terms: Terms;
  readonly #mode: RowLoopMode;
  readonly #early: EarlyRepayment[];
  readonly #rows: PlanRow[] = [];
  #balance: Exact;
  #residual: Exact;
  /** The remainder of the row's period at the first prepayment that kept the payment (X3). */
  #keptPart: { readonly row: number; readonly part: YearPart } | undefined;
  #payment = NONE;
  /** The payment must be solved in the next row with a payment. */
  #isPending = true;
  /** The payment stays the same at any rate, and the schedule ends when the balance is zero (B2, X3). */
  #isKept = false;
  /** The amount repaid before the payment was solved; it is still part of the balance that the payment repays (X3). */
  #stillCounted = NONE;
  #lock: Exact | undefined;
  /** The date from which interest is counted, and the days of a regular period used by prepayments. */
  #from: number;
  #used = 0;
  #isOver = false;

  constructor(terms: Terms, mode: RowLoopMode = {}) {
    this.#terms = terms;
    this.#mode = mode;
    this.#balance = terms.amount;
    this.#residual = terms.hasResidualPeriod ? balanceForResidual(terms) : terms.residual;
    this.#lock = terms.lock;
    this.#from = terms.dates.accrualStart;
    this.#early = (terms.request.EarlyRepayments ?? [])
      .map((item) => ({
        date: item.Date as number,
        amount: minorUnits(item.Amount, terms.digits, 'early repayment'),
        decreases: item.DecreaseInstallment !== false,
      }))
      .toSorted((one, other) => one.date - other.date);
  }

  run(): Plan {
    const { settled, lastRow, dates } = this.#terms;
    for (const { date, amount } of this.#early) {
      const isWithin = date > dates.accrualStart && date <= dates.accrual[lastRow]!;
      refuseIf(!isWithin || amount.isZero(), 'early repayment date');
    }
    const until = Math.min(lastRow, this.#mode.until ?? lastRow);
    for (let row = settled + 1; row <= until && !this.#isOver; row += 1) {
      while (!this.#isOver && (this.#early[0]?.date ?? Infinity) < dates.accrual[row]!) this.#repayEarly(row);
      if (this.#isOver) break;
      this.#dueRow(row);
      while (!this.#isOver && this.#early[0]?.date === dates.accrual[row]!) this.#repayEarly(row);
      if ((this.#lock !== undefined || this.#isKept) && this.#balance.isZero()) this.#isOver = true;
    }
    refuseIf(this.#early.length > 0 && this.#mode.until === undefined, 'more repaid than owed');
    return {
      rows: this.#rows,
      residual: this.#terms.residualHasRow ? this.#balance : NONE,
      payment: this.#isPending ? undefined : this.#payment,
    };
  }

  #capitalises(row: number, isEarly: boolean): boolean {
    const { capitalisesDeposit, lastRow, graceInterest } = this.#terms;
    if (capitalisesDeposit && (isEarly || row < lastRow)) return true;
    return this.#mode.planned !== undefined && row <= graceInterest;
  }

  #dueRow(row: number): void {
    const { dates, lastRow, residualHasRow } = this.#terms;
    const part = restOfRow(this.#terms, row, this.#from, this.#used);
    const accrued = interestOf(this.#terms, row, this.#balance, part);
    const left = residualHasRow ? this.#residual : NONE;
    const principal =
      row === lastRow ? greater(this.#balance.minus(left), NONE) : this.#principalOf(row, part, accrued);
    const capitalises = this.#capitalises(row, false);
    this.#push(row, false, { accrued, principal, date: dates.accrual[row]!, capitalises });
    this.#used = 0;
    // After capitalising grace the payment is solved again (G2).
    if (this.#mode.planned !== undefined && row === this.#terms.graceInterest) this.#isPending = true;
  }

  #keepPayment(payment: Exact): void {
    this.#payment = payment;
    this.#isKept = true;
    this.#settlePayment();
  }

  /** The principal of a row other than the last: the planned one plus the blocked amount (X2). */
  #principalOf(row: number, part: YearPart, accrued: Exact): Exact {
    const { settled, block, gracePrincipal, graceInterest } = this.#terms;
    const follows = this.#mode.planned !== undefined && row <= graceInterest;
    const lost = this.#capitalises(row, false) ? lesser(accrued, NONE) : NONE;
    const room = greater(this.#balance.plus(lost).minus(this.#residual), NONE);
    if (row > gracePrincipal && follows) return lesser(this.#mode.planned?.(row) ?? NONE, room);
    const blocked = lesser(row === settled + 1 ? (block?.amount ?? NONE) : NONE, room);
    if (row <= gracePrincipal) return blocked;
    return lesser(this.#plannedPrincipal(row, this.#balance.minus(blocked), part).plus(blocked), room);
  }

  #plannedPrincipal(row: number, rest: Exact, part: YearPart): Exact {
    const { repayment, request, rows } = this.#terms;
    if (repayment === 'bullet') return NONE;
    if (repayment === 'card') return rounded(rest.times(request.CapitalPercent ?? NONE).div(100));
    const kept = this.#mode.kept?.row === row ? this.#mode.kept.payment : undefined;
    if (kept !== undefined && this.#lock === undefined) this.#keepPayment(kept);
    const balance = rest.plus(this.#stillCounted);
    if (repayment === 'parts') {
      if (this.#isPending) this.#payment = rounded(balance.minus(this.#residual).div(rows - row + 1));
      this.#settlePayment();
      return this.#lock ?? this.#payment;
    }
    if (this.#lock === undefined && (this.#isPending || this.#rateChanges(row))) {
      const whole = this.#keptPart?.row === row ? this.#keptPart.part : part;
      this.#payment = levelPayment(this.#terms, { row, balance, residual: this.#residual, part: whole });
    }
    this.#settlePayment();
    const principal = (this.#lock ?? this.#payment).minus(interestOf(this.#terms, row, rest, part));
    if (!principal.lt(0)) return principal;
    if (this.#lock !== undefined) {
      refuseIf(!this.#terms.allowsNegative, 'the payment does not cover the interest');
      return principal;
    }
    this.#isPending = true;
    this.#isKept = false;
    return NONE;
  }

  #settlePayment(): void {
    this.#isPending = false;
    this.#stillCounted = NONE;
    this.#keptPart = undefined;
  }

  #rateChanges(row: number): boolean {
    const { rates, settled } = this.#terms;
    return !this.#isKept && row > settled + 1 && !rates.ofRow(row).eq(rates.ofRow(row - 1));
  }

  /** The next prepayment within the period of row `row` or on its due date (X3). */
  #repayEarly(row: number): void {
    const { date, amount: sent, decreases } = this.#early.shift()!;
    const before = restOfRow(this.#terms, row, this.#from, this.#used);
    const isOnDueDate = this.#rows.some((known) => !known.isEarly && known.no === row);
    const span = { from: this.#from, to: date, endsSchedule: false };
    const part = isOnDueDate ? { days: 0, basis: 1 } : partOfRow(this.#terms, row, span, this.#used);
    const accrued = isOnDueDate ? NONE : interestOf(this.#terms, row, this.#balance, part);
    const mayCapitalise = !isOnDueDate && !sent.eq(this.#balance) && this.#capitalises(row, true);
    const owed = this.#balance.plus(mayCapitalise ? lesser(accrued, NONE) : NONE);
    refuseIf(this.#balance.isZero() && this.#mode.until === undefined, 'nothing owed');
    const amount = lesser(sent, owed);
    const capitalises = mayCapitalise && !amount.eq(this.#balance);
    const overpaid = sent.minus(amount);
    this.#push(isOnDueDate ? row : row - 1, true, {
      accrued,
      principal: amount,
      date,
      capitalises,
      overpaid,
    });
    if (!isOnDueDate) this.#used += part.days;
    this.#isOver = this.#balance.isZero();
    const { repayment } = this.#terms;
    const isFirstKept = !decreases && this.#isPending && this.#stillCounted.isZero() && !isOnDueDate;
    if (isFirstKept) this.#keptPart = { row, part: before };
    if (repayment === 'level' || repayment === 'parts') this.#adaptPayment(amount, decreases);
  }

  #adaptPayment(repaid: Exact, decreases: boolean): void {
    this.#isKept = !decreases;
    if (decreases) {
      this.#lock = undefined;
      this.#isPending = true;
      this.#stillCounted = NONE;
      this.#keptPart = undefined;
    } else if (this.#isPending && this.#lock === undefined) {
      this.#stillCounted = this.#stillCounted.plus(repaid);
    }
  }

  #push(
    no: number,
    isEarly: boolean,
    event: { accrued: Exact; principal: Exact; date: number; capitalises: boolean; overpaid?: Exact },
  ): void {
    const { accrued, principal, date, overpaid = NONE } = event;
    const capitalised = event.capitalises ? accrued : NONE;
    const days = date - this.#from;
    refuseIf(this.#balance.plus(accrued).gt(MAX_FIGURE), 'figures too large');
    const figures = { remaining: this.#balance, accrued, principal, capitalised, overpaid };
    this.#rows.push({ no, isEarly, ...figures, date, days });
    this.#balance = this.#balance.minus(principal).plus(capitalised);
    this.#residual = lesser(this.#residual, this.#balance);
    this.#from = date;
  }
}
