import { expect, it } from 'vitest';
import { findBreaks } from '../../../../workers/ingress/workbench/app/products/validity.ts';
import { findDifferences } from '../../../../workers/ingress/workbench/app/products/record-differences.ts';
import { sectionsOf } from '../../../../workers/ingress/workbench/app/products/record-sections.ts';

const list = (kind: 'interest-list' | 'insurance-list' | 'discount-list', code: string, record: object) => ({
  kind,
  code,
  version: 1,
  record: { Code: code, Version: 1, ...record },
});

it('sections leave nothing out, and say what a figure is: a percentage, points or an amount', () => {
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
  expect(contents.get('discounts')).toMatchObject([{ PercentagePoints: 1 }, { Amount: 5 }, { Percent: 10 }]);
});

const differences = (
  before: object,
  after: object,
  lists: Parameters<typeof sectionsOf>[0]['lists'][] = [[], []],
) =>
  findDifferences(
    sectionsOf({ product: { ...before }, lists: lists[0] ?? [] }),
    sectionsOf({ product: { ...after }, lists: lists[1] ?? [] }),
  ).flatMap(({ key, differences: found }) =>
    found.map(({ path, before: from, after: to }) => [
      key,
      path.map((step) => ('from' in step ? `@${step.from}` : Object.values(step)[0])).join('/'),
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

it('differences are fields that were changed, added or removed, by section', () => {
  const before = {
    Name: 'Loan',
    Availability: { MaximumAmount: 20_000, MinimumAmount: 500, MaximumAdvance: null },
  };
  const after = {
    Name: 'Loan',
    Availability: { MaximumAmount: 30_000, MinimumAmount: null, MaximumAdvance: 20 },
  };
  expect(differences(before, after)).toEqual([
    ['availability', 'MaximumAmount', 20_000, 30_000],
    ['availability', 'MinimumAmount', 500, undefined],
    ['availability', 'MaximumAdvance', undefined, 20],
  ]);
  expect(differences(before, before)).toEqual([]);
  expect(differences({ GeneralData: { A: 1 } }, {})).toEqual([['terms', 'A', 1, undefined]]);
});

it('differences find an item again by its name, where ids are new, and a renamed one by its id', () => {
  expect(
    differences(
      offering(offer('1', 'A', 5), offer('2', 'B', 5)),
      offering(offer('3', 'A', 6), offer('4', 'B', 5)),
    ),
  ).toEqual([['offers', 'A/Filters/Amount/To', 5, 6]]);
  expect(differences(offering(offer('1', 'A', 5)), offering(offer('2', 'B', 5)))).toHaveLength(8);
  expect(differences(offering(offer('1', 'A', 5)), offering(offer('1', 'B', 6)))).toEqual([
    ['offers', 'B/Name', 'A', 'B'],
    ['offers', 'B/Filters/Amount/To', 5, 6],
  ]);
});

it('show another order of named items, whose first may be the default, also with new ids', () => {
  const before = offering(offer('1', 'A', 5), offer('2', 'B', 5));
  for (const ids of ['12', '34']) {
    const after = offering(offer(ids[1]!, 'B', 5), offer(ids[0]!, 'A', 5));
    expect(differences(before, after)).toEqual([['offers', 'Order', ['A', 'B'], ['B', 'A']]]);
  }
});

it('differences of dated values name the day, of lists their items, and tell equal names apart', () => {
  const lists = [
    values([8, '2020-01-01'], [9, '2024-01-01']),
    values([8, '2020-01-01'], [9.5, '2024-01-01']),
  ];
  expect(differences({}, {}, lists)).toEqual([['interests', 'Fixed/Values/@2024-01-01/Percent', 9, 9.5]]);
  expect(differences({}, {}, [interests('INT-1', 'a', 'F'), interests('INT-2', 'b', 'G')])).toEqual([
    ['interests', 'Fixed/Code', 'F', 'G'],
    ['interests', 'Fixed/List', 'INT-1', 'INT-2'],
  ]);
  const [before, after] = [6, 7].map((To) => offering(offer('1', 'A', 5), offer('2', 'A', To)));
  expect(differences(before ?? {}, after ?? {})).toEqual([['offers', 'A (2)/Filters/Amount/To', 6, 7]]);
});

const approved = (version: number, validFrom: string, validTo: string | null) => ({
  version,
  status: 'Approved',
  validFrom,
  validTo,
});

const first = (validTo: string | null) => approved(1, '2020-01-01', validTo);
const others = [approved(2, '2021-01-01', '2021-12-31'), approved(3, '2023-01-01', null)];

it('breaks are overlaps with each earlier version, and days on which none is valid', () => {
  expect(findBreaks([...others, first(null)])).toEqual([
    { from: '2021-01-01', to: '2021-12-31', versions: [1, 2] },
    { from: '2023-01-01', to: null, versions: [1, 3] },
  ]);
  expect(findBreaks([first('2022-06-30'), { ...first(null), status: 'Draft' }, ...others])).toEqual([
    { from: '2021-01-01', to: '2021-12-31', versions: [1, 2] },
    { from: '2022-07-01', to: '2022-12-31', versions: [] },
  ]);
  expect(findBreaks([first('2020-12-31'), ...others.slice(0, 1)])).toEqual([]);
});
