import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { limitFaults, shapeFault } from '../../../../shared/contract/json/faults.ts';
import { optional, optionalList, text } from '../../../../shared/contract/json/field-kinds.ts';
import { toJsonSchema } from '../../../../shared/contract/json/json-schema.ts';
import { fieldTree, surveyFields } from '../../../../shared/contract/json/unknown-fields.ts';
import { keepDigits } from '../../../../shared/platform/json.ts';

const item = z.object({ Name: text() });
const tree = fieldTree(
  toJsonSchema(
    z.object({
      Amount: optional(text()),
      Items: optionalList(item, 2),
      Part: optional(z.object({ A: text() })),
    }),
  ),
);
const survey = (body: unknown) => surveyFields(tree, body);
const messagesOf = (body: unknown) =>
  survey(body)
    .faults()
    .map(({ path, message }) => `${path} ${message}`);
const itemsOf = (length: number) => ({ Items: Array.from({ length }, () => ({ x: 1 })) });
const missing = (length: number) => Array.from({ length }, () => shapeFault('a', 'missing', 'is missing'));

describe('surveyFields', () => {
  test('refuses a number with many digits in place of an object', () => {
    const [body, list] = ['{"Part":1.00000000000000000001}', '{"Items":[1.00000000000000000001]}'].map(
      (sent) => JSON.parse(sent, keepDigits),
    );
    expect(survey(body).overlong).toMatchObject([{ path: 'Part', code: 'wrong-type' }]);
    expect(survey(list).overlong).toMatchObject([{ path: 'Items[0]', code: 'wrong-type' }]);
  });

  test('finds unknown fields at all levels, with their paths', () => {
    const body = {
      Amount: 'x',
      amount: 1,
      Items: [{ Name: 'a' }, { Name: 'b', name: 1 }],
      Part: { A: 'x', B: 1 },
    };
    expect(survey(body)).toMatchObject({
      warnings: [
        { code: 'unknown-member', path: 'amount' },
        { code: 'unknown-member', path: 'Items[1].name' },
        { code: 'unknown-member', path: 'Part.B' },
      ],
      overlong: [],
    });
  });

  test.each([null, 5, 'x', [{ a: 1 }], { Items: { a: 1 }, Part: [{ a: 1 }] }, { Items: [5, null] }])(
    'skips values of another type: %j',
    (body) => {
      expect(survey(body)).toMatchObject({ warnings: [], overlong: [] });
    },
  );

  test('reports an overlong list and skips its items', () => {
    expect(survey(itemsOf(2))).toMatchObject({ overlong: [], warnings: [{}, {}] });
    expect(survey(itemsOf(3))).toMatchObject({
      overlong: [{ path: 'Items', code: 'too-many-items', message: 'must have at most 2 items' }],
      warnings: [],
    });
  });

  test('names the nearest known field for the first ten unknown fields only, because comparisons are slow', () => {
    expect(messagesOf({ Amout: 1, Colour: 1 })).toEqual([
      'Amout is not known here and has no effect; did you mean Amount?',
      'Colour is not known here and has no effect',
    ]);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`Amoun${index}`, 1]));
    const hinted = messagesOf(many).map((hint) => hint.endsWith('did you mean Amount?'));
    expect(hinted).toEqual(Array.from({ length: 12 }, (_, index) => index < 10));
  });

  test('reports at most 100 fields, each with at most 60 characters of its name', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x${index}`, 1]));
    expect(survey(many).warnings).toHaveLength(100);
    expect(survey({ ['x'.repeat(61)]: 1 }).warnings).toEqual([
      { code: 'unknown-member', path: 'x'.repeat(60) },
    ]);
  });
});

test('fieldTree throws if a list has no limit', () => {
  expect(() => fieldTree(toJsonSchema(z.object({ a: z.array(z.string()) })))).toThrow('needs maxItems');
});

test('limitFaults lists at most 100 faults; the last one counts the omitted ones', () => {
  expect(limitFaults(missing(100))).toEqual(missing(100));
  expect(limitFaults(missing(102))).toEqual([
    ...missing(99),
    { path: 'body', code: 'more-faults', message: '3 further faults are not listed' },
  ]);
});
