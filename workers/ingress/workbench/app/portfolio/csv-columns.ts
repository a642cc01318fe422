/** The columns of a portfolio in CSV, and the JSON values of their cells, as in `npm run recalculate`. */
import type { FormField } from '../schedules/form-field.ts';

/** A field of a request, as far as its column needs it. */
export type RequestField = Pick<FormField, 'name' | 'kind'>;

type ColumnKind = FormField['kind'] | 'id' | 'json';

export interface Column {
  /** The name in the interface. */
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A fault of the first line, with the names of the columns that have it. */
export interface ColumnFault {
  readonly kind: 'unknown' | 'twice' | 'no-id' | 'no-request' | 'two-requests';
  readonly names: readonly string[];
}

const OWN_COLUMNS: readonly Column[] = [
  { name: 'id', kind: 'id' },
  { name: 'jsonParam', kind: 'json' },
  { name: 'schedule', kind: 'json' },
];
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The columns that a first line names, case-insensitive, or all its faults. */
export function readColumns(
  names: readonly string[],
  fields: readonly RequestField[],
): readonly Column[] | readonly ColumnFault[] {
  const known = new Map([...OWN_COLUMNS, ...fields].map((column) => [column.name.toLowerCase(), column]));
  const columns = names.flatMap((name) => known.get(name.trim().toLowerCase()) ?? []);
  const unknown = names.filter((name) => !known.has(name.trim().toLowerCase()));
  const twice = columns.filter((column, index) => columns.indexOf(column) !== index).map(({ name }) => name);
  const has = (wanted: string): boolean => columns.some(({ name }) => name === wanted);
  const isWhole = has('jsonParam');
  const hasFields = columns.some((column) => !OWN_COLUMNS.includes(column));
  const faults: readonly (readonly [boolean, ColumnFault])[] = [
    [unknown.length > 0, { kind: 'unknown', names: unknown }],
    [twice.length > 0, { kind: 'twice', names: [...new Set(twice)] }],
    [!has('id'), { kind: 'no-id', names: ['id'] }],
    [!isWhole && !hasFields, { kind: 'no-request', names: ['jsonParam'] }],
    [isWhole && hasFields, { kind: 'two-requests', names: ['jsonParam'] }],
  ];
  const found = faults.flatMap(([isAtFault, fault]) => (isAtFault ? [fault] : []));
  return found.length > 0 ? found : columns;
}

/** The value of a cell that is not empty. Text that does not fit its field is left for the engine to refuse. */
export function readCell(kind: Exclude<FormField['kind'], 'list'>, cell: string): unknown {
  if (kind === 'text' || kind === 'date') return cell;
  if (JSON_NUMBER.test(cell)) return Number(cell);
  const word = cell.toLowerCase();
  return kind === 'flag' && (word === 'true' || word === 'false') ? word === 'true' : cell;
}
