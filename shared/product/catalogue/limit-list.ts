/** Limits of offers that a law sets, as data of the catalogue (Q9). */

import { anyNumber } from '../../platform/json-kinds.ts';
import { listFields } from './list-records.ts';
import {
  items,
  itemStatus,
  maybeDay,
  maybeText,
  name,
  recordOf,
  type RecordOf,
  word,
} from './record-kinds.ts';

/** The figures of an offer that have limits, each in percent. */
export const LIMITED_FIGURES = [
  'InterestPercent',
  'APRC',
  'ChargesPercent',
  'TotalCostPercent',
  'PaymentToIncomePercent',
] as const;
export type LimitedFigure = (typeof LIMITED_FIGURES)[number];

const limit = recordOf({
  Name: name(),
  Status: itemStatus(),
  Figure: word(LIMITED_FIGURES)(),
  /** In percent. An offer with this figure is within the limit. */
  Largest: anyNumber(),
  /** Codes or names of product types; empty means all. */
  ProductTypes: items(name()),
  /** Where the limit comes from, such as a law. */
  Source: maybeText(),
  ValidFrom: maybeDay(),
  ValidTo: maybeDay(),
});

export type LimitRecord = RecordOf<typeof limit>;

export const LIMIT_LIST_SHAPE = recordOf({ ...listFields(), Limits: items(limit) });
export type LimitListRecord = RecordOf<typeof LIMIT_LIST_SHAPE>;
