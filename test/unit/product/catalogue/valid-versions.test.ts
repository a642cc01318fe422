import { describe, expect, it } from 'vitest';
import type { ProductStatus } from '../../../../shared/product/catalogue/product-record.ts';
import {
  selectProductVersion,
  isValidOn,
  isActive,
  isWithin,
  selectListVersion,
  findOverlaps,
} from '../../../../shared/product/catalogue/version-in-force.ts';
import { date } from '../../../support/builders/lending-loan.ts';

function version(
  Version: number,
  StartDate: string | null,
  EndDate: string | null,
  Status: ProductStatus = 'Approved',
) {
  return { Version, Status, StartDate, EndDate };
}

describe('the valid version of a product (L1)', () => {
  const first = version(1, '2020-01-01', '2023-12-31');
  const second = version(2, '2024-01-01', null);

  it.each([
    ['2019-12-31', undefined],
    ['2020-01-01', 1],
    ['2023-12-31', 1],
    ['2024-01-01', 2],
    ['2999-12-31', 2],
  ])('on %s is %s: both ends are inclusive, and null means no end', (day, expected) => {
    expect(selectProductVersion([second, first], date(day))?.Version).toBe(expected);
  });

  it.each(['Draft', 'VersionDraft', 'Closed'] as const)('is never a %s version', (status) => {
    expect(isValidOn(version(1, null, null, status), date('2025-01-01'))).toBe(false);
    expect(selectProductVersion([version(3, null, null, status), first], date('2021-01-01'))).toBe(first);
  });

  it('is the later of two valid versions, in any order', () => {
    const other = version(2, '2023-01-01', null);
    expect(selectProductVersion([first, other], date('2023-06-01'))).toBe(other);
    expect(selectProductVersion([other, first], date('2023-06-01'))).toBe(other);
  });

  it('is undefined without versions', () => {
    expect(selectProductVersion([], date('2025-01-01'))).toBeUndefined();
  });
});

describe('overlapping versions (L1)', () => {
  it.each([
    ['adjacent versions', version(1, null, '2023-12-31'), version(2, '2024-01-01', null), 0],
    ['versions that share a day', version(1, null, '2024-01-01'), version(2, '2024-01-01', null), 1],
    ['a version within another', version(1, null, null), version(2, '2024-01-01', '2024-02-01'), 1],
    ['two versions without an end', version(1, '2020-01-01', null), version(2, '2024-01-01', null), 1],
    ['versions in reverse order of time', version(1, '2024-01-01', null), version(2, null, '2023-12-31'), 0],
    ['an Approved and a Draft version', version(1, null, null), version(2, null, null, 'Draft'), 0],
    ['an Approved and a Closed version', version(1, null, null, 'Closed'), version(2, null, null), 0],
  ])('are reported only if both are Approved and share a day: %s', (_, one, other, expected) => {
    expect(findOverlaps([one, other])).toHaveLength(expected);
  });
});

describe('the version of a list in force (L2)', () => {
  it('is the Active one with the highest number', () => {
    const versions = [
      { Version: 2, Status: 'Active' },
      { Version: 1, Status: 'Active' },
      { Version: 3, Status: 'Draft' },
      { Version: 4, Status: 'Closed' },
    ] as const;
    expect(selectListVersion(versions)).toBe(versions[0]);
    expect(selectListVersion(versions.slice(2))).toBeUndefined();
  });

  it('is the highest one of versions without a status', () => {
    expect(selectListVersion([{ Version: 1 }, { Version: 3 }, { Version: 2 }])).toEqual({ Version: 3 });
  });
});

describe('dated values (L2)', () => {
  it.each([
    ['2024-01-01', '2024-01-31', '2023-12-31', false],
    ['2024-01-01', '2024-01-31', '2024-01-01', true],
    ['2024-01-01', '2024-01-31', '2024-01-31', true],
    ['2024-01-01', '2024-01-31', '2024-02-01', false],
    [null, '2024-01-31', '1900-01-01', true],
    ['2024-01-01', null, '2999-12-31', true],
    [null, null, '2024-01-01', true],
  ])('from %s to %s are valid on %s: %s', (from, to, day, expected) => {
    expect(isWithin(date(day), from, to)).toBe(expected);
  });

  it('of interests have ValueStatus instead of Status', () => {
    expect(isActive({ ValueStatus: 'Active' })).toBe(true);
    expect(isActive({ ValueStatus: 'Draft' })).toBe(false);
    expect(isActive({ Status: 'Closed' })).toBe(false);
  });
});
