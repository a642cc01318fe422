import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../shared/platform/nearest-name.ts';

const NAMES = ['Amount', 'AdvanceAmount', 'InstallmentsNo', 'InstallmentDay', 'FeeId', 'PMT'];

describe('nearestName', () => {
  it.each([
    ['Amout', 'Amount'],
    ['amount', 'Amount'],
    ['Amuont', 'Amount'],
    ['Ammount', 'Amount'],
    ['InstalmentsNo', 'InstallmentsNo'],
    ['InstalmentDy', 'InstallmentDay'],
    ['FeId', 'FeeId'],
    ['PTM', 'PMT'],
  ])('for %s finds the name %s', (given, nearest) => {
    expect(nearestName(given, NAMES)).toBe(nearest);
  });

  it.each(['Colour', 'x', '', 'Am', 'AdvanceDay', '\u{1f600}', 'Amount'.repeat(20)])(
    'does not find a name for "%s"',
    (given) => {
      expect(nearestName(given, NAMES)).toBeUndefined();
    },
  );

  it('returns the first of several equally similar names', () => {
    expect(nearestName('ab', ['ac', 'ad'])).toBe('ac');
  });
});
