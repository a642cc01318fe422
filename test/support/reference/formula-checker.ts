/** Evaluates the formulas of explanations independently of the code that writes them. */

import { Decimal } from 'decimal.js';
import type { FigureExplanation, ScheduleRow } from '../../../shared/lending/request/repayment-schedule.ts';

const Exact = Decimal.clone({ precision: 60 });
const ROW_NUMBERS = /\bof rows? \d+( to \d+)?/g;
const WORDS = /[A-Za-z][A-Za-z ]*/g;
const FUNCTIONS: ReadonlySet<string> = new Set(['round', 'min', 'max', 'if']);
const TOKEN = /\d+(\.\d+)?|<=|>=|<>|[-+*/^()%,<>=]|round|min|max|if/g;

const FIGURES =
  'remainingValue interest capitalisedInterest principal pmt managementFee insurance totalInstallment'.split(
    ' ',
  );

/** The faults of the explanations of a row, and the names of figures whose explanation has another amount. */
export function faultsOfExplanations(row: ScheduleRow, digits: number): readonly string[] {
  const { explanation = [] } = row;
  const amountOf = (figure: string) =>
    explanation.find((one) => one.figure === figure && one.name === undefined)?.amount;
  const faults = explanation.map((one) => faultOfExplanation(one, digits));
  return [
    ...faults.filter((fault) => fault !== ''),
    ...FIGURES.filter((name) => amountOf(name) !== row[name as keyof ScheduleRow]),
  ];
}

/** The formula, its value and the amount if value and amount differ; otherwise empty. */
function faultOfExplanation(explanation: FigureExplanation, digits: number): string {
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
  const bare = text.replaceAll(ROW_NUMBERS, '').replaceAll(WORDS, (word) => functionIn(word));
  const tokens = bare.match(TOKEN) ?? [];
  if (tokens.join('') !== bare.replaceAll(' ', '')) throw new Error(`cannot read "${text}"`);
  return new Arithmetic(tokens, digits).whole();
}

/** The name of a function in lower case; empty for other words, which only label numbers. */
function functionIn(word: string): string {
  const name = word.trim().toLowerCase();
  return FUNCTIONS.has(name) ? name : '';
}

const COMPARISONS: Readonly<Record<string, (left: Decimal, right: Decimal) => boolean>> = {
  '<': (left, right) => left.lt(right),
  '<=': (left, right) => left.lte(right),
  '>': (left, right) => left.gt(right),
  '>=': (left, right) => left.gte(right),
  '=': (left, right) => left.eq(right),
  '<>': (left, right) => !left.eq(right),
};

/** % is a hundredth, and round() rounds to the decimals of amounts. */
class Arithmetic {
  readonly #tokens: readonly string[];
  readonly #digits: number;
  #at = 0;

  constructor(tokens: readonly string[], digits: number) {
    this.#tokens = tokens;
    this.#digits = digits;
  }

  whole(): Decimal {
    const value = this.#comparison();
    if (this.#at < this.#tokens.length) throw new Error(`unread: ${this.#tokens.slice(this.#at).join(' ')}`);
    return value;
  }

  #sum(): Decimal {
    let value = this.#product();
    for (;;) {
      const isMinus = this.#take('-');
      if (!isMinus && !this.#take('+')) return value;
      value = value[isMinus ? 'minus' : 'plus'](this.#product());
    }
  }

  #product(): Decimal {
    let value = this.#signed();
    for (;;) {
      const isQuotient = this.#take('/');
      if (!isQuotient && !this.#take('*')) return value;
      value = value[isQuotient ? 'div' : 'times'](this.#signed());
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
    const name = [...FUNCTIONS].find((known) => this.#take(known));
    let value: Decimal;
    if (this.#take('(')) {
      const values = [this.#comparison()];
      while (this.#take(',')) values.push(this.#comparison());
      if (!this.#take(')')) throw new Error('unclosed bracket');
      value = this.#called(name, values);
    } else {
      value = new Exact(this.#tokens[this.#at] ?? 'nothing');
      this.#at += 1;
    }
    return this.#take('%') ? value.div(100) : value;
  }

  #comparison(): Decimal {
    const left = this.#sum();
    const compare = COMPARISONS[this.#tokens[this.#at] ?? ''];
    if (compare === undefined) return left;
    this.#at += 1;
    return new Exact(compare(left, this.#sum()) ? 1 : 0);
  }

  #called(name: string | undefined, values: readonly Decimal[]): Decimal {
    const [first = new Exact(0), second, third = first] = values;
    if (name === 'min') return Exact.min(...values);
    if (name === 'max') return Exact.max(...values);
    if (name === 'if') return first.isZero() ? third : (second ?? first);
    if (name !== 'round') return first;
    return first.toDecimalPlaces(second?.toNumber() ?? this.#digits, Decimal.ROUND_HALF_UP);
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}
