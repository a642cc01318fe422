/** Writes how the figures of a row came about (S6, Explain), in the spelling of the answer that the row belongs to. */

import { formatMinorUnits } from '../../lending/numbers/money.ts';
import type { Casing } from '../../lending/request/repayment-schedule.ts';
import type { ExplainedFigure, FigureExplanation } from '../../lending/request/row-explanation.ts';

/** What comes before the value of each member. */
interface Spelling {
  readonly figure: string;
  readonly name: string;
  readonly amount: string;
  readonly days: string;
  readonly basis: string;
  readonly dayCount: string;
  readonly rates: string;
  readonly base: string;
  readonly formula: string;
}

const SPELLINGS: Readonly<Record<Casing, Spelling>> = {
  lower: {
    figure: '{"figure":',
    name: ',"name":',
    amount: ',"amount":',
    days: ',"days":',
    basis: ',"basis":',
    dayCount: ',"dayCount":',
    rates: ',"rates":',
    base: ',"base":',
    formula: ',"formula":',
  },
  capitalised: {
    figure: '{"Figure":',
    name: ',"Name":',
    amount: ',"Amount":',
    days: ',"Days":',
    basis: ',"Basis":',
    dayCount: ',"DayCount":',
    rates: ',"Rates":',
    base: ',"Base":',
    formula: ',"Formula":',
  },
};

/** The names of the figures: those of the row's own members, as the row spells them. */
const FIGURE_NAMES: Readonly<Record<Casing, Readonly<Record<ExplainedFigure, string>>>> = {
  lower: {
    remainingValue: 'remainingValue',
    payment: 'payment',
    accruedInterest: 'accruedInterest',
    interest: 'interest',
    capitalisedInterest: 'capitalisedInterest',
    principal: 'principal',
    pmt: 'pMT',
    managementFee: 'managementFee',
    insurance: 'insurance',
    column: 'column',
    totalInstallment: 'totalInstallment',
  },
  capitalised: {
    remainingValue: 'RemainingValue',
    payment: 'Payment',
    accruedInterest: 'AccruedInterest',
    interest: 'Interest',
    capitalisedInterest: 'CapitalisedInterest',
    principal: 'Principal',
    pmt: 'PMT',
    managementFee: 'ManagementFee',
    insurance: 'Insurance',
    column: 'Column',
    totalInstallment: 'TotalInstallment',
  },
};

/** Names of the figures in each spelling, in the order in which a row is explained. */
export const EXPLAINED_FIGURES: Readonly<Record<Casing, readonly string[]>> = {
  lower: Object.values(FIGURE_NAMES.lower),
  capitalised: Object.values(FIGURE_NAMES.capitalised),
};

/** Rates come as plain decimal text; anything else would not be JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The JSON array of a row's explanation; `digits` are those of its amounts.
 * Throws RangeError on an amount that is no safe integer and on a rate that is no plain decimal.
 */
export function renderRowExplanation(
  explanation: readonly FigureExplanation[],
  casing: Casing,
  digits: number,
): string {
  const spelling = SPELLINGS[casing];
  const names: Readonly<Record<string, string>> = FIGURE_NAMES[casing];
  const figures = explanation.map((one) => {
    // A worker of a later version may explain figures that this one does not know.
    const figure = names[one.figure] ?? one.figure;
    return (
      spelling.figure +
      JSON.stringify(figure) +
      optional(spelling.name, one.name, JSON.stringify) +
      spelling.amount +
      money(one.amount, digits) +
      optional(spelling.days, one.days, String) +
      optional(spelling.basis, one.basis, String) +
      optional(spelling.dayCount, one.dayCount, JSON.stringify) +
      optional(spelling.rates, one.rates, ratesText) +
      optional(spelling.base, one.base, (base) => money(base, digits)) +
      spelling.formula +
      `${JSON.stringify(one.formula)}}`
    );
  });
  return `[${figures.join(',')}]`;
}

function optional<Value>(label: string, value: Value | undefined, write: (value: Value) => string): string {
  return value === undefined ? '' : label + write(value);
}

function ratesText(rates: readonly string[]): string {
  for (const rate of rates) {
    if (!PLAIN_DECIMAL.test(rate)) throw new RangeError('a rate must be plain decimal text');
  }
  return `[${rates.join(',')}]`;
}

function money(minor: number, digits: number): string {
  if (!Number.isSafeInteger(minor)) throw new RangeError('an amount must be a safe integer of minor units');
  return formatMinorUnits(minor, digits);
}
