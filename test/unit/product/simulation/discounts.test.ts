import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import {
  type DiscountRecord,
  INTEREST_OPTION_IDS,
} from '../../../../shared/product/catalogue/list-records.ts';
import type { SimulationRecord } from '../../../../shared/product/simulation/simulation.ts';
import {
  commission,
  discount,
  guid,
  insurance,
  interest,
  messagesOf,
  type Offering,
  price,
  rate,
  recordOf,
  refusalOf,
  warningsOf,
} from '../../../support/worlds/simulated-product.ts';

const decimal = (figure: number) => new Decimal(figure);
const percent = (DiscountValue: number, changes: Partial<DiscountRecord> = {}) =>
  discount({ Id: guid(401), Name: `${DiscountValue} percent`, DiscountValue, ...changes });
const value = (DiscountValue: number, changes: Partial<DiscountRecord> = {}) =>
  discount({ Id: guid(402), Name: `less ${DiscountValue}`, DiscountValue, IsPercentage: false, ...changes });
const ofInterest = { AppliedToDimension: 'Interest' } as const;

/** An optional discount of 50 %. */
function optionalPercent(changes: Partial<DiscountRecord>): DiscountRecord {
  return percent(50, { IsOptionalDiscount: true, ...changes });
}

/** The warnings of a request that names this discount. */
function warnings(changes: Partial<DiscountRecord>, offering: Offering = { commissions: [commission()] }) {
  const discounts = [optionalPercent(changes)];
  return warningsOf({ ...offering, discounts }, { discount: [{ Name: '50 percent' }] });
}

function text(figure: Decimal | null | undefined): string | null {
  return figure?.toFixed() ?? null;
}

/** The figures of the only commission of a record as strings. */
function figuresOf(record: SimulationRecord) {
  const [charge] = record.commissions;
  return {
    value: text(charge?.value),
    percent: text(charge?.percent),
    baseValue: text(charge?.baseValue),
    basePercent: text(charge?.basePercent),
    discountValue: text(charge?.discountValue),
    discountPercent: text(charge?.discountPercent),
  };
}

describe('discounts', () => {
  it.each(['DIS', 'dis', ' DIS '])(
    'in a list that the product names twice, as %o, apply once (Q5)',
    (again) => {
      const record = recordOf({
        commissions: [commission(price(100))],
        discounts: [percent(10)],
        product: { Discounts: ['DIS', again] },
      });
      expect(record.firstFee).toBe(9000);
    },
  );

  it('apply percentages first, then values: 100 less 10 % less 5 is 85 (Q5)', () => {
    const record = recordOf({
      commissions: [commission(price(100))],
      discounts: [value(5), percent(10)],
    });
    expect(record.firstFee).toBe(8500);
    expect(figuresOf(record)).toEqual({
      value: '85',
      percent: null,
      baseValue: '100',
      basePercent: null,
      discountValue: '5',
      discountPercent: '10',
    });
  });

  it('deduct percentage points from a rate: 8.5 % less 0.55 is 7.9500% (Q5)', () => {
    const record = recordOf({ interests: [interest(rate(8.5))], discounts: [value(0.55, ofInterest)] });
    expect(record.interestPercent).toBe('7.9500%');
    expect(record.terms.InterestPercent?.toFixed()).toBe('7.95');
    expect(record.interest.basePercent.toFixed()).toBe('8.5');
    expect(record.interest.discountValue.toFixed()).toBe('0.55');
    expect(record.interest.discountPercent.toFixed()).toBe('0');
  });

  it('never reduce a price or a rate below zero (Q5)', () => {
    const record = recordOf({
      interests: [interest(rate(0.5))],
      commissions: [commission(price(4))],
      discounts: [value(5), value(0.55, ofInterest)],
    });
    expect(record.interestPercent).toBe('0.0000%');
    expect(record.interest.discountValue.toFixed()).toBe('0.5');
    expect(record.totalFee).toBe(0);
    expect(figuresOf(record)).toMatchObject({ value: '0', discountValue: '4' });
  });

  it('round a discounted price to the currency once, at the end (M2)', () => {
    const record = recordOf({
      commissions: [commission(price(99.99))],
      discounts: [percent(33), percent(10, { Id: guid(405), Name: 'Ten' })],
    });
    expect(record.firstFee).toBe(6029);
  });

  it('reduce a percentage, and convert it to an amount if they are in money (Q5, F2)', () => {
    const commissions = [commission({ ValueIsPercent: true, ...price(null, 2) })];
    const lower = recordOf({ commissions, discounts: [percent(25)] });
    expect(lower.terms.Commission?.[0]?.SourcePercent?.toFixed()).toBe('1.5');
    expect(figuresOf(lower)).toMatchObject({ percent: '1.5', basePercent: '2', value: null });
    const money = recordOf({ commissions, discounts: [percent(25), value(5)] });
    expect(money).toMatchObject({ firstFee: 1000 });
    expect(figuresOf(money)).toMatchObject({ percent: '1.5', basePercent: '2', value: '10' });
    expect(figuresOf(money)).toMatchObject({ baseValue: '20', discountPercent: '25', discountValue: '5' });
    expect(figuresOf(lower)).toMatchObject({ baseValue: null, discountValue: null });
  });

  it('deduct money from the part of an annual percentage that a period is charged (F2)', () => {
    const yearly = commission({ ValueIsPercent: true, PerAnnum: true, ...price(null, 12) });
    expect(recordOf({ commissions: [yearly], discounts: [value(1)] }).firstFee).toBe(900);
    expect(recordOf({ commissions: [yearly] }).firstFee).toBe(1000);
    const weekly = recordOf({
      commissions: [{ ...yearly, PeriodicityType: 'Weekly' }],
      discounts: [value(1)],
    });
    expect(figuresOf(weekly)).toMatchObject({ baseValue: '2.301369863', value: '1.3' });
  });

  it('in money are rejected for a percentage that is not of the financed amount (Q5)', () => {
    const balance = commission({
      ValueIsPercent: true,
      PercentAppliedTo: 'RemainingValue',
      ...price(null, 1),
    });
    expect(recordOf({ commissions: [balance], discounts: [percent(50)] }).firstFee).toBe(500);
    expect(messagesOf({ commissions: [balance], discounts: [value(1)] })).toEqual([
      'must be a product whose commission Administration has no discount in money, because it is a percentage of another figure',
    ]);
  });

  it('apply to the type, name or class that they name, or to their whole dimension (2.2)', () => {
    const offering = {
      interests: [interest({ Type: 'Variable' })],
      commissions: [
        commission({ Name: 'One', Type: 'X', ...price(10) }),
        commission({ Id: guid(201), Name: 'Two', Type: 'Y', ...price(10) }),
      ],
      insurances: [insurance()],
    };
    const feeWith = (...discounts: readonly DiscountRecord[]) => recordOf({ ...offering, discounts });
    expect(feeWith(percent(50)).firstFee).toBe(1000);
    expect(feeWith(percent(50, { Commission: 'ONE' })).firstFee).toBe(1500);
    expect(feeWith(percent(50, { CommissionType: 'Y' })).firstFee).toBe(1500);
    expect(feeWith(percent(50, { CommissionType: 'Y', Commission: 'One' })).firstFee).toBe(2000);
    expect(feeWith(percent(50)).firstInsurance).toBe(300);
    expect(feeWith(percent(50, { AppliedToDimension: 'Insurance' })).firstInsurance).toBe(150);
    const ofInsurance = { AppliedToDimension: 'Insurance', InsuranceClass: 'persons' } as const;
    expect(feeWith(percent(50, { ...ofInsurance, Insurance: 'Life' })).firstInsurance).toBe(150);
    expect(feeWith(percent(50, { ...ofInsurance, InsuranceClass: 'Goods' })).firstInsurance).toBe(300);
    expect(feeWith(percent(50, { ...ofInterest, InterestType: 'Fixed' })).interestPercent).toBe('12.0000%');
    expect(feeWith(percent(50, { ...ofInterest, InterestType: 'Variable' })).interestPercent).toBe('6.0000%');
  });
});

describe('optional discounts', () => {
  const offering = {
    commissions: [commission()],
    discounts: [percent(50, { IsOptionalDiscount: true, Name: 'Staff' })],
  };

  it('apply if the request names them, by name or id, in discount or optional (Q5)', () => {
    expect(recordOf(offering).firstFee).toBe(1000);
    expect(recordOf(offering, { discount: [{ Name: 'staff', ProductCode: 'pl' }] }).firstFee).toBe(500);
    expect(recordOf(offering, { discount: [{ ProductDiscountId: guid(401) }] }).firstFee).toBe(500);
    expect(recordOf(offering, { optional: [{ Name: 'Staff', ProductDiscountId: guid(401) }] }).firstFee).toBe(
      500,
    );
  });

  it('are rejected if they are unknown, of another product, or not valid (Q5)', () => {
    expect(refusalOf(offering, { discount: [{ Name: 'Friends' }] })).toEqual([
      'discount[0].Name unknown-value 422',
    ]);
    expect(refusalOf(offering, { optional: [{ ProductDiscountId: guid(9) }] })).toEqual([
      'optional[0].ProductDiscountId unknown-value 422',
    ]);
    expect(refusalOf(offering, { discount: [{ Name: 'Staff', ProductCode: 'XX' }] })).toEqual([
      'discount[0].ProductCode unknown-value 422',
    ]);
    const unknown = [{ Name: 'Friends', ProductDiscountId: guid(9), ProductCode: 'XX' }];
    expect(messagesOf(offering, { discount: unknown })).toEqual([
      "must be PL, the product's code",
      'must be one of Staff',
      'must be the id of one of Staff',
    ]);
    const closed = { discounts: [percent(50, { IsOptionalDiscount: true, EndDate: '2024-12-31' })] };
    expect(messagesOf(closed, { discount: [{ Name: '50 percent' }] })).toEqual([
      'must be left out: the product has no discount for this request',
    ]);
  });

  it('need a name or an id, and both must match (E1)', () => {
    expect(refusalOf(offering, { discount: [{ ProductCode: 'PL' }] })).toEqual([
      'discount[0].Name missing 400',
    ]);
    const two = { discounts: [...offering.discounts, value(1)] };
    expect(refusalOf(two, { optional: [{ Name: 'Staff', ProductDiscountId: guid(402) }] })).toEqual([
      'optional[0].ProductDiscountId exclusive 400',
    ]);
  });
});

describe('a warning about a named discount without effect', () => {
  it('is given if no offer has a matching price or rate (E5)', () => {
    expect(warnings({})).toEqual([]);
    expect(warnings({}, {})).toEqual(['no-effect discount[0]']);
    expect(warnings({ AppliedToDimension: 'Insurance' })).toEqual(['no-effect discount[0]']);
    expect(warnings({ Commission: 'Another' })).toEqual(['no-effect discount[0]']);
    expect(warnings({ ...ofInterest, InterestType: 'Variable' })).toEqual(['no-effect discount[0]']);
    expect(warnings({ ...ofInterest, InterestType: 'Fixed' })).toEqual([]);
  });

  it('is given if the price or the discount is zero (Q5)', () => {
    expect(warnings({ DiscountValue: 0 })).toEqual(['no-effect discount[0]']);
    expect(warnings({}, { commissions: [commission(price(0))] })).toEqual(['no-effect discount[0]']);
    expect(warnings(ofInterest, { interests: [interest(rate(-1))] })).toEqual(['no-effect discount[0]']);
    const after = [percent(100, { Id: guid(409), Name: 'All' }), optionalPercent({})];
    const named = { optional: [{ Name: '50 percent' }] };
    expect(warningsOf({ commissions: [commission()], discounts: after }, named)).toEqual([
      'no-effect optional[0]',
    ]);
    const money = [percent(100, { Id: guid(409), Name: 'All' }), optionalPercent({ IsPercentage: false })];
    expect(warningsOf({ commissions: [commission()], discounts: money }, named)).toEqual([
      'no-effect optional[0]',
    ]);
  });

  it('is not given if the discount applies to one of several offers, or to a Once charge', () => {
    const two = [
      interest({ Type: 'Variable', IsDefault: true }),
      interest({ Id: guid(101), Name: 'Second' }),
    ];
    const both = { interests: two, discounts: [optionalPercent({ ...ofInterest, InterestType: 'Fixed' })] };
    expect(warningsOf(both, { interestTypeName: 'Fixed', discount: [{ Name: '50 percent' }] })).toEqual([]);
    expect(warningsOf(both, { discount: [{ Name: '50 percent' }] })).toEqual(['no-effect discount[0]']);
    expect(warnings({}, { commissions: [commission({ PeriodicityType: 'Once' })] })).toEqual([]);
  });
});

describe('displayed figures', () => {
  it('are those of the catalogue, or are rounded to ten decimals (M4, Q5)', () => {
    const thirds = [percent(33.333_333_333_3), percent(33.333_333_333_3, { Id: guid(403), Name: 'More' })];
    const { interest: shown, terms } = recordOf({
      interests: [interest(rate(7.123_456_789_012_3))],
      discounts: thirds.map((each) => ({ ...each, ...ofInterest })),
    });
    expect(shown.basePercent.toFixed()).toBe('7.1234567890123');
    expect(shown.discountPercent.toFixed()).toBe('55.5555555555');
    expect(terms.InterestPercent?.decimalPlaces()).toBe(20);
  });

  it('do not affect the terms: a rate by formula keeps its digits (M4)', () => {
    const Formula = { Name: 'Third', Expression: 'X / 3', Inputs: ['X'] };
    const jsonInputFormula = { interestInput: [{ name: 'X', value: decimal(20) }] };
    const { interest: shown, terms } = recordOf(
      { interests: [interest({ Type: 'BankingFormula', Values: [], Formula })] },
      { interestType: INTEREST_OPTION_IDS.BankingFormula, jsonInputFormula },
    );
    expect(shown.basePercent.toFixed()).toBe('6.6666666667');
    expect(terms.InterestPercent?.toFixed()).toBe('6.66666666666666666667');
  });

  it('do not affect charges: a percentage by formula keeps its digits (M4)', () => {
    const Formula = { Name: 'Third', Expression: 'X / 3', Inputs: ['X'] };
    const fee = commission({ ValueIsPercent: true, UseBankingFormula: true, Formula });
    const jsonInputFormula = { commissionInput: [{ name: 'X', value: decimal(2) }] };
    const sent = { interestType: INTEREST_OPTION_IDS.Fixed, jsonInputFormula };
    const record = recordOf({ commissions: [fee] }, sent);
    expect(figuresOf(record)).toMatchObject({ percent: '0.6666666667', basePercent: '0.6666666667' });
    expect(record.terms.Commission?.[0]?.SourcePercent?.toFixed()).toBe('0.66666666666666666667');
    const less = recordOf({ commissions: [fee], discounts: [percent(50)] }, sent);
    expect(figuresOf(less)).toMatchObject({ percent: '0.3333333333', discountPercent: '50' });
    expect(less.terms.Commission?.[0]?.SourcePercent?.toFixed()).toBe('0.33333333333333333333');
    const money = recordOf({ commissions: [fee], discounts: [value(1)] }, sent);
    expect(figuresOf(money)).toMatchObject({ baseValue: '6.6666666667', value: '5.67', discountValue: '1' });
  });
});
