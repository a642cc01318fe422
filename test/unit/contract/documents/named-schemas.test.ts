import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { nameSchemas } from '../../../../shared/contract/documents/named-schemas.ts';
import {
  flag,
  numericFlag,
  objectOf,
  optional,
  optionalList,
} from '../../../../shared/contract/json/field-kinds.ts';
import { toJsonSchema } from '../../../../shared/contract/json/json-schema.ts';

const day = z.object({ day: z.string() }).meta({ id: 'Day' });
const orNull = (name: string) => ({
  anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
});
const either = z.union([z.string(), z.array(z.string())]).meta({ id: 'Either' });
const namesOf = (kind: z.ZodType) => nameSchemas({ Root: toJsonSchema(kind) });

describe('the named schemas of a document', () => {
  test('are the roots and their named parts, to which the others refer', () => {
    expect(namesOf(z.object({ from: day.describe('First.'), days: z.array(day) }))).toEqual({
      Day: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      Root: {
        type: 'object',
        properties: {
          from: { $ref: '#/components/schemas/Day', description: 'First.' },
          days: { type: 'array', items: { $ref: '#/components/schemas/Day' } },
        },
        required: ['from', 'days'],
      },
    });
  });

  test('have the description of their only use, which the reference does not repeat', () => {
    const { Day, Root } = namesOf(z.object({ from: day.describe('First.') }));
    expect(Day?.description).toBe('First.');
    expect(Root?.properties?.['from']).toEqual({ $ref: '#/components/schemas/Day' });
  });

  test('are never null: their use is', () => {
    const { Root } = namesOf(
      objectOf({
        day: optional(day),
        on: optional(flag()),
        off: optional(numericFlag()),
        either: optional(either),
        list: optionalList(day, 2),
      }),
    );
    expect(Root?.properties).toEqual({
      day: orNull('Day'),
      on: { type: ['boolean', 'null'] },
      off: { type: ['integer', 'null'], minimum: 0, maximum: 1 },
      either: orNull('Either'),
      list: { type: ['array', 'null'], maxItems: 2, items: { $ref: '#/components/schemas/Day' } },
    });
  });

  test('have a format for long numbers and no constant true or false, which generators cannot use', () => {
    const { Root } = namesOf(
      z.object({ at: z.int().min(0), isHidden: z.literal(true), no: z.int().min(0).max(9) }),
    );
    expect(Root?.properties).toEqual({
      at: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' },
      isHidden: { type: 'boolean' },
      no: { type: 'integer', minimum: 0, maximum: 9 },
    });
  });

  test('are refused without a name, by the place of the object or union', () => {
    expect(() => namesOf(z.object({ at: z.array(z.object({ x: z.string() })) }))).toThrow(
      /^Root\.at\.\[\] needs a name/,
    );
    expect(() => namesOf(z.object({ at: z.union([z.string(), z.number()]) }))).toThrow(
      /^Root\.at needs a name/,
    );
  });

  test('are refused when two different ones have the same name, in one root or in two', () => {
    const other = z.object({ day: z.number() }).meta({ id: 'Day' });
    expect(() => namesOf(z.object({ a: day, b: other }))).toThrow('Duplicate schema id "Day"');
    const roots = { A: toJsonSchema(z.object({ a: day })), B: toJsonSchema(z.object({ b: other })) };
    expect(() => nameSchemas(roots)).toThrow('two different schemas have the name Day');
  });
});
