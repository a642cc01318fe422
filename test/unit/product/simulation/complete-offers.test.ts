import { Decimal } from 'decimal.js';
import { describe, expect, it, test } from 'vitest';
import { simulationUnits } from '../../../../shared/lending/work-units.ts';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import { readWholeCatalogue } from '../../../../shared/product/storage/catalogue-folder.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import type { CommissionRecord } from '../../../../shared/product/catalogue/list-records.ts';
import type { SimulateRequest } from '../../../../shared/product/simulation/simulation.ts';
import { renderSimulation, simulatePayload } from '../../../../shared/api/actions/simulate-action.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import { outcomeOf, scenesOf } from '../../../support/builders/simulation-scenes.ts';
import {
  commission,
  insurance,
  insuranceItem,
  interest,
  price,
  rate,
  recordOf,
  refusalOf,
  simulated,
} from '../../../support/worlds/simulated-product.ts';

const FOLDER = new URL('../../../../shared/product/example-catalogue', import.meta.url).pathname;
const catalogue = readWholeCatalogue(FOLDER).catalogue!;
const calendars = { find: (name: string) => findCalendar(name, { catalogue: catalogue.lending.calendars }) };

const PERSONAL: SimulateRequest = {
  productCode: 'TL-PERSONAL',
  amount: new Decimal(10_000),
  loanPeriod: 12,
  scheduleType: 'EqualInstallments',
  jsonDiscountFilter: [{ name: 'YearsAsClient', value: 3 }],
};

function exampleOf(changes: Partial<SimulateRequest>, product = PERSONAL) {
  const request = { ...product, ...changes };
  const outcome = simulate(request, { catalogue, calendars, requestDay: date('2026-01-15') });
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

type Answer = Readonly<Record<string, unknown>>;

function answerOf(outcome: ReturnType<typeof exampleOf>) {
  const { records, warnings } = outcome;
  const { Records } = JSON.parse(renderSimulation(simulatePayload(records, warnings))) as {
    Records: Answer[];
  };
  return Records[0]!;
}

describe('the published figures of an offer (Q8)', () => {
  it('TL-PERSONAL of the example catalogue: 85.00 at the start, 601.12, 10,601.12, 11.5878 %', () => {
    expect(answerOf(exampleOf({ Offer: true }))).toMatchObject({
      Total: 10_516.12,
      IRR: '9.0394%',
      TotalUpfront: 85,
      TotalCostOfCredit: 601.12,
      TotalAmountPayable: 10_601.12,
      APRC: '11.5878%',
      InstallmentAmount: 872.2,
      LastInstallmentAmount: 872.17,
      ProductVersion: 2,
      HolidayCalendar: null,
      StartDate: '2026-01-15T00:00:00',
    });
  });

  it.each([
    [[], { aprc: '4.2818', totalAmountPayable: 147_977_04, totalCostOfCredit: 47_977_04, totalUpfront: 0 }],
    [
      [1350],
      {
        aprc: '4.4461',
        totalAmountPayable: 149_327_04,
        totalCostOfCredit: 49_327_04,
        totalUpfront: 1_350_00,
      },
    ],
  ])('100,000 over 240 months at 4.20 %% with %j at the start: %j', (once, figures) => {
    const commissions = once.map((amount) => commission({ PeriodicityType: 'Once', ...price(amount) }));
    const interests = [interest(rate(4.2))];
    const request = { amount: new Decimal(100_000), loanPeriod: 240, Offer: true };
    const { offer } = recordOf({ interests, commissions }, request);
    expect(offer).toMatchObject({ ...figures, installmentAmount: 616_57 });
    expect(offer).not.toHaveProperty('firstInstallmentAmount');
  });
});

const cover = insurance({ IsMandatoryForApplicant: false });
const OFFERINGS = {
  unusage: {
    commissions: [
      commission({ IsForUnusage: true, Name: 'Unused amount' }),
      commission({ IsForUnusage: true, Status: 'Draft' }),
      commission({ IsForUnusage: true, Values: [] }),
      commission({ IncludedInRepaymentSchedule: false, Name: 'Outside' }),
      commission({ IncludedInRepaymentSchedule: false, Name: 'No', InAprc: false }),
      commission({
        IncludedInRepaymentSchedule: false,
        Name: 'Unused',
        InAprc: true,
        PercentAppliedTo: 'UnusedAmount',
      }),
    ],
    product: {
      DisbursementMatrix: [
        {
          Name: 'T',
          TranchePercent: 50,
          InterestPercent: 5,
          StartMonthFromActivation: 0,
          UnusageCommissionPercent: 1,
        },
      ],
    },
  },
  bank: {
    general: { HolidayShiftForRepaymentInstallments: true },
    product: { CountryCalendars: ['TARGET'] },
  },
  inaccessible: {
    insurances: [cover],
    product: { Insurances: [insuranceItem('C', { Filters: [{ Name: 'Age', From: null, To: 60 }] })] },
  },
  deposit: { product: { BankingProductType: 'D', PaymentScheduleTypes: ['Deposit'] } },
  capitalised: { general: { GraceType: 'Capitalised' } },
  forgiven: { general: { GraceType: 'Forgiven' } },
};

const SCENES = scenesOf(`
charges that come with every contract are in the APRC, chosen ones are not, unless the catalogue says so (Q8)
  commission {price: 10}; request {Offer: true} => offer.totalCostOfCredit = 6513; totalFee = 4000
  commission {price: 10, InAprc: false}; request {Offer: true} => offer.totalCostOfCredit = 2513; totalFee = 4000;
    terms.Commission[0].CountsIn = "Rows"
  commission {price: 10, AutomaticLoadOnContract: false}; request {Offer: true, OptionalCommissions: [{Name:
    "ADMINISTRATION"}]} => offer.totalCostOfCredit = 2513; totalFee = 4000; offer.aprc = "12.6854"
  commission {price: 10, AutomaticLoadOnContract: false, InAprc: true}; request {Offer: true,
    OptionalCommissions: [{FeeId: "#200"}]} => offer.totalCostOfCredit = 6513; totalFee = 4000
  insurance {IsMandatoryForApplicant: false}; request {Offer: true, OptionalInsurances: [{Name: "life",
    InsuranceId: "#300"}]} => totalInsurance = 1200; offer.totalCostOfCredit = 2513
  insurance {IsMandatoryForApplicant: false, PeriodicityType: "Once"}; request {Offer: true,
    OptionalInsurances: [{Name: "life"}]} => offer.totalUpfront = 300; offer.totalCostOfCredit = 2513;
    offer.aprc = "12.6854"
a compulsory charge outside the schedule costs in no row, but in the offer, if its InAprc is true (Q8)
  commission {price: 10, IncludedInRepaymentSchedule: false, InAprc: true}; request {Offer: true} => totalFee =
    0; offer.totalCostOfCredit = 6513; offer.totalAmountPayable = 106513; commissions[0].place =
    {inSchedule: false, inAprc: true}; warnings = []; terms.Commission = undefined
  commission {price: 10, IncludedInRepaymentSchedule: false, InAprc: true} => commissions = []
  insurance {IncludedIntoRepaymentScheduleInstallment: false, InAprc: true, PeriodicityType: "Once"}; request
    {Offer: true} => offer.totalUpfront = 300; offer.totalCostOfCredit = 2813; terms.UpFrontValue = undefined
  insurance {IncludedIntoRepaymentScheduleInstallment: false, InAprc: true}; request {Offer: true} =>
    rows[1].insurance = undefined; offer.totalCostOfCredit = 3713
an offer says what its cost leaves out; a simulation does not (E3)
  unusage; request {Offer: true} => warnings = ["not-counted DisbursementMatrix", "not-counted
    Commission.Unused amount", "not-counted Commission.Administration", "not-counted Commission.Outside",
    "not-counted Commission.No", "not-counted Commission.Unused"];
    offer.totalCostOfCredit = 2513
  unusage => warnings = []
choices that are not offered are refused, and those that add nothing are reported (E1, E5)
  commission {}; request {OptionalCommissions: [{Name: "Other"}]} => ! OptionalCommissions[0].Name
    unknown-value: must be one of Administration
  commission {IncludedInRepaymentSchedule: false}; request {OptionalCommissions: [{FeeId: "#200"}]} => !
    OptionalCommissions[0].FeeId unknown-value: must be left out: the product has no commission for this request
  request {OptionalInsurances: [{}]} => ! OptionalInsurances[0].Name missing 400: is missing; the insurance must
    have Name or InsuranceId
  insurance {}; 2 insurance {IsMandatoryForApplicant: false}; request {OptionalInsurances: [{Name: "Life 1",
    InsuranceId: "#302"}]} => ! OptionalInsurances[0].InsuranceId exclusive 400: must be the id of the insurance
    that Name names
  inaccessible; request {jsonInsuranceFilter: [{name: "Age", value: 61}], OptionalInsurances: [{Name: "Life"}]}
    => ! OptionalInsurances[0].Name unknown-value
  inaccessible; request {jsonInsuranceFilter: [{name: "Age", value: 60}], OptionalInsurances: [{Name: "Life"}]}
    => totalInsurance = 1200; warnings = []
  inaccessible; request {OptionalInsurances: [{Name: "Life"}]} => totalInsurance = 1200; warnings = ["assumed
    jsonInsuranceFilter.Age"]
  inaccessible => totalInsurance = 0; warnings = []
  commission {}; request {OptionalCommissions: [{Name: "Administration"}]} => warnings = ["no-effect
    OptionalCommissions[0]"]; totalFee = 4000
  commission {Values: [], AutomaticLoadOnContract: false}; request {OptionalCommissions: [{Name:
    "Administration"}]} => warnings = ["no-effect OptionalCommissions[0]"]; commissions = []
  commission {}; request {interestTypeName: "Variable", OptionalCommissions: [{Name: "Administration"}]} => !
    interestTypeName not-allowed
a chosen charge that the loan cannot have is refused where it is chosen (E1)
  commission {Currency: "RON", AutomaticLoadOnContract: false}; request {OptionalCommissions: [{Name:
    "Administration"}]} => ! OptionalCommissions[0] not-allowed: must be left out, unless the commission
    Administration is in EUR
  commission {Currency: "RON"}; request {OptionalCommissions: [{Name: "Administration"}]} => ! productCode
    not-allowed: must be a product whose commission Administration is in EUR
  commission {}; commission {fee: 1, PercentAppliedTo: "Nothing", AutomaticLoadOnContract: false}; request
    {OptionalCommissions: [{Name: "Administration 1"}]} => ! OptionalCommissions[0] unknown-value: must be left
    out: commission Administration 1, PercentAppliedTo, must be one of …
  commission {}; commission {price: 1e14, AutomaticLoadOnContract: false}; request {OptionalCommissions: [{Name:
    "Administration"}, {FeeId: "#201"}]} => ! OptionalCommissions[1] amount-too-large: must be left out: otherwise
    an instalment exceeds the largest supported amount
  deposit; commission {AutomaticLoadOnContract: false}; request {scheduleType: "Deposit", OptionalCommissions:
    [{Name: "Administration"}]} => ! OptionalCommissions[0] not-allowed: must be left out, or scheduleType be one
    that accepts commissions
the regular payment is the one that most rows have, with the first and the last where they differ (Q8)
  request {Offer: true} => offer.installmentAmount = 25628; offer.firstInstallmentAmount = undefined;
    offer.lastInstallmentAmount = 25629
  request {Offer: true, scheduleType: "EqualPrincipal"} => offer.installmentAmount = null;
    offer.firstInstallmentAmount = 26000; offer.lastInstallmentAmount = 25250
  request {Offer: true, loanPeriod: 1} => offer.installmentAmount = 101000; offer.lastInstallmentAmount =
    undefined
  request {Offer: true, GracePeriodPrincipal: 2} => offer.installmentAmount = 50751;
    offer.firstInstallmentAmount = 1000; offer.lastInstallmentAmount = undefined
  request {Offer: true, loanPeriod: 6, GracePeriodPrincipal: 3} => offer.installmentAmount = 34002;
    offer.firstInstallmentAmount = 1000; offer.lastInstallmentAmount = 34003
an offer with payments in advance pays first at time 0 of its rate (B7)
  request {Offer: true, InterestType: 1} => offer.aprc = "12.6782"; offer.totalCostOfCredit = 1497;
    offer.installmentAmount = 25374; offer.firstInstallmentAmount = undefined; offer.lastInstallmentAmount = 25375
  request {Offer: true, InterestType: 1, GracePeriodPrincipal: 1} => ! GracePeriodPrincipal not-allowed: must be 0
    with InterestType 1
an offer with two payments a month has the rate of their dates (D10)
  general {PeriodicityType: "Semimonthly"}; request {Offer: true, InstallmentDay: 16} => offer.aprc = "12.7593";
    offer.installmentAmount = 25313; offer.lastInstallmentAmount = 25314; warnings = []
grace periods follow the GraceType of the product, Deferred by default (G1, G2)
  request {GracePeriodPrincipal: 2, GracePeriodInterest: 2} => rows[1].totalInstallment = 0;
    rows[3].totalInstallment = 52751; rows[4].totalInstallment = 50751
  capitalised; request {GracePeriodPrincipal: 2, GracePeriodInterest: 2} => rows[2].remainingValue = 101000;
    rows[3].remainingValue = 102010; terms.GraceType = "Capitalised"
  forgiven; request {GracePeriodPrincipal: 2, GracePeriodInterest: 2, Offer: true} => rows[3].totalInstallment =
    50751; offer.totalCostOfCredit = 1502
  capitalised; request {GracePeriodPrincipal: 2} => rows[1].totalInstallment = 1000; terms.GraceType = undefined
  request {GracePeriodPrincipal: 4} => ! GracePeriodPrincipal out-of-range: must be a whole number from 0 to 3
due dates follow FirstDueDate and InstallmentDay; without effect they are reported (D3, D4, E5)
  request {InstallmentDay: 32} => ! InstallmentDay out-of-range: must be a whole number from 1 to 31
  request {loanPeriod: 0, scheduleType: "None", InstallmentDay: 0, GracePeriodInterest: -1, InterestType: 1,
    GracePeriodPrincipal: 1} => ! scheduleType unknown-schedule-type & loanPeriod out-of-range & InstallmentDay
    out-of-range & GracePeriodPrincipal not-allowed: must be 0 with InterestType 1 & GracePeriodInterest
    out-of-range: must be a whole number from 0 to 1199
  general {PeriodicityType: "Weekly"}; request {InstallmentDay: 5, loanPeriod: 4} => warnings = ["no-effect
    InstallmentDay"]
  general {PeriodicityType: "Once"}; request {InstallmentDay: 5, Explain: true, loanPeriod: 4} => warnings =
    ["no-effect Explain", "no-effect InstallmentDay"]
an offer has a cost, so a deposit has none
  deposit; request {scheduleType: "Deposit", Offer: true} => ! Offer not-allowed: must be false: Deposit is a
    deposit, which has no cost
  deposit; request {scheduleType: "Deposit", Offer: false} => offer = undefined
costs beyond the largest figure are refused (M6)
  commission {price: 9999999999999.99, IncludedInRepaymentSchedule: false, InAprc: true}; request {Offer: true,
    loanPeriod: 12} => ! amount amount-too-large: must give a total of at most …
  commission {fee: 100000, PercentAppliedTo: "RemainingValue", IncludedInRepaymentSchedule: false, InAprc: true};
    request {Offer: true, amount: 9999999999999.99} => ! amount amount-too-large: must be smaller, because of
    commission Administration: otherwise an instalment exceeds the largest supported amount
offers have at most three quarters of the rows of simulations, explained ones half (Q8)
  61 interest {}; request {interestTypeName: "Fixed", loanPeriod: 443, Offer: true} => ! loanPeriod
    too-many-rows: must be at most 442 periods with 61 offers; …
  61 interest {}; request {interestTypeName: "Fixed", loanPeriod: 296, Offer: true, Explain: true} => !
    loanPeriod too-many-rows: must be at most 295 periods with 61 offers; …
`);

it.each(SCENES)('$title: $sent', (scene) => {
  expect(outcomeOf(scene, OFFERINGS)).toBe(scene.outcome);
});

describe('the days of a simulation', () => {
  it('`Date` replaces the day of the request for products, prices and the start (L1, Q2)', () => {
    const { records } = exampleOf({ Date: date('2023-06-30'), Offer: true });
    const [record] = records;
    expect(record?.offer).toMatchObject({ productVersion: 1, startDate: date('2023-06-30') });
    expect(record?.commissions[0]).toMatchObject({ date: date('2023-06-30') });
    expect(record?.commissions[0]?.baseValue?.toNumber()).toBe(120);
  });

  it.each([
    [{}, ['2026-02-15', '2026-03-15', '2026-04-15']],
    [{ FirstDueDate: date('2026-02-28') }, ['2026-02-28', '2026-03-28', '2026-04-28']],
    [{ FirstDueDate: date('2026-02-28'), InstallmentDay: 31 }, ['2026-02-28', '2026-03-31', '2026-04-30']],
    [{ InstallmentDay: 1 }, ['2026-02-01', '2026-03-01', '2026-04-01']],
    [{ InterestType: 1 }, ['2026-01-15', '2026-02-15', '2026-03-15']],
    [{ InterestType: 1, FirstDueDate: date('2026-02-28') }, ['2026-01-15', '2026-02-28', '2026-03-28']],
  ])('with an offer %j gives rows these due dates, after the start in row 0 (D3, D4)', (terms, days) => {
    const { ScheduleJson } = answerOf(exampleOf({ ...terms, Offer: true }));
    const { paymentSchedule } = JSON.parse(ScheduleJson as string) as {
      paymentSchedule: { DueDate: string }[];
    };
    const shown = paymentSchedule.slice(0, 4).map(({ DueDate }) => DueDate);
    expect(shown).toEqual(['2026-01-15', ...days].map((day) => `${day}T00:00:00`));
    expect(answerOf(exampleOf(terms))['ScheduleJson']).not.toContain('DueDate');
  });

  it.each([
    [{}, '12.0026%'],
    [{ FirstDueDate: date('2025-02-01') }, '12.0026%'],
    [{ InstallmentDay: 1, FirstDueDate: date('2025-02-01') }, '12.0026%'],
    [{ FirstDueDate: date('2025-03-15') }, null],
    [{ FirstDueDate: date('2025-03-01') }, null],
    [{ InstallmentDay: 15 }, null],
    [{ InstallmentDay: 15, FirstDueDate: date('2025-02-01') }, null],
    [{ Date: date('2025-02-28'), InstallmentDay: 31 }, '12.0026%'],
  ])('the IRR supposes equal periods, so that with %j it is %j (Q4)', (terms, irr) => {
    expect(recordOf({}, terms).irr).toBe(irr);
  });

  it('the IRR of half months and weeks supposes equal periods too (Q4)', () => {
    const semimonthly = { general: { PeriodicityType: 'Semimonthly' } };
    const regular = recordOf(semimonthly).irr;
    expect(regular).not.toBeNull();
    expect(recordOf(semimonthly, { InstallmentDay: 16 }).irr).toBe(regular);
    expect(recordOf(semimonthly, { InstallmentDay: 2 }).irr).toBeNull();
    const weekly = { general: { PeriodicityType: 'Weekly' } };
    const eighth = { FirstDueDate: date('2025-01-08') };
    expect(recordOf(weekly, eighth).irr).toBe(recordOf(weekly).irr);
    expect(recordOf(weekly, { FirstDueDate: date('2025-01-09') }).irr).toBeNull();
  });

  it.each([
    [{ FirstDueDate: date('2999-12-06') }, {}, 'FirstDueDate out-of-range 422'],
    [{ Date: date('2999-12-06') }, {}, 'Date out-of-range 422'],
    [{ loanPeriod: 1200 }, { PeriodicityType: 'Annual' }, 'loanPeriod out-of-range 422'],
    [
      { FirstDueDate: date('2999-12-06'), Date: date('2999-12-05') },
      { PeriodicityType: 'Once' },
      'Date out-of-range 422',
    ],
  ])('%j with %j ends too late for the field that it names (E1)', (terms, general, fault) => {
    expect(refusalOf({ general }, terms)).toEqual([fault]);
  });

  it('a first due date must follow the start, and has no effect with Once (D3, E1, E5)', () => {
    const first = { FirstDueDate: date('2024-12-31') };
    expect(refusalOf({}, first)).toEqual(['FirstDueDate date-order 422']);
    const once = simulated({ general: { PeriodicityType: 'Once' } }, first);
    expect(once).toMatchObject({ warnings: [{ code: 'no-effect', path: 'FirstDueDate' }] });
    expect(once).toMatchObject({ records: [{ rows: [{}, { dueDate: date('2025-05-01') }] }] });
  });

  it('a charge outside the rows or the APRC leaves the rows of formulas that read charges (Q8, S2)', () => {
    const { scheduleTypes = [] } = catalogue.lending.records;
    const offerWith = (changes: Partial<CommissionRecord>) => {
      const { offer, rows } = recordOf(
        {
          commissions: [commission(), commission({ Name: 'Apart', ...changes })],
          lending: { scheduleTypes },
          product: { PaymentScheduleTypes: ['LevelTotalWithVat'] },
        },
        { Offer: true, scheduleType: 'LevelTotalWithVat', installmentValue: new Decimal(270) },
      );
      const paid = rows.map(({ principal, totalInstallment }) => [principal, totalInstallment]);
      return { cost: offer?.totalCostOfCredit ?? 0, paid };
    };
    const none = offerWith({ Status: 'Draft' });
    const both = offerWith({});
    const inRows = offerWith({ InAprc: false });
    const inRate = offerWith({ IncludedInRepaymentSchedule: false, InAprc: true });
    expect(both.paid).not.toEqual(none.paid);
    expect(inRows).toEqual({ ...both, cost: both.cost - 4000 });
    expect(inRate).toEqual({ ...none, cost: none.cost + 4000 });
  });

  it('due dates are those to which the calendar of the product shifts them, which the offer names (H1, H2)', () => {
    const { offer, rows } = recordOf(OFFERINGS.bank, { Offer: true, Date: date('2025-01-31') });
    expect(offer?.calendar?.name).toBe('TARGET');
    expect(rows.map(({ dueDate }) => dueDate).slice(1, 3)).toEqual([date('2025-02-28'), date('2025-03-31')]);
    const payload = simulatePayload(
      [recordOf(OFFERINGS.bank, { Offer: true, Date: date('2025-01-31') })],
      [],
    );
    expect(payload.Records[0]?.Offer?.HolidayCalendar).toMatch(/^TARGET;version=/);
  });
});

/** The value of one side of an offer's equation, in which the exponents are sums of fractions. */
function valueOf(text: string): number {
  const power = /\(1 \+ (-?[\d.]+) %\)\^\(([^)]+)\)/g;
  const growth = text.replaceAll(power, (_, percent: string, time: string) => {
    const years = time.split(' + ').reduce((sum, part) => {
      const [count, of = '1'] = part.split('/');
      return sum + Number(count) / Number(of);
    }, 0);
    return String((1 + Number(percent) / 100) ** years);
  });
  return growth
    .split(/ (?=[+-] )/)
    .map((term) => {
      const [amount, divisor = '1'] = term.replace(/^([+-]) /, '$1').split(' / ');
      return Number(amount) / Number(divisor);
    })
    .reduce((sum, term) => sum + term, 0);
}

describe('explanations (Q8, S6)', () => {
  it('each figure has its formula, and the rate the equation that it solves', () => {
    const { Explanation } = answerOf(exampleOf({ Offer: true, Explain: true })) as {
      Explanation: { Figure: string; Name?: string; Amount: number; Formula: string }[];
    };
    expect(Explanation.filter(({ Figure }) => Figure !== 'APRC')).toEqual([
      { Figure: 'TotalUpfront', Name: 'Analysis fee', Amount: 85, Formula: '100 * (1 - 10 %) - 5 = 85.00' },
      { Figure: 'TotalUpfront', Amount: 85, Formula: 'one charge: 85.00' },
      {
        Figure: 'TotalCostOfCredit',
        Amount: 601.12,
        Formula: 'installments 10516.12 + paid at the start 85.00 - financed amount 10000.00 = 601.12',
      },
      {
        Figure: 'TotalAmountPayable',
        Amount: 10_601.12,
        Formula: 'financed amount 10000.00 + total cost 601.12 = 10601.12',
      },
      {
        Figure: 'InstallmentAmount',
        Amount: 872.2,
        Formula: 'interest 70.83 of row 1 + principal 801.37 of row 1 = 872.20',
      },
      {
        Figure: 'LastInstallmentAmount',
        Amount: 872.17,
        Formula: 'interest 6.13 of row 12 + principal 866.04 of row 12 = 872.17',
      },
    ]);
    const { Amount, Formula } = Explanation.find(({ Figure }) => Figure === 'APRC')!;
    expect(Amount).toBe(11.5878);
    const [drawn = '', paid = ''] = Formula.split(' = ');
    expect(drawn).toBe('10000.00 - 85.00');
    expect(paid.split(' + 8')).toHaveLength(12);
    expect(valueOf(paid)).toBeCloseTo(valueOf(drawn), 1);
  });

  it('names all charges at the start and beside the rows, and percentages of the financed amount', () => {
    const commissions = [
      commission({ PeriodicityType: 'Once', ValueIsPercent: true, ...price(null, 1.5) }),
      commission({ PeriodicityType: 'Once', Name: 'Fixed', ...price(20) }),
      commission({ Name: 'Outside', IncludedInRepaymentSchedule: false, InAprc: true }),
      commission({ Name: 'Not counted', InAprc: false }),
    ];
    const request = { Offer: true, Explain: true, FirstDueDate: date('2025-02-10') };
    const { offer } = recordOf({ commissions }, request);
    const formulas = offer?.explanation?.map(({ Formula }) => Formula) ?? [];
    expect(formulas.slice(0, 4)).toEqual([
      'FinancedAmount 1000.00 * 1.5 % = 15.00',
      'charge: 20.00',
      '15.00 + 20.00 = 35.00',
      'installments 1068.17 + paid at the start 35.00 + paid beside the installments 40.00 - charges outside the APRC 40.00 - financed amount 1000.00 = 103.17',
    ]);
    expect(formulas[5]).toMatch(
      /^1000\.00 - 35\.00 = 26\d\.\d\d \/ \(1 \+ [\d.]+ %\)\^\(1\/12 \+ 9\/366\) \+ /,
    );
  });

  it('a payment on the start is not discounted in the equation (B7)', () => {
    const { offer } = recordOf({}, { Offer: true, Explain: true, InterestType: 1 });
    const solved = offer?.explanation?.find(({ Figure }) => Figure === 'APRC');
    expect(solved?.Formula).toMatch(/^1000\.00 = 253\.74 \+ 253\.74 \/ \(1 \+ 12\.6782 %\)\^\(1\/12\) \+ /);
  });

  it('says when there is no rate, and no charge', () => {
    const commissions = [commission({ PeriodicityType: 'Once', ...price(1000) })];
    const { offer } = recordOf({ commissions }, { Offer: true, Explain: true });
    expect(offer?.aprc).toBeNull();
    const unsolved = offer?.explanation?.find(({ Figure }) => Figure === 'APRC');
    expect(unsolved).toMatchObject({
      Amount: null,
      Formula: expect.stringContaining('(1 + APRC)^(1/12)') as string,
    });
    const plain = recordOf({}, { Offer: true, Explain: true }).offer?.explanation ?? [];
    expect(plain[0]).toEqual({ Figure: 'TotalUpfront', Amount: '0.00', Formula: 'no charge: 0.00' });
    expect(recordOf({}, { Offer: true }).offer).not.toHaveProperty('explanation');
  });
});

test('the answer to a request without new fields has none of the new ones', () => {
  const answer = answerOf(exampleOf({}));
  expect(Object.keys(answer)).toHaveLength(18);
  expect(answer['OutputCommissionJson']).not.toContain('InAprc');
  expect(answerOf(exampleOf({ Offer: true }))['OutputCommissionJson']).toContain(
    '"InSchedule":true,"InAprc":true',
  );
});

test('an offer costs half as much again as a simulation, an explained one twice (E6)', () => {
  const plain = simulationUnits({ loanPeriod: 12 });
  expect(simulationUnits({ loanPeriod: 12, Offer: true })).toBe(1.5 * plain);
  expect(simulationUnits({ loanPeriod: 12, Offer: true, Explain: true })).toBe(2 * plain);
});

test('a list keeps InAprc as it is sent, so that stored records do not change', () => {
  expect(commission()).not.toHaveProperty('InAprc');
});
