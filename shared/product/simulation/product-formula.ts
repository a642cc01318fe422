/** Evaluates banking formulas: expressions of the closed grammar (S2) over the caller's arguments (Q7). */

import { compileFormula } from '../../lending/formula/compiler.ts';
import { parseFormula } from '../../lending/formula/parser.ts';
import { collectNames } from '../../lending/formula/tree.ts';
import { isFormulaFailure } from '../../lending/formula/scope.ts';
import type { Validation } from '../../lending/request/validation.ts';
import { toExact, type ExactFigure } from './exact-figures.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { FormulaRecord } from '../catalogue/record-kinds.ts';
import type { FormulaInput, FormulaInputPart, FormulaInputs } from './simulation.ts';

/** The arguments of one part of jsonInputFormula, and which of them the formulas have read. */
export class FormulaArguments {
  readonly #path: string;
  readonly #validation: Validation;
  readonly #sent: readonly FormulaInput[];
  readonly #figures = new Map<string, ExactFigure>();
  readonly #read = new Set<string>();
  readonly #values = new Map<FormulaRecord, ExactFigure | undefined>();

  constructor(part: FormulaInputPart, inputs: FormulaInputs | undefined, validation: Validation) {
    this.#path = `jsonInputFormula.${part}`;
    this.#validation = validation;
    this.#sent = inputs?.[part] ?? [];
    for (const { name, value } of this.#sent) {
      const key = codeKey(name);
      if (this.#figures.has(key)) {
        validation.reportConflict(`${this.#path}.${name}`, 'must be sent once: names are case-insensitive');
      } else {
        this.#figures.set(key, toExact(value));
      }
    }
  }

  /** Returns undefined, and adds a fault (422) once, if an argument is missing or the formula has no value. */
  evaluate(formula: FormulaRecord): ExactFigure | undefined {
    if (!this.#values.has(formula)) this.#values.set(formula, this.#calculate(formula));
    return this.#values.get(formula);
  }

  #calculate(formula: FormulaRecord): ExactFigure | undefined {
    const figures = this.#figuresFor(formula.Inputs);
    const tree = parseFormula(formula.Expression);
    if (tree.kind === 'formula-error') return this.#fail(formula, tree.message);
    const inputs = formula.Inputs.map(codeKey);
    const unknown = [...collectNames(tree).keys()].filter((name) => !inputs.includes(codeKey(name)));
    if (unknown.length > 0)
      return this.#fail(formula, `names ${unknown.join(', ')}, which is not one of its arguments`);
    const getSlot = (name: string): number => inputs.indexOf(codeKey(name));
    const expression = compileFormula(tree, { getSlot, rounding: 'HALF_UP' });
    if ('kind' in expression) return this.#fail(formula, expression.message);
    if (figures === undefined) return undefined;
    const value = expression.evaluate({ slots: [...figures] });
    return isFormulaFailure(value) ? this.#fail(formula, value.reason) : value;
  }

  /** Warns of arguments that no formula reads (Q7). */
  warnOfUnused(): void {
    for (const { name } of this.#sent) {
      if (!this.#read.has(codeKey(name))) this.#validation.warn(`${this.#path}.${name}`);
    }
  }

  #figuresFor(inputs: readonly string[]): readonly ExactFigure[] | undefined {
    const found: ExactFigure[] = [];
    for (const input of inputs) {
      const key = codeKey(input);
      const figure = this.#figures.get(key);
      if (figure !== undefined) found.push(figure);
      else if (!this.#read.has(key)) {
        const message = 'is missing; must be a number, because a formula reads it';
        this.#validation.reject(`${this.#path}.${input}`, 'missing', message);
      }
      this.#read.add(key);
    }
    return found.length === inputs.length ? found : undefined;
  }

  #fail({ Name }: FormulaRecord, reason: string): undefined {
    const message = `must give the formula ${Name} a value: it ${reason}`;
    this.#validation.reject(this.#path, 'formula-failed', message);
  }
}
