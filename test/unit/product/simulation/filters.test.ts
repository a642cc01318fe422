import { describe, expect, it } from 'vitest';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import type { ItemFilter } from '../../../../shared/product/catalogue/record-kinds.ts';
import type { SimulateRequest } from '../../../../shared/product/simulation/simulation.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { EXAMPLE_CATALOGUE } from '../../../support/builders/example-catalogue.ts';
import { date, decimal } from '../../../support/builders/lending-loan.ts';
import { outcomeOf, scenesOf } from '../../../support/builders/simulation-scenes.ts';
import {
  commission,
  discount,
  guid,
  insurance,
  insuranceItem,
  simulated,
} from '../../../support/worlds/simulated-product.ts';

const above: readonly ItemFilter[] = [{ Name: 'Amount', From: 1000, To: null }];
const long = { Name: 'LoanPeriod', From: 4, To: 4 };
const financed = { Name: 'FinancedAmount', From: null, To: 900 };
const down = { Name: 'DownPayment', From: 1, To: 100 };
const item = { Id: guid(10), Name: 'One', InterestList: 'INT', CommissionList: 'COM' };
const itemsOf = (...filters: readonly (readonly ItemFilter[])[]) => ({
  product: {
    InterestsAndCommissions: filters.map((Filters, place) => ({ ...item, Id: guid(10 + place), Filters })),
  },
});
const energy = { Filters: [{ Name: 'EnergyClass', Values: [1, 2] }] };
const optional = { ...energy, IsOptionalDiscount: true };
const cover = insuranceItem('COVER', { Filters: [...above, { Name: 'Age', From: 18, To: 65 }] });
const OFFERINGS = {
  covered: { insurances: [insurance()], product: { Insurances: [cover] } },
  coveredTwice: {
    insurances: [insurance()],
    product: { Insurances: [cover, { ...cover, Id: guid(31), Filters: above }] },
  },
  coveredEither: {
    insurances: [insurance()],
    product: {
      Insurances: [cover, { ...cover, Id: guid(31), Filters: [{ Name: 'Smoker', Values: [0] }] }],
    },
  },
  unpriced: { insurances: [insurance({ Values: [] })], product: { Insurances: [cover] } },
  green: { commissions: [commission()], discounts: [discount(energy)] },
  greenOnRequest: { commissions: [commission()], discounts: [discount(optional)] },
  greenAndLarge: {
    commissions: [commission()],
    discounts: [discount({ Filters: [...energy.Filters, ...above] })],
  },
  advance: { commissions: [commission()], discounts: [discount({ Filters: [down, financed, long] })] },
  large: itemsOf(above),
  largeOrShort: itemsOf(
    [{ Name: 'amount', From: 5000, To: null }],
    [{ Name: 'LOANPERIOD', From: null, To: 3 }],
  ),
  largeOfBranch: itemsOf([...above, { Name: 'Branch', List: 'ODD' }]),
};

const SCENES = scenesOf(`
the request itself decides filters of its amount, down payment, financed amount and periods (L4)
  covered; request {amount: 999.99, jsonInsuranceFilter: [{name: "Age", value: 30}]} => firstInsurance = 0;
    warnings = []
  covered; request {amount: 1000, jsonInsuranceFilter: [{name: "Age", value: 30}]} => firstInsurance = 300;
    warnings = []
  advance; request {downPayment: 100} => firstFee = 900; warnings = []
  advance; request {downPayment: 100.01} => firstFee = 1000
  advance; request {downPayment: 99} => firstFee = 1000
  advance; request {downPayment: 100, loanPeriod: 5} => firstFee = 1000
  advance => firstFee = 1000; warnings = []
a figure of the caller may repeat that of the request, but not contradict it (L4)
  large; request {jsonFilterCommission: [{name: "AMOUNT", value: 1000}]} => warnings = []
  large; request {jsonFilterCommission: [{name: "Amount", value: 999}]} => ! jsonFilterCommission[0].value
    exclusive 400: must equal amount, or be left out
  advance; request {jsonDiscountFilter: [{name: "FinancedAmount", value: 1000}, {name: "DownPayment", value:
    1}, {name: "LoanPeriod", value: 5}]} => ! jsonDiscountFilter[1].value exclusive 400: must equal
    downPayment, or be left out & jsonDiscountFilter[2].value exclusive 400: must equal loanPeriod, or be left
    out
  green; request {jsonDiscountFilter: [{name: "Amount", value: 1}]} => warnings = ["unknown-filter
    jsonDiscountFilter[0].name", "assumed jsonDiscountFilter.EnergyClass"]
figures of the request with which no item is left are rejected, with what the filters require (L4, Q3)
  large; request {amount: 999} => ! amount not-allowed: must suit an interest-commission item of the product,
    by its filters: Amount from 1000
  largeOrShort => ! amount not-allowed: must suit an interest-commission item of the product, by its filters:
    amount from 5000, or LOANPERIOD to 3
  largeOfBranch; request {amount: 999, jsonFilterCommission: [{name: "Branch", value: 2}]} => !
    jsonFilterCommission not-allowed: must suit an interest-commission item of the product, by its filters:
    Amount from 1000 and Branch in the list ODD
  large; request {amount: 999}; availability {MinimumAmount: 1000} => ! amount out-of-range
an automatic discount is not granted without its figure, whether it is named or not (L4, Q5)
  green => firstFee = 1000; warnings = ["assumed jsonDiscountFilter.EnergyClass"]
  green; request {jsonDiscountFilter: [{name: "energyclass", value: 2}]} => firstFee = 900; warnings = []
  green; request {jsonDiscountFilter: [{name: "EnergyClass", value: 3}]} => firstFee = 1000; warnings = []
  green; request {discount: [{Name: "Campaign"}]} => firstFee = 1000; warnings = ["assumed
    jsonDiscountFilter.EnergyClass", "no-effect discount[0]"]
a chosen discount is granted without its figure, which is reported (L4, Q5)
  greenOnRequest => firstFee = 1000; warnings = []
  greenOnRequest; request {discount: [{Name: "Campaign"}]} => firstFee = 900; warnings = ["assumed
    jsonDiscountFilter.EnergyClass"]
a figure is not missing where another filter decides (L4)
  greenAndLarge; request {amount: 999} => firstFee = 1000; warnings = []
  covered; request {amount: 999} => firstInsurance = 0; warnings = []
  coveredTwice => firstInsurance = 300; warnings = []
  unpriced => firstInsurance = 0; warnings = []
an insurance and an offer are charged without their figures, which are reported (L4, Q6)
  covered => firstInsurance = 300; warnings = ["assumed jsonInsuranceFilter.Age"]
  coveredEither => firstInsurance = 300; warnings = ["assumed jsonInsuranceFilter.Age"]
  coveredEither; request {jsonInsuranceFilter: [{name: "Age", value: 70}]} => firstInsurance = 300; warnings =
    ["assumed jsonInsuranceFilter.Smoker"]
  coveredEither; request {jsonInsuranceFilter: [{name: "Age", value: 30}]} => firstInsurance = 300; warnings = []
  largeOfBranch => records.length = 1; warnings = ["assumed jsonFilterCommission.Branch"]
`);

const calendars = {
  find: (name: string) => findCalendar(name, { catalogue: EXAMPLE_CATALOGUE.lending.calendars }),
};

const STATES = ['passes', 'fails', 'is missing'] as const;
const FLAGS = [true, false];
const COMBINATIONS = STATES.flatMap((first) =>
  STATES.flatMap((second) =>
    FLAGS.flatMap((isOptional) => FLAGS.map((isNamed) => [first, second, isOptional, isNamed] as const)),
  ),
);

function exampleOf(changes: Omit<SimulateRequest, 'loanPeriod'> & Partial<SimulateRequest>) {
  const context = { catalogue: EXAMPLE_CATALOGUE, calendars, requestDay: date('2026-01-15') };
  const outcome = simulate({ loanPeriod: 120, ...changes }, context);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return {
    rates: outcome.records.map(({ interestPercent }) => interestPercent),
    insurances: outcome.records[0]?.insurances.map(({ name }) => name),
    warnings: outcome.warnings.map(({ code, path }) => `${code} ${path}`),
  };
}

describe('filters of a simulation', () => {
  it.each(SCENES)('$title: $sent', (scene) => {
    expect(outcomeOf(scene, OFFERINGS)).toBe(scene.outcome);
  });

  it('give a home loan of the example catalogue 5 % off only for an energy class that is stated', () => {
    const home = {
      productCode: 'MG-HOME',
      amount: decimal(100_000),
      downPayment: decimal(20_000),
      scheduleType: 'EqualInstallments',
      jsonFilterCommission: [{ name: 'HomeNumber', value: 1 }],
    };
    expect(exampleOf(home)).toMatchObject({
      rates: ['5.3500%'],
      warnings: ['assumed jsonDiscountFilter.EnergyClass'],
    });
    const stated = { ...home, jsonDiscountFilter: [{ name: 'EnergyClass', value: 2 }] };
    expect(exampleOf(stated)).toMatchObject({ rates: ['5.0825%'], warnings: [] });
  });

  it('charge a card of the example catalogue an insurance only from 1,000', () => {
    const card = { productCode: 'CC-CLASSIC', scheduleType: 'CreditCard', loanPeriod: 12 };
    expect(exampleOf({ ...card, amount: decimal(500) })).toMatchObject({ insurances: [], warnings: [] });
    const larger = exampleOf({ ...card, amount: decimal(1000) });
    expect(larger).toMatchObject({ insurances: ['Life insurance'], warnings: [] });
  });

  it.each(COMBINATIONS)(
    'decide a discount by two filters, of which one %s and the other %s; optional: %s, named: %s',
    (first, second, IsOptionalDiscount, isNamed) => {
      const states = [
        ['A', first],
        ['B', second],
      ] as const;
      const Filters = states.map(([Name]) => ({ Name, Values: [1, 2] }));
      const offering = {
        commissions: [commission()],
        discounts: [discount({ Filters, IsOptionalDiscount })],
      };
      const jsonDiscountFilter = states.flatMap(([name, state]) =>
        state === 'is missing' ? [] : [{ name, value: state === 'passes' ? 2 : 3 }],
      );
      const outcome = simulated(offering, {
        jsonDiscountFilter,
        discount: isNamed ? [{ Name: 'Campaign' }] : [],
      });
      const missing = states.filter(([, state]) => state === 'is missing').map(([name]) => name);
      const isOffered = first !== 'fails' && second !== 'fails';
      const isMeant = isOffered && (isNamed || !IsOptionalDiscount);
      const isGranted = isMeant && (IsOptionalDiscount || missing.length === 0);
      const reported = isMeant ? missing.map((name) => `jsonDiscountFilter.${name}`) : [];
      const found =
        outcome.kind === 'simulation'
          ? [
              outcome.records[0]?.firstFee,
              ...outcome.warnings.filter(({ code }) => code === 'assumed').map(({ path }) => path),
            ]
          : ['refused'];
      expect(found).toEqual(isNamed && !isOffered ? ['refused'] : [isGranted ? 900 : 1000, ...reported]);
    },
  );
});
