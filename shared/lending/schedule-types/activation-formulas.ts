/** Looks up the names of the formulas and compiles them (S3). */

import { assertNever } from '../numbers/assert-never.ts';
import type { ColumnDraft } from './column-draft.ts';
import { compileFormula } from '../formula/compiler.ts';
import { FIRST_EXTRA_SLOT, INPUT_NAMES, READABLE_COLUMNS, SLOTS } from '../formula/scope.ts';
import { namesIn, type FormulaTree } from '../formula/tree.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ActivationFault } from './schedule-type-record.ts';

/** Slots of everything that a formula of these columns may name, by name in lower case. */
export function slotsOf(columns: readonly ColumnDraft[]): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  for (const input of INPUT_NAMES) slots.set(input.toLowerCase(), SLOTS[input]);
  let extraSlot = FIRST_EXTRA_SLOT;
  for (const { name, standard } of columns) {
    if (standard === 'TotalInstallment') continue;
    const slot = standard === undefined ? extraSlot : SLOTS[standard];
    if (standard === undefined) extraSlot += 1;
    if (!slots.has(name.toLowerCase())) slots.set(name.toLowerCase(), slot);
  }
  return slots;
}

/** Compiles the formula of every column whose names are all known; reports the others. */
export function compileFormulas(
  columns: readonly ColumnDraft[],
  rounding: RoundingMode,
  faults: ActivationFault[],
): void {
  const slots = slotsOf(columns);
  for (const column of columns) {
    if (column.tree === undefined) continue;
    const unknown = [...namesIn(column.tree).keys()].filter((name) => !slots.has(name.toLowerCase()));
    for (const name of unknown) faults.push({ column: column.name, message: adviceFor(name, columns) });
    if (unknown.length > 0) continue;
    const slotOf = (name: string): number => slots.get(name.toLowerCase()) ?? 0;
    const expression = compileFormula(column.tree, { slotOf, rounding });
    if ('kind' in expression) {
      const message = `has a formula that cannot be calculated at position ${expression.at}: ${expression.message}`;
      faults.push({ column: column.name, message });
      continue;
    }
    column.expression = expression;
  }
}

function adviceFor(name: string, columns: readonly ColumnDraft[]): string {
  const wanted = name.toLowerCase();
  if (wanted === 'totalinstallment') {
    return 'must not name TotalInstallment, which is calculated last: write PMT + ManagementFee + Insurance';
  }
  const missing = READABLE_COLUMNS.find((known) => known.toLowerCase() === wanted);
  if (missing !== undefined) return `names ${missing} in its formula: list that column before it`;
  const own = columns.filter(({ standard }) => standard === undefined).map((column) => column.name);
  const known = [...READABLE_COLUMNS, ...own, ...INPUT_NAMES].join(', ');
  return `names ${name} in its formula, which is neither a column nor an input; known are ${known}`;
}

/** True when an expression does nothing but add these names up, each once, in any order and case. */
export function isSumOf(tree: FormulaTree, names: readonly string[]): boolean {
  const terms = termsOf(tree)?.map((term) => term.toLowerCase());
  if (terms?.length !== names.length) return false;
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return new Set(terms).size === wanted.size && terms.every((term) => wanted.has(term));
}

function termsOf(tree: FormulaTree): readonly string[] | undefined {
  switch (tree.kind) {
    case 'name':
      return [tree.name];
    case 'operation': {
      const left = tree.operator === '+' ? termsOf(tree.left) : undefined;
      const right = left === undefined ? undefined : termsOf(tree.right);
      return left === undefined || right === undefined ? undefined : [...left, ...right];
    }
    case 'number':
    case 'negation':
    case 'call':
      return undefined;
    default:
      return assertNever(tree);
  }
}
