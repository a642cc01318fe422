/**
 * The rows of a schedule type with formulas: its steps run in their own order, each figure rounded when it is known and
 * read by the formulas after it (S2). Types without formulas never come here.
 */

import { assertNever } from '../numbers/assert-never.ts';
import type { AmortisedRow } from './amortised-row.ts';
import { chargesOfColumn, chargesOfRow, type ChargedFigures } from '../charges/row-charges.ts';
import type { CompiledFormula, ExtraColumn, RowStep } from '../schedule-types/compiled-schedule-type.ts';
import type { FormulaFigures, FormulaRow, FormulaSetting } from './formula-row.ts';
import { newFormulaScope, SLOTS, type FormulaScope } from '../formula/formula-scope.ts';
import { isFormulaFailure, minorUnitsOf, moneyValue, type FormulaValue } from '../formula/formula-values.ts';
import { isRowFault, rowFault, type LoanState, type RowFault } from './repayment-plan.ts';
import type { InterestTrace } from './row-trace.ts';

/** As kept of a due row: with the formulas of the additional columns, numbers put in. */
interface FinishedRow extends FormulaFigures {
  readonly texts: readonly (string | undefined)[];
}

/** Calculates the figures of rows one after the other: interest first, finish last; early repayments only interest. */
export interface RowFormulas {
  accrued(state: LoanState, row: FormulaRow): number | RowFault;
  payment(state: LoanState): number | RowFault;
  /** Never below zero: what a formula gives below it is no principal. */
  principal(): number | RowFault;
  /** Runs the steps that are left, with the figures as the row shows them. */
  finish(row: AmortisedRow): RowFault | undefined;
  /** What finish left of each due row, by its index. */
  readonly finished: readonly FinishedRow[];
}

const NO_VALUE: FormulaValue = { numerator: 0n, denominator: 1n };

/** The calculator of one schedule. */
export function createRowFormulas(setting: FormulaSetting): RowFormulas {
  return new FormulaRows(setting);
}

class FormulaRows implements RowFormulas {
  readonly #setting: FormulaSetting;
  readonly #scope: FormulaScope;
  #step = 0;
  #row: FormulaRow | undefined;
  #figures: { remaining: number; interest: number; principal: number } = noFigures();
  #sums = { fee: 0, insurance: 0 };
  #columns = new Map<ExtraColumn, number>();
  #texts = new Map<ExtraColumn, string>();
  readonly finished: FinishedRow[] = [];

  constructor(setting: FormulaSetting) {
    this.#setting = setting;
    this.#scope = newFormulaScope(setting.compiled.slotCount);
    for (const [slot, value] of setting.inputs) this.#scope.slots[slot] = value;
  }

  accrued(state: LoanState, row: FormulaRow): number | RowFault {
    this.#begin(state, row);
    const fault = this.#runTo('interest');
    if (fault !== undefined) return fault;
    const { interest } = this.#setting.compiled;
    const accrued =
      interest.kind === 'Formula'
        ? this.#evaluate(interest.formula)
        : row.interest.interest.interestOf(state.balance, row.count);
    if (isRowFault(accrued)) return accrued;
    if (interest.kind === 'Formula') {
      const isRateNegative = (row.interest.rate?.rate.numerator ?? 0n) < 0n;
      if (accrued < 0 && !isRateNegative) {
        return this.#failed(interest.formula.column, 'gives interest below zero');
      }
      this.#setting.notes?.interest(this.#interestTrace(interest.formula, row));
    }
    this.#figures.interest = accrued;
    this.#put(SLOTS.Interest, accrued);
    return accrued;
  }

  payment(state: LoanState): number | RowFault {
    const fault = this.#runTo('payment');
    if (fault !== undefined) return fault;
    const { payment } = this.#setting.compiled;
    const amount = payment.kind === 'Formula' ? this.#evaluate(payment.formula) : (state.payment ?? 0);
    if (isRowFault(amount)) return amount;
    if (payment.kind === 'Formula') {
      const { notes } = this.#setting;
      notes?.payment({ kind: 'formula', amount, text: payment.formula.withValues(this.#scope) });
    }
    this.#put(SLOTS.PMT, amount);
    return amount;
  }

  principal(): number | RowFault {
    const fault = this.#runTo('principal');
    if (fault !== undefined) return fault;
    const { principal } = this.#setting.compiled;
    if (principal.kind !== 'Formula') return 0;
    const part = this.#evaluate(principal.formula);
    if (isRowFault(part)) return part;
    const { notes } = this.#setting;
    if (notes !== undefined) {
      const text = principal.formula.withValues(this.#scope);
      notes.principal({ rule: 'formula', text: part < 0 ? `max(${text}, 0)` : text });
    }
    return Math.max(part, 0);
  }

  finish({ index, remaining, interest, principal }: AmortisedRow): RowFault | undefined {
    this.#figures = { remaining, interest, principal };
    this.#put(SLOTS.Interest, interest);
    this.#put(SLOTS.Principal, principal);
    this.#put(SLOTS.PMT, interest + principal);
    const fault = this.#runTo(undefined);
    if (fault !== undefined) return fault;
    const { extras } = this.#setting.compiled;
    this.finished[index] = {
      managementFee: this.#sums.fee,
      insurance: this.#sums.insurance,
      columns: extras.map((column) => this.#columns.get(column) ?? 0),
      texts: extras.map((column) => this.#texts.get(column)),
    };
    return undefined;
  }

  #begin(state: LoanState, row: FormulaRow): void {
    const { slots } = this.#scope;
    const { rate } = row.interest;
    this.#step = 0;
    this.#row = row;
    this.#figures = { remaining: state.balance, interest: 0, principal: 0 };
    this.#sums = { fee: 0, insurance: 0 };
    this.#columns = new Map();
    this.#texts = new Map();
    const percent = rate === undefined ? NO_VALUE : { ...rate.rate, numerator: rate.rate.numerator * 100n };
    slots[SLOTS.InterestPercent] = percent;
    slots[SLOTS.InstallmentNo] = { numerator: BigInt(row.no), denominator: 1n };
    slots[SLOTS.NoDays] = { numerator: BigInt(row.to - row.from), denominator: 1n };
    const denominator = BigInt(this.#setting.dayCountDenominator);
    slots[SLOTS.DayCountFraction] = { numerator: BigInt(row.count), denominator };
    this.#put(SLOTS.RemainingValue, state.balance);
    this.#put(SLOTS.PMT, state.payment ?? 0);
  }

  /** Runs the steps up to the named one, or to the end; interest, payment and principal are worked out by the caller. */
  #runTo(kind: RowStep['kind'] | undefined): RowFault | undefined {
    const { steps } = this.#setting.compiled;
    for (; this.#step < steps.length; this.#step += 1) {
      const step = steps[this.#step];
      if (step === undefined || step.kind === kind) return undefined;
      const fault = this.#run(step);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #run(step: RowStep): RowFault | undefined {
    switch (step.kind) {
      case 'interest':
      case 'payment':
      case 'principal':
        return undefined;
      case 'charges':
        this.#charge(this.#figures);
        return undefined;
      case 'column':
        return this.#column(step.column);
      default:
        return assertNever(step);
    }
  }

  #charge(figures: ChargedFigures): void {
    const { charges, compiled } = this.#setting;
    const index = this.#row?.index ?? 0;
    const collects = this.#row?.collectsCharges === true;
    if (collects) {
      const { managementFee, insurance } = chargesOfRow(charges, index, figures);
      this.#sums.fee += managementFee;
      this.#sums.insurance += insurance;
    }
    this.#put(SLOTS.ManagementFee, this.#sums.fee);
    this.#put(SLOTS.Insurance, this.#sums.insurance);
    for (const column of compiled.extras) {
      if (column.method.kind === 'Formula') continue;
      const amount = collects ? chargesOfColumn(charges, column.name, index, figures) : 0;
      this.#columns.set(column, amount);
      this.#put(column.slot, amount);
    }
  }

  #column(column: ExtraColumn): RowFault | undefined {
    if (column.method.kind !== 'Formula') return undefined;
    const { kind } = column.method.countsAs;
    const isWaived = kind !== 'Nothing' && this.#row?.collectsCharges !== true;
    const amount = isWaived ? 0 : this.#evaluate(column.method.formula);
    if (isRowFault(amount)) return amount;
    this.#columns.set(column, amount);
    if (this.#setting.notes !== undefined) {
      this.#texts.set(column, column.method.formula.withValues(this.#scope));
    }
    this.#put(column.slot, amount);
    if (kind !== 'Nothing' && amount < 0) return this.#failed(column.name, 'gives a charge below zero');
    if (kind === 'Fee') this.#sums.fee += amount;
    if (kind === 'Insurance') this.#sums.insurance += amount;
    this.#put(SLOTS.ManagementFee, this.#sums.fee);
    this.#put(SLOTS.Insurance, this.#sums.insurance);
    return undefined;
  }

  #interestTrace(formula: CompiledFormula, { interest: { rate } }: FormulaRow): InterestTrace {
    const { slotsRead } = formula;
    return {
      method: 'formula',
      text: formula.withValues(this.#scope),
      readsDays: slotsRead.has(SLOTS.DayCountFraction),
      ...(rate !== undefined && slotsRead.has(SLOTS.InterestPercent) && { percent: rate.percent }),
    };
  }

  #evaluate(formula: CompiledFormula): number | RowFault {
    const value = formula.evaluate(this.#scope);
    const amount = isFormulaFailure(value) ? value : minorUnitsOf(value, this.#setting.money);
    if (!isFormulaFailure(amount)) return amount;
    return this.#failed(formula.column, amount.reason);
  }

  #failed(column: string, reason: string): RowFault {
    const message = `must give column ${column} a value in row ${this.#row?.no ?? 0}: its formula ${reason}`;
    return rowFault('ScheduleType', 'formula-failed', message);
  }

  #put(slot: number, minor: number): void {
    this.#scope.slots[slot] = moneyValue(minor, this.#setting.money.digits);
  }
}

function noFigures() {
  return { remaining: 0, interest: 0, principal: 0 };
}
