/** Common parts of the records of the product catalogue. */

/** Status of lists, their items and the items' values: only Active ones are returned (L2). */
export const ITEM_STATUSES = ['Active', 'Draft', 'Closed'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/**
 * A condition on a figure of a request (L3): the figure lies between From and To (inclusive, null for no bound), or is one
 * of the values, or one of the values of a custom list.
 */
export type ItemFilter =
  | { readonly Name: string; readonly From: number | null; readonly To: number | null }
  | { readonly Name: string; readonly Values: readonly number[] }
  | { readonly Name: string; readonly List: string };

/** An expression with arguments of the caller (Q7). */
export interface FormulaRecord {
  readonly Name: string;
  /** In the grammar of schedule type formulas; its names are those of Inputs, case-insensitive. */
  readonly Expression: string;
  readonly Inputs: readonly string[];
}

/** Common fields of products and lists. */
export interface VersionedRecord {
  /** Unique among records of its kind case-insensitively, except for other versions of the same record. */
  readonly Code: string;
  /** Whole number from 1. */
  readonly Version: number;
  /** GUID of this version. */
  readonly Id: string;
  readonly Name: string;
}

/** First and last day of a validity. */
export interface ValidDays {
  readonly ValidFrom: string | null;
  readonly ValidTo: string | null;
}
