/** Cuts the text of an expression into numbers, names and signs (S2). */

import { formulaError, LONGEST_FORMULA, type FormulaError } from './tree.ts';

/** One piece of an expression with its position (from 1). */
export interface FormulaToken {
  readonly kind: 'number' | 'name' | 'sign';
  readonly text: string;
  readonly at: number;
}

const TOKEN = /(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z][A-Za-z0-9_]*)|(?<sign><=|>=|<>|[-+*/(),<>=])/y;
const BLANKS = /\s*/y;

/** The pieces in their order, or where the text cannot be read. Takes time in proportion to the text. */
export function tokensOf(text: string): readonly FormulaToken[] | FormulaError {
  if (text.length > LONGEST_FORMULA) {
    return formulaError(LONGEST_FORMULA + 1, `must have at most ${LONGEST_FORMULA} characters`);
  }
  const tokens: FormulaToken[] = [];
  let position = afterBlanks(text, 0);
  while (position < text.length) {
    TOKEN.lastIndex = position;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return unreadable(text, position);
    const { number, name, sign } = groups;
    const found = number ?? name ?? sign ?? '';
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: found, at: position + 1 });
    position = afterBlanks(text, position + found.length);
  }
  return tokens;
}

function afterBlanks(text: string, position: number): number {
  BLANKS.lastIndex = position;
  return position + (BLANKS.exec(text)?.[0].length ?? 0);
}

function unreadable(text: string, position: number): FormulaError {
  const advice =
    text[position] === '.'
      ? 'a decimal point needs a digit on each side, as in 0.5'
      : 'only numbers, names, + - * / ( ) , and < <= > >= = <> are allowed';
  return formulaError(position + 1, advice);
}
