/** The fields of a JSON Schema as tables for people, in groups that open and close. */

import { joinPath } from '../json/faults.ts';
import { isDateSchema } from '../json/field-kinds.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import { html, table, type Html } from './html.ts';

/**
 * Tables of all fields, nested fields by their path; `presence` is the heading of the column of mandatory fields. Many
 * fields are in groups: by subject, and one for each list or object. The first group is open.
 */
export function fieldTables(presence: 'Required' | 'Present', schema: JsonSchema): Html {
  const fields = listFields(schema);
  const toTable = (some: readonly Field[]): Html =>
    table(['Field', 'Type', presence, 'Meaning'], some.map(toRow));
  if (fields.length <= MAX_UNGROUPED) return toTable(fields);
  const groups = [...groupFields(fields)];
  return html`${groups.map(
    ([title, some], index) =>
      html`<details class="group"${index === 0 ? ' open' : ''}><summary>${title} <span>${countOf(some)}</span></summary>${toTable(some)}</details>`,
  )}`;
}

/** Fields of a table that is easy to read as a whole. */
const MAX_UNGROUPED = 12;

/** Subjects in the order of a loan agreement, with the names of their fields; the first that matches counts. */
const SUBJECTS: readonly (readonly [title: string, names: RegExp])[] = [
  ['Grace periods', /^Grace/i],
  ['Recalculation', /^(?:LastDueDate|Block|IsLocked)/],
  ['Dates and holidays', /Date|Holiday|^InstallmentDay$|^RealInstallmentNo$/],
  ['Charges and annual rates', /^(?:CalculateDAE|UpFrontValue|UnusedAmount|DAE|EIR|AnnualPercentage)/i],
  ['Rate and interest', /Interest|^CapitalPercent$|^BandMethod$|^AllowNegative/],
  ['Sections of the answer', /^display/],
];
const FIRST_SUBJECT = 'Main fields';

interface Field {
  readonly path: string;
  /** Path of the list or object below the root that contains the field; empty for other fields. */
  readonly parent: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** All fields, nested fields after their parent. */
function listFields(schema: JsonSchema, path = '', parent = ''): Field[] {
  if (schema.items !== undefined) {
    return listFields(schema.items, `${path}[]`, path === '' ? '' : `${path}[]`);
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = joinPath(path, name);
    const required = schema.required?.includes(name) === true;
    // The envelope of a request has no fields besides the request.
    const isEnvelope = path === '' && Object.keys(schema.properties ?? {}).length === 1;
    return [
      { path: fieldPath, parent, name, schema: field, required },
      ...listFields(field, fieldPath, isEnvelope ? '' : fieldPath),
    ];
  });
}

/** Groups by subject, then one for each list or object; required fields of the root are in the first. */
function groupFields(fields: readonly Field[]): Map<string, Field[]> {
  const titleOf = ({ name, parent, required }: Field): string =>
    required && parent === ''
      ? FIRST_SUBJECT
      : (SUBJECTS.find(([, names]) => names.test(name))?.[0] ?? FIRST_SUBJECT);
  const subjects = Map.groupBy(
    fields.filter(({ parent }) => parent === ''),
    titleOf,
  );
  const inOrder = [FIRST_SUBJECT, ...SUBJECTS.map(([title]) => title)].flatMap((title) => {
    const some = subjects.get(title);
    return some === undefined ? [] : [[title, some] as const];
  });
  const nested = Map.groupBy(
    fields.filter(({ parent }) => parent !== ''),
    ({ parent }) => parent,
  );
  return new Map([...inOrder, ...nested]);
}

function countOf({ length }: readonly Field[]): string {
  return length === 1 ? '1 field' : `${length} fields`;
}

function toRow({ path, schema, required }: Field) {
  return [html`<code>${path}</code>`, typeText(schema), required ? 'yes' : 'no', schema.description ?? ''];
}

/** The type in words, without null, which always means absent (M6). */
function typeText(schema: JsonSchema): string {
  if (isDateSchema(schema)) return 'date';
  if (schema.enum !== undefined) {
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(', ');
  }
  if (schema.maxProperties !== undefined) return 'object of numbers';
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.filter((type) => type !== 'null').join(' or ');
}
