import { describe, expect, it } from 'vitest';
import { findCalendar } from '../../../../shared/lending/calendars/find-calendar.ts';
import type { ScheduleTypeRecord } from '../../../../shared/lending/schedule-types/schedule-type-record.ts';
import { simulate } from '../../../../shared/product/simulation/simulate-product.ts';
import { date } from '../../../support/builders/lending-loan.ts';
import {
  columnOf,
  formulaColumn,
  LEVEL_COLUMNS,
  recordOf as typeOf,
} from '../../../support/builders/schedule-type-records.ts';
import { outcomeOf, scenesOf } from '../../../support/builders/simulation-scenes.ts';
import {
  catalogueOf,
  guid,
  interest,
  type Offering,
  simulated,
  simulateRequest,
} from '../../../support/worlds/simulated-product.ts';

/** A product with a schedule type of its own. */
const withOwn = (record: ScheduleTypeRecord): Offering => ({
  lending: { scheduleTypes: [{ source: 'test', record }] },
  product: { PaymentScheduleTypes: ['Own type', 'EqualInstallments'] },
});
const [remaining, interestColumn] = LEVEL_COLUMNS;
const source = 'test';
const OFFERINGS: Readonly<Record<string, Offering>> = {
  byTheCentury: {
    general: { PeriodicityType: 'Century' },
    lending: { periodicities: [{ source, record: { name: 'Century', count: 100, unit: 'Years' } }] },
  },
  readsRate: withOwn(
    typeOf([
      columnOf('RemainingValue', 'RemainingValue'),
      formulaColumn('Interest', 'RemainingValue * InterestPercent / 1200'),
      columnOf('Principal', 'Linear'),
    ]),
  ),
  readsFees: withOwn(
    typeOf(
      [
        columnOf('RemainingValue', 'RemainingValue'),
        columnOf('Interest', 'Linear'),
        columnOf('ManagementFee', 'Fee'),
        formulaColumn('PMT', 'LockedInstallment - ManagementFee'),
        columnOf('Principal', 'Balance'),
      ],
      { InstallmentValueCustom: true },
    ),
  ),
  dividesByZero: withOwn(typeOf([...LEVEL_COLUMNS, formulaColumn('Ratio', '1 / (Interest - Interest)')])),
  ofDays: withOwn(typeOf(LEVEL_COLUMNS, { MeasurementUnit: 'Days' })),
  readsPeriods: withOwn(typeOf([...LEVEL_COLUMNS, formulaColumn('Periods', 'ContractPeriod')])),
  readsAdvance: withOwn(typeOf([remaining!, interestColumn!, formulaColumn('Principal', 'AdvanceAmount/2')])),
};
const LARGEST = '9999999999999.99';

const LOANS = scenesOf(`
bounds limit the amount with the down payment, both ends inclusive, and appear in the message (Q6)
  availability {MinimumAmount: 500, MaximumAmount: 2000.5}; request {amount: 499.99} => ! amount out-of-range:
    must be at least 500 EUR, the product's MinimumAmount
  availability {MinimumAmount: 500, MaximumAmount: 2000.5}; request {amount: 2000.51} => ! amount
    out-of-range: …MaximumAmount…
  availability {MinimumAmount: 500, MaximumAmount: 2000.5}; request {amount: 500} => rows.length = 5
  availability {MinimumAmount: 500, MaximumAmount: 2000.5}; request {amount: 2000.5} => rows.length = 5
  availability {MinimumAmount: 1000, MaximumAmount: 1000}; request {downPayment: 400} =>
    rows[1].remainingValue = 60000
bounds limit the down payment in percent of the amount; an absent one is zero (Q6)
  availability {MinimumAdvance: 15, MaximumAdvance: 33.5} => ! downPayment out-of-range
  availability {MinimumAdvance: 15, MaximumAdvance: 33.5}; request {downPayment: 149.99} => ! downPayment
    out-of-range: …MinimumAdvance…
  availability {MinimumAdvance: 15, MaximumAdvance: 33.5}; request {downPayment: 335.01} => ! downPayment
    out-of-range: must be at most 33.5 % of amount, the product's MaximumAdvance
  availability {MinimumAdvance: 15, MaximumAdvance: 33.5}; request {downPayment: 150} => rows.length = 5
  availability {MinimumAdvance: 15, MaximumAdvance: 33.5}; request {downPayment: 335} => rows.length = 5
a minimum term is included (Q6)
  availability {PeriodType: "Years", MinimumPeriod: 1}; request {loanPeriod: 11} => ! loanPeriod out-of-range:
    must come to at least 1 year, the product's MinimumPeriod; loanPeriod counts Monthly periods
  availability {PeriodType: "Years", MinimumPeriod: 1}; request {loanPeriod: 12} => rows.length = 13
periods are whole numbers, and amounts fit into figures (M2, M6)
  request {loanPeriod: 0} => ! loanPeriod out-of-range: must be a whole number of Monthly periods, from 1 to
    1200
  request {loanPeriod: -1} => ! loanPeriod out-of-range: must be a whole number of Monthly periods, from 1 to
    1200
  request {loanPeriod: 1.5} => ! loanPeriod out-of-range: must be a whole number of Monthly periods, from 1 to
    1200
  request {loanPeriod: 1201} => ! loanPeriod out-of-range: must be a whole number of Monthly periods, from 1
    to 1200
  request {amount: 0} => ! amount out-of-range
  request {amount: -5} => ! amount out-of-range
  request {amount: 1.001} => ! amount too-many-decimals
  request {amount: 1e20} => ! amount amount-too-large
  interest {rate: 99999}; request {amount: 1e12, loanPeriod: 12} => ! amount amount-too-large
  request {downPayment: 1000} => ! downPayment out-of-range
  request {downPayment: -1} => ! downPayment out-of-range
due dates are shifted by the calendars and settings of the product (Q2, H1, H3)
  general {HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: "Backward", DeferDueDate: true};
    product {CountryCalendars: ["RO", "TARGET"]} => terms.HolidayShift = true; terms.HolidayCountry =
    "RO+TARGET"; terms.HolidayMethod = "Backward"; terms.DeferDueDate = true; rows[2].interest = 703
  general {} => terms.HolidayShift = undefined; rows[2].interest = 754; interestPercent = "12.0000%"; irr =
    "12.0026%"
schedule types are those of the product, by name or code, case-insensitively (Q2)
  request {scheduleType: " equalprincipal "} => rows[1].principal = 25000
  request {scheduleType: "InterestOnly"} => ! scheduleType unknown-schedule-type
  request {scheduleType: "Nothing"} => ! scheduleType unknown-schedule-type: must be a schedule type of the
    product: EqualInstallments, EqualPrincipal
a loan with the periodicity Once is repaid at the end of its term, counted in PeriodType (Q6)
  general {PeriodicityType: "Once"}; product {PaymentScheduleTypes: ["Once"]}; availability {MaximumPeriod:
    6}; request {scheduleType: "Once", loanPeriod: 6} => rows.length = 2; rows[0].interest = 0;
    rows[1].InstallmentNo = 1; rows[1].interest = 6000; irr = null
  general {PeriodicityType: "Once"}; product {PaymentScheduleTypes: ["Once"]}; availability {MaximumPeriod:
    6}; request {scheduleType: "Once", loanPeriod: 7} => ! loanPeriod out-of-range
  general {PeriodicityType: "Once"}; product {PaymentScheduleTypes: ["Once"]}; request {scheduleType: "Once",
    loanPeriod: 0} => ! loanPeriod out-of-range: must be a whole number of months, from 1 to 1200
the requested payment or principal is fixed (B2)
  request {installmentValue: 300} => rows[0].pmt = 0; rows[1].pmt = 30000; rows[2].pmt = 30000; rows[3].pmt =
    30000; rows[4].pmt = 12248
  request {scheduleType: "EqualPrincipal", principalValue: 200} => rows[1].principal = 20000
  request {principalValue: 200} => ! principalValue not-allowed
figures are those of row 1, and sums of columns with row 0; the IRR has fees but no insurances (Q4, A3)
  commission {}; insurance {}; request {downPayment: 100} => rows[1].managementFee = 1000; rows[1].insurance =
    300; rows[1].totalInstallment = 24365; firstInstallment = 24365; firstFee = 1000; totalFee = 4000;
    firstInsurance = 300; totalInsurance = 1200; total = 107460
  insurance {} => irr = "12.0026%"
  commission {} => irr = "30.8702%"
the residual belongs to the last period of the IRR: its row is due on the same day (A3, B1)
  product {PaymentScheduleTypes: ["EqualInstallments"], ResidualPercent: 50} => irr = "11.9992%"
  product {PaymentScheduleTypes: ["Balloon"], ResidualPercent: 50}; request {scheduleType: "Balloon"} => irr =
    "11.9992%"
in advance the first payment is due at once, and no interest before it (B7, A3)
  request {InterestType: 1} => rows[1].pmt = 25374; rows[2].pmt = 25374; rows[3].pmt = 25374; rows[4].pmt =
    25375; rows[1].interest = 0; rows[2].interest = 746; rows[3].interest = 500; rows[4].interest = 251; total
    = 101497; irr = "11.9962%"
  request {InterestType: 0} => rows[1].pmt = 25628; irr = "12.0026%"
  request {InterestType: 1, downPayment: 100} => rows[0].totalInstallment = 10000; rows[1].interest = 0;
    rows[1].pmt = 22837
  request {InterestType: 1, scheduleType: "EqualPrincipal"} => rows[1].pmt = 25000; rows[2].interest = 750;
    irr = "12.0000%"
  request {InterestType: 1, loanPeriod: 1} => rows[1].totalInstallment = 100000; irr = null
a residual row in advance is due a period after the last row, with its interest (B7, A3)
  product {PaymentScheduleTypes: ["EqualInstallments"], ResidualPercent: 20}; request {InterestType: 1} =>
    rows[1].pmt = 20498; rows[4].pmt = 20496; rows[5].interest = 198; rows[5].principal = 19802; irr =
    "11.9999%"
  product {PaymentScheduleTypes: ["Balloon"], ResidualPercent: 20}; request {scheduleType: "Balloon",
    InterestType: 1} => rows.length = 5; rows[1].pmt = 20449; rows[4].pmt = 40448; irr = "12.0003%"
payments in advance are rejected with other numbers, other types and Once, beside other faults (B7)
  request {InterestType: 2, amount: 0} => ! amount out-of-range & InterestType out-of-range: must be a whole
    number from 0 to 1
  product {PaymentScheduleTypes: ["InterestOnly"]}; request {scheduleType: "InterestOnly", InterestType: 1} =>
    ! InterestType not-allowed: must be 0: only level payments and equal parts of the principal can be due in
    advance
  general {PeriodicityType: "Once"}; product {PaymentScheduleTypes: ["EqualInstallments"]}; request
    {InterestType: 1} => ! InterestType not-allowed: must be 0 with the periodicity Once
AdvanceAmount in a formula is the down payment, without a warning, and omitted for types that do not read it (Q1, S2, E5)
  readsAdvance; request {scheduleType: "Own type", downPayment: 100} => rows[1].remainingValue = 90000;
    rows[1].principal = 5000; warnings = []
  readsAdvance; request {scheduleType: "Own type"} => rows[1].principal = 0
  readsAdvance; request {downPayment: 100} => warnings = []; terms.AdvanceAmount = undefined
ContractPeriod in a formula is loanPeriod, in months with Once (Q2, D8)
  readsPeriods; general {PeriodicityType: "Once"}; request {scheduleType: "Own type", loanPeriod: 6} =>
    rows[1].columns = [600]; terms.ContractPeriod = 6; warnings = []
all faults are reported together (E3)
  availability {MinimumAmount: 2000, MaximumPeriod: 3, MinimumAdvance: 10}; request {scheduleType: "X",
    interestTypeName: "Y", discount: [{Name: "Z"}]} => ! amount out-of-range & downPayment out-of-range &
    scheduleType unknown-schedule-type & loanPeriod out-of-range & interestTypeName unknown-value &
    discount[0].Name unknown-value
`);

/** The product with one schedule type, and the request for it. */
const ofType = (name: string, others = '') =>
  `product {PaymentScheduleTypes: ["${name}"]${others}}; request {scheduleType: "${name}"}`;
const OWN = 'request {scheduleType: "Own type"}';
/** A Collection interest of these ranges or bands. */
const ranges = (...rows: readonly string[]) =>
  `interest {Name: "Steps", IsDefault: true, steps: [${rows.map((row) => `["Base", ${row}]`).join()}]}; interest {Name: "Base"}`;
const bands = (...rows: readonly string[]) =>
  `interest {Name: "Bands", bands: [${rows.map((row) => `[${row}]`).join()}]}`;
const given = (part: string, type = 'Fixed') =>
  `request {interestType: "${type}", jsonInputFormula: {${part}: {X: 1}}}`;

const FAULTS = scenesOf(`
faults of a calculation are translated to fields of the simulation (E1)
  interest {rate: 100000}; request {amount: ${LARGEST}} => ! amount amount-too-large: must be smaller…
  ${ofType('Once')} => ! loanPeriod out-of-range: must be at most 1 …
  byTheCentury; request {loanPeriod: 100} => ! loanPeriod out-of-range: must be smaller…
  product {BankingProductType: "D"} => ! scheduleType product-type-mismatch: must be a schedule type for the
    product's BankingProductType, D
  product {BankingProductType: "Car"} => ! productCode unknown-product-type: must be a product whose
    BankingProductType is known, not Car
  general {PeriodicityType: "Never"} => ! productCode unknown-periodicity: must be a product whose periodicity
    is known, not Never
  ofDays; ${OWN} => ! scheduleType wrong-unit: …the product's PeriodicityType, Monthly…
  availability {Currency: "XXQ"} => ! productCode unknown-currency: …not XXQ…
  general {HolidayShiftForRepaymentInstallments: true}; product {CountryCalendars: ["Atlantis"]} => !
    productCode unknown-calendar: …CountryCalendars…
  general {HolidayShiftForRepaymentInstallments: true} => ! productCode unknown-calendar: …CountryCalendars is
    missing…
  general {HolidayShiftForRepaymentInstallments: true, HolidayShiftMethod: "Sideways"}; product
    {CountryCalendars: ["RO"]} => ! productCode unknown-value: …HolidayShiftMethod must be one of…
  ${ofType('Balloon')} => ! scheduleType not-allowed: …which the product does not have…
  ${ofType('CreditCard', ', BankingProductType: "CC"')} => ! scheduleType not-allowed: …which the product does
    not have…
  ${ofType('CreditCard', ', BankingProductType: "CC", CapitalPercent: 101')} => ! productCode out-of-range:
    …CapitalPercent is from 0 to 100…
  ${ofType('Balloon', ', ResidualPercent: 101')} => ! productCode out-of-range: …ResidualPercent is from 0 to
    100…
  request {installmentValue: 5} => ! installmentValue payment-below-interest: must cover the interest of row
    1; leave it out…
  ${ofType('InterestOnly')}; request {installmentValue: 500} => ! installmentValue not-allowed: must be left
    out…
  request {installmentValue: 300, principalValue: 200} => ! principalValue not-allowed: …when installmentValue
    is sent…
  request {installmentValue: 300.001} => ! installmentValue too-many-decimals: …decimals…
  readsFees; ${OWN} => ! installmentValue missing 400: is missing; must be sent with Own type…
  dividesByZero; ${OWN} => ! scheduleType formula-failed: must give column Ratio a value in row 1…
  interest {rate: -1300} => ! productCode rate-too-low: …interest Standard rate…
  interest {rate: 100001} => ! productCode out-of-range: …interest Standard rate…
  interest {Type: "BankingFormula", formula: ["0 - 1300"]}; request {interestType: "BankingFormula",
    jsonInputFormula: {interestInput: [], discountInput: {X: 1}}} => ! productCode rate-too-low: …interest
    Standard rate…
  interest {Type: "BankingFormula", formula: ["0 - 1300"]}; ${given('discountInput', 'BankingFormula')} => !
    productCode rate-too-low: …interest Standard rate…
  interest {Type: "BankingFormula", formula: ["0 - 1300 * X", "X"]};
    ${given('interestInput', 'BankingFormula')} => ! jsonInputFormula.interestInput rate-too-low: must give a
    rate…
  interest {rate: -1300}; ${given('interestInput')} => ! productCode rate-too-low: …interest Standard rate…
  ${ranges('1, 2')} => ! loanPeriod rates-incomplete: must be at most 2 periods: the interest Steps has no
    rate for later instalments
  ${ranges('1, 1', '3, 4')} => ! productCode rates-incomplete: …interest Steps has one rate for every
    instalment…
  ${ranges('1, 3', '3, 4')} => ! productCode rates-overlap: …interest Steps has one rate for every instalment…
  ${ranges('9, 12')} => ! productCode not-allowed: …interest Steps has a rate for every instalment…
  interest {Name: "Steps", IsDefault: true, steps: [["Base", 1, 4]]}; interest {Name: "Base", rate: -1300} =>
    ! productCode rate-too-low: …interest Steps…
  ${ranges('1, 4')}; request {interestType: "Collection", jsonMultipleInterestRates: [{InterestRate: 5,
    FromInstNo: 1, ToInstNo: 2}]} => ! jsonMultipleInterestRates[0].ToInstNo rates-incomplete: must be 4 or
    left out…
  ${ranges('1, 4')}; request {interestType: "Collection", jsonMultipleInterestRates: [{}]} => !
    jsonMultipleInterestRates[0].InterestRate missing 400: is missing…
  ${ranges('1, 4')}; request {interestType: "Collection", jsonMultipleInterestRates: [{InterestRate: -1300}]}
    => ! jsonMultipleInterestRates[0].InterestRate rate-too-low: must leave a positive balance…
  ${bands('0, 500')} => ! amount outside-bands: …interest Bands has no rate for every balance…
  ${bands('100, null')} => ! productCode outside-bands: …interest Bands has one rate for every amount…
  ${bands('0, 500', '0, null')} => ! productCode bands-overlap: …interest Bands has one rate for every amount…
  readsRate; ${bands('0, null')}; ${OWN} => ! scheduleType not-allowed: …accepts rates by band, such as those
    of the interest Bands…
  commission {}; ${ofType('Deposit', ', BankingProductType: "D"')} => ! productCode not-allowed: …without
    commissions…
  insurance {}; ${ofType('Deposit', ', BankingProductType: "D"')} => ! productCode not-allowed: …without
    insurances…
  201 commission {} => ! productCode out-of-range: …with fewer commissions…
  commission {fee: 1, PercentAppliedTo: "UnusedAmount"} => ! productCode not-allowed: …without charges on the
    unused amount…
  insurance {ValueIsPercentage: true, PercentAppliedTo: "Nothing"} => ! productCode unknown-value: …insurance
    Life, PercentAppliedTo, must be one of…
  readsFees; commission {fee: 1, PercentAppliedTo: "Installment"}; ${OWN}; request {installmentValue: 300} =>
    ! scheduleType not-allowed: …supports the commission Administration…
  commission {fee: 100001} => ! productCode out-of-range: …commission Administration, its percentage,…
  commission {formula: ["100001 * X", "X"], ValueIsPercent: true}; ${given('commissionInput')} => !
    jsonInputFormula.commissionInput out-of-range: must give the commission Administration a price…
  commission {formula: ["1000000000000000 * X", "X"]}; ${given('commissionInput')} => !
    jsonInputFormula.commissionInput amount-too-large: …smaller commission Administration…
  commission {formula: ["0 - X", "X"]}; ${given('commissionInput')} => ! jsonInputFormula.commissionInput
    out-of-range: must not make the price of the commission Administration negative…
  commission {price: 1e15} => ! productCode amount-too-large: …smaller commission Administration…
  commission {price: -1} => ! productCode not-allowed: …commission Administration has no negative price…
  commission {fee: 100000}; request {amount: ${LARGEST}} => ! amount amount-too-large: must be smaller,
    because of commission Administration…
  commission {GracePeriodFee: 1201} => ! productCode out-of-range: …commission Administration, GracePeriodFee,
    must be…
  commission {PeriodicityType: "Once", price: 1e15} => ! productCode amount-too-large: …charges at the start…
`);

describe('the loan of a simulation', () => {
  it.each([...LOANS, ...FAULTS])('$title: $sent', (scene) => {
    expect(outcomeOf(scene, OFFERINGS)).toBe(scene.outcome);
  });

  it('has the same calendar in all offers, although the catalogue changes meanwhile', () => {
    const offering = {
      interests: [interest(), interest({ Id: guid(101), Code: 'OTHER', Name: 'Other rate' })],
      general: { HolidayShiftForRepaymentInstallments: true },
      product: { CountryCalendars: ['Bank'] },
    };
    const names = ['RO', 'US'];
    const calendars = { find: () => findCalendar(names.shift() ?? '', {}) };
    const context = { catalogue: catalogueOf(offering), calendars, requestDay: date('2025-04-04') };
    const outcome = simulate(simulateRequest({ interestTypeName: 'Fixed' }), context);
    expect(outcome).toMatchObject({ records: [{}, {}] });
    expect(names).toEqual(['US']);
  });

  it('is of an Approved version of the product that is valid on the day (L1)', () => {
    expect(simulated({}, { productCode: 'NO' })).toMatchObject({ kind: 'refused', unknownProduct: true });
    expect(simulated({ product: { Status: 'Draft' } })).toMatchObject({ unknownProduct: true });
    expect(simulated({ product: { EndDate: '2024-12-31' } })).toMatchObject({ unknownProduct: true });
    expect(simulated({ product: { EndDate: '2025-01-01' } }, { productCode: 'pl' }).kind).toBe('simulation');
  });

  it.each(
    [
      'Monthly 6 12 Months 12',
      'Monthly 5.5 12.5 Months 12',
      'Semimonthly 1 6 Months 12',
      'Semimonthly 15 46 Days 3',
      'Quarterly 6 12 Months 4',
      'Monthly 1 2 Years 24',
      'Annual 12 36 Months 3',
      'Weekly 7 28 Days 4',
      'Biweekly 2 8 Weeks 4',
      'Monthly 31 59 Days 2',
      'Monthly 1 9 Weeks 2',
      'Quarterly 60 185 Days 2',
      'Daily 1 2 Months 59',
      'Weekly 1 2 Years 104',
    ].map((row) => row.split(' ')),
  )('has a %s term from %s to %s %s in at most %s periods (Q6)', (...row) => {
    const [every, least, most, unit, longest] = row;
    const scene = (periods: number, outcome: string) =>
      `general {PeriodicityType: "${every}"}; availability {PeriodType: "${unit}", MinimumPeriod: ${least},
      MaximumPeriod: ${most}}; request {loanPeriod: ${periods}} => ${outcome}`;
    const maximum = `must come to at most ${most} ${unit?.toLowerCase()}, the product's MaximumPeriod`;
    const scenes = scenesOf(`bounds
  ${scene(Number(longest), `rows.length = ${Number(longest) + 1}`)}
  ${scene(Number(longest) + 1, `! loanPeriod out-of-range: ${maximum}; loanPeriod counts ${every} periods`)}`);
    expect(scenes.map((one) => outcomeOf(one))).toEqual(scenes.map(({ outcome }) => outcome));
  });
});
