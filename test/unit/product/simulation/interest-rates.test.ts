import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import type { FormulaRecord } from '../../../../shared/product/catalogue/record-kinds.ts';
import {
  commission,
  discount,
  guid,
  insurance,
  interest,
  messagesOf,
  price,
  rate,
  recordOf,
  recordsOf,
  refusalOf,
  warningsOf,
} from '../../../support/worlds/simulated-product.ts';

const { Fixed, Variable, Collection, BankingFormula } = INTEREST_OPTION_IDS;
const decimal = (value: number | string) => new Decimal(value);

const RANGE = { InterestStartDate: null, InterestEndDate: null };

const SEVERAL = {
  interests: [
    interest({ Id: guid(101), Name: 'A' }),
    interest({ Id: guid(102), Name: 'B', ...rate(9), IsDefault: true }),
    interest({ Id: guid(103), Name: 'C', Type: 'Variable', ...rate(8) }),
  ],
};

const FURTHER_ITEM = {
  product: {
    InterestsAndCommissions: [
      { Id: guid(10), Name: 'One', InterestList: 'INT', CommissionList: 'COM', Filters: [] },
      {
        Id: guid(20),
        Name: 'Two',
        InterestList: 'INT',
        CommissionList: null,
        Filters: [
          { Name: 'Age', From: 18, To: 30 },
          { Name: 'Branch', List: 'ODD' },
        ],
      },
    ],
  },
};

describe('the interests of a simulation', () => {
  it('are all interests of the type, by its id, its name, or both (Q3)', () => {
    const ids = [guid(101), guid(102)];
    expect(recordsOf(SEVERAL, { interestType: Fixed }).map((found) => found.interestId)).toEqual(ids);
    expect(recordsOf(SEVERAL, { interestTypeName: ' fixed' }).map((found) => found.interestId)).toEqual(ids);
    const both = { interestType: Variable.toUpperCase(), interestTypeName: 'Variable' };
    expect(recordOf(SEVERAL, both).interestId).toBe(guid(103));
  });

  it('are the default interest, or else the first one, if there is no type (Q3)', () => {
    expect(recordOf(SEVERAL).interestId).toBe(guid(102));
    const interests = SEVERAL.interests.map((found) => ({ ...found, IsDefault: false }));
    expect(recordOf({ interests }).interestId).toBe(guid(101));
  });

  it('are rejected if id and name differ (400), are unknown or match no interest (422) (Q3)', () => {
    expect(refusalOf(SEVERAL, { interestType: Fixed, interestTypeName: 'Variable' })).toEqual([
      'interestTypeName exclusive 400',
    ]);
    expect(refusalOf(SEVERAL, { interestType: guid(5) })).toEqual(['interestType unknown-value 422']);
    expect(messagesOf(SEVERAL, { interestType: guid(5) })).toEqual([
      expect.stringContaining(`must be one of ${Fixed} (Fixed), ${Variable} (Variable), `),
    ]);
    expect(refusalOf(SEVERAL, { interestType: Collection })).toEqual(['interestType not-allowed 422']);
    expect(messagesOf(SEVERAL, { interestTypeName: 'Collection' })).toEqual([
      'must be an interest type that the product offers on the day of the request: Fixed, Variable',
    ]);
    expect(refusalOf({ interests: [] })).toEqual(['productCode not-allowed 422']);
  });

  it('are offered for each item whose filters pass, with counts of interests and items (Q3, Q4, L3)', () => {
    const offering = { ...SEVERAL, ...FURTHER_ITEM };
    const records = recordsOf(offering, { interestTypeName: 'Fixed' });
    expect(records.map((found) => [found.interestCommissionItemId, found.interestId])).toEqual([
      [guid(10), guid(101)],
      [guid(10), guid(102)],
      [guid(20), guid(101)],
      [guid(20), guid(102)],
    ]);
    expect(records.map((found) => [found.cntInterestId, found.cntInterestCommissionItemId])).toEqual(
      Array.from({ length: 4 }, () => [2, 2]),
    );
    expect(records[3]?.commissionListId).toBeNull();
    expect(recordsOf(offering, { jsonFilterCommission: [{ name: 'age', value: 30 }] })).toHaveLength(2);
    expect(recordsOf(offering, { jsonFilterCommission: [{ name: 'Age', value: 31 }] })).toHaveLength(1);
    expect(recordsOf(offering, { jsonFilterCommission: [{ name: 'Branch', value: 2 }] })).toHaveLength(1);
    expect(recordsOf(offering, { jsonFilterCommission: [{ name: 'Branch', value: 3 }] })).toHaveLength(2);
  });

  it('warn of an unknown filter name, and reject different figures with the same name (L3)', () => {
    const sent = [
      { name: 'Age', value: 20 },
      { name: 'Shoe', value: 43 },
    ];
    expect(warningsOf(FURTHER_ITEM, { jsonFilterCommission: sent })).toEqual([
      'unknown-filter jsonFilterCommission[1].name',
    ]);
    const twice = [...sent, { name: 'AGE', value: 21 }];
    expect(refusalOf(FURTHER_ITEM, { jsonFilterCommission: twice })).toEqual([
      'jsonFilterCommission[2].value exclusive 400',
    ]);
  });

  it('are rejected if no item passes the filters (Q3)', () => {
    const [, item] = FURTHER_ITEM.product.InterestsAndCommissions;
    const offering = { product: { InterestsAndCommissions: item === undefined ? [] : [item] } };
    expect(refusalOf(offering, { jsonFilterCommission: [{ name: 'Age', value: 99 }] })).toEqual([
      'jsonFilterCommission not-allowed 422',
    ]);
  });

  it('are at most 100, with 36,000 rows in total (E6)', () => {
    const interests = Array.from({ length: 101 }, (_, place) =>
      interest({ Id: guid(1000 + place), Name: `R${place}` }),
    );
    expect(
      refusalOf({ interests: interests.slice(1) }, { interestTypeName: 'Fixed', loanPeriod: 361 }),
    ).toEqual(['loanPeriod too-many-rows 422']);
    expect(
      messagesOf({ interests: interests.slice(1) }, { interestTypeName: 'Fixed', loanPeriod: 361 }),
    ).toEqual(['must be at most 360 periods with 100 offers; use jsonFilterCommission to get fewer offers']);
    expect(refusalOf({ interests }, { interestTypeName: 'Fixed' })).toEqual([
      'jsonFilterCommission out-of-range 422',
    ]);
  });

  it('limit the number of rates in the request, because each recalculates the payment (E6)', () => {
    const steps = [{ ...RANGE, InterestName: 'x', InterestStartPeriod: 1, InterestEndPeriod: null }];
    const collection = (place: number) =>
      interest({ Id: guid(1000 + place), Type: 'Collection', Values: [], CollectionInterests: steps });
    const jsonMultipleInterestRates = Array.from({ length: 1200 }, (_, at) => ({
      FromInstNo: at + 1,
      ToInstNo: at + 1,
      InterestRate: decimal(5),
    }));
    const request = { interestType: Collection, loanPeriod: 1200 };
    expect(
      refusalOf({ interests: [1, 2, 3].map(collection) }, { ...request, jsonMultipleInterestRates }),
    ).toEqual(['jsonMultipleInterestRates too-many-rows 422']);
  });
});

const STEPPED = {
  interests: [
    interest({
      Id: guid(101),
      Name: 'Steps',
      Type: 'Collection',
      Values: [],
      CollectionInterests: [
        { ...RANGE, InterestName: 'Early', InterestStartPeriod: 1, InterestEndPeriod: 2 },
        { ...RANGE, InterestName: 'LATE', InterestStartPeriod: 3, InterestEndPeriod: null },
      ],
    }),
    interest({ Id: guid(102), Name: 'Early' }),
    interest({ Id: guid(103), Name: 'Late', ...rate(24) }),
  ],
};

describe('a Collection interest', () => {
  it('has the rates of its ranges, and displays the rate of row 1 (Q3, R1)', () => {
    const record = recordOf(STEPPED);
    expect(record.interestPercent).toBe('12.0000%');
    expect(record.rows.map((row) => row.pmt)).toEqual([0, 25_628, 25_628, 26_009, 26_009]);
  });

  it('uses the rates of the request instead (Q7)', () => {
    const sent = [{ InterestRate: decimal(24), ToInstNo: 2 }, { InterestRate: decimal(12) }];
    const record = recordOf(STEPPED, { interestType: Collection, jsonMultipleInterestRates: sent });
    expect(record).toMatchObject({ interestPercent: '24.0000%' });
    expect(record.rows[1]?.interest).toBe(2000);
    expect(record.rows[3]?.interest).toBeLessThan(550);
  });

  it('is the only type that accepts rates in the request (Q7)', () => {
    const jsonMultipleInterestRates = [{ InterestRate: decimal(24) }];
    expect(refusalOf(STEPPED, { interestType: Fixed, jsonMultipleInterestRates })).toEqual([
      'jsonMultipleInterestRates not-allowed 422',
    ]);
    expect(recordOf(STEPPED, { jsonMultipleInterestRates: [] }).interestPercent).toBe('12.0000%');
  });

  it('is not offered if one of its ranges has no rate on the day (L2)', () => {
    const interests = STEPPED.interests.slice(0, 2);
    expect(refusalOf({ interests }, { interestTypeName: 'Collection' })).toEqual([
      'interestTypeName not-allowed 422',
    ]);
  });

  it('applies the rate of each band to its part of the balance, after discounts (R2, Q5)', () => {
    const band = { InterestName: 'B', IsForOverdraft: false, ValueMessage: null };
    const always = { CollectionValidFrom: null, CollectionValidTo: null };
    const BandedInterests = [
      { ...band, ...always, MinUtilizedAmount: 800, MaxUtilizedAmount: null, Value: 8 },
      { ...band, ...always, MinUtilizedAmount: 0, MaxUtilizedAmount: 799.99, Value: 12 },
      {
        ...band,
        ...always,
        CollectionValidTo: '2024-12-31',
        MinUtilizedAmount: 0,
        MaxUtilizedAmount: null,
        Value: 1,
      },
      { ...band, ...always, IsForOverdraft: true, MinUtilizedAmount: 0, MaxUtilizedAmount: null, Value: 2 },
    ];
    const interests = [interest({ Type: 'Collection', Values: [], BandedInterests })];
    const record = recordOf({ interests });
    expect(record.interestPercent).toBe('8.0000%');
    expect(record.rows[1]?.interest).toBe(800 + 133);
    expect(recordOf({ interests }, { amount: decimal(800) }).interestPercent).toBe('8.0000%');
    expect(recordOf({ interests }, { amount: decimal(700) }).interestPercent).toBe('12.0000%');
    const half = discount({ AppliedToDimension: 'Interest', DiscountValue: 50 });
    const discounted = recordOf({ interests, discounts: [half] });
    expect(discounted.interestPercent).toBe('4.0000%');
    expect(discounted.rows[1]?.interest).toBe(467);
  });
});

function formula(Expression: string, Inputs: readonly string[]): FormulaRecord {
  return { Name: 'F', Expression, Inputs };
}

const BY_FORMULA = {
  interests: [
    interest({
      Type: 'BankingFormula',
      UseBankingFormula: true,
      Values: [],
      Formula: formula('Base + max(1, 6 - Score / 200)', ['Base', 'Score']),
    }),
  ],
};

describe('a banking formula', () => {
  const base = { name: 'base', value: decimal('2.25') };
  const score = { name: 'Score', value: decimal(700) };

  it('calculates the rate from the arguments, with case-insensitive names (Q7)', () => {
    const jsonInputFormula = { interestInput: [base, score] };
    const record = recordOf(BY_FORMULA, { interestType: BankingFormula, jsonInputFormula });
    expect(record).toMatchObject({ interestPercent: '4.7500%' });
    expect(record.terms.InterestPercent?.toFixed()).toBe('4.75');
  });

  it('is exact to the 20 decimals of requests (M4)', () => {
    const interests = [
      interest({ Type: 'BankingFormula', Values: [], Formula: formula('Base / 3', ['Base']) }),
    ];
    const jsonInputFormula = { interestInput: [{ name: 'Base', value: decimal(20) }] };
    const record = recordOf({ interests }, { interestType: BankingFormula, jsonInputFormula });
    expect(record.interestPercent).toBe('6.6667%');
    expect(record.terms.InterestPercent?.toFixed()).toBe(`6.${'6'.repeat(19)}7`);
  });

  it('reports all missing arguments, and warns of unused ones (Q7)', () => {
    expect(refusalOf(BY_FORMULA, { interestType: BankingFormula })).toEqual([
      'jsonInputFormula.interestInput.Base missing 422',
      'jsonInputFormula.interestInput.Score missing 422',
    ]);
    const extra = { name: 'Rating', value: decimal(1) };
    const jsonInputFormula = { interestInput: [base, extra, score], commissionInput: [extra] };
    expect(warningsOf(BY_FORMULA, { interestType: BankingFormula, jsonInputFormula })).toEqual([
      'no-effect jsonInputFormula.interestInput.Rating',
      'no-effect jsonInputFormula.commissionInput.Rating',
    ]);
  });

  it('is rejected if it has no value, or if an argument is repeated (Q7)', () => {
    const interests = [
      interest({ Type: 'BankingFormula', Values: [], Formula: formula('1 / Base', ['Base']) }),
    ];
    const zero = { name: 'Base', value: decimal(0) };
    const sent = { interestType: BankingFormula, jsonInputFormula: { interestInput: [zero] } };
    expect(refusalOf({ interests }, sent)).toEqual(['jsonInputFormula.interestInput formula-failed 422']);
    expect(messagesOf({ interests }, sent)).toEqual([
      expect.stringContaining('must give the formula F a value: it '),
    ]);
    const tiny = { interestInput: [{ ...zero, value: decimal('1e-9') }] };
    expect(messagesOf({ interests }, { ...sent, jsonInputFormula: tiny })).toEqual([
      'must give a rate: it must be from -100000 to 100000 percent a year',
    ]);
    const twice = { interestInput: [base, { ...zero, name: 'BASE' }] };
    expect(refusalOf({ interests }, { ...sent, jsonInputFormula: twice })).toEqual([
      'jsonInputFormula.interestInput.BASE exclusive 400',
    ]);
  });

  it('prices commissions, insurances and discounts, each with its own arguments (Q7)', () => {
    const offering = {
      commissions: [
        commission({ UseBankingFormula: true, Formula: formula('Cost * 2', ['Cost']), ...price(null) }),
      ],
      insurances: [
        insurance({
          UseBankingFormula: true,
          ValueIsPercentage: true,
          Formula: formula('Age / 100', ['Age']),
          Values: [],
        }),
      ],
      discounts: [
        discount({
          UseBankingFormula: true,
          IsPercentage: false,
          Formula: formula('Years', ['Years']),
          DiscountValue: null,
        }),
      ],
    };
    const jsonInputFormula = {
      commissionInput: [{ name: 'Cost', value: decimal('3.333') }],
      insuranceInput: [{ name: 'Age', value: decimal(40) }],
      discountInput: [{ name: 'Years', value: decimal('0.5') }],
    };
    const record = recordOf(offering, { interestType: Fixed, jsonInputFormula });
    expect(record).toMatchObject({ firstFee: 617, firstInsurance: 400 });
    expect(refusalOf(offering, { interestType: Fixed })).toEqual([
      'jsonInputFormula.commissionInput.Cost missing 422',
      'jsonInputFormula.insuranceInput.Age missing 422',
      'jsonInputFormula.discountInput.Years missing 422',
    ]);
    const negative = { ...jsonInputFormula, discountInput: [{ name: 'Years', value: decimal(-1) }] };
    expect(refusalOf(offering, { interestType: Fixed, jsonInputFormula: negative })).toEqual([
      'jsonInputFormula.discountInput out-of-range 422',
    ]);
  });
});
