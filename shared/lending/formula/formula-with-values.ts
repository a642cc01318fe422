/** A formula as shown in explanations: with numbers in place of names (S6, Explain). */

import { formatValue } from './arithmetic.ts';
import { tokenize } from './parser.ts';
import type { FormulaScope, FormulaValue } from './scope.ts';

interface OpenBracket {
  readonly isRound: boolean;
  hasComma: boolean;
}

/** `Amount / 12` becomes `1000 / 12`; if x is a third, `round(x)` becomes `round((1/3), 0)`. Invalid text is kept. */
export function formatFormulaWithValues(
  text: string,
  slots: ReadonlyMap<string, number>,
  scope: FormulaScope,
): string {
  const tokens = tokenize(text);
  if ('kind' in tokens) return text;
  const open: OpenBracket[] = [];
  let written = '';
  let end = 0;
  let previous = '';
  for (const { at, text: token } of tokens) {
    const slot = slots.get(token.toLowerCase());
    const value = slot === undefined ? undefined : scope.slots[slot];
    written += text.slice(end, at - 1) + completeRound(token, previous, open);
    written += value === undefined ? token : bracketed(value);
    end = at - 1 + token.length;
    previous = token.toLowerCase();
  }
  return written + text.slice(end);
}

/** The text `, 0` to insert before the closing bracket of a `round` without decimals; empty elsewhere. */
function completeRound(token: string, previous: string, open: OpenBracket[]): string {
  const innermost = open.at(-1);
  if (token === '(') open.push({ isRound: previous === 'round', hasComma: false });
  if (token === ',' && innermost !== undefined) innermost.hasComma = true;
  if (token !== ')') return '';
  open.pop();
  return innermost?.isRound === true && !innermost.hasComma ? ', 0' : '';
}

function bracketed(value: FormulaValue): string {
  const text = formatValue(value);
  return text.includes('/') ? `(${text})` : text;
}
