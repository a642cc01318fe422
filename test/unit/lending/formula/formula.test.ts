import { describe, expect, it } from 'vitest';
import { compileFormula } from '../../../../shared/lending/formula/compiler.ts';
import { formatValue } from '../../../../shared/lending/formula/arithmetic.ts';
import { parseFormula } from '../../../../shared/lending/formula/parser.ts';
import {
  type FormulaValue,
  isFormulaFailure,
  roundToMinorUnits,
  moneyValue,
} from '../../../../shared/lending/formula/scope.ts';
import type { RoundingMode } from '../../../../shared/lending/numbers/rounding.ts';

const NAMES = ['a', 'b', 'zero', 'third'];
const VALUES: readonly FormulaValue[] = [
  { numerator: 7n, denominator: 1n },
  { numerator: -5n, denominator: 2n },
  { numerator: 0n, denominator: 1n },
  { numerator: 1n, denominator: 3n },
];

const getSlot = (name: string): number => NAMES.indexOf(name.toLowerCase());

/** The value of an expression as a string, or its error with the position. */
function valueOf(text: string, rounding: RoundingMode = 'HALF_UP'): string {
  const tree = parseFormula(text);
  if (tree.kind === 'formula-error') return `${tree.at}: ${tree.message}`;
  const compiled = compileFormula(tree, { getSlot, rounding });
  if ('kind' in compiled) return `${compiled.at}: ${compiled.message}`;
  const value = compiled.evaluate({ slots: [...VALUES] });
  return isFormulaFailure(value) ? value.reason : formatValue(value);
}

describe('parseFormula and compileFormula (S2)', () => {
  it.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['10 - 4 - 3', '3'],
    ['100 / 5 / 4', '5'],
    ['2 * 3 / 4', '1.5'],
    ['6 / (2 / 3)', '9'],
    ['-2 * 3', '-6'],
    ['- - 2', '2'],
    ['7 - -2', '9'],
    ['1 + 2 > 2', '1'],
    ['2 = 1 + 1', '1'],
    ['(1 < 2) + (2 < 1) + (2 <= 2) + (3 >= 4) + (1 <> 2)', '3'],
    ['0.1 + 0.2', '0.3'],
    ['1 / 3 * 3', '1'],
    ['1/12', '1/12'],
    ['-1/8', '-0.125'],
    ['0', '0'],
  ])('evaluates %s to %s', (text, value) => {
    expect(valueOf(text)).toBe(value);
  });

  it.each([
    ['min(3, 1, 2)', '1'],
    ['max(3, a, 2)', '7'],
    ['round(2.5)', '3'],
    ['round(-2.5)', '-3'],
    ['round(a / 3, 2)', '2.33'],
    ['if(a > 5, 1, 2)', '1'],
    ['if(zero, 1, 2)', '2'],
    ['if(b, 1, 2)', '1'],
    ['IF(1 = 1, Max(1, 2), 0)', '2'],
    ['min(a > 1, b > 1)', '0'],
    ['max(a > 1, b > 1)', '1'],
  ])('evaluates %s to %s', (text, value) => {
    expect(valueOf(text)).toBe(value);
  });

  it('rounds a tie with the rounding of the schedule type (M2)', () => {
    expect(valueOf('round(2.5) + round(0.125, 2)', 'HALF_EVEN')).toBe('2.12');
    expect(valueOf('round(2.5) + round(0.125, 2)', 'HALF_UP')).toBe('3.13');
  });

  it('reads case-insensitive names', () => {
    expect(valueOf('A + a - third * 3')).toBe('13');
    expect(valueOf('THIRD')).toBe('1/3');
  });

  it('evaluates only the chosen branch of an if', () => {
    expect(valueOf('if(zero = 0, 5, 1 / zero)')).toBe('5');
    expect(valueOf('if(zero <> 0, 1 / zero, 6)')).toBe('6');
  });

  it('returns a failure for a division by zero, never NaN', () => {
    expect(valueOf('a / zero')).toBe('divides by zero at position 3');
    expect(valueOf('(a / zero) * 0')).toBe('divides by zero at position 4');
    expect(valueOf('1 / (a - 7) > 2')).toBe('divides by zero at position 3');
  });

  it.each([
    ['', '1: a number, a name or ( is missing at the end'],
    ['1 +', '4: a number, a name or ( is missing at the end'],
    ['* 2', '1: expected a number, a name or ( here, not *'],
    ['+1', '1: expected a number, a name or ( here, not +'],
    ['(1 + 2', '7: the ( at 1 needs its ) here'],
    ['(1 2)', '4: the ( at 1 needs its ) here, not 2'],
    ['1 + 2)', '6: this ) closes nothing: remove it, or add a ( before'],
    ['1, 2', '2: a comma may only separate the arguments of min, max, round and if'],
    ['a b', '3: write an operator before b'],
    ['2a', '2: write an operator before a'],
    ['1 < 2 < 3', '7: comparisons cannot be chained: put one of them in brackets, or use if'],
    ['.5', '1: a decimal point needs a digit on each side, as in 0.5'],
    ['5.', '2: a decimal point needs a digit on each side, as in 0.5'],
    ['1 $ 2', '3: only numbers, names, + - * / ( ) , and < <= > >= = <> are allowed'],
    ['sin(1)', '1: there is no function sin; known: min, max, round, if'],
    ['min + 1', '1: min needs its values in brackets'],
    ['min(1)', '1: min takes 2 or more values, separated by commas'],
    ['1 + round(1, 2, 3)', '5: round takes 1 or 2 values, separated by commas'],
    ['if(1, 2)', '1: if takes 3 values, separated by commas'],
    ['max(1, )', '8: expected a number, a name or ( here, not )'],
    ['round(a, b)', '10: round keeps a fixed number of decimals, from 0 to 10'],
    ['round(a, 11)', '10: round keeps a fixed number of decimals, from 0 to 10'],
    ['a / (1 - 1)', '3: this divides by zero, which has no value'],
    ['constructor(1)', '1: there is no function constructor; known: min, max, round, if'],
  ])('rejects %s with its position: %s', (text, error) => {
    expect(valueOf(text)).toBe(error);
  });

  it('limits the length, depth, parts and digits of a formula', () => {
    expect(valueOf(' '.repeat(1001))).toBe('1001: must have at most 1000 characters');
    expect(valueOf(`${'('.repeat(31)}1${')'.repeat(31)}`)).toMatch(
      /^31: brackets, calls and signs may be nested at most 30/,
    );
    expect(valueOf(`${'-'.repeat(31)}1`)).toMatch(/^31: brackets, calls and signs may be nested at most 30/);
    expect(valueOf(`1${'+1'.repeat(100)}`)).toMatch(/: a formula may have at most 200 parts$/);
    expect(valueOf(`-1${'+1'.repeat(99)}`)).toBe('98');
    expect(valueOf(`${' '.repeat(970)}${'1'.repeat(30)}`)).toBe('1'.repeat(30));
    expect(valueOf('1'.repeat(31))).toBe('1: a number may have at most 30 digits');
  });
});

describe('roundToMinorUnits (M2)', () => {
  const money = { digits: 2, rounding: 'HALF_UP' } as const;

  it('rounds the exact value once, ties by the given rounding', () => {
    expect(roundToMinorUnits({ numerator: 10_005n, denominator: 1000n }, money)).toBe(1001);
    expect(
      roundToMinorUnits({ numerator: 10_005n, denominator: 1000n }, { ...money, rounding: 'HALF_EVEN' }),
    ).toBe(1000);
    expect(roundToMinorUnits(moneyValue(-1250, 2), money)).toBe(-1250);
  });

  it('returns a failure for an amount above the maximum of a row', () => {
    const failure = { kind: 'formula-failure', reason: 'exceeds the largest supported amount' };
    expect(roundToMinorUnits({ numerator: 10n ** 14n, denominator: 1n }, money)).toEqual(failure);
    expect(roundToMinorUnits({ numerator: -(10n ** 14n), denominator: 1n }, money)).toEqual(failure);
  });
});
