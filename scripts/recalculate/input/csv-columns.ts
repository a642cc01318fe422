/** The columns of a portfolio in CSV for the command: the fields of a request, and faults as sentences with their remedy. */

import { toJsonSchema, type JsonSchema } from '../../../shared/api/json/json-schema.ts';
import { flagKind, isDateSchema } from '../../../shared/api/json/field-kinds.ts';
import { repaymentScheduleFields } from '../../../shared/api/actions/schedule-request-fields.ts';
import { nearestName } from '../../../shared/platform/nearest-name.ts';
import {
  type CellKind,
  type ColumnFault,
  type CsvField,
  OWN_COLUMNS,
} from '../../../shared/portfolio/csv-columns.ts';
import type { CsvValue, NotationFault } from '../../../shared/portfolio/csv-notation.ts';

/** Unknown columns that are compared with the known ones; the first line may be none of columns, and long. */
const MAX_HINTS = 10;
const MAX_SHOWN_NAME = 60;

/** The fields of a request, after which columns are named, in the order and casing of the interface. */
export const CSV_FIELDS: readonly CsvField[] = Object.entries(
  toJsonSchema(repaymentScheduleFields).properties ?? {},
).map(([name, schema]) => ({ name, kind: kindOf(schema) }));

function kindOf(schema: JsonSchema): CellKind {
  if (flagKind(schema) !== undefined) return 'flag';
  const types = new Set([schema.type].flat());
  if (types.has('number') || types.has('integer')) return 'number';
  if (types.has('array') || types.has('object')) return 'json';
  return isDateSchema(schema) ? 'date' : 'text';
}

/** The fault of a header line as a sentence. */
export function columnSentence({ kind, names }: ColumnFault): string {
  if (kind === 'unknown') return unknownSentence(names);
  if (kind === 'twice') return `${names.join(', ')} occurs more than once`;
  if (kind === 'no-id') return 'id is missing; there must be a column with the ids of the contracts';
  if (kind === 'no-request') {
    return 'there is no column for any field of the request; there must be such columns, or the column jsonParam';
  }
  return 'jsonParam contains the whole request; it must not be combined with columns for the fields of the request';
}

function unknownSentence(names: readonly string[]): string {
  const known = [...OWN_COLUMNS, ...CSV_FIELDS.map(({ name }) => name)];
  const shown = names.map((name, index) => {
    const nearest = index < MAX_HINTS ? nearestName(name, known) : undefined;
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return JSON.stringify(name.slice(0, MAX_SHOWN_NAME)) + hint;
  });
  return `not known: ${shown.join(', ')}; --ignore NAME leaves a column out; known columns (case-insensitive) are ${known.join(', ')}`;
}

/** The fault of a notation as a sentence. */
export function notationSentence({ kind, examples }: NotationFault): string {
  const [first, second] = examples.map(exampleText);
  switch (kind) {
    case 'ambiguous-number':
      return `${first} has two readings, and no value of the file decides between them; name its decimal mark with --decimal point or --decimal comma`;
    case 'mixed-numbers':
      return `${first} and ${second} are not in the same notation; correct one of them, or name the decimal mark with --decimal point or --decimal comma`;
    case 'ambiguous-date':
      return `${first} has two readings, and no value of the file decides between them; name the order with --dates day-first or --dates month-first`;
    case 'mixed-dates':
      return `${first} and ${second} are not in the same order; correct one of them, or format the columns as yyyy-mm-dd`;
    default:
      return kind satisfies never;
  }
}

function exampleText({ line, column, value }: CsvValue): string {
  return `${JSON.stringify(value)} (line ${line}, column ${column})`;
}
