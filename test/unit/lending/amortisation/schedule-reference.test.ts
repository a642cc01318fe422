/**
 * The worked examples of the rules. They validate the reference implementation, with which other tests compare the
 * engine. The engine must agree with the reference on each example.
 */

import { describe, expect, it } from 'vitest';
import { difference } from '../../../support/reference/compare-with-reference.ts';
import { intervalOf } from '../../../support/reference/annual-rate.ts';
import { dayOf } from '../../../support/reference/dates.ts';
import {
  dates,
  figures,
  loanWith,
  of,
  on,
  referenceOf,
  referenceRowsOf,
  refusal,
  type Changes,
} from '../../../support/reference/loan.ts';
import { referenceDae, referenceEir } from '../../../support/reference/schedule.ts';

/** A figure of every row, or the due dates, separated by blanks. */
type Column = Parameters<typeof figures>[1] | 'dates' | 'days';

/** A description, the changes to the loan of the examples, and the expected columns. */
type Example = readonly [title: string, Changes, Readonly<Partial<Record<Column, string>>>];

function readColumn(changes: Changes, name: Column): string {
  if (name === 'dates') return dates(changes);
  if (name !== 'days') return figures(changes, name);
  return referenceRowsOf(changes)
    .map((row) => row.noDays)
    .join(' ');
}

function verifyExamples(rules: string, examples: readonly Example[]): void {
  describe(`worked examples of ${rules}`, () => {
    it.each(examples)('calculates %s', (_title, changes, expected) => {
      for (const [name, text] of Object.entries(expected)) {
        expect([name, readColumn(changes, name as Column)]).toEqual([name, text]);
      }
      expect(difference(loanWith(changes))).toBeUndefined();
    });
  });
}

const FROM_REQUEST = { ActivationDate: undefined } as const;
const QUARTERLY = {
  ActivationDate: on('2025-01-10'),
  PeriodicityType: 'Quarterly',
  InstallmentDay: 15,
  InstallmentsNo: 2,
} as const;
const ONCE = { PeriodicityType: 'Once', InstallmentsNo: 1 } as const;

verifyExamples('dates of rules D2 to D7', [
  [
    'a start one period before FirstDueDate',
    { ...FROM_REQUEST, InstallmentsNo: 1, FirstDueDate: on('2025-02-28'), InstallmentDay: 31 },
    { days: '28' },
  ],
  [
    'a start one period before a FirstDueDate off the installment day',
    { ...FROM_REQUEST, InstallmentsNo: 1, FirstDueDate: on('2025-03-15') },
    { days: '28' },
  ],
  [
    'a start on the day of the request',
    { ...FROM_REQUEST, InstallmentsNo: 1, InstallmentDay: 17 },
    { days: '31' },
  ],
  [
    'the first due date by ActualMonth',
    { ...QUARTERLY, InstallmentMethod: 'ActualMonth' },
    { dates: '2025-01-15 2025-04-15' },
  ],
  [
    'the first due date by NextMonth',
    { ...QUARTERLY, InstallmentMethod: 'NextMonth' },
    { dates: '2025-02-15 2025-05-15' },
  ],
  ['the first due date one period later', QUARTERLY, { dates: '2025-04-15 2025-07-15' }],
  [
    'due day 31 after 28 February',
    { FirstDueDate: on('2025-02-28'), InstallmentDay: 31, InstallmentsNo: 3 },
    { dates: '2025-02-28 2025-03-31 2025-04-30' },
  ],
  [
    'MaturityDate as the last due date',
    { MaturityDate: on('2025-05-20') },
    { dates: '2025-02-01 2025-03-01 2025-04-01 2025-05-20' },
  ],
  ['Once on MaturityDate', { ...ONCE, MaturityDate: on('2025-07-01') }, { dates: '2025-07-01' }],
  ['Once on FirstDueDate', { ...ONCE, FirstDueDate: on('2025-06-01') }, { dates: '2025-06-01' }],
]);

const SHIFT = { HolidayShift: true, HolidayCountry: 'Weekdays' } as const;
const SUNDAY = { ...SHIFT, InstallmentsNo: 1, FirstDueDate: on('2025-08-31') } as const;

verifyExamples('shifts of rules H1 and H3', [
  ['Forward', { ...SUNDAY, HolidayMethod: 'Forward' }, { dates: '2025-09-01' }],
  ['ModifiedForward', { ...SUNDAY, HolidayMethod: 'ModifiedForward' }, { dates: '2025-08-29' }],
  ['Backward', { ...SUNDAY, HolidayMethod: 'Backward' }, { dates: '2025-08-29' }],
  ['Nearest', { ...SUNDAY, HolidayMethod: 'Nearest' }, { dates: '2025-09-01' }],
  [
    'ModifiedBackward',
    { ...SUNDAY, HolidayMethod: 'ModifiedBackward', FirstDueDate: on('2025-03-01') },
    { dates: '2025-03-03' },
  ],
  ['None', { ...SUNDAY, HolidayMethod: 'None' }, { dates: '2025-08-31' }],
  [
    'Backward after the start of the schedule',
    {
      ...SUNDAY,
      HolidayMethod: 'Backward',
      ActivationDate: on('2025-08-29'),
      FirstDueDate: on('2025-08-30'),
    },
    { dates: '2025-09-01' },
  ],
  [
    'interest up to the unshifted dates',
    { ...SHIFT, InstallmentsNo: 2 },
    { days: '31 28', dates: '2025-02-03 2025-03-03' },
  ],
  [
    'interest up to the shifted dates with DeferDueDate',
    { ...SHIFT, InstallmentsNo: 2, DeferDueDate: true },
    { days: '33 28' },
  ],
]);

const MONTH_END = { ActivationDate: on('2025-01-31'), InstallmentDay: 31, InstallmentsNo: 1 } as const;
const RANGES = [{ InterestRate: of(12), ToInstNo: 2 }, { InterestRate: of(24) }];
const SLICES = {
  ScheduleType: 'InterestOnly',
  Amount: of(1500),
  InstallmentsNo: 1,
  PeriodicityType: 'Annual',
  InterestPercent: undefined,
  BandedInterestRates: [
    { MinUtilizedAmount: of(0), MaxUtilizedAmount: of('999.99'), Value: of(10) },
    { MinUtilizedAmount: of(1000), Value: of(8) },
  ],
} as const;

function withBands(...starts: number[]): Changes {
  const bands = starts.map((start) => ({ MinUtilizedAmount: of(start), Value: of(12) }));
  return { InterestPercent: undefined, BandedInterestRates: bands };
}

verifyExamples('interest and payments of rules C2, S2, R1 to R3', [
  ['a regular month to 28 February', MONTH_END, { interest: '10.00', days: '28' }],
  ['a regular month by 30/365', { ...MONTH_END, InterestCalculationMethod: '30/365' }, { interest: '9.86' }],
  ['the same month by 30E/360', { ...MONTH_END, InterestCalculationMethod: '30E/360' }, { interest: '9.33' }],
  [
    'the same month as an irregular period',
    { ...MONTH_END, InstallmentDay: 1, FirstDueDate: on('2025-02-28') },
    { interest: '9.33' },
  ],
  ['the annuity formula at 1 % a month', {}, { pmt: '256.28 256.28 256.28 256.29' }],
  [
    'interest by EffectiveRate',
    { ScheduleType: 'EffectiveRate', Amount: of(30_000), InterestPercent: of(7), InstallmentsNo: 1 },
    { interest: '169.62' },
  ],
  [
    'rates of 12 % and from row 3 of 24 %',
    { MultipleInterestRates: RANGES, InterestPercent: undefined },
    { pmt: '256.28 256.28 260.09 260.09' },
  ],
  ['rate bands by slices', SLICES, { interest: '140.00' }],
  ['rate bands for the whole balance', { ...SLICES, BandMethod: 'Whole' }, { interest: '120.00' }],
  ['one rate band as one rate', withBands(0), { pmt: '256.28 256.28 256.28 256.29' }],
  ['two bands with one rate as one rate', withBands(0, 400), { pmt: '256.28 256.28 256.28 256.29' }],
  ['a negative rate', { InterestPercent: of(-12), InstallmentsNo: 1 }, { interest: '-10.00' }],
]);

const BOTH = { GracePeriodPrincipal: 2, GracePeriodInterest: 2 } as const;

verifyExamples('grace periods of rules G1 and G2', [
  ['principal grace', { GracePeriodPrincipal: 2 }, { totalInstallment: '10.00 10.00 507.51 507.51' }],
  [
    'principal grace with equal parts',
    { ScheduleType: 'EqualPrincipal', GracePeriodPrincipal: 1 },
    { principal: '0.00 333.33 333.33 333.34' },
  ],
  [
    'interest grace that is longer than principal grace',
    { GracePeriodPrincipal: 1, GracePeriodInterest: 3 },
    { totalInstallment: '0.00 330.02 333.32 366.73' },
  ],
  [
    'grace by the original row numbers of a recalculation',
    { ...BOTH, LastDueDate: on('2025-02-01'), BlockInstallmentNo: 1, ActivationDate: undefined },
    { totalInstallment: '0.00 517.51 507.51' },
  ],
  [
    'deferred interest',
    BOTH,
    { totalInstallment: '0.00 0.00 527.51 507.51', interest: '0.00 0.00 30.00 5.02' },
  ],
  [
    'deferred interest without principal grace',
    { GracePeriodInterest: 2 },
    {
      totalInstallment: '246.28 248.74 273.82 256.29',
      principal: figures({}, 'principal'),
    },
  ],
  [
    'capitalised interest',
    { ...BOTH, GraceType: 'capitalised' },
    {
      totalInstallment: '0.00 0.00 517.71 517.72',
      remainingValue: '1000.00 1010.00 1020.10 512.59',
      capitalisedInterest: '10.00 10.10 0.00 0.00',
    },
  ],
  [
    'capitalised interest beyond principal grace, with the principal of the plan',
    { GracePeriodInterest: 2, GraceType: 'Capitalised' },
    {
      principal: '246.28 248.74 260.01 262.61',
      remainingValue: '1000.00 763.72 522.62 262.61',
      totalInstallment: '246.28 248.74 265.24 265.24',
    },
  ],
  ['forgiven interest', { ...BOTH, GraceType: 'Forgiven' }, { totalInstallment: '0.00 0.00 507.51 507.51' }],
  [
    'forgiven interest without principal grace',
    { GracePeriodInterest: 2, GraceType: 'Forgiven' },
    { interest: '0.00 0.00 5.05 2.54', principal: figures({}, 'principal') },
  ],
  [
    'interest spread over the remaining rows',
    { ...BOTH, InstallmentsNo: 5, GraceType: 'Spread' },
    { interest: '0.00 0.00 16.67 13.37 10.03' },
  ],
  [
    'deferred interest up to a fixed payment that repays the loan',
    { GracePeriodInterest: 3, installmentValue: of(600) },
    { totalInstallment: '590.00 424.10', interest: '0.00 14.10' },
  ],
]);

const fee = (changes: object): Changes => ({
  Commission: [{ FeeName: 'A', FeePeriodicityType: 'Monthly', FeeDate: on('2025-01-01'), ...changes }],
});

const premium = (IsUpfront: boolean): Changes => ({
  InstallmentsNo: 13,
  Insurance: [
    {
      InsuranceName: 'B',
      InsurancePeriodicityType: 'Annual',
      InsuranceDate: on('2025-01-01'),
      SourceValue: of(12),
      IsUpfront,
    },
  ],
});

const NO_PREMIUMS = Array.from({ length: 11 }, () => '0.00').join(' ');

verifyExamples('charges of rules F2, F3 and F5', [
  [
    '0.5 % per annum of 833.33 monthly',
    { ...fee({ SourcePercent: of('0.5'), PerAnnum: true }), Amount: of('833.33') },
    { managementFee: '0.35 0.35 0.35 0.35' },
  ],
  ['an annual premium upfront', premium(true), { insurance: `12.00 ${NO_PREMIUMS} 12.00` }],
  ['an annual premium in arrears', premium(false), { insurance: `${NO_PREMIUMS} 12.00 0.00` }],
  ['a monthly fee', fee({ SourceValue: of(1) }), { managementFee: '1.00 1.00 1.00 1.00' }],
  [
    'a fee with a grace period',
    fee({ SourceValue: of(1), GracePeriodFee: 2 }),
    { managementFee: '0.00 0.00 1.00 1.00' },
  ],
  [
    '1 % of 400 unused from 16 January to 1 February',
    {
      ...fee({ SourcePercent: of(1), IsForUnusage: true }),
      UnusedAmount: of(400),
      StartDateForUnusage: on('2025-01-16'),
      InterestCalculationMethod: 'Actual/365',
      InstallmentsNo: 1,
    },
    { managementFee: '0.18' },
  ],
]);

const DEPOSIT = { ScheduleType: 'Deposit', InstallmentsNo: 3, InterestCapitalization: 1 } as const;
const OVERDRAFT = { ScheduleType: 'Overdraft' } as const;

verifyExamples('residual values, fixed payments and other types of rules B1 to B6', [
  ['a residual in its own row', { ResidualValue: of(200) }, { pmt: '207.02 207.02 207.02 207.04 200.00' }],
  [
    'a residual in the last row',
    { ResidualValue: of(200), ResidualInInstallment: true },
    { pmt: '207.02 207.02 207.02 407.04' },
  ],
  [
    'the residual of Balloon in the last row',
    { ResidualValue: of(200), ScheduleType: 'Balloon' },
    { pmt: '207.02 207.02 207.02 407.04' },
  ],
  ['a residual of the whole amount', { ResidualValue: of(1000) }, { pmt: '10.00 10.00 10.00 10.00 1000.00' }],
  [
    'a residual with equal parts',
    { ScheduleType: 'EqualPrincipal', ResidualValue: of(200) },
    { principal: '200.00 200.00 200.00 200.00 200.00' },
  ],
  [
    'a fixed payment below the level payment',
    { installmentValue: of(200) },
    { pmt: '200.00 200.00 200.00 428.52' },
  ],
  ['a fixed payment above it', { installmentValue: of(300) }, { pmt: '300.00 300.00 300.00 122.48' }],
  ['a fixed payment that repays the loan early', { installmentValue: of(600) }, { pmt: '600.00 414.10' }],
  [
    'a fixed payment with a residual',
    { installmentValue: of(500), ResidualValue: of(200) },
    { pmt: '500.00 315.10 2.00 2.00 200.00' },
  ],
  [
    'a fixed payment after principal grace at changing rates',
    {
      InterestPercent: undefined,
      installmentValue: of(300),
      GracePeriodPrincipal: 1,
      MultipleInterestRates: RANGES,
    },
    { pmt: '10.00 300.00 300.00 432.68' },
  ],
  [
    'a fixed principal below equal parts',
    { ScheduleType: 'EqualPrincipal', principalValue: of(200) },
    { principal: '200.00 200.00 200.00 400.00' },
  ],
  [
    'a fixed principal above equal parts',
    { ScheduleType: 'EqualPrincipal', principalValue: of(400) },
    { principal: '400.00 400.00 200.00' },
  ],
  [
    'negative amortisation',
    { installmentValue: of(5), AllowNegativeAmortisation: true },
    { principal: '-5.00 -5.05 -5.10 1015.15', remainingValue: '1000.00 1005.00 1010.05 1015.15' },
  ],
  [
    'a card that repays 10 % of the balance',
    { ScheduleType: 'CreditCard', CapitalPercent: of(10) },
    { principal: '100.00 90.00 81.00 729.00' },
  ],
  [
    'a deposit that capitalises interest',
    DEPOSIT,
    {
      capitalisedInterest: '10.00 10.10 0.00',
      principal: '0.00 0.00 1020.10',
      totalInstallment: '0.00 0.00 1030.30',
    },
  ],
  [
    'a deposit that pays interest',
    { ...DEPOSIT, InterestCapitalization: 0 },
    { totalInstallment: '10.00 10.00 1010.00' },
  ],
  [
    'an overdraft up to its expiry',
    { ...OVERDRAFT, ExpiryDateForOD: on('2025-03-15') },
    { dates: '2025-02-01 2025-03-01 2025-03-15', totalInstallment: '10.00 10.00 1004.67' },
  ],
  [
    'an overdraft that expires on a due date',
    { ...OVERDRAFT, ExpiryDateForOD: on('2025-03-01') },
    { dates: '2025-02-01 2025-03-01' },
  ],
  [
    'an overdraft that expires after the last due date',
    { ...OVERDRAFT, ExpiryDateForOD: on('2025-05-20') },
    { dates: '2025-02-01 2025-03-01 2025-04-01 2025-05-20' },
  ],
  ['InterestOnly', { ScheduleType: 'InterestOnly' }, { pmt: '10.00 10.00 10.00 1010.00' }],
  ['RealInstallmentNo', { RealInstallmentNo: 2 }, { pmt: '256.28 761.26' }],
  [
    'RealInstallmentNo with equal parts',
    { ScheduleType: 'EqualPrincipal', RealInstallmentNo: 3 },
    { principal: '250.00 250.00 500.00' },
  ],
]);

const RUNNING = { LastDueDate: on('2025-04-01'), ActivationDate: undefined } as const;
const SHIFTED = {
  ...RUNNING,
  ...SHIFT,
  InstallmentsNo: 2,
  LastDueDate: on('2025-03-03'),
  BlockInstallmentNo: 1,
} as const;
const BLOCKED = { ...RUNNING, Amount: of(700), InstallmentsNo: 3, IsLocked: true } as const;
const HALF_LEFT = { ...RUNNING, InstallmentsNo: 6, BlockInstallmentNo: 3, Amount: of('507.45') } as const;

verifyExamples('recalculation of rules X1, X2 and X4', [
  [
    'dates from the original FirstDueDate',
    {
      ...RUNNING,
      FirstDueDate: on('2025-02-28'),
      InstallmentDay: 31,
      LastDueDate: on('2025-03-31'),
      BlockInstallmentNo: 2,
    },
    { dates: '2025-04-30 2025-05-31' },
  ],
  ['interest from the unshifted LastDueDate', SHIFTED, { days: '31' }],
  ['interest from the shifted LastDueDate', { ...SHIFTED, DeferDueDate: true }, { days: '29' }],
  [
    'BlockAmount in the first row',
    { ...BLOCKED, BlockAmount: of(100) },
    { pmt: '305.01 204.01 204.02', interest: '7.00 4.02 2.02' },
  ],
  [
    'BlockAmount and BlockInterestAmount in the first row',
    { ...BLOCKED, BlockAmount: of(100), BlockInterestAmount: of(5) },
    { pmt: '310.01 204.01 204.02' },
  ],
  [
    'BlockInterestAmount during interest grace',
    { ...BLOCKED, BlockInterestAmount: of('4.50'), GracePeriodInterest: 1 },
    { interest: '4.50 11.69 2.36' },
  ],
  [
    'BlockAmount in addition to a fixed payment',
    { ...BLOCKED, BlockAmount: of(100), installmentValue: of(250) },
    { pmt: '351.00 250.00 110.66' },
  ],
  [
    'BlockAmount during principal grace',
    { ...BLOCKED, BlockAmount: of(100), GracePeriodPrincipal: 1 },
    { principal: '100.00 298.51 301.49' },
  ],
  [
    'the contract before a recalculation',
    { InstallmentsNo: 6 },
    { pmt: '172.55 172.55 172.55 172.55 172.55 172.53' },
  ],
  ['a recalculated payment', HALF_LEFT, { pmt: '172.54 172.54 172.55' }],
  [
    'the fixed payment of the contract',
    { ...HALF_LEFT, installmentValue: of('172.55') },
    { pmt: '172.55 172.55 172.53' },
  ],
]);

function prepaid(day: string, amount: number | string, DecreaseInstallment?: boolean): Changes {
  return { EarlyRepayments: [{ Date: on(day), Amount: of(amount), DecreaseInstallment }] };
}

const FIXED = { installmentValue: of(200) } as const;
const PARTS = { ScheduleType: 'EqualPrincipal' } as const;
const GRACE = { GracePeriodPrincipal: 2 } as const;
const RESIDUAL = { ResidualValue: of(200) } as const;

verifyExamples('prepayments of rule X3', [
  [
    'a lower payment',
    prepaid('2025-02-16', 300),
    {
      pmt: '256.28 303.77 153.51 153.51 153.51',
      interest: '10.00 3.77 2.27 3.02 1.52',
      remainingValue: '1000.00 753.72 453.72 302.48 151.99',
      days: '31 15 13 31 30',
    },
  ],
  [
    'two prepayments before the first row',
    {
      EarlyRepayments: [
        { Date: on('2025-01-21'), Amount: of(100) },
        { Date: on('2025-01-11'), Amount: of(100) },
      ],
    },
    { interest: '3.33 3.00 2.67 5.99 4.01 2.02' },
  ],
  ['a shorter term', prepaid('2025-02-16', 300, false), { pmt: '256.28 303.77 256.28 201.71' }],
  ['the whole balance on a due date', prepaid('2025-02-01', '753.72'), { pmt: '256.28 753.72' }],
  ['the whole balance within a period', prepaid('2025-02-16', '753.72'), { pmt: '256.28 757.49' }],
  [
    'a fixed payment that is recalculated',
    { ...FIXED, ...prepaid('2025-02-01', 300) },
    { pmt: '200.00 300.00 173.41 173.41 173.42' },
  ],
  [
    'a fixed payment that is kept',
    { ...FIXED, ...prepaid('2025-02-01', 300, false) },
    { pmt: '200.00 300.00 200.00 200.00 119.43' },
  ],
  [
    'a fixed payment below the interest that is kept',
    {
      installmentValue: of(5),
      AllowNegativeAmortisation: true,
      ...prepaid('2025-02-01', 10, false),
    },
    { principal: '-5.00 10.00 -4.95 -5.00 1004.95' },
  ],
  [
    'a payment kept from principal grace on',
    { ...GRACE, ...prepaid('2025-02-01', 300, false) },
    { pmt: '10.00 300.00 7.00 507.51 201.48' },
  ],
  [
    'a payment kept from the first row with a payment on',
    { ...GRACE, ...prepaid('2025-03-16', 300, false) },
    { pmt: '10.00 10.00 305.00 507.51 197.95' },
  ],
  [
    'a payment kept before the first row',
    prepaid('2025-01-16', 300, false),
    { pmt: '305.00 256.28 256.28 197.36' },
  ],
  [
    'a payment kept after a prepayment of one cent',
    prepaid('2025-01-31', '0.01', false),
    { pmt: '10.01 256.28 256.28 256.28 245.98' },
  ],
  [
    'the payment of the contract in a recalculation',
    {
      LastDueDate: on('2025-02-01'),
      BlockInstallmentNo: 1,
      Amount: of('753.72'),
      ActivationDate: undefined,
      ...prepaid('2025-02-16', 300, false),
    },
    { pmt: '303.77 256.28 201.71' },
  ],
  [
    'lower equal parts',
    { ...PARTS, ...prepaid('2025-02-01', 300) },
    { principal: '250.00 300.00 150.00 150.00 150.00' },
  ],
  [
    'equal parts that are kept',
    { ...PARTS, ...prepaid('2025-02-01', 300, false) },
    { principal: '250.00 300.00 250.00 200.00' },
  ],
  [
    'a lower residual',
    { ...RESIDUAL, ...prepaid('2025-05-01', 100) },
    { pmt: '207.02 207.02 207.02 207.04 100.00 100.00' },
  ],
  [
    'a residual that is repaid',
    { ...RESIDUAL, ...prepaid('2025-05-01', 200) },
    { pmt: '207.02 207.02 207.02 207.04 200.00' },
  ],
]);

const REFUSED: readonly (readonly [title: string, Changes])[] = [
  ['a maturity before the second to last due date (D5)', { MaturityDate: on('2025-04-01') }],
  ['Once without a due date (D7)', ONCE],
  ['an unknown calendar (H2)', { HolidayShift: true, HolidayCountry: 'Nowhere' }],
  ['rows without a rate (R1)', { MultipleInterestRates: RANGES.slice(0, 1) }],
  ['a rate that reduces the balance to zero (R3)', { InterestPercent: of(-1200) }],
  ['grace for all rows (G2)', { GracePeriodInterest: 4 }],
  ['Balloon without a residual (B1)', { ScheduleType: 'Balloon' }],
  ['a fixed payment below the interest (B2)', { installmentValue: of(5) }],
  ['a fixed principal with level payments (B2)', { principalValue: of(5) }],
];

describe('reference implementation', () => {
  it.each(REFUSED)('rejects %s like the engine', (_title, changes) => {
    expect(refusal(changes)).toBeDefined();
    expect(difference(loanWith(changes))).toBeUndefined();
  });

  it('recalculates the payment after interest that exceeds it (S5)', () => {
    const changes = {
      ActivationDate: on('2024-12-17'),
      FirstDueDate: on('2025-02-01'),
      InterestPercent: of(24),
      Amount: of(100_000),
      InstallmentsNo: 360,
    };
    const rows = referenceRowsOf(changes);
    expect(rows[0]).toMatchObject({ interest: 293_333, principal: 0 });
    expect(new Set(rows.slice(1, -1).map((row) => row.pmt))).toEqual(new Set([200_164]));
    expect(difference(loanWith(changes))).toBeUndefined();
  });

  it('calculates DAE and EIR of 1200 at 12 % in twelve months (A1)', () => {
    const outcome = referenceOf({ Amount: of(1200), InstallmentsNo: 12 });
    if (outcome.kind === 'refused') throw new Error(outcome.reason);
    expect(referenceDae(outcome)).toBe('12.6823');
    expect(referenceEir(outcome)).toBe('12.7379');
  });

  it.each([
    ['2013-01-12', '2013-02-15', { units: 1, extra: 3, yearDays: 366 }],
    ['2024-12-31', '2025-02-28', { units: 2, extra: 0 }],
    ['2025-01-30', '2025-02-28', { units: 0, extra: 29, yearDays: 366 }],
  ])('counts months from %s to %s backwards from the later day (A1)', (start, end, expected) => {
    expect(intervalOf(dayOf(start), dayOf(end), 'Months')).toMatchObject(expected);
  });
});
