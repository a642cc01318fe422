import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWholeCatalogue } from '../../../../shared/product/storage/catalogue-folder.ts';
import { findProductType } from '../../../../shared/lending/schedule-types/product-types.ts';
import type { ItemFilter } from '../../../../shared/product/catalogue/record-kinds.ts';
import { selectEntries } from '../../../../shared/product/catalogue/catalogue-view.ts';
import { EXAMPLE_FOLDER, EXAMPLE_RECORDS } from '../../../support/builders/catalogue-entries.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const page = readFileSync(path.join(root, 'docs/catalogue.md'), 'utf8');

const products = selectEntries(EXAMPLE_RECORDS, 'product').map(({ record }) => record);
const interests = selectEntries(EXAMPLE_RECORDS, 'interest-list').flatMap(({ record }) => record.Interests);
const commissions = selectEntries(EXAMPLE_RECORDS, 'commission-list').flatMap(
  ({ record }) => record.Commissions,
);
const insurances = selectEntries(EXAMPLE_RECORDS, 'insurance-list').flatMap(
  ({ record }) => record.Insurances,
);
const discounts = selectEntries(EXAMPLE_RECORDS, 'discount-list').flatMap(({ record }) => record.Discounts);

describe('the example catalogue', () => {
  it('has no faults', () => {
    expect(readWholeCatalogue(EXAMPLE_FOLDER).faults).toEqual([]);
  });

  it('has at least ten products, of every type with a schedule', () => {
    expect(new Set(products.map(({ Code }) => Code)).size).toBeGreaterThanOrEqual(10);
    const types = new Set(products.map(({ BankingProductType }) => findProductType(BankingProductType)));
    expect([...types]).toEqual(expect.arrayContaining(['TL', 'MG', 'OD', 'D', 'CC', 'LS']));
  });

  it('has two adjacent Approved versions and a Draft of one product, and a Closed product', () => {
    const versions = products.filter(({ Code }) => Code === 'TL-PERSONAL');
    expect(versions.map(({ Status, StartDate, EndDate }) => [Status, StartDate, EndDate])).toEqual([
      ['Approved', '2020-01-01', '2023-12-31'],
      ['Approved', '2024-01-01', null],
      ['Draft', '2024-01-01', null],
    ]);
    expect(products.find(({ Code }) => Code === 'TL-BRIDGE')?.Status).toBe('Closed');
  });

  it('is valid from 2020 without an end, except for versions with a successor', () => {
    const others = products.filter(({ Code, Status }) => Code !== 'TL-PERSONAL' && Status === 'Approved');
    for (const product of others) expect(product).toMatchObject({ StartDate: '2020-01-01', EndDate: null });
  });

  it.each([
    ['a fixed interest', interests.some(({ Type }) => Type === 'Fixed')],
    ['a variable interest', interests.some(({ Type }) => Type === 'Variable')],
    ['rates by instalment range', interests.some((interest) => interest.CollectionInterests.length > 1)],
    ['rates by utilised amount', interests.some((interest) => interest.BandedInterests.length > 1)],
    ['an interest by formula', interests.some(({ Type }) => Type === 'BankingFormula')],
    ['an interest whose value changes', interests.some(({ Values }) => Values.length > 1)],
    ['an interest that is not Active', interests.some(({ Status }) => Status !== 'Active')],
    [
      'a commission in money and one in percent',
      new Set(commissions.map(({ ValueIsPercent }) => ValueIsPercent)).size === 2,
    ],
    [
      'a commission that is paid at the start',
      commissions.some((one) => one.PeriodicityType === 'Once' && one.AutomaticLoadOnContract),
    ],
    ['a commission on the unused amount', commissions.some(({ IsForUnusage }) => IsForUnusage)],
    [
      'a commission that is not automatic',
      commissions.some((one) => !one.AutomaticLoadOnContract && !one.MandatoryForApplicant),
    ],
    ['a commission by formula', commissions.some(({ Formula }) => Formula !== null)],
    [
      'a mandatory insurance in percent, monthly',
      insurances.some(
        (one) => one.IsMandatoryForApplicant && one.ValueIsPercentage && one.PeriodicityType === 'Monthly',
      ),
    ],
    [
      'an optional insurance in money, annual and upfront',
      insurances.some(
        (one) =>
          !one.IsMandatoryForApplicant &&
          !one.ValueIsPercentage &&
          one.PeriodicityType === 'Annual' &&
          one.IsUpfront,
      ),
    ],
    ['optional and automatic discounts', new Set(discounts.map((one) => one.IsOptionalDiscount)).size === 2],
    ['discounts in percent and as figures', new Set(discounts.map((one) => one.IsPercentage)).size === 2],
    ['discounts in every dimension', new Set(discounts.map((one) => one.AppliedToDimension)).size === 3],
    ['a custom list', selectEntries(EXAMPLE_RECORDS, 'custom-list').length > 0],
    [
      'a custom periodicity in use',
      products.some(({ GeneralData }) => GeneralData.PeriodicityType === 'Every 10 days'),
    ],
    ['a custom calendar in use', products.some(({ CountryCalendars }) => CountryCalendars.includes('Bank'))],
    [
      'a custom schedule type in use',
      products.some(({ PaymentScheduleTypes }) => PaymentScheduleTypes.includes('LevelTotalWithVat')),
    ],
    ...(
      [
        'Questions',
        'Documents',
        'Guarantees',
        'DestinationTypes',
        'DisbursementMatrix',
        'AssociatedProducts',
      ] as const
    ).map((field): [string, boolean] => [field, products.some((product) => product[field].length > 0)]),
    ...(['ProductCovenants', 'MandatoryRoles', 'AvailabilityItemFilters'] as const).map(
      (field): [string, boolean] => [
        field,
        products.some(({ Availability }) => Availability[field].length > 0),
      ],
    ),
  ])('has %s', (_, isThere) => {
    expect(isThere).toBe(true);
  });

  it('has filters by range, set and custom list, on items, insurances and discounts (L3)', () => {
    const filters: readonly ItemFilter[] = products.flatMap(({ InterestsAndCommissions, Insurances }) =>
      [...InterestsAndCommissions, ...Insurances].flatMap(({ Filters }) => Filters),
    );
    expect(filters.some((filter) => 'From' in filter)).toBe(true);
    expect(filters.some((filter) => 'Values' in filter)).toBe(true);
    expect(filters.some((filter) => 'List' in filter)).toBe(true);
    expect(insurances.some(({ Filters }) => Filters.length > 0)).toBe(true);
    expect(discounts.some(({ Filters }) => Filters.length > 0)).toBe(true);
  });

  it('uses every list that it contains', () => {
    const used = new Set(
      products.flatMap(({ InterestsAndCommissions, Insurances, Discounts }) => [
        ...InterestsAndCommissions.flatMap((item) => [item.InterestList, item.CommissionList]),
        ...Insurances.map(({ InsuranceList }) => InsuranceList),
        ...Discounts,
      ]),
    );
    const kinds = ['interest-list', 'commission-list', 'insurance-list', 'discount-list'] as const;
    const codes = kinds.flatMap((kind) =>
      selectEntries(EXAMPLE_RECORDS, kind).map(({ record }) => record.Code),
    );
    expect(codes.filter((code) => !used.has(code))).toEqual([]);
  });
});

describe('docs/catalogue.md', () => {
  it('names every product of the example', () => {
    for (const { Code } of products) expect(page).toContain(`| \`${Code}\` |`);
  });

  it('documents every field of every kind of records', () => {
    const names = new Set<string>();
    for (const { record } of EXAMPLE_RECORDS) collectNames(record, names);
    const missing = [...names].filter((name) => !page.includes(`\`${name}\``));
    expect(missing.filter((name) => !OF_SCHEDULE_TYPES.has(name))).toEqual([]);
  });
});

/** Fields that docs/schedule-types.md documents. */
const OF_SCHEDULE_TYPES: ReadonlySet<string> = new Set(
  selectEntries(EXAMPLE_RECORDS, 'schedule-type').flatMap(({ record }) => [
    ...Object.keys(record),
    ...record.PaymentScheduleTypeDetails.flatMap((column) => Object.keys(column)),
  ]),
);

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    collectNames(field, names);
  }
}
