/** Decides filters by the figures that a simulation sends or has itself, and reports those that are missing (L4). */

import type { Validation } from '../../lending/request/validation.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { ListsInForce } from '../catalogue/catalogue-view.ts';
import { describeFilter, findUnstated, type NamedFigures, readFigures } from '../catalogue/item-filters.ts';
import type { ItemFilter } from '../catalogue/record-kinds.ts';
import type { SimulateRequest } from './simulation.ts';

type FilterField = 'jsonFilterCommission' | 'jsonInsuranceFilter' | 'jsonDiscountFilter';

interface OwnFigure {
  /** The field of the request to change for another figure. */
  readonly field: 'amount' | 'downPayment' | 'loanPeriod';
  /** Default: `field`. */
  readonly source?: string;
  readonly read: (request: SimulateRequest) => number;
}

/** Figures of the request itself, by the key of the filters that they decide. */
const OWN_FIGURES = new Map<string, OwnFigure>([
  ['amount', { field: 'amount', read: ({ amount }) => amount.toNumber() }],
  ['downpayment', { field: 'downPayment', read: ({ downPayment }) => downPayment?.toNumber() ?? 0 }],
  [
    'financedamount',
    {
      field: 'amount',
      source: 'amount less downPayment',
      read: ({ amount, downPayment }) => amount.minus(downPayment ?? 0).toNumber(),
    },
  ],
  ['loanperiod', { field: 'loanPeriod', read: ({ loanPeriod }) => loanPeriod }],
]);

/** Reads the figures of a field, and adds those of the request itself. A sent figure that differs is a fault (400). */
export function readFilterFigures(
  field: FilterField,
  request: SimulateRequest,
  filters: readonly ItemFilter[],
  validation: Validation,
): NamedFigures {
  const sent = request[field] ?? [];
  const figures = readFigures(field, sent, filters, validation);
  for (const { Name } of filters) {
    const key = codeKey(Name);
    const own = OWN_FIGURES.get(key);
    if (own === undefined) continue;
    const figure = own.read(request);
    const other = figures.get(key);
    if (other === figure) continue;
    if (other !== undefined) {
      const place = sent.findIndex(({ name }) => codeKey(name) === key);
      const message = `must equal ${own.source ?? own.field}, or be left out`;
      validation.reportConflict(`${field}[${place}].value`, message);
    }
    figures.set(key, figure);
  }
  return figures;
}

/** Warns of each missing figure on which the answer depends. */
export function warnOfAssumed(field: FilterField, names: readonly string[], validation: Validation): void {
  if (names.length === 0) return;
  const missing = new Map(names.map((name) => [codeKey(name), name]));
  for (const name of missing.values()) validation.warn(`${field}.${name}`, 'assumed');
}

/** So that the message stays short. */
const MAX_SHOWN_ITEMS = 5;

/**
 * Refuses figures with which no interest-commission item is left (422), unless one of them has a fault of its own. Names
 * the field if the request itself has the figure.
 */
export function refuseWithoutItem(
  items: readonly { readonly Filters: readonly ItemFilter[] }[],
  { figures, lists }: { readonly figures: NamedFigures; readonly lists: ListsInForce },
  validation: Validation,
): void {
  const failing = items.map(({ Filters }) =>
    Filters.filter((filter) => findUnstated([filter], figures, lists) === undefined),
  );
  const own = failing.flat().map(({ Name }) => OWN_FIGURES.get(codeKey(Name))?.field);
  if (validation.faults.some((fault) => own.some((field) => field === fault.path))) return;
  const path = own.includes(undefined) ? 'jsonFilterCommission' : (own[0] ?? 'jsonFilterCommission');
  const required = new Set(failing.map((all) => all.map(describeFilter).join(' and ')));
  const shown = [...required].slice(0, MAX_SHOWN_ITEMS).join(', or ');
  const message = `must suit an interest-commission item of the product, by its filters: ${shown}`;
  validation.reject(path, 'not-allowed', message);
}
