import { expect, it } from 'vitest';
import { buildCatalogue } from '../../../../shared/product/validation/build-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import type { InterestRecord, InterestValue } from '../../../../shared/product/catalogue/list-records.ts';
import { addDays, formatCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { guid, interest, product } from '../../../support/worlds/simulated-product.ts';

const VALUES = 400;
const INTERESTS = 5;
/** The maximum number of reads of each value. */
const MAX_READS_OF_A_VALUE = 20;

let reads = 0;

/** A value that is valid on one day and counts the reads of its ValidFrom. */
function dailyValue(place: number): InterestValue {
  const day = formatCalendarDate(addDays(date('2024-01-01'), place));
  return {
    Value: 5 + (place % 7) / 10,
    ValueStatus: 'Active',
    get ValidFrom() {
      reads += 1;
      return day;
    },
    ValidTo: day,
  };
}

const variables = Array.from({ length: INTERESTS }, (_, place) =>
  interest({
    Id: guid(100 + place),
    Name: `Variable ${place}`,
    Type: 'Variable',
    Values: Array.from({ length: VALUES }, (_value, index) => dailyValue(index)),
  }),
);
const stepped: InterestRecord = interest({
  Id: guid(199),
  Name: 'Stepped',
  Type: 'Collection',
  Values: [],
  CollectionInterests: variables.map(({ Name }, place) => ({
    InterestName: Name,
    InterestStartPeriod: place + 1,
    InterestEndPeriod: place === variables.length - 1 ? null : place + 1,
    InterestStartDate: null,
    InterestEndDate: null,
  })),
});

/** The number of reads of ValidFrom when the given number of products with one list is checked. */
function readsFor(products: number): number {
  const list = { Version: 1, Status: 'Active', Code: 'INT', Id: guid(11), Name: 'Interests' } as const;
  const records: readonly CatalogueRecord[] = [
    {
      kind: 'interest-list',
      source: 'interest-lists/int.json',
      record: { ...list, Interests: [...variables, stepped] },
    },
    ...Array.from({ length: products }, (_, place) => ({
      kind: 'product' as const,
      source: `products/${place}.json`,
      record: product({
        product: {
          Code: `P${place}`,
          Id: guid(1000 + place),
          Insurances: [],
          Discounts: [],
          InterestsAndCommissions: [
            { Id: guid(5000 + place), Name: 'Offer', InterestList: 'INT', CommissionList: null, Filters: [] },
          ],
        },
      }),
    })),
  ];
  reads = 0;
  expect(buildCatalogue(records)).toMatchObject({ kind: 'catalogue' });
  return reads;
}

it('checks read a list once for all of its products, and each value only a few times', () => {
  const forOne = readsFor(1);
  expect(forOne).toBeGreaterThanOrEqual(VALUES * INTERESTS);
  expect(forOne).toBeLessThan(VALUES * INTERESTS * MAX_READS_OF_A_VALUE);
  expect(readsFor(10)).toBe(forOne);
});
