/** Exact arithmetic of formula values, whose denominators stay positive. */

import { reduceRatio } from '../numbers/exact-ratio.ts';
import { formatMinorUnits } from '../numbers/money.ts';
import type { FormulaOperator } from './tree.ts';
import type { FormulaValue } from './scope.ts';

/** A value that needs more decimals is written as a fraction. */
const MAX_WRITTEN_DECIMALS = 20;

/** -1 if the first value is smaller, 0 if both are equal, else 1. */
export function compareValues(first: FormulaValue, second: FormulaValue): number {
  const difference = first.numerator * second.denominator - second.numerator * first.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

type Calculate = (left: FormulaValue, right: FormulaValue) => FormulaValue;

/** Comparisons give 1 or 0. */
export const OPERATORS: Readonly<Record<Exclude<FormulaOperator, '/'>, Calculate>> = {
  '+': (left, right) => addValues(left, right, 1n),
  '-': (left, right) => addValues(left, right, -1n),
  '*': (left, right) => ({
    numerator: left.numerator * right.numerator,
    denominator: left.denominator * right.denominator,
  }),
  '<': (left, right) => toTruthValue(compareValues(left, right) < 0),
  '<=': (left, right) => toTruthValue(compareValues(left, right) <= 0),
  '>': (left, right) => toTruthValue(compareValues(left, right) > 0),
  '>=': (left, right) => toTruthValue(compareValues(left, right) >= 0),
  '=': (left, right) => toTruthValue(compareValues(left, right) === 0),
  '<>': (left, right) => toTruthValue(compareValues(left, right) !== 0),
};

function addValues(left: FormulaValue, right: FormulaValue, sign: 1n | -1n): FormulaValue {
  if (left.denominator === right.denominator) {
    return { numerator: left.numerator + sign * right.numerator, denominator: left.denominator };
  }
  return {
    numerator: left.numerator * right.denominator + sign * right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  };
}

function toTruthValue(holds: boolean): FormulaValue {
  return { numerator: holds ? 1n : 0n, denominator: 1n };
}

/** Decimal text such as `0.5`, or a fraction in lowest terms such as `1/3`. */
export function formatValue(value: FormulaValue): string {
  const { numerator, denominator } = reduceRatio(value.numerator, value.denominator);
  const decimals = countDecimals(denominator);
  if (decimals === undefined) return `${numerator}/${denominator}`;
  return formatMinorUnits((numerator * 10n ** BigInt(decimals)) / denominator, decimals);
}

function countDecimals(denominator: bigint): number | undefined {
  let scale = 1n;
  for (let decimals = 0; decimals <= MAX_WRITTEN_DECIMALS; decimals += 1) {
    if (scale % denominator === 0n) return decimals;
    scale *= 10n;
  }
  return undefined;
}
