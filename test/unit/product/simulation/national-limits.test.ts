import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { flowAtUnits } from '../../../../shared/lending/annual-rate/rate-flows.ts';
import { readCatalogueRecord } from '../../../../shared/product/catalogue/read-record.ts';
import {
  INTEREST_OPTION_IDS,
  type CommissionRecord,
} from '../../../../shared/product/catalogue/list-records.ts';
import type { SimulateRequest } from '../../../../shared/product/simulation/simulation.ts';
import type { LimitListRecord } from '../../../../shared/product/catalogue/limit-list.ts';
import {
  applyLimits,
  readLimitedOffer,
  type CalculatedOffer,
  type LimitedOffer,
} from '../../../../shared/product/simulation/national-limits.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { BUILT_IN_PERIODICITIES, findPeriodicity } from '../../../../shared/lending/dates/periodicity.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { commission, guid, price, recordOf, simulated } from '../../../support/worlds/simulated-product.ts';

const LIMIT = { Name: 'Limit', Figure: 'APRC', Largest: 20 };

function listOf(...limits: readonly object[]): LimitListRecord {
  const value = {
    Code: 'LIM',
    Id: guid(1),
    Name: 'Limits',
    Limits: limits.map((one) => ({ ...LIMIT, ...one })),
  };
  const read = readCatalogueRecord('limit-list', value, 'test');
  if (read.kind === 'invalid') throw new Error(JSON.stringify(read.faults));
  return read.entry.record as LimitListRecord;
}

/** Drawn at the start and paid back after a year. */
function paidBack(drawn: number, paid: number) {
  return { flows: [flowAtUnits(drawn, 0), flowAtUnits(paid, 1)], unitsPerYear: 1 };
}

const DAY = date('2026-05-15');
const TL = { productType: 'TL', day: DAY };
/** TL-PERSONAL, 10,000 over 12 months: 601.12 of cost are 466.37 of interest, and 85.00, 30.00 and 19.75 of charges. */
const OFFER: LimitedOffer = {
  rates: [new Decimal('8.5')],
  // A year at 11.5878 %.
  rateFlows: paidBack(-1_000_000, 1_115_878),
  financed: 10_000_00,
  totalCostOfCredit: 601_12,
  interest: 466_37,
  payment: 877_70,
  paymentsPerYear: { numerator: 12n, denominator: 1n },
  income: 2_194_25,
};

/** Name, percentage and result of each limit that applies. */
const applied = (list: LimitListRecord, offer: Partial<LimitedOffer> = {}, on = TL) =>
  applyLimits({ list, ...on }, { ...OFFER, ...offer }).map(
    ({ Figure, Value, Result }) => `${Figure} ${Value ?? 'none'} ${Result}`,
  );

const rates = (...percents: readonly number[]) => ({ rates: percents.map((one) => new Decimal(one)) });
const each = (numerator: bigint, denominator: bigint) => ({
  payment: 300_00,
  income: 1_000_00,
  paymentsPerYear: { numerator, denominator },
});

describe('limits of an offer (Q9)', () => {
  it('compare the rate, the annual rate, and the shares of charges, cost and payment with their largest values', () => {
    const list = listOf(
      { Figure: 'InterestPercent', Largest: 8.5 },
      { Figure: 'APRC', Largest: 11.5877 },
      { Figure: 'ChargesPercent', Largest: 1.3475 },
      { Figure: 'TotalCostPercent', Largest: 6 },
      { Figure: 'PaymentToIncomePercent', Largest: 40 },
    );
    expect(applied(list)).toEqual([
      'InterestPercent 8.5 Within',
      'APRC 11.5878 Above',
      'ChargesPercent 1.3475 Within',
      'TotalCostPercent 6.0112 Above',
      'PaymentToIncomePercent 40 Within',
    ]);
    expect(applyLimits({ list, ...TL }, OFFER)[1]).toEqual({
      Name: 'Limit',
      Figure: 'APRC',
      Largest: '11.5877',
      Value: '11.5878',
      Result: 'Above',
    });
  });

  it('bind the largest of several rates, also if all are negative', () => {
    const list = listOf({ Figure: 'InterestPercent', Largest: 10 });
    expect(applied(list, rates(5, 10.00001, 7))).toEqual(['InterestPercent 10 Above']);
    expect(applied(list, rates(-2, -1))).toEqual(['InterestPercent -1 Within']);
  });

  it('are compared without rounding', () => {
    const share = listOf({ Figure: 'TotalCostPercent', Largest: 33.3333 });
    expect(applied(share, { financed: 3, totalCostOfCredit: 1 })).toEqual(['TotalCostPercent 33.3333 Above']);
    const third = listOf({ Figure: 'PaymentToIncomePercent', Largest: 33.33333 });
    expect(applied(third, { payment: 1, income: 3 })).toEqual(['PaymentToIncomePercent 33.3333 Above']);
  });

  it('compare what a month costs: the payments of a year over twelve incomes', () => {
    const list = listOf({ Figure: 'PaymentToIncomePercent', Largest: 40 });
    expect(applied(list, each(4n, 1n))).toEqual(['PaymentToIncomePercent 10 Within']);
    expect(applied(list, each(52n, 1n))).toEqual(['PaymentToIncomePercent 130 Above']);
    expect(applied(list, each(73n, 2n))).toEqual(['PaymentToIncomePercent 91.25 Above']);
  });

  it('are unknown where the offer does not have the figure, and never within', () => {
    const list = listOf({}, { Figure: 'PaymentToIncomePercent' });
    const unknown = ['APRC none Unknown', 'PaymentToIncomePercent none Unknown'];
    const noRate = { rateFlows: paidBack(-1, 0) };
    expect(applied(list, { ...noRate, income: undefined })).toEqual(unknown);
    expect(applied(list, { ...noRate, paymentsPerYear: undefined })).toEqual(unknown);
  });

  it('are exceeded by an annual rate that costs at the start make endless', () => {
    for (const [drawn, result] of [
      [-1_000, '0 Within'],
      [0, 'none Above'],
      [1, 'none Above'],
    ] as const)
      expect(applied(listOf({}), { rateFlows: paidBack(drawn, 1_000) })).toEqual([`APRC ${result}`]);
  });

  it('apply by product type, by code or name, and to all products without one', () => {
    const list = listOf(
      { ProductTypes: ['term loan', 'MG'] },
      { ProductTypes: ['C'], Figure: 'TotalCostPercent' },
    );
    expect(applied(list)).toEqual(['APRC 11.5878 Within']);
    expect(applied(list, {}, { productType: 'Credit', day: DAY })).toEqual([
      'TotalCostPercent 6.0112 Within',
    ]);
    expect(applied(list, {}, { productType: 'LS', day: DAY })).toEqual([]);
    expect(applied(listOf({}), {}, { productType: 'LS', day: DAY })).toEqual(['APRC 11.5878 Within']);
  });

  it('apply from their first to their last day, only if they are Active', () => {
    const list = listOf(
      { ValidTo: '2026-05-14', Largest: 1 },
      { ValidFrom: '2026-05-15', ValidTo: '2026-05-15', Largest: 2 },
      { ValidFrom: '2026-05-16', Largest: 30 },
      { Status: 'Draft', Largest: 4 },
    );
    const largestOn = (day: string) =>
      applyLimits({ list, productType: 'TL', day: date(day) }, OFFER).map(({ Largest }) => Number(Largest));
    expect(['2026-05-14', '2026-05-15', '2026-05-16'].map(largestOn)).toEqual([[1], [2], [30]]);
  });
});

const periodicity = findPeriodicity('Monthly', BUILT_IN_PERIODICITIES)!;
const ROW = {
  InstallmentNo: 1,
  remainingValue: 1_000_00,
  pmt: 1_100_00,
  interest: 100_00,
  principal: 1_000_00,
  managementFee: 0,
  totalInstallment: 1_100_00,
  dueDate: DAY,
};
const CALCULATED: CalculatedOffer = {
  terms: { InterestPercent: new Decimal(7) },
  rateFlows: OFFER.rateFlows,
  rows: [ROW],
  loan: { financed: 1_000_00, digits: 2, periodicity },
  totalCostOfCredit: 100_00,
};
const readRates = (terms: CalculatedOffer['terms']) =>
  readLimitedOffer({ ...CALCULATED, terms }, undefined).rates.map((one) => one.toNumber());

const paymentOf = (...totals: readonly number[]) => {
  const rows = totals.map((totalInstallment) => {
    const principal = Math.max(0, totalInstallment - 50);
    return { ...ROW, principal, totalInstallment };
  });
  return readLimitedOffer({ ...CALCULATED, rows }, undefined).payment;
};

/** The product without limits, with the figures of all its filters. */
const PERSONAL = {
  productCode: 'TL-PERSONAL',
  jsonFilterCommission: [{ name: 'Employer', value: 7 }],
  jsonDiscountFilter: [{ name: 'YearsAsClient', value: 3 }],
  Offer: true,
};

describe('the figures of an offer that limits bind (Q9)', () => {
  it('are those of the terms and rows of a simulation', () => {
    const request = {
      ...PERSONAL,
      amount: new Decimal(10_000),
      loanPeriod: 12,
      scheduleType: 'EqualInstallments',
    };
    const calendars = { find: () => undefined };
    const context = { catalogue: EXAMPLE_CATALOGUE, calendars, requestDay: date('2026-01-15') };
    const outcome = simulate(request, context);
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
    const [record] = outcome.records;
    const offer = readLimitedOffer(
      {
        ...record!.offer!,
        rateFlows: OFFER.rateFlows,
        terms: record!.terms,
        rows: record!.rows.slice(1),
        loan: { financed: 10_000_00, digits: 2, periodicity },
      },
      OFFER.income,
    );
    expect(offer).toEqual(OFFER);
  });

  it('have the rates of all rows, and of the bands below the largest balance', () => {
    const [four, five, six] = [4, 5, 6].map((one) => new Decimal(one));
    expect(readRates({ InterestPercent: four })).toEqual([4]);
    expect(
      readRates({
        InterestPercent: four,
        MultipleInterestRates: [{ InterestRate: five }, { FromInstNo: 3 }],
      }),
    ).toEqual([5, 4]);
    const bands = [
      { Value: four },
      { MinUtilizedAmount: new Decimal('999.99'), Value: five },
      { MinUtilizedAmount: new Decimal(1000), Value: six },
    ];
    expect(readRates({ BandedInterestRates: bands })).toEqual([4, 5]);
    const rows = [ROW, { ...ROW, remainingValue: 1_000_01 }];
    const reached = readLimitedOffer(
      { ...CALCULATED, terms: { BandedInterestRates: bands }, rows },
      undefined,
    );
    expect(reached.rates).toEqual([four, five, six]);
  });

  it('have the largest payment except the last, which may repay a rest, or the only one', () => {
    expect(paymentOf(100, 120, 110, 5_000)).toBe(120);
    expect(paymentOf(700)).toBe(700);
  });

  it('have the last payment if no row before it repays the loan', () => {
    expect(paymentOf(10, 50, 5_000)).toBe(5_000);
  });

  it('have the interest of all rows, also what was added to the balance', () => {
    expect(readLimitedOffer(CALCULATED, undefined).interest).toBe(100_00);
  });
});

const STEPS = {
  productCode: 'TL-STEPS',
  amount: new Decimal(10_000),
  loanPeriod: 24,
  scheduleType: 'EqualInstallments',
  interestType: INTEREST_OPTION_IDS.Collection,
};

/** The limits of the first offer, and the paths of the warnings; or the faults. */
function simulateSteps(changes: Partial<SimulateRequest>, day = '2026-01-15') {
  const context = {
    catalogue: EXAMPLE_CATALOGUE,
    calendars: { find: () => undefined },
    requestDay: date(day),
  };
  const outcome = simulate({ ...STEPS, ...changes }, context);
  if (outcome.kind === 'refused') return outcome.faults.map(({ path, code }) => `${path} ${code}`);
  const [record] = outcome.records;
  return {
    limits: record?.offer?.limits?.map(({ Figure, Value, Result }) => `${Figure} ${String(Value)} ${Result}`),
    warnings: outcome.warnings.map(({ path }) => path),
  };
}

const once = (amount: number) => [commission({ PeriodicityType: 'Once', ...price(amount) })];
/** Value and result of a limit for a personal loan of 1000 over four months at 12 %. */
const limitOf = (
  limit: object,
  request: Partial<SimulateRequest>,
  commissions: readonly CommissionRecord[] = [],
) => {
  const offered = recordOf({ limits: [{ ...LIMIT, ...limit }], commissions }, { Offer: true, ...request });
  const found = offered.offer?.limits ?? [];
  return found.map(({ Value, Result }) => `${String(Value)} ${Result}`);
};

describe('limits in a simulation (Q9)', () => {
  it('compare the annual rate unrounded: it is 12.682636 %', () => {
    const request = { amount: new Decimal(1003) };
    const of = (Largest: number) => limitOf({ Largest }, request);
    expect([12.6826, 12.682635, 12.682637].map(of)).toEqual([
      ['12.6826 Above'],
      ['12.6826 Above'],
      ['12.6826 Within'],
    ]);
  });

  it('compare the payment that repays the loan after a grace period', () => {
    const limit = { Figure: 'PaymentToIncomePercent', Largest: 40 };
    const request = { loanPeriod: 2, GracePeriodPrincipal: 1, Income: new Decimal(100) };
    expect(limitOf(limit, request)).toEqual(['1010 Above']);
  });

  it('are exceeded if nothing of the loan is left after the costs at the start, also with the first payment', () => {
    expect(limitOf({}, {}, once(1000))).toEqual(['null Above']);
    expect(limitOf({}, { InterestType: 1 }, once(800))).toEqual(['null Above']);
  });

  it('are reported as not counted if the list that the product names is not in force', () => {
    const offering = { product: { LimitList: 'LIM' } };
    const warned = { warnings: [{ code: 'not-counted', path: 'LimitList' }] };
    expect(simulated(offering, { Offer: true })).toMatchObject(warned);
    expect(simulated(offering)).toMatchObject({ warnings: [] });
  });

  it('are those of the product on the day, for the larger of two rates and the row with a yearly charge', () => {
    expect(simulateSteps({ Offer: true, Income: new Decimal(1_000) })).toEqual({
      limits: [
        'InterestPercent 8.9 Within',
        'APRC 7.0167 Within',
        // 711.65 of interest and 15.03 of charges; the largest payment is 456.67.
        'ChargesPercent 0.1503 Within',
        'TotalCostPercent 7.2668 Within',
        'PaymentToIncomePercent 45.667 Above',
      ],
      warnings: [],
    });
  });

  it('are absent without the figures of an offer, and where the product names no list', () => {
    const without = { limits: undefined, warnings: [] };
    expect(simulateSteps({})).toEqual(without);
    expect(simulateSteps({ ...PERSONAL, interestType: undefined })).toEqual(without);
  });

  it('are unknown without an income, which is reported where no limit uses it (E5)', () => {
    const offered = simulateSteps({ Offer: true });
    expect(offered).toMatchObject({ warnings: [] });
    expect(JSON.stringify(offered)).toContain('PaymentToIncomePercent null Unknown');
    const income = { Income: new Decimal(1_000) };
    expect(simulateSteps(income)).toEqual({ limits: undefined, warnings: ['Income'] });
    expect(simulateSteps({ ...PERSONAL, ...income, interestType: undefined })).toMatchObject({
      warnings: ['Income'],
    });
  });

  it('need an income above zero, in the decimals of the currency, also without a limit that uses it', () => {
    for (const [income, code] of [
      ['0', 'out-of-range'],
      ['-1', 'out-of-range'],
      ['0.001', 'too-many-decimals'],
      ['1e16', 'amount-too-large'],
    ] as const)
      expect(simulateSteps({ Income: new Decimal(income) })).toEqual([`Income ${code}`]);
  });
});
