/** The syntax tree of an expression (S2), before its names are resolved. */

import type { FormulaValue } from './scope.ts';

export const MAX_FORMULA_LENGTH = 1000;
/** Maximum number of numbers, names, operators and calls in an expression, which bounds the work of every row. */
export const MAX_FORMULA_PARTS = 200;
export const MAX_FORMULA_DEPTH = 30;

export type FormulaOperator = '+' | '-' | '*' | '/' | '<' | '<=' | '>' | '>=' | '=' | '<>';

/** The functions, with the least and the greatest number of arguments. */
export const FORMULA_FUNCTIONS = {
  min: { least: 2, most: MAX_FORMULA_PARTS },
  max: { least: 2, most: MAX_FORMULA_PARTS },
  round: { least: 1, most: 2 },
  if: { least: 3, most: 3 },
} as const;

export type FormulaFunction = keyof typeof FORMULA_FUNCTIONS;

/** An expression. `at` is the position (from 1) of its operator, name or number in the text. */
export type FormulaTree =
  | { readonly kind: 'number'; readonly at: number; readonly value: FormulaValue }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'negation'; readonly at: number; readonly of: FormulaTree }
  | {
      readonly kind: 'operation';
      readonly at: number;
      readonly operator: FormulaOperator;
      readonly left: FormulaTree;
      readonly right: FormulaTree;
    }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly name: FormulaFunction;
      readonly values: readonly FormulaTree[];
    };

/** A fault of an expression: its position in the text (from 1), and a message that says how to correct it. */
export interface FormulaError {
  readonly kind: 'formula-error';
  readonly at: number;
  readonly message: string;
}

export function formulaError(at: number, message: string): FormulaError {
  return { kind: 'formula-error', at, message };
}

/** The names in an expression, as spelled there, each with its first position. */
export function collectNames(tree: FormulaTree): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  visit(tree, (part) => {
    if (part.kind === 'name' && !names.has(part.name)) names.set(part.name, part.at);
  });
  return names;
}

function visit(tree: FormulaTree, see: (part: FormulaTree) => void): void {
  see(tree);
  if (tree.kind === 'negation') visit(tree.of, see);
  if (tree.kind === 'operation') {
    visit(tree.left, see);
    visit(tree.right, see);
  }
  if (tree.kind === 'call') for (const value of tree.values) visit(value, see);
}
