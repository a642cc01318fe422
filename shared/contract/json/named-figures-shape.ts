/** Figures that a request names, `[{name, value}]`, for the filters of a product's items (L3). */

import { z } from 'zod';
import { amount, optionalList, text, wanted } from './field-kinds.ts';

/** More conditions than this no product has. */
const MOST_FIGURES = 100;

const namedFigure = z.object(
  {
    name: text().describe('Name of the figure, in any case.'),
    value: amount().describe('The figure.'),
  },
  { error: wanted('an object') },
);

/** A list of figures that may be left out. */
export const namedFigures = () => optionalList(namedFigure, MOST_FIGURES);

/** A list for which an empty text may stand as well, as some callers send it. */
export const emptyTextOr = <List extends z.ZodType>(list: List) =>
  z
    .preprocess((sent) => (sent === '' ? undefined : sent), list)
    .optional()
    .meta({ type: ['array', 'string', 'null'], maxLength: 0 });
