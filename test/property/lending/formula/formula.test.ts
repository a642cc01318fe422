import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFormula } from '../../../../shared/lending/formula/compiler.ts';
import { parseFormula } from '../../../../shared/lending/formula/parser.ts';
import { type FormulaValue, isFormulaFailure } from '../../../../shared/lending/formula/scope.ts';

const Wide = Decimal.clone({ precision: 400, rounding: Decimal.ROUND_HALF_UP });
const getSlot = (name: string): number => (name.toLowerCase() === 'x' ? 0 : 1);

/** Evaluates a formula in which every other name counts as x or y; undefined if it is invalid or has no value. */
function evaluate(text: string, x: FormulaValue, y: FormulaValue): FormulaValue | undefined {
  const tree = parseFormula(text);
  if (tree.kind === 'formula-error') return undefined;
  const compiled = compileFormula(tree, { getSlot, rounding: 'HALF_UP' });
  if ('kind' in compiled) return undefined;
  const value = compiled.evaluate({ slots: [x, y] });
  return isFormulaFailure(value) ? undefined : value;
}

function asText(one: Decimal): string {
  return one.isNegative() ? `(${one.toFixed()})` : one.toFixed();
}

const value = fc.record({
  numerator: fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
  denominator: fc.bigInt({ min: 1n, max: 10n ** 6n }),
});

const piece = fc.constantFrom(
  ...'( ) , + - * / < <= > >= = <> x Y min( max( round( if( 0 1 2.5 __proto__ $ .'.split(' '),
  ' ',
  '\n',
);

describe('parseFormula and compileFormula for random texts', () => {
  it('never throw, and report errors at a position within the text or right after it', () => {
    const pieces = fc.array(piece, { maxLength: 60 }).map((all) => all.join(''));
    const text = fc.oneof(fc.string({ maxLength: 80 }), pieces);
    fc.assert(
      fc.property(text, value, value, (formula, x, y) => {
        const tree = parseFormula(formula);
        const position = tree.kind === 'formula-error' ? tree.at : 1;
        expect(position).toBeGreaterThanOrEqual(1);
        expect(position).toBeLessThanOrEqual(formula.length + 1);
        const result = evaluate(formula, x, y);
        expect(result === undefined || result.denominator > 0n).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('equal decimal arithmetic with 400 digits, evaluated from the left', () => {
    const number = fc.integer({ min: -99_999, max: 99_999 }).map((whole) => new Wide(whole).div(100));
    const steps = fc.array(fc.tuple(fc.constantFrom('+', '-', '*'), number), { maxLength: 12 });
    fc.assert(
      fc.property(number, steps, (first, rest) => {
        const text = rest.reduce((left, [sign, one]) => `(${left}) ${sign} ${asText(one)}`, asText(first));
        const expected = rest.reduce((left, [sign, one]) => {
          if (sign === '+') return left.plus(one);
          return sign === '-' ? left.minus(one) : left.times(one);
        }, first);
        const result = evaluate(text, { numerator: 0n, denominator: 1n }, { numerator: 0n, denominator: 1n });
        const found = result && new Wide(String(result.numerator)).div(String(result.denominator));
        expect(found?.toFixed()).toBe(expected.toFixed());
      }),
    );
  });

  it('reverse a division exactly by a multiplication', () => {
    fc.assert(
      fc.property(value, value, (x, y) => {
        fc.pre(y.numerator !== 0n);
        const one = evaluate('x / y * y = x', x, y);
        expect(one).toEqual({ numerator: 1n, denominator: 1n });
      }),
    );
  });
});
