import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../shared/platform/nearest-name.ts';

const NAMES = ['Amount', 'AdvanceAmount', 'InstallmentsNo', 'InstallmentDay', 'FeeId', 'PMT'];

describe('the nearest name', () => {
  it.each([
    ['Amout', 'Amount'],
    ['amount', 'Amount'],
    ['Amuont', 'Amount'],
    ['Ammount', 'Amount'],
    ['InstalmentsNo', 'InstallmentsNo'],
    ['InstalmentDy', 'InstallmentDay'],
    ['FeId', 'FeeId'],
    ['PTM', 'PMT'],
  ])('of %s is %s', (given, nearest) => {
    expect(nearestName(given, NAMES)).toBe(nearest);
  });

  it.each(['Colour', 'x', '', 'Am', 'AdvanceDay', '\u{1f600}', 'Amount'.repeat(20)])(
    'is not made up for "%s"',
    (given) => {
      expect(nearestName(given, NAMES)).toBeUndefined();
    },
  );

  it('is the first of several that are as near', () => {
    expect(nearestName('ab', ['ac', 'ad'])).toBe('ac');
  });
});
