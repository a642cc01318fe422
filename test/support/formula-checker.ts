/** Works out the formulas of explanations as a reader with a calculator would, apart from the code that writes them. */

import { Decimal } from 'decimal.js';
import type { FigureExplanation } from '../../shared/lending/row-explanation.ts';

const Exact = Decimal.clone({ precision: 60 });
const ROW_NUMBERS = /\bof rows? \d+( to \d+)?/g;
const WORDS = /[A-Za-z][A-Za-z ]*/g;
const TOKEN = /\d+(\.\d+)?|[-+*/^()%]|round/g;

/** What is wrong with an explanation, empty when the formula gives the figure: the formula, its value and the amount. */
export function faultOfExplanation(explanation: FigureExplanation, digits: number): string {
  const { formula, amount } = explanation;
  const figure = new Exact(amount).div(new Exact(10).pow(digits));
  const stated = /(?:=|:) (-?\d+(?:\.\d+)?)$/.exec(formula)?.[1];
  if (stated === undefined) return `${formula}: states no value`;
  if (!figure.equals(stated)) return `${formula}: the figure is ${figure.toString()}`;
  const text = formula.includes(' = ') ? formula.slice(0, formula.lastIndexOf(' = ')) : stated;
  const value = valueOf(text, digits).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP);
  return value.equals(stated) ? '' : `${formula}: is ${value.toString()}`;
}

function valueOf(text: string, digits: number): Decimal {
  const bare = text.replaceAll(ROW_NUMBERS, '').replaceAll(WORDS, (word) => (word === 'round' ? word : ''));
  const tokens = bare.match(TOKEN) ?? [];
  if (tokens.join('') !== bare.replaceAll(' ', '')) throw new Error(`cannot read "${text}"`);
  return new Arithmetic(tokens, digits).whole();
}

/** + - * / ^ with their usual binding, a sign before a number, % for a hundredth, round() to the digits of amounts. */
class Arithmetic {
  readonly #tokens: readonly string[];
  readonly #digits: number;
  #at = 0;

  constructor(tokens: readonly string[], digits: number) {
    this.#tokens = tokens;
    this.#digits = digits;
  }

  whole(): Decimal {
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw new Error(`unread: ${this.#tokens.slice(this.#at).join(' ')}`);
    return value;
  }

  #sum(): Decimal {
    let value = this.#product();
    for (;;) {
      if (this.#take('+')) value = value.plus(this.#product());
      else if (this.#take('-')) value = value.minus(this.#product());
      else return value;
    }
  }

  #product(): Decimal {
    let value = this.#signed();
    for (;;) {
      if (this.#take('*')) value = value.times(this.#signed());
      else if (this.#take('/')) value = value.div(this.#signed());
      else return value;
    }
  }

  #signed(): Decimal {
    return this.#take('-') ? this.#signed().neg() : this.#power();
  }

  #power(): Decimal {
    const base = this.#single();
    return this.#take('^') ? base.pow(this.#signed()) : base;
  }

  #single(): Decimal {
    const isRounded = this.#take('round');
    let value: Decimal;
    if (this.#take('(')) {
      value = this.#sum();
      if (!this.#take(')')) throw new Error('a bracket is not closed');
    } else {
      value = new Exact(this.#tokens[this.#at] ?? 'nothing');
      this.#at += 1;
    }
    if (isRounded) value = value.toDecimalPlaces(this.#digits, Decimal.ROUND_HALF_UP);
    return this.#take('%') ? value.div(100) : value;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}
