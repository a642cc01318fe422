import { describe, expect, it } from 'vitest';
import type { ProductStatus } from '../../../../shared/product/catalogue/product-record.ts';
import {
  selectProductVersion,
  isValidOn,
  daysOverlap,
  isActive,
  isWithin,
  selectListVersion,
  findOverlaps,
  indexValues,
  valueOn,
  valuesOn,
} from '../../../../shared/product/catalogue/valid-versions.ts';
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

  it('are reported in pairs', () => {
    const [one, two, three] = [1, 2, 3].map((number) => version(number, null, null));
    expect(findOverlaps([one!, two!, three!])).toEqual([
      [one, two],
      [one, three],
      [two, three],
    ]);
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
  ])('from %s to %s are valid on %s: %s', (from, to, day, expected) => {
    expect(isWithin(date(day), from, to)).toBe(expected);
  });

  it('overlap if they share a day, in either order', () => {
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

  it('are returned if they are Active and valid on the day, in catalogue order', () => {
    const old = value(null, '2023-12-31');
    const draft = value('2024-01-01', null, 'Draft');
    const closed = value('2024-01-01', null, 'Closed');
    const current = value('2024-01-01', null);
    const values = [old, draft, closed, current];
    expect(valuesOn(values, date('2024-05-01'))).toEqual([current]);
    expect(valueOn(values, date('2023-05-01'))).toBe(old);
    expect(valueOn([draft, closed], date('2024-05-01'))).toBeUndefined();
  });

  it('of interests have ValueStatus instead of Status', () => {
    expect(isActive({ ValueStatus: 'Active' })).toBe(true);
    expect(isActive({ ValueStatus: 'Draft' })).toBe(false);
    expect(isActive({ Status: 'Closed' })).toBe(false);
  });

  it('are found by an index in any order and with gaps', () => {
    const values = [
      { ValidFrom: '2024-03-01', ValidTo: '2024-03-31' },
      { ValidFrom: null, ValidTo: '2023-12-31' },
      { ValidFrom: '2024-05-01', ValidTo: null },
      { ValidFrom: '2024-01-15', ValidTo: '2024-02-14' },
    ].map((days) => ({ ...days, Status: 'Active' as const }));
    const find = indexValues([...values, { ValidFrom: null, ValidTo: null, Status: 'Draft' }]);
    const days = ['2000-01-01', '2023-12-31', '2024-01-01', '2024-01-15', '2024-02-14', '2024-02-15'];
    for (const day of [...days, '2024-03-01', '2024-03-31', '2024-04-01', '2024-05-01', '2999-12-31']) {
      expect(find(date(day))).toBe(valueOn(values, date(day)));
    }
    expect(indexValues([])(date('2024-01-01'))).toBeUndefined();
  });
});
