import { expect, test } from 'vitest';
import { asJson, compareFields } from '../../../../scripts/catalogue/field-differences.ts';

test('finds no differences between equal values, ignoring undefined fields', () => {
  expect(compareFields(asJson({ a: [1, { b: null }], c: undefined }), { a: [1, { b: null }] })).toEqual([]);
});

test('reports each differing field with its path', () => {
  expect(compareFields({ a: 1, b: { c: 2 }, d: 3 }, { a: 1, b: { c: null }, e: 4 })).toEqual([
    { path: 'b.c', from: 2, to: null },
    { path: 'd', from: 3, to: undefined },
    { path: 'e', from: undefined, to: 4 },
  ]);
});

test('matches items by their identifying fields, or otherwise by position', () => {
  const from = [
    { Id: 'x', Name: 'One', Value: 1 },
    { Id: 'y', Name: 'Two', Value: 2 },
  ];
  const to = [
    { Id: 'y', Name: 'Two', Value: 3 },
    { Id: 'z', Name: 'Three', Value: 4 },
  ];
  expect(compareFields({ Items: from }, { Items: to })).toEqual([
    { path: 'Items[One]', from: from[0], to: undefined },
    { path: 'Items[Two].Value', from: 2, to: 3 },
    { path: 'Items[Three]', from: undefined, to: to[1] },
  ]);
  expect(compareFields({ Items: [1, 2] }, { Items: [1, 3, 4] })).toEqual([
    { path: 'Items[1]', from: 2, to: 3 },
    { path: 'Items[2]', from: undefined, to: 4 },
  ]);
});

test('reports that items are in a different order', () => {
  const one = { Id: 'x', Name: 'One' };
  const two = { Id: 'y', Name: 'Two' };
  expect(compareFields({ Items: [one, two] }, { Items: [two, one] })).toEqual([
    { path: 'Items (order)', from: ['One', 'Two'], to: ['Two', 'One'] },
  ]);
});
