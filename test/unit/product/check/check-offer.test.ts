import { describe, expect, it } from 'vitest';
import { buildCatalogue } from '../../../../shared/product/check/check-catalogue.ts';
import type { CatalogueRecord } from '../../../../shared/product/catalogue/catalogue-record.ts';
import type { ProductRecord } from '../../../../shared/product/catalogue/product-record.ts';
import { discount, guid, interest, product } from '../../../support/worlds/simulated-product.ts';

const OFFER = { Id: guid(10), Name: 'Offer', InterestList: 'INT', CommissionList: null, Filters: [] };

const list = (Code: string, number: number) =>
  ({ Version: 1, Status: 'Active', Code, Id: guid(number), Name: Code }) as const;

/** The faults of a product that has only interests, unless changed. */
function faultsOf(changes: Partial<ProductRecord>): readonly string[] {
  const source = 'test';
  const bare = { Insurances: [], Discounts: [], InterestsAndCommissions: [OFFER], ...changes };
  const records: readonly CatalogueRecord[] = [
    { kind: 'product', source, record: product({ product: bare }) },
    { kind: 'interest-list', source, record: { ...list('INT', 11), Interests: [interest()] } },
    { kind: 'discount-list', source, record: { ...list('DIS', 14), Discounts: [discount()] } },
  ];
  const outcome = buildCatalogue(records);
  return outcome.kind === 'refused' ? outcome.faults.map(({ message }) => message) : [];
}

describe('checks of an Approved product', () => {
  it.each([
    ['with the same case', ['DIS', 'DIS'], 'DIS'],
    ['with different case', ['DIS', 'dis'], 'dis'],
  ])('report a repeated discount list %s (Q5)', (_, Discounts, second) => {
    expect(faultsOf({ Discounts })).toEqual([
      `Discounts[1] names the discount list ${second}, as Discounts[0] does: remove one of them`,
    ]);
  });

  it('require both schedule types and interests, or neither (Q2, Q3)', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ PaymentScheduleTypes: [], InterestsAndCommissions: [] })).toEqual([]);
    const interests =
      'InterestsAndCommissions must have an item with an InterestList, or PaymentScheduleTypes must be empty: a product without both can only be looked up';
    expect(faultsOf({ InterestsAndCommissions: [] })).toEqual([interests]);
    expect(faultsOf({ PaymentScheduleTypes: [] })).toEqual([
      'PaymentScheduleTypes must name a schedule type, or no item may have an InterestList: a product without both can only be looked up',
    ]);
    expect(faultsOf({ Status: 'Draft', PaymentScheduleTypes: [] })).toEqual([]);
  });
});
