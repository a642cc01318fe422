import { expect, it } from 'vitest';
import { nearestName } from '../../../shared/platform/nearest-name.ts';

const NAMES = ['Amount', 'AdvanceAmount', 'InstallmentsNo', 'InstallmentDay', 'FeeId', 'PMT'];

it('finds the first of the most similar names, if one is similar', () => {
  const given = ['Amout', 'amount', 'Amuont', 'Ammount', 'InstalmentsNo', 'InstalmentDy', 'FeId', 'PTM'];
  expect(given.map((name) => nearestName(name, NAMES))).toEqual([
    ...Array.from({ length: 4 }, () => 'Amount'),
    ...['InstallmentsNo', 'InstallmentDay', 'FeeId', 'PMT'],
  ]);
  for (const name of ['Colour', 'x', '', 'Am', 'AdvanceDay', '\u{1f600}', 'Amount'.repeat(20)]) {
    expect([name, nearestName(name, NAMES)]).toEqual([name, undefined]);
  }
  expect(nearestName('ab', ['ac', 'ad'])).toBe('ac');
});
