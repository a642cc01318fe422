/** Calculates rows of a schedule type with formulas; each figure is rounded before later formulas read it (S2). */

import { createRowFault, isRowFault, type AmortisedRow, type RowFault } from './amortised-row.ts';
import type {
  CompiledFormula,
  CompiledScheduleType,
  ExtraColumn,
  InterestMethod,
  RowStep,
} from '../schedule-types/schedule-type.ts';
import type { Decimal } from 'decimal.js';
import {
  SLOTS,
  ZERO,
  isFormulaFailure,
  moneyValue,
  newFormulaScope,
  roundToMinorUnits,
  type FormulaScope,
  type FormulaValue,
  type MoneyFormat,
} from '../formula/scope.ts';
import type { LoanState, RowPeriod } from './loan-state.ts';
import type { LoanTerms } from '../terms/loan-terms.ts';
import { scaleToInteger } from '../numbers/money.ts';
import { periodsPerYear } from '../annual-rate/internal-rate-of-return.ts';
import type { RepaymentScheduleRequest } from '../request/repayment-schedule-request.ts';
import { collectRowCharges, NO_CHARGES, sumColumnCharges } from '../charges/charge-amounts.ts';
import type { RowExplanations } from './row-explanations.ts';
import type { RowCharges, ScheduledCharges } from '../charges/schedule-charges.ts';

interface FormulaContext {
  readonly compiled: CompiledScheduleType;
  readonly money: MoneyFormat;
  readonly dayCountDenominator: number;
  readonly inputs: readonly (readonly [slot: number, value: FormulaValue])[];
  readonly charges: ScheduledCharges;
  readonly explanations: RowExplanations | undefined;
}

interface FinishedRow extends RowCharges {
  /** Amounts of the additional columns in their order, including hidden ones. */
  readonly columns: readonly number[];
  readonly texts: readonly (string | undefined)[];
}

/** For each due row call `accrued` first and `finish` last; for a prepayment call only `accrued`. */
export class RowFormulas {
  readonly #context: FormulaContext;
  readonly #scope: FormulaScope;
  #step = 0;
  #row!: RowPeriod;
  #figures = { remaining: 0, interest: 0, principal: 0 };
  #sums = { ...NO_CHARGES };
  #columns = new Map<ExtraColumn, number>();
  #texts = new Map<ExtraColumn, string>();
  /** Charges and columns of the due rows, by row index. */
  readonly finished: FinishedRow[] = [];

  constructor(context: FormulaContext) {
    this.#context = context;
    this.#scope = newFormulaScope(context.compiled.slotCount);
    for (const [slot, value] of context.inputs) this.#scope.slots[slot] = value;
  }

  accrued(state: LoanState, row: RowPeriod): number | RowFault {
    this.#begin(state, row);
    const { interest } = this.#context.compiled;
    const accrued = this.#runTo('interest') ?? this.#accrue(state, row, interest);
    if (isRowFault(accrued)) return accrued;
    this.#figures.interest = accrued;
    this.#put(SLOTS.Interest, accrued);
    return accrued;
  }

  payment(formula: CompiledFormula): number | RowFault {
    const amount = this.#runTo('payment') ?? this.#evaluate(formula);
    if (isRowFault(amount)) return amount;
    this.#context.explanations?.paymentFormula(amount, formula.withValues(this.#scope));
    this.#put(SLOTS.PMT, amount);
    return amount;
  }

  /** Returns zero if the formula gives a negative value. */
  principal(formula: CompiledFormula): number | RowFault {
    const part = this.#runTo('principal') ?? this.#evaluate(formula);
    if (isRowFault(part)) return part;
    const { explanations } = this.#context;
    if (explanations !== undefined) {
      const text = formula.withValues(this.#scope);
      explanations.principal({ rule: 'formula', text: part < 0 ? `max(${text}, 0)` : text });
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
    const { extras } = this.#context.compiled;
    this.finished[index] = {
      ...this.#sums,
      columns: extras.map((column) => this.#columns.get(column) ?? 0),
      texts: extras.map((column) => this.#texts.get(column)),
    };
    return undefined;
  }

  #accrue(state: LoanState, row: RowPeriod, method: InterestMethod): number | RowFault {
    const { interest, rate } = row.segment;
    if (method.kind !== 'Formula') return interest.accrue(state.balance, row.count);
    const { formula } = method;
    const accrued = this.#evaluate(formula);
    if (isRowFault(accrued)) return accrued;
    if (accrued < 0 && (rate?.rate.numerator ?? 0n) >= 0n) {
      return this.#failed(formula.column, 'gives interest below zero');
    }
    this.#context.explanations?.interestFormula({
      text: formula.withValues(this.#scope),
      readsDays: formula.slotsRead.has(SLOTS.DayCountFraction),
      percent: formula.slotsRead.has(SLOTS.InterestPercent) ? rate?.percent : undefined,
    });
    return accrued;
  }

  #begin(state: LoanState, row: RowPeriod): void {
    const { slots } = this.#scope;
    const { rate } = row.segment;
    this.#step = 0;
    this.#row = row;
    this.#figures = { remaining: state.balance, interest: 0, principal: 0 };
    this.#sums = { ...NO_CHARGES };
    this.#columns = new Map();
    this.#texts = new Map();
    const percent = rate === undefined ? ZERO : { ...rate.rate, numerator: rate.rate.numerator * 100n };
    slots[SLOTS.InterestPercent] = percent;
    slots[SLOTS.InstallmentNo] = { numerator: BigInt(row.no), denominator: 1n };
    slots[SLOTS.NoDays] = { numerator: BigInt(row.to - row.from), denominator: 1n };
    const denominator = BigInt(this.#context.dayCountDenominator);
    slots[SLOTS.DayCountFraction] = { numerator: BigInt(row.count), denominator };
    this.#put(SLOTS.RemainingValue, state.balance);
    this.#put(SLOTS.PMT, state.payment ?? 0);
  }

  /** Runs the steps before `kind`, or all steps left. Callers calculate interest, payment and principal themselves. */
  #runTo(kind: RowStep['kind'] | undefined): RowFault | undefined {
    const { steps } = this.#context.compiled;
    for (; this.#step < steps.length; this.#step += 1) {
      const step = steps[this.#step];
      if (step === undefined || step.kind === kind) return undefined;
      if (step.kind === 'charges') this.#charge();
      const fault = step.kind === 'column' ? this.#column(step.column) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #charge(): void {
    const figures = this.#figures;
    const { charges, compiled } = this.#context;
    const { index, collectsCharges: collects } = this.#row;
    if (collects) {
      const { managementFee, insurance, ...apart } = collectRowCharges(charges, index, figures);
      const sums = this.#sums;
      this.#sums = {
        managementFee: sums.managementFee + managementFee,
        insurance: sums.insurance + insurance,
        ...apart,
      };
    }
    this.#put(SLOTS.ManagementFee, this.#sums.managementFee);
    this.#put(SLOTS.Insurance, this.#sums.insurance);
    for (const column of compiled.extras) {
      if (column.method.kind === 'Formula') continue;
      const amount = collects ? sumColumnCharges(charges, column.name, index, figures) : 0;
      this.#columns.set(column, amount);
      this.#put(column.slot, amount);
    }
  }

  #column(column: ExtraColumn): RowFault | undefined {
    if (column.method.kind !== 'Formula') return undefined;
    const { kind } = column.method.countsAs;
    const isWaived = kind !== 'Nothing' && !this.#row.collectsCharges;
    const amount = isWaived ? 0 : this.#evaluate(column.method.formula);
    if (isRowFault(amount)) return amount;
    this.#columns.set(column, amount);
    if (this.#context.explanations !== undefined) {
      this.#texts.set(column, column.method.formula.withValues(this.#scope));
    }
    this.#put(column.slot, amount);
    if (kind !== 'Nothing' && amount < 0) return this.#failed(column.name, 'gives a charge below zero');
    if (kind === 'Fee') this.#sums.managementFee += amount;
    if (kind === 'Insurance') this.#sums.insurance += amount;
    this.#put(SLOTS.ManagementFee, this.#sums.managementFee);
    this.#put(SLOTS.Insurance, this.#sums.insurance);
    return undefined;
  }

  #evaluate(formula: CompiledFormula): number | RowFault {
    const value = formula.evaluate(this.#scope);
    const amount = isFormulaFailure(value) ? value : roundToMinorUnits(value, this.#context.money);
    if (!isFormulaFailure(amount)) return amount;
    return this.#failed(formula.column, amount.reason);
  }

  #failed(column: string, reason: string): RowFault {
    const message = `must give column ${column} a value in row ${this.#row.no}: its formula ${reason}`;
    return createRowFault('ScheduleType', 'formula-failed', message);
  }

  #put(slot: number, minor: number): void {
    this.#scope.slots[slot] = moneyValue(minor, this.#context.money.digits);
  }
}

/** The inputs of formulas that are the same in all rows (S2). Money is in major units; absent amounts are zero. */
export function readFormulaInputs(
  request: RepaymentScheduleRequest,
  { periodicity, installmentsNo, contractPeriods }: LoanTerms,
): readonly (readonly [slot: number, value: FormulaValue])[] {
  return [
    [SLOTS.Amount, formulaValue(request.Amount)],
    [SLOTS.InstallmentsNo, { numerator: BigInt(installmentsNo), denominator: 1n }],
    [SLOTS.ResidualValue, formulaValue(request.ResidualValue)],
    [SLOTS.CapitalPercent, formulaValue(request.CapitalPercent)],
    [SLOTS.UnusedAmount, formulaValue(request.UnusedAmount)],
    [SLOTS.AdvanceAmount, formulaValue(request.AdvanceAmount)],
    [SLOTS.UpFrontValue, formulaValue(request.UpFrontValue)],
    [SLOTS.LockedInstallment, formulaValue(request.installmentValue)],
    [SLOTS.LockedPrincipal, formulaValue(request.principalValue)],
    [SLOTS.PeriodsPerYear, periodsPerYear(periodicity) ?? { numerator: 1n, denominator: 1n }],
    [SLOTS.ContractPeriod, { numerator: BigInt(contractPeriods), denominator: 1n }],
  ];
}

function formulaValue(sent: Decimal | undefined): FormulaValue {
  if (sent === undefined) return ZERO;
  const digits = Math.max(0, sent.decimalPlaces());
  return { numerator: scaleToInteger(sent, digits), denominator: 10n ** BigInt(digits) };
}
