/**
 * Reads an expression by the closed grammar of rule S2. No part of it is ever executed as code.
 *
 *   comparison := sum [ ( < | <= | > | >= | = | <> ) sum ]
 *   sum        := product { ( + | - ) product }
 *   product    := signed { ( * | / ) signed }
 *   signed     := - signed | number | name | function ( comparison { , comparison } ) | ( comparison )
 */

import {
  MAX_FORMULA_DEPTH,
  FORMULA_FUNCTIONS,
  type FormulaError,
  type FormulaFunction,
  type FormulaOperator,
  type FormulaTree,
  MAX_FORMULA_LENGTH,
  MAX_FORMULA_PARTS,
  formulaError,
} from './tree.ts';

const MAX_DIGITS = 30;

const COMPARISONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '=', '<>']);
const SUMS: ReadonlySet<string> = new Set(['+', '-']);
const PRODUCTS: ReadonlySet<string> = new Set(['*', '/']);

/** The state of the parser. The first error is kept; after it every function returns undefined. */
interface Reading {
  readonly tokens: readonly FormulaToken[];
  readonly end: number;
  next: number;
  depth: number;
  parts: number;
  error: FormulaError | undefined;
}

/** Returns the expression, or an error with its position. Never throws. */
export function parseFormula(text: string): FormulaTree | FormulaError {
  const tokens = tokenize(text);
  if ('kind' in tokens) return tokens;
  const reading: Reading = { tokens, end: text.length + 1, next: 0, depth: 0, parts: 0, error: undefined };
  const tree = parseComparison(reading);
  if (tree === undefined) return reading.error as FormulaError;
  const rest = tokens[reading.next];
  return rest === undefined ? tree : formulaError(rest.at, describeRest(rest));
}

function describeRest(token: FormulaToken): string {
  if (token.text === ')') return 'this ) closes nothing: remove it, or add a ( before';
  if (token.text === ',') return 'a comma may only separate the arguments of min, max, round and if';
  if (COMPARISONS.has(token.text)) {
    return 'comparisons cannot be chained: put one of them in brackets, or use if';
  }
  return `write an operator before ${token.text}`;
}

function parseComparison(reading: Reading): FormulaTree | undefined {
  const left = parseChain(reading, SUMS, parseProduct);
  const token = reading.tokens[reading.next];
  if (left === undefined || token === undefined || !COMPARISONS.has(token.text)) return left;
  reading.next += 1;
  const right = parseChain(reading, SUMS, parseProduct);
  return right === undefined ? undefined : createOperation(reading, token, left, right);
}

function parseProduct(reading: Reading): FormulaTree | undefined {
  return parseChain(reading, PRODUCTS, parseSigned);
}

/** Operands joined by operators of equal precedence, left-associative. */
function parseChain(
  reading: Reading,
  operators: ReadonlySet<string>,
  part: (reading: Reading) => FormulaTree | undefined,
): FormulaTree | undefined {
  let tree = part(reading);
  for (;;) {
    const token = reading.tokens[reading.next];
    if (tree === undefined || token === undefined || !operators.has(token.text)) return tree;
    reading.next += 1;
    const right = part(reading);
    tree = right === undefined ? undefined : createOperation(reading, token, tree, right);
  }
}

function createOperation(
  reading: Reading,
  token: FormulaToken,
  left: FormulaTree,
  right: FormulaTree,
): FormulaTree | undefined {
  const operator = token.text as FormulaOperator;
  return countPart(reading, { kind: 'operation', at: token.at, operator, left, right });
}

function parseSigned(reading: Reading): FormulaTree | undefined {
  const token = reading.tokens[reading.next];
  if (token === undefined) return fail(reading, reading.end, 'a number, a name or ( is missing at the end');
  reading.next += 1;
  if (token.kind === 'number') return parseNumber(reading, token);
  if (token.kind === 'name') return parseName(reading, token);
  if (token.text !== '-' && token.text !== '(') {
    return fail(reading, token.at, `expected a number, a name or ( here, not ${token.text}`);
  }
  return parseNested(reading, token, token.text === '-' ? parseNegation : parseBracket);
}

function parseNested(
  reading: Reading,
  token: FormulaToken,
  read: (reading: Reading, token: FormulaToken) => FormulaTree | undefined,
): FormulaTree | undefined {
  if (reading.depth >= MAX_FORMULA_DEPTH) {
    const message = `brackets, calls and signs may be nested at most ${MAX_FORMULA_DEPTH} levels deep`;
    return fail(reading, token.at, message);
  }
  reading.depth += 1;
  const tree = read(reading, token);
  reading.depth -= 1;
  return tree;
}

function parseNegation(reading: Reading, token: FormulaToken): FormulaTree | undefined {
  const of = parseSigned(reading);
  return of === undefined ? undefined : countPart(reading, { kind: 'negation', at: token.at, of });
}

function parseBracket(reading: Reading, token: FormulaToken): FormulaTree | undefined {
  const tree = parseComparison(reading);
  return tree !== undefined && expectClosing(reading, token) ? tree : undefined;
}

function expectClosing(reading: Reading, opening: FormulaToken): boolean {
  const token = reading.tokens[reading.next];
  if (token?.text !== ')') {
    const found = token === undefined ? '' : `, not ${token.text}`;
    fail(reading, token?.at ?? reading.end, `the ( at ${opening.at} needs its ) here${found}`);
    return false;
  }
  reading.next += 1;
  return true;
}

function parseName(reading: Reading, token: FormulaToken): FormulaTree | undefined {
  const opening = reading.tokens[reading.next];
  const name = token.text.toLowerCase();
  if (opening?.text !== '(') {
    if (isFunction(name)) return fail(reading, token.at, `${name} needs its values in brackets`);
    return countPart(reading, { kind: 'name', at: token.at, name: token.text });
  }
  if (!isFunction(name)) {
    const known = Object.keys(FORMULA_FUNCTIONS).join(', ');
    return fail(reading, token.at, `there is no function ${token.text}; known: ${known}`);
  }
  reading.next += 1;
  return parseNested(reading, token, () => parseCall(reading, { name, at: token.at }, opening));
}

function isFunction(name: string): name is FormulaFunction {
  return Object.hasOwn(FORMULA_FUNCTIONS, name);
}

function parseCall(
  reading: Reading,
  { name, at }: { readonly name: FormulaFunction; readonly at: number },
  opening: FormulaToken,
): FormulaTree | undefined {
  const values: FormulaTree[] = [];
  do {
    const value = parseComparison(reading);
    if (value === undefined) return undefined;
    values.push(value);
  } while (skipComma(reading));
  if (!expectClosing(reading, opening)) return undefined;
  const { least, most } = FORMULA_FUNCTIONS[name];
  if (values.length >= least && values.length <= most) {
    return countPart(reading, { kind: 'call', at, name, values });
  }
  const allowed = least === most ? `${least}` : most === 2 ? '1 or 2' : `${least} or more`;
  return fail(reading, at, `${name} takes ${allowed} values, separated by commas`);
}

function skipComma(reading: Reading): boolean {
  if (reading.tokens[reading.next]?.text !== ',') return false;
  reading.next += 1;
  return true;
}

function parseNumber(reading: Reading, token: FormulaToken): FormulaTree | undefined {
  const [whole = '', decimals = ''] = token.text.split('.');
  if (whole.length + decimals.length > MAX_DIGITS) {
    return fail(reading, token.at, `a number may have at most ${MAX_DIGITS} digits`);
  }
  const value = { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
  return countPart(reading, { kind: 'number', at: token.at, value });
}

function countPart(reading: Reading, tree: FormulaTree): FormulaTree | undefined {
  reading.parts += 1;
  if (reading.parts <= MAX_FORMULA_PARTS) return tree;
  return fail(reading, tree.at, `a formula may have at most ${MAX_FORMULA_PARTS} parts`);
}

function fail(reading: Reading, at: number, message: string): undefined {
  reading.error ??= formulaError(at, message);
  return undefined;
}

interface FormulaToken {
  readonly kind: 'number' | 'name' | 'sign';
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z][A-Za-z0-9_]*)|(?<sign><=|>=|<>|[-+*/(),<>=]))/y;

/** The tokens in order, or an error with its position. Takes linear time. */
export function tokenize(text: string): readonly FormulaToken[] | FormulaError {
  if (text.length > MAX_FORMULA_LENGTH) {
    return formulaError(MAX_FORMULA_LENGTH + 1, `must have at most ${MAX_FORMULA_LENGTH} characters`);
  }
  const tokens: FormulaToken[] = [];
  const end = text.trimEnd().length;
  for (let position = 0; position < end; position = TOKEN.lastIndex) {
    TOKEN.lastIndex = position;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) {
      const unread = text.slice(position).trimStart();
      const advice = unread.startsWith('.')
        ? 'a decimal point needs a digit on each side, as in 0.5'
        : 'only numbers, names, + - * / ( ) , and < <= > >= = <> are allowed';
      return formulaError(text.length - unread.length + 1, advice);
    }
    const { number, name, sign } = groups;
    const found = (number ?? name ?? sign) as string;
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    tokens.push({ kind, text: found, at: TOKEN.lastIndex - found.length + 1 });
  }
  return tokens;
}
