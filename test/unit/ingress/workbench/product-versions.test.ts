import { describe, expect, it } from 'vitest';
import { timelineTicks } from '../../../../workers/ingress/workbench/app/charts/time-axis.ts';
import { findDifferences } from '../../../../workers/ingress/workbench/app/products/version-differences.ts';
import {
  SECTION_KEYS,
  sectionsOf,
} from '../../../../workers/ingress/workbench/app/products/version-sections.ts';
import {
  findGaps,
  findOverlaps,
  placeSpan,
  timelineDomain,
  versionOn,
} from '../../../../workers/ingress/workbench/app/products/version-timeline.ts';

const version = (number: number, from: string | null, to: string | null, status = 'Approved') => ({
  version: number,
  status,
  validFrom: from,
  validTo: to,
});

describe('the timeline of versions', () => {
  const OLD = version(1, '2020-01-01', '2022-12-31');
  const NEW = version(2, '2023-02-01', null);

  it('shows the days between Approved versions on which none is valid', () => {
    expect(findGaps([NEW, OLD])).toEqual([{ from: '2023-01-01', to: '2023-01-31' }]);
    expect(findGaps([OLD, version(2, '2023-01-01', null)])).toEqual([]);
    expect(findGaps([OLD, version(3, '2021-01-01', '2021-06-30'), NEW])).toHaveLength(1);
    expect(findGaps([OLD, version(2, '2023-01-01', '2023-01-31', 'Draft'), NEW])).toHaveLength(1);
    expect(findGaps([version(1, '2020-01-01', null), NEW])).toEqual([]);
    expect(findGaps([])).toEqual([]);
  });

  it('shows the days on which two Approved versions are valid', () => {
    const [from, to] = ['2022-12-31', '2022-12-31'];
    expect(findOverlaps([OLD, version(2, from, null)])).toEqual([{ from, to, versions: [1, 2] }]);
    expect(findOverlaps([OLD, NEW])).toEqual([]);
    expect(findOverlaps([version(1, null, null), version(2, null, null)])).toEqual([
      { from: null, to: null, versions: [1, 2] },
    ]);
    expect(findOverlaps([OLD, version(2, '2020-01-01', null, 'Draft')])).toEqual([]);
  });

  it('marks the version that is used on a day: the latest Approved one', () => {
    expect(versionOn([OLD, NEW], '2022-12-31')).toBe(OLD);
    expect(versionOn([OLD, NEW], '2023-01-15')).toBeUndefined();
    expect(versionOn([version(3, '2023-02-01', null), NEW], '2024-01-01')?.version).toBe(3);
  });

  it('contains today and all days of change, and cuts ranges that continue', () => {
    const domain = timelineDomain([OLD, version(2, '2023-02-01', '9999-12-31')], '2026-05-01');
    const old = placeSpan({ from: '2020-01-01', to: '2022-12-31' }, domain);
    const open = placeSpan({ from: '2023-02-01', to: '9999-12-31' }, domain);
    expect(old).toMatchObject({ isCutLeft: false, isCutRight: false });
    expect(open).toMatchObject({ isCutLeft: false, isCutRight: true });
    expect((open?.left ?? 0) + (open?.width ?? 0)).toBeCloseTo(100);
    expect(open?.left).toBeGreaterThan((old?.left ?? 0) + (old?.width ?? 0));
    expect(placeSpan({ from: '2090-01-01', to: null }, domain)).toBeUndefined();
    expect(placeSpan({ from: null, to: null }, domain)).toMatchObject({ isCutLeft: true, isCutRight: true });
  });

  it.each([
    { from: '2020-01-01', marks: ['2020-01-01', '2022-01-01', '2024-01-01', '2026-01-01'], isYear: true },
    { from: '2026-04-01', marks: ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'], isYear: false },
    { from: '1985-01-01', marks: ['1990-01-01', '2000-01-01'], isYear: true },
  ])('has a few marks at the beginning of months or years: from $from', ({ from, marks, isYear }) => {
    const ticks = timelineTicks(timelineDomain([version(1, from, null)], '2026-05-01'));
    expect(ticks.length).toBeLessThanOrEqual(8);
    expect(ticks.slice(0, marks.length).map(({ day }) => day)).toEqual(marks);
    expect(new Set(ticks.map((tick) => tick.isYear))).toEqual(new Set([isYear]));
    expect(ticks.every(({ left }) => left >= 0 && left <= 100)).toBe(true);
  });
});

const list = (kind: 'interest-list' | 'insurance-list' | 'discount-list', code: string, record: object) => ({
  kind,
  code,
  version: 1,
  record: { Code: code, Version: 1, ...record },
});

describe('the sections of a version', () => {
  it('leave nothing out: fields without a section of their own are in the last one', () => {
    const product = {
      Id: 'x',
      Version: 2,
      Name: 'Loan',
      GeneralData: { IsRevolving: true },
      NewField: 7,
      None: null,
    };
    const sections = sectionsOf({ product, lists: [] });
    expect(sections).toEqual([
      { key: 'general', content: { Name: 'Loan' } },
      { key: 'terms', content: { IsRevolving: true } },
      { key: 'other', content: { NewField: 7 } },
    ]);
    expect(sectionsOf({ lists: [] })).toEqual([]);
    expect(new Set(SECTION_KEYS).size).toBe(SECTION_KEYS.length);
  });

  it('say what a figure is: a percentage, percentage points or an amount', () => {
    const lists = [
      list('interest-list', 'INT', {
        Interests: [{ Name: 'Fixed', Values: [{ Value: 8, ValueStatus: 'Draft' }] }],
      }),
      list('insurance-list', 'INS', {
        Insurances: [
          { InsuranceName: 'Life', ValueIsPercentage: true, Values: [{ Value: 0.5 }] },
          { InsuranceName: 'Job', ValueIsPercentage: false, Values: [{ Value: 60 }] },
        ],
      }),
      list('discount-list', 'DIS', {
        Discounts: [
          { Name: 'A', DiscountValue: 1, AppliedToDimension: 'Interest', IsPercentage: false },
          { Name: 'B', DiscountValue: 5, AppliedToDimension: 'Commission', IsPercentage: false },
          { Name: 'C', DiscountValue: 10, AppliedToDimension: 'Interest', IsPercentage: true },
        ],
      }),
    ];
    const contents = new Map(sectionsOf({ product: {}, lists }).map(({ key, content }) => [key, content]));
    expect(contents.get('interests')).toMatchObject([
      { List: 'INT', Name: 'Fixed', Values: [{ Percent: 8, Status: 'Draft' }] },
    ]);
    expect(contents.get('insurances')).toMatchObject([
      { Values: [{ Percent: 0.5 }] },
      { Values: [{ Amount: 60 }] },
    ]);
    expect(contents.get('discounts')).toMatchObject([
      { PercentagePoints: 1 },
      { Amount: 5 },
      { Percent: 10 },
    ]);
  });
});

/** Section, kind, place and both sides of each difference. */
const differences = (
  before: object,
  after: object,
  lists: Parameters<typeof sectionsOf>[0]['lists'][] = [[], []],
) =>
  findDifferences(
    sectionsOf({ product: { ...before }, lists: lists[0] ?? [] }),
    sectionsOf({ product: { ...after }, lists: lists[1] ?? [] }),
  ).flatMap(({ key, differences: found }) =>
    found.map(({ kind, path, before: from, after: to }) => [
      key,
      kind,
      path.map((step) => ('day' in step ? `@${step.day}` : step.name)).join('/'),
      from,
      to,
    ]),
  );

const offer = (Id: string, Name: string, To: number) => ({
  Id,
  Name,
  Filters: [{ Name: 'Amount', From: 1, To }],
});

const offering = (...offers: object[]) => ({ InterestsAndCommissions: offers });

const values = (...rates: [number, string][]) => [
  list('interest-list', 'INT', {
    Interests: [
      {
        Name: 'Fixed',
        Values: rates.map(([Value, ValidFrom]) => ({
          Value,
          ValueStatus: 'Active',
          ValidFrom,
          ValidTo: null,
        })),
      },
    ],
  }),
];

const interests = (code: string, id: string, Code: string) => [
  list('interest-list', code, { Interests: [{ Id: id, Name: 'Fixed', Code, Values: [] }] }),
];

const ordered = (...names: string[]) => ({
  PaymentScheduleTypes: names,
  Documents: names.map((DisplayName) => ({ DisplayName })),
});

describe('the differences between two versions', () => {
  it('are fields that were changed, added or removed, by section', () => {
    const before = {
      Name: 'Loan',
      Availability: { MaximumAmount: 20_000, MinimumAmount: 500, MaximumAdvance: null },
    };
    const after = {
      Name: 'Loan',
      Availability: { MaximumAmount: 30_000, MinimumAmount: null, MaximumAdvance: 20 },
    };
    expect(differences(before, after)).toEqual([
      ['availability', 'changed', 'MaximumAmount', 20_000, 30_000],
      ['availability', 'removed', 'MinimumAmount', 500, undefined],
      ['availability', 'added', 'MaximumAdvance', undefined, 20],
    ]);
    expect(differences(before, before)).toEqual([]);
    expect(differences({ GeneralData: { A: 1 } }, {})).toEqual([['terms', 'removed', 'A', 1, undefined]]);
  });

  it('find an item again by its id, or by its name if all ids are new', () => {
    expect(differences(offering(offer('1', 'Standard', 5)), offering(offer('1', 'Normal', 6)))).toEqual([
      ['offers', 'changed', 'Normal/Name', 'Standard', 'Normal'],
      ['offers', 'changed', 'Normal/Filters/Amount/To', 5, 6],
    ]);
    expect(
      differences(
        offering(offer('1', 'A', 5), offer('2', 'B', 5)),
        offering(offer('3', 'A', 5), offer('4', 'C', 5)),
      ),
    ).toEqual([
      ['offers', 'removed', 'B', offer('2', 'B', 5), undefined],
      ['offers', 'added', 'C', undefined, offer('4', 'C', 5)],
    ]);
  });

  it('of dated values name the day on which the value begins', () => {
    const lists = [
      values([8, '2020-01-01'], [9, '2024-01-01']),
      values([8, '2020-01-01'], [9.5, '2024-01-01']),
    ];
    expect(differences({}, {}, lists)).toEqual([
      ['interests', 'changed', 'Fixed/Values/@2024-01-01/Percent', 9, 9.5],
    ]);
  });

  it('of a list that replaces another are those of its items', () => {
    expect(differences({}, {}, [interests('INT-1', 'a', 'F'), interests('INT-2', 'b', 'G')])).toEqual([
      ['interests', 'changed', 'Fixed/Code', 'F', 'G'],
      ['interests', 'changed', 'Fixed/List', 'INT-1', 'INT-2'],
    ]);
  });

  it('include another order, of names as of items', () => {
    expect(differences(ordered('A', 'B'), ordered('B', 'A'))).toEqual([
      ['general', 'changed', 'PaymentScheduleTypes', ['A', 'B'], ['B', 'A']],
      ['documents', 'changed', '', ['A', 'B'], ['B', 'A']],
    ]);
  });
});
