import { expect, it } from 'vitest';
import { nearestName } from '../../../shared/platform/nearest-name.ts';

const NAMES = ['Amount', 'AdvanceAmount', 'InstallmentsNo', 'InstallmentDay', 'FeeId', 'PMT'];

it('finds the first of the most similar names, if one is similar', () => {
  const given = ['Amout', 'amount', 'Amuont', 'Ammount', 'InstalmentsNo', 'InstalmentDy', 'FeId', 'PTM'];
  const found = 'Amount Amount Amount Amount InstallmentsNo InstallmentDay FeeId PMT';
  expect(given.map((name) => nearestName(name, NAMES))).toEqual(found.split(' '));
  for (const name of ['Colour', 'x', '', 'Am', 'AdvanceDay', '\u{1f600}', 'Amount'.repeat(20)]) {
    expect([name, nearestName(name, NAMES)]).toEqual([name, undefined]);
  }
  expect(nearestName('ab', ['ac', 'ad'])).toBe('ac');
});
