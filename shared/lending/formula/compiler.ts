/** Turns an expression into functions over the slots of a scope, with its constant parts evaluated (S2). */

import { OPERATORS, compareValues } from './arithmetic.ts';
import { ZERO, type FormulaFailure, type FormulaScope, type FormulaValue } from './scope.ts';
import { formulaError, type FormulaError, type FormulaTree } from './tree.ts';
import { divideRounded, type RoundingMode } from '../numbers/rounding.ts';

const MAX_ROUND_DIGITS = 10;

interface FormulaSurroundings {
  readonly getSlot: (name: string) => number;
  readonly rounding: RoundingMode;
}

export interface CompiledExpression {
  readonly evaluate: (scope: FormulaScope) => FormulaValue | FormulaFailure;
  /** The value, if compiling the expression already determines it. */
  readonly constant: FormulaValue | undefined;
}

/** One evaluation. The first failure is kept and replaces the result. */
interface Run {
  readonly slots: readonly FormulaValue[];
  failure: FormulaFailure | undefined;
}

interface Part {
  readonly run: (run: Run) => FormulaValue;
  readonly constant: FormulaValue | undefined;
}

interface Compiling extends FormulaSurroundings {
  error: FormulaError | undefined;
}

/** Returns an error for division by a constant zero, or if the decimals of `round` are not a constant from 0 to 10. */
export function compileFormula(
  tree: FormulaTree,
  surroundings: FormulaSurroundings,
): CompiledExpression | FormulaError {
  const compiling: Compiling = { ...surroundings, error: undefined };
  const part = compile(tree, compiling);
  if (compiling.error !== undefined) return compiling.error;
  const evaluate = ({ slots }: FormulaScope): FormulaValue | FormulaFailure => {
    const run: Run = { slots, failure: undefined };
    const value = part.run(run);
    return run.failure ?? value;
  };
  return { evaluate, constant: part.constant };
}

function compile(tree: FormulaTree, compiling: Compiling): Part {
  switch (tree.kind) {
    case 'number':
      return createConstant(tree.value);
    case 'name': {
      const slot = compiling.getSlot(tree.name);
      return { run: ({ slots }) => slots[slot] ?? ZERO, constant: undefined };
    }
    case 'negation':
      return foldConstants([compile(tree.of, compiling)], ([value = ZERO]) => ({
        numerator: -value.numerator,
        denominator: value.denominator,
      }));
    case 'operation':
      return compileOperation(tree, compiling);
    case 'call':
      return compileCall(tree, compiling);
    default:
      return tree satisfies never;
  }
}

function createConstant(value: FormulaValue): Part {
  return { run: () => value, constant: value };
}

/** A node whose value depends only on its operands; calculated at compile time if all are constant. */
function foldConstants(
  parts: readonly Part[],
  calculate: (values: readonly FormulaValue[]) => FormulaValue,
): Part {
  const constants = parts.map((part) => part.constant).filter((constant) => constant !== undefined);
  if (constants.length === parts.length) return createConstant(calculate(constants));
  return { run: (run) => calculate(parts.map((part) => part.run(run))), constant: undefined };
}

function compileOperation(tree: Extract<FormulaTree, { kind: 'operation' }>, compiling: Compiling): Part {
  const left = compile(tree.left, compiling);
  const right = compile(tree.right, compiling);
  if (tree.operator === '/') return compileDivision(left, right, tree.at, compiling);
  const calculate = OPERATORS[tree.operator];
  return foldConstants([left, right], ([a = ZERO, b = ZERO]) => calculate(a, b));
}

function compileDivision(left: Part, right: Part, at: number, compiling: Compiling): Part {
  if (right.constant?.numerator === 0n) {
    compiling.error ??= formulaError(at, 'this divides by zero, which has no value');
    return createConstant(ZERO);
  }
  const failure: FormulaFailure = { kind: 'formula-failure', reason: `divides by zero at position ${at}` };
  const run = (current: Run): FormulaValue => {
    const dividend = left.run(current);
    const divisor = right.run(current);
    if (divisor.numerator !== 0n) return divideValues(dividend, divisor);
    current.failure ??= failure;
    return ZERO;
  };
  const isConstant = left.constant !== undefined && right.constant !== undefined;
  return isConstant
    ? createConstant(divideValues(left.constant, right.constant))
    : { run, constant: undefined };
}

function divideValues(dividend: FormulaValue, divisor: FormulaValue): FormulaValue {
  const sign = divisor.numerator < 0n ? -1n : 1n;
  return {
    numerator: sign * dividend.numerator * divisor.denominator,
    denominator: sign * dividend.denominator * divisor.numerator,
  };
}

function compileCall(tree: Extract<FormulaTree, { kind: 'call' }>, compiling: Compiling): Part {
  const parts = tree.values.map((value) => compile(value, compiling));
  switch (tree.name) {
    case 'min':
      return foldConstants(parts, (values) => findExtreme(values, -1));
    case 'max':
      return foldConstants(parts, (values) => findExtreme(values, 1));
    case 'round':
      return compileRound(parts, tree.values[1]?.at ?? tree.at, compiling);
    case 'if':
      return compileChoice(parts);
    default:
      return tree.name satisfies never;
  }
}

function findExtreme(values: readonly FormulaValue[], sign: 1 | -1): FormulaValue {
  return values.reduce((best, value) => (compareValues(value, best) * sign > 0 ? value : best));
}

/** Only the chosen branch is evaluated, so that `if(x = 0, 0, 1 / x)` has a value for every x. */
function compileChoice([
  condition = createConstant(ZERO),
  yes = condition,
  no = condition,
]: readonly Part[]): Part {
  if (condition.constant !== undefined) return condition.constant.numerator === 0n ? no : yes;
  return {
    run: (run) => (condition.run(run).numerator === 0n ? no.run(run) : yes.run(run)),
    constant: undefined,
  };
}

function compileRound(
  [value = createConstant(ZERO), digits]: readonly Part[],
  at: number,
  compiling: Compiling,
): Part {
  const kept = digits === undefined ? ZERO : digits.constant;
  const count = kept?.denominator === 1n ? Number(kept.numerator) : -1;
  if (count < 0 || count > MAX_ROUND_DIGITS) {
    const message = `round keeps a fixed number of decimals, from 0 to ${MAX_ROUND_DIGITS}`;
    compiling.error ??= formulaError(at, message);
    return value;
  }
  const scale = 10n ** BigInt(count);
  return foldConstants([value], ([exact = ZERO]) => ({
    numerator: divideRounded(exact.numerator * scale, exact.denominator, compiling.rounding),
    denominator: scale,
  }));
}
