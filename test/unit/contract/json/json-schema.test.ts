import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '../../../../shared/contract/json/json-schema.ts';

const propertyOf = (kind: z.ZodType) => toJsonSchema(z.object({ field: kind })).properties?.['field'];

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
