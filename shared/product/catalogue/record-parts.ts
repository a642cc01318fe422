/** What records of the product catalogue are made of. */

/** Lists, their items and the values of these: only Active ones are answered (L2). */
export const ITEM_STATUSES = ['Active', 'Draft', 'Closed'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/**
 * A condition on a figure that a request names (L3): it lies from From to To, both inclusive and null without a bound,
 * or is one of the values, or one of the values of a custom list.
 */
export type ItemFilter =
  | { readonly Name: string; readonly From: number | null; readonly To: number | null }
  | { readonly Name: string; readonly Values: readonly number[] }
  | { readonly Name: string; readonly List: string };

/** An expression whose arguments the caller sends (Q7). */
export interface FormulaRecord {
  readonly Name: string;
  /** In the grammar of schedule type formulas; names are those of Inputs, in any case. */
  readonly Expression: string;
  readonly Inputs: readonly string[];
}

/** What a product and a list have in common. */
export interface VersionedRecord {
  /** Unique among records of its kind in any case, but for other versions of the same. */
  readonly Code: string;
  /** Whole number from 1. */
  readonly Version: number;
  /** GUID of this version. */
  readonly Id: string;
  readonly Name: string;
}

/** The first and the last day on which something holds. */
export interface ValidDays {
  readonly ValidFrom: string | null;
  readonly ValidTo: string | null;
}
