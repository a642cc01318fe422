import { expect, test } from 'vitest';
import { compareFields } from '../../../../scripts/catalogue/publication.ts';

test('finds no differences between equal values', () => {
  expect(compareFields({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
});

test('reports each differing field with its path', () => {
  expect(compareFields({ a: 1, b: { c: 2 }, d: 3 }, { a: 1, b: { c: null }, e: 4 })).toEqual([
    { path: 'b.c', from: 2, to: null },
    { path: 'd', from: 3, to: undefined },
    { path: 'e', from: undefined, to: 4 },
  ]);
});

test('compares the items of lists by position', () => {
  expect(compareFields({ Items: [1, { Id: 'x' }] }, { Items: [1, { Id: 'y' }, 4] })).toEqual([
    { path: 'Items[1].Id', from: 'x', to: 'y' },
    { path: 'Items[2]', from: undefined, to: 4 },
  ]);
});
