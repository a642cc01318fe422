import { describe, expect, it } from 'vitest';
import {
  daysOverlap,
  isActive,
  isWithin,
  valueOn,
  valuesOn,
} from '../../../../shared/product/catalogue/valid-values.ts';
import { date } from '../../../support/builders/lending-loan.ts';

const value = (
  ValidFrom: string | null,
  ValidTo: string | null,
  Status: 'Active' | 'Draft' | 'Closed' = 'Active',
) => ({ ValidFrom, ValidTo, Status }) as const;

describe('dated values (L2)', () => {
  it.each([
    ['2024-01-01', '2024-01-31', '2023-12-31', false],
    ['2024-01-01', '2024-01-31', '2024-01-01', true],
    ['2024-01-01', '2024-01-31', '2024-01-31', true],
    ['2024-01-01', '2024-01-31', '2024-02-01', false],
    [null, '2024-01-31', '1900-01-01', true],
    ['2024-01-01', null, '2999-12-31', true],
    [null, null, '2024-01-01', true],
  ])('from %s to %s hold on %s: %s', (from, to, day, expected) => {
    expect(isWithin(date(day), from, to)).toBe(expected);
  });

  it('overlap when they share a day, in either order', () => {
    const one = value('2024-01-01', '2024-01-31');
    for (const [other, expected] of [
      [value('2024-01-31', null), true],
      [value('2024-02-01', null), false],
      [value(null, '2023-12-31'), false],
      [value(null, null), true],
    ] as const) {
      expect(daysOverlap(one, other)).toBe(expected);
      expect(daysOverlap(other, one)).toBe(expected);
    }
  });

  it('are answered when they are Active and valid on the day, in catalogue order', () => {
    const old = value(null, '2023-12-31');
    const draft = value('2024-01-01', null, 'Draft');
    const closed = value('2024-01-01', null, 'Closed');
    const current = value('2024-01-01', null);
    const values = [old, draft, closed, current];
    expect(valuesOn(values, date('2024-05-01'))).toEqual([current]);
    expect(valueOn(values, date('2023-05-01'))).toBe(old);
    expect(valueOn([draft, closed], date('2024-05-01'))).toBeUndefined();
  });

  it('of interests call their status ValueStatus', () => {
    expect(isActive({ ValueStatus: 'Active' })).toBe(true);
    expect(isActive({ ValueStatus: 'Draft' })).toBe(false);
    expect(isActive({ Status: 'Closed' })).toBe(false);
  });
});
