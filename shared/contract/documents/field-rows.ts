/** The members of a JSON Schema as rows of a table, nested ones by their path. */

import { html, type Html } from './html.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import { isDateSchema } from '../json/field-kinds.ts';

/** A row: path, type, whether it is required, meaning. */
type FieldRow = readonly [Html, string, string, string];

/** Rows of all members, each followed by its own members. */
export function fieldRows(schema: JsonSchema, path = ''): FieldRow[] {
  const item = schema.items ?? schema.prefixItems?.[0];
  if (item !== undefined) return fieldRows(item, `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const memberPath = path === '' ? name : `${path}.${name}`;
    const required = schema.required?.includes(name) === true ? 'yes' : 'no';
    const row: FieldRow = [
      html`<code>${memberPath}</code>`,
      typeText(member),
      required,
      member.description ?? '',
    ];
    return [row, ...fieldRows(member, memberPath)];
  });
}

/** The type in words; null is left out, because it always means absent (M6). */
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
