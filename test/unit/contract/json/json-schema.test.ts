import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  flag,
  numericFlag,
  objectOf,
  optional,
  optionalList,
} from '../../../../shared/contract/json/field-kinds.ts';
import { publishedSchemas, toJsonSchema } from '../../../../shared/contract/json/json-schema.ts';

const propertyOf = (kind: z.ZodType) => toJsonSchema(z.object({ field: kind })).properties?.['field'];

const orNull = (name: string) => ({
  anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
});
const published = (Root: z.ZodType) => publishedSchemas({ Root });

describe('the JSON Schema of a definition', () => {
  test('has no $schema and allows unknown fields (E3)', () => {
    expect(toJsonSchema(z.object({ a: z.string(), b: z.number().optional() }))).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a'],
    });
  });

  test('merges null into the type and enum of a schema, and keeps the description', () => {
    expect(propertyOf(z.number().nullable().describe('A figure.'))).toEqual({
      type: ['number', 'null'],
      description: 'A figure.',
    });
    expect(propertyOf(z.unknown())).toEqual({});
    expect(propertyOf(z.enum(['a', 'b']).nullish())).toEqual({
      type: ['string', 'null'],
      enum: ['a', 'b', null],
    });
    expect(propertyOf(z.array(z.string().nullable()).max(3).nullish())).toEqual({
      type: ['array', 'null'],
      items: { type: ['string', 'null'] },
      maxItems: 3,
    });
  });

  test('keeps a choice of two types, and merges null into its alternatives', () => {
    const item = z.object({ a: z.string().nullable() });
    const alternatives = [{ properties: { a: { type: ['string', 'null'] } } }, { type: 'boolean' }];
    expect(propertyOf(z.union([item, z.boolean()]))).toMatchObject({ anyOf: alternatives });
    expect(propertyOf(z.union([item, z.boolean(), z.null()]))).toMatchObject({
      anyOf: [...alternatives, { type: 'null' }],
    });
    expect(propertyOf(item.nullish())).toMatchObject({ type: ['object', 'null'] });
  });
});

describe('the schemas of a published document', () => {
  const day = z.object({ day: z.string() }).meta({ id: 'Day' });
  const either = z.union([z.string(), z.array(z.string())]).meta({ id: 'Either' });

  test('are the definitions and their named parts, to which the others refer', () => {
    expect(published(z.object({ from: day.describe('First.'), days: z.array(day) }))).toEqual({
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

  test('are never null: their use is', () => {
    const { Root } = published(
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
    const { Root } = published(
      z.object({ at: z.int().min(0), isHidden: z.literal(true), no: z.int().min(0).max(9) }),
    );
    expect(Root?.properties).toEqual({
      at: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64' },
      isHidden: { type: 'boolean' },
      no: { type: 'integer', minimum: 0, maximum: 9 },
    });
  });

  test('are refused when two different definitions have the same name', () => {
    const A = z.object({ a: day });
    const B = z.object({ b: z.object({ day: z.number() }).meta({ id: 'Day' }) });
    expect(() => publishedSchemas({ A, B })).toThrow('Duplicate schema id "Day"');
  });
});
