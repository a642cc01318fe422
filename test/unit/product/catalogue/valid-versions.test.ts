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

type Bound = string | null;
const version = (Version: number, StartDate: Bound, EndDate: Bound, Status: ProductStatus = 'Approved') => {
  return { Version, Status, StartDate, EndDate };
};

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
    const orders = [[first, other], [other, first], []];
    const chosen = orders.map((versions) => selectProductVersion(versions, date('2023-06-01')));
    expect(chosen).toEqual([other, other, undefined]);
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

it('the version of a list in force is the Active one with the highest number, or the highest without a status (L2)', () => {
  const statuses = ['Active', 'Active', 'Draft', 'Closed'] as const;
  const versions = statuses.map((Status, at) => ({ Version: at + 1, Status }));
  expect(selectListVersion(versions)).toBe(versions[1]);
  expect(selectListVersion(versions.slice(2))).toBeUndefined();
  expect(selectListVersion([{ Version: 1 }, { Version: 3 }, { Version: 2 }])).toEqual({ Version: 3 });
});

describe('dated values (L2)', () => {
  const January = ['2024-01-01', '2024-01-31'] as const;
  it.each([
    [...January, '2023-12-31', false],
    [...January, '2024-01-01', true],
    [...January, '2024-01-31', true],
    [...January, '2024-02-01', false],
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
