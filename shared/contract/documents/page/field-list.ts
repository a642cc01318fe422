/** The fields of a JSON Schema for people: a list in groups that open and close. */

import { joinPath } from '../../../platform/field-path.ts';
import { flagKind, isDateSchema } from '../../json/field-kinds.ts';
import type { JsonSchema } from '../../json/json-schema.ts';
import { html, type Html } from '../html.ts';
import { renderText } from './markdown.ts';

export interface FieldListOptions {
  /** Begins the ids of the fields on the page. */
  readonly id: string;
  /** What the mark of mandatory fields says; of answers, the mark of the others. */
  readonly kind: 'request' | 'answer';
}

/**
 * All fields, nested fields by their path. Many fields are in groups: by subject, and one for each list or object. The first
 * group is open.
 */
export function fieldList(schema: JsonSchema, options: FieldListOptions): Html {
  const fields = listFields(schema);
  const toList = (some: readonly Field[]): Html =>
    html`<dl class="fields">${some.map((field) => toEntry(field, options))}</dl>`;
  if (fields.length <= MAX_UNGROUPED) return toList(fields);
  const groups = [...groupFields(fields)];
  return html`${groups.map(
    ([title, some], index) =>
      html`<details class="group"${index === 0 ? ' open' : ''}><summary>${title} <span>${countOf(some)}</span></summary>${toList(some)}</details>`,
  )}`;
}

/** The id of a field on the page: lists are named without brackets. */
function fieldTarget(id: string, path: string): string {
  return `${id}.${path.replaceAll('[]', '').replace(/^\./, '')}`;
}

/** Fields of a list that is easy to read as a whole. */
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

function toEntry({ path, name, schema, required }: Field, { id, kind }: FieldListOptions): Html {
  const target = fieldTarget(id, path);
  const outer = path.slice(0, path.length - name.length);
  const marks = {
    request: required ? html` <span class="mark required">required</span>` : html``,
    answer: required ? html`` : html` <span class="mark">not always present</span>`,
  };
  return html`<div id="${target}" data-kind="Field"><dt><a class="anchor" href="#${target}"><code><span class="outer">${outer}</span>${name}</code></a> <span class="type">${typeText(schema)}</span>${marks[kind]}</dt><dd>${renderText(schema.description ?? '')}</dd></div>`;
}

/** The type in words with its limits, without null, which always means absent (M6). */
export function typeText(schema: JsonSchema): string {
  if (isDateSchema(schema)) return 'date';
  if (flagKind(schema) !== undefined) return 'true, false, 0, 1';
  if (schema.enum !== undefined) {
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => JSON.stringify(value))
      .join(', ');
  }
  if (schema.maxProperties !== undefined) return 'object of numbers';
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const type = types.filter((one) => one !== 'null').join(' or ');
  return [type, ...limitsOf(schema)].filter((part) => part !== '').join(', ');
}

const NUMBER = new Intl.NumberFormat('en');
const at = (value: number): string => NUMBER.format(value);

function limitsOf(schema: JsonSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, maxLength, maxItems } = schema;
  const highest =
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [`at most ${at(maximum)}`];
  return [
    ...(exclusiveMinimum === undefined ? [] : [`more than ${at(exclusiveMinimum)}`]),
    ...(minimum === undefined || highest.length === 0 ? highest : [`${at(minimum)} to ${at(maximum ?? 0)}`]),
    ...(maxLength === undefined ? [] : [`at most ${at(maxLength)} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${at(maxItems)} items`]),
  ];
}
