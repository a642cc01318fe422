import { describe, expect, it } from 'vitest';
import type { Product } from '../../../../workers/ingress/workbench/app/products/product-types.ts';
import {
  firstTerms,
  interestTypes,
  neededFigures,
  entryOfProduct,
  simulateRequest,
  unreadTerms,
} from '../../../../workers/ingress/workbench/app/products/simulation-terms.ts';

interface Bounds {
  readonly [name: string]: number | string | null;
}

/** A product with these bounds, whose default interest has a formula. */
function productWith(bounds: Bounds, periodicity = 'Monthly'): Product {
  const interests = [
    { Name: 'Fixed', Type: 'Fixed', IsDefault: false },
    { InterestName: 'By formula', InterestType: 'BankingFormula', IsDefault: true },
    { Name: 'Fixed too', Type: 'Fixed', IsDefault: false },
  ];
  return {
    Availability: bounds,
    Details: {
      GeneralData: { PeriodicityType: periodicity },
      AssociatedPaymentScheduleTypes: [{ PaymentScheduleCode: 'EI' }],
    },
    Dimensions: { InterestsAndCommissions: [{ Interests: interests }] },
  } as unknown as Product;
}

const BOUNDS = {
  MinimumAmount: 5_000,
  MaximumAmount: 90_001,
  MinimumPeriod: 12,
  MaximumPeriod: 72,
  PeriodType: 'Months',
};

describe('the terms of a simulation', () => {
  it('begin between the bounds of the product, with its least down payment', () => {
    expect(firstTerms(productWith({ ...BOUNDS, MinimumAdvance: 10 }))).toMatchObject({
      amount: '47501',
      downPayment: '4751',
      period: '42',
      scheduleType: 'EI',
    });
    expect(firstTerms(productWith({}))).toMatchObject({ amount: '10000', downPayment: '', period: '12' });
  });

  it('count periods of the product where its bounds are in another unit', () => {
    const years = { ...BOUNDS, MinimumPeriod: 2, MaximumPeriod: 15, PeriodType: 'Years' };
    const periods = ['Monthly', 'Quarterly', 'Annual', 'Every 10 days'].map(
      (periodicity) => firstTerms(productWith(years, periodicity)).period,
    );
    expect(periods).toEqual(['102', '34', '9', '9']);
  });

  it('are a request without what is left empty', () => {
    const product = productWith(BOUNDS);
    const terms = { ...firstTerms(product), amount: '10 000,50', figures: { installmentValue: '' } };
    expect(simulateRequest('X', terms, product)).toEqual({
      productCode: 'X',
      amount: 10_000.5,
      loanPeriod: 42,
      scheduleType: 'EI',
      jsonFilterCommission: [{ name: 'Amount', value: 10_000.5 }],
    });
  });

  it('are read as the page writes them, with units', () => {
    const product = productWith({ ...BOUNDS, Currency: 'RON' });
    const terms = { ...firstTerms(product), amount: '12.000 RON', period: '2 ani' };
    expect(simulateRequest('X', terms, product, '.')).toMatchObject({ amount: 12_000, loanPeriod: 24 });
    expect(unreadTerms(terms, entryOfProduct(product, '.'))).toEqual({});
    const unread = unreadTerms({ ...terms, amount: '', downPayment: '1.000' }, entryOfProduct(product, ','));
    expect(Object.entries(unread).map(([path, { fault }]) => [path, fault.reason])).toEqual([
      ['amount', 'required'],
      ['downPayment', 'number'],
    ]);
  });

  it('send arguments of formulas with the type of the default interest', () => {
    const product = productWith(BOUNDS);
    const figures = { 'jsonInputFormula.interestInput.Score': '700', principalValue: '250' };
    const discounts = ['Salary client'];
    const request = simulateRequest(
      'X',
      { ...firstTerms(product), figures, discounts, downPayment: '1' },
      product,
    );
    expect(request).toMatchObject({
      downPayment: 1,
      principalValue: 250,
      interestType: expect.stringMatching(/a104$/) as string,
      discount: [{ Name: 'Salary client' }],
      jsonInputFormula: { interestInput: { Score: 700 } },
    });
    expect(interestTypes(product)).toEqual(['BankingFormula', 'Fixed']);
  });

  it('get fields for what only some products need', () => {
    const paths = [
      'amount',
      'jsonInputFormula.commissionInput.KilometresPerYear',
      'installmentValue',
      'loanPeriod',
    ];
    expect(neededFigures(paths)).toEqual([
      'jsonInputFormula.commissionInput.KilometresPerYear',
      'installmentValue',
    ]);
  });
});
