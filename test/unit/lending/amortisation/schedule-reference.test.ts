/** The slow reference against the worked figures of the rules: only then may anything else be compared with it. */

import { describe, expect, it } from 'vitest';
import { repaymentScheduleRequest } from '../../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import published from '../../../cases/lending/schedule.json' with { type: 'json' };
import { difference } from '../../../support/reference/compare-with-reference.ts';
import { intervalOf } from '../../../support/reference/annual-rate.ts';
import { dayOf } from '../../../support/reference/dates.ts';
import {
  dates,
  figures,
  of,
  on,
  referenceOf,
  referenceRowsOf,
  refusal,
  type Changes,
} from '../../../support/reference/loan.ts';
import { referenceDae, referenceEir } from '../../../support/reference/schedule.ts';

const noDays = (changes: Changes) => referenceRowsOf(changes).map((row) => row.noDays);
const insurances = (changes: Changes) =>
  referenceRowsOf(changes).flatMap((row) => (row.insurance === 0 ? [] : [row.InstallmentNo]));

/** Days of the first period where only the first due date determines the start. */
const firstDays = (changes: Changes) => noDays({ ActivationDate: undefined, ...changes })[0];

const firstTwo = (changes: Changes) =>
  dates({
    ActivationDate: on('2025-01-10'),
    PeriodicityType: 'Quarterly',
    InstallmentDay: 15,
    ...changes,
  })
    .split(' ')
    .slice(0, 2);

const shifted = (HolidayMethod: string, changes: Changes = {}) =>
  dates({ HolidayShift: true, HolidayCountry: 'Weekdays', HolidayMethod, InstallmentsNo: 1, ...changes });

const banded = (...starts: number[]) =>
  figures(
    { BandedInterestRates: starts.map((start) => ({ MinUtilizedAmount: of(start), Value: of(12) })) },
    'pmt',
  );

const totals = (changes: Changes) => figures(changes, 'totalInstallment');

const fee = (changes: object): Changes => ({
  Commission: [{ FeeName: 'A', FeePeriodicityType: 'Monthly', FeeDate: on('2025-01-01'), ...changes }],
});

const premium = (IsUpfront: boolean): Changes => ({
  InstallmentsNo: 36,
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

const early = (DecreaseInstallment?: boolean): Changes => ({
  EarlyRepayments: [{ Date: on('2025-02-16'), Amount: of(300), DecreaseInstallment }],
});

const monthsBetween = (start: string, end: string) => {
  const { units, extra, yearDays } = intervalOf(dayOf(start), dayOf(end), 'Months');
  return extra === 0 ? `${units}` : `${units} + ${extra}/${yearDays}`;
};

describe('the slow reference keeps the dates of', () => {
  it('D2: a start one period before the first due date, or on the day of the request', () => {
    expect(firstDays({ FirstDueDate: on('2025-02-28'), InstallmentDay: 31 })).toBe(28);
    expect(firstDays({ FirstDueDate: on('2025-03-15') })).toBe(28);
    expect(firstDays({ InstallmentDay: 17 })).toBe(31);
  });

  it('D3: 10 January quarterly on day 15 by each method', () => {
    expect(firstTwo({ InstallmentMethod: 'ActualMonth' })).toEqual(['2025-01-15', '2025-04-15']);
    expect(firstTwo({ InstallmentMethod: 'NextMonth' })).toEqual(['2025-02-15', '2025-05-15']);
    expect(firstTwo({})).toEqual(['2025-04-15', '2025-07-15']);
  });

  it('D4: 28 February with day 31 is followed by 31 March and 30 April', () => {
    expect(dates({ FirstDueDate: on('2025-02-28'), InstallmentDay: 31, InstallmentsNo: 3 })).toBe(
      '2025-02-28 2025-03-31 2025-04-30',
    );
  });

  it('D5: MaturityDate in place of the last due date, after the one before', () => {
    expect(dates({ MaturityDate: on('2025-05-20') })).toMatch(/2025-04-01 2025-05-20$/);
    expect(refusal({ MaturityDate: on('2025-04-01') })).toBeDefined();
  });

  it('D7: Once on MaturityDate, else on FirstDueDate, else never', () => {
    const once = { PeriodicityType: 'Once', InstallmentsNo: 1 } as const;
    expect(dates({ ...once, MaturityDate: on('2025-07-01') })).toBe('2025-07-01');
    expect(dates({ ...once, FirstDueDate: on('2025-06-01') })).toBe('2025-06-01');
    expect(refusal(once)).toBeDefined();
  });

  it('H1: each method, and never back to the start', () => {
    const sunday = { FirstDueDate: on('2025-08-31') };
    expect(shifted('Forward', sunday)).toBe('2025-09-01');
    expect(shifted('ModifiedForward', sunday)).toBe('2025-08-29');
    expect(shifted('Backward', sunday)).toBe('2025-08-29');
    expect(shifted('Nearest', sunday)).toBe('2025-09-01');
    expect(shifted('ModifiedBackward', { FirstDueDate: on('2025-03-01') })).toBe('2025-03-03');
    expect(shifted('None', sunday)).toBe('2025-08-31');
    const next = { ActivationDate: on('2025-08-29'), FirstDueDate: on('2025-08-30') };
    expect(shifted('Backward', next)).toBe('2025-09-01');
    expect(refusal({ HolidayShift: true, HolidayCountry: 'Nowhere' })).toBeDefined();
  });

  it('H3: 31 and 28 days or, deferred, 33 and 28', () => {
    const shift = { HolidayShift: true, HolidayCountry: 'Weekdays', InstallmentsNo: 2 } as const;
    expect(noDays(shift)).toEqual([31, 28]);
    expect(noDays({ ...shift, DeferDueDate: true })).toEqual([33, 28]);
    expect(dates(shift)).toBe('2025-02-03 2025-03-03');
  });
});

describe('the slow reference keeps interest and payments of', () => {
  it('C2: 10.00 from 31 January to 28 February on day 31, else 9.33, and 9.86 over 365', () => {
    const loan = { ActivationDate: on('2025-01-31'), InstallmentDay: 31, InstallmentsNo: 1 } as const;
    expect(figures(loan, 'interest')).toBe('10.00');
    expect(noDays(loan)).toEqual([28]);
    expect(figures({ ...loan, InterestCalculationMethod: '30/365' }, 'interest')).toBe('9.86');
    expect(figures({ ...loan, InterestCalculationMethod: '30E/360' }, 'interest')).toBe('9.33');
    expect(figures({ ...loan, InstallmentDay: 1, FirstDueDate: on('2025-02-28') }, 'interest')).toBe('9.33');
  });

  it('the closed annuity: 256.28 at 1 % a month', () => {
    expect(figures({}, 'pmt')).toBe('256.28 256.28 256.28 256.29');
  });

  it('S2: 169.62 for 30000 at 7 % by EffectiveRate', () => {
    const loan = { ScheduleType: 'EffectiveRate', Amount: of(30000), InterestPercent: of(7) };
    expect(figures(loan, 'interest')).toMatch(/^169\.62 /);
  });

  it('S5: interest above the payment is paid alone, and the payment solved again', () => {
    const loan = {
      ActivationDate: on('2024-12-17'),
      FirstDueDate: on('2025-02-01'),
      InterestPercent: of(24),
      Amount: of(100000),
      InstallmentsNo: 360,
    };
    const rows = referenceRowsOf(loan);
    expect(rows[0]).toMatchObject({ interest: 293333, principal: 0 });
    expect(new Set(rows.slice(1, -1).map((row) => row.pmt))).toEqual(new Set([200164]));
  });

  it('R1: 256.28, 256.28, 260.09, 260.09 at 12 % and 24 % from row 3', () => {
    const ranges = [{ InterestRate: of(12), ToInstNo: 2 }, { InterestRate: of(24) }];
    expect(figures({ MultipleInterestRates: ranges, InterestPercent: undefined }, 'pmt')).toBe(
      '256.28 256.28 260.09 260.09',
    );
    expect(refusal({ MultipleInterestRates: ranges.slice(0, 1) })).toBeDefined();
  });

  it('R2: 140.00 a year on 1500 by slices, 120.00 as a whole', () => {
    const loan = {
      ScheduleType: 'InterestOnly',
      Amount: of(1500),
      InstallmentsNo: 1,
      PeriodicityType: 'Annual',
      BandedInterestRates: [
        { MinUtilizedAmount: of(0), MaxUtilizedAmount: of('999.99'), Value: of(10) },
        { MinUtilizedAmount: of(1000), Value: of(8) },
      ],
    };
    expect(figures(loan, 'interest')).toBe('140.00');
    expect(figures({ ...loan, BandMethod: 'Whole' }, 'interest')).toBe('120.00');
  });

  it('R2: one band as one rate, two bands of one rate as one', () => {
    expect(banded(0)).toBe('256.28 256.28 256.28 256.29');
    expect(banded(0, 400)).toBe('256.28 256.28 256.28 256.29');
  });

  it('R3: a negative rate, refused when nothing is left', () => {
    expect(figures({ InterestPercent: of(-12) }, 'interest')).toMatch(/^-10\.00 /);
    expect(refusal({ InterestPercent: of(-1200) })).toBeDefined();
  });
});

describe('the slow reference keeps grace of', () => {
  it('G1: rows without principal, and the payment over the others', () => {
    expect(totals({ GracePeriodPrincipal: 2 })).toBe('10.00 10.00 507.51 507.51');
  });

  it('G2: deferred, capitalised, spread and forgiven interest', () => {
    const both = { GracePeriodPrincipal: 2, GracePeriodInterest: 2 };
    expect(totals(both)).toBe('0.00 0.00 527.51 507.51');
    expect(totals({ GracePeriodInterest: 2 })).toBe('246.28 248.74 273.82 256.29');
    const capitalised = { ...both, GraceType: 'Capitalised' };
    expect(totals(capitalised)).toBe('0.00 0.00 517.71 517.72');
    expect(figures(capitalised, 'remainingValue')).toBe('1000.00 1010.00 1020.10 512.59');
    expect(totals({ ...both, GraceType: 'Forgiven' })).toBe('0.00 0.00 507.51 507.51');
    const spread = {
      GracePeriodPrincipal: 2,
      GracePeriodInterest: 2,
      InstallmentsNo: 5,
      GraceType: 'Spread',
    };
    const without = figures({ ...spread, GracePeriodInterest: 0 }, 'interest')
      .split(' ')
      .map(Number);
    const shares = figures(spread, 'interest')
      .split(' ')
      .map((interest, row) => (Number(interest) - without[row]!).toFixed(2));
    expect(shares).toEqual(['-10.00', '-10.00', '6.67', '6.67', '6.66']);
    expect(refusal({ GracePeriodInterest: 4 })).toBeDefined();
  });
});

describe('the slow reference keeps charges of', () => {
  it('F2: 0.5 % a year of 833.33 monthly is 0.35', () => {
    const loan = { ...fee({ SourcePercent: of('0.5'), PerAnnum: true }), Amount: of('833.33') };
    expect(figures(loan, 'managementFee')).toBe('0.35 0.35 0.35 0.35');
  });

  it('F3: an annual premium in rows 1, 13, 25 or 12, 24, 36, a monthly fee in each row', () => {
    expect(insurances(premium(true))).toEqual([1, 13, 25]);
    expect(insurances(premium(false))).toEqual([12, 24, 36]);
    const fees = referenceRowsOf({ InstallmentsNo: 36, ...fee({ SourceValue: of(1) }) });
    expect(fees.every((row) => row.managementFee === 100)).toBe(true);
    expect(figures(fee({ SourceValue: of(1), GracePeriodFee: 2 }), 'managementFee')).toBe(
      '0.00 0.00 1.00 1.00',
    );
  });

  it('F5: 400 unused at 1 % from 16 January to 1 February over 365 is 0.18', () => {
    const loan = {
      ...fee({ SourcePercent: of(1), IsForUnusage: true }),
      UnusedAmount: of(400),
      StartDateForUnusage: on('2025-01-16'),
      InterestCalculationMethod: 'Actual/365',
    };
    expect(figures(loan, 'managementFee')).toMatch(/^0\.18 /);
  });
});

describe('the slow reference keeps balloons, locks and other types of', () => {
  it('B1: residual 200 in a row of its own or in the last', () => {
    const residual = { ResidualValue: of(200) };
    expect(figures(residual, 'pmt')).toBe('207.02 207.02 207.02 207.04 200.00');
    expect(figures({ ...residual, ResidualInInstallment: true }, 'pmt')).toBe('207.02 207.02 207.02 407.04');
    expect(figures({ ...residual, ScheduleType: 'Balloon' }, 'pmt')).toBe('207.02 207.02 207.02 407.04');
    expect(refusal({ ScheduleType: 'Balloon' })).toBeDefined();
  });

  it('B2: a lock of 200 ends with 428.52, one of 300 with 122.48', () => {
    expect(figures({ installmentValue: of(200) }, 'pmt')).toBe('200.00 200.00 200.00 428.52');
    expect(figures({ installmentValue: of(300) }, 'pmt')).toBe('300.00 300.00 300.00 122.48');
    expect(refusal({ installmentValue: of(5) })).toBeDefined();
    expect(refusal({ principalValue: of(5) })).toBeDefined();
    expect(figures({ installmentValue: of(5), AllowNegativeAmortisation: true }, 'principal')).toMatch(
      /^-5\.00 /,
    );
  });

  it('B3: a card repays its percentage of the balance', () => {
    const card = { ScheduleType: 'CreditCard', CapitalPercent: of(10) };
    expect(figures(card, 'principal')).toBe('100.00 90.00 81.00 729.00');
  });

  it('B4: a deposit of 10.00, 10.10, 10.20 that pays 1030.30', () => {
    const deposit = { ScheduleType: 'Deposit', InstallmentsNo: 3, InterestCapitalization: 1 };
    expect(figures(deposit, 'capitalisedInterest')).toBe('10.00 10.10 0.00');
    expect(figures(deposit, 'principal')).toBe('0.00 0.00 1020.10');
    expect(figures(deposit, 'totalInstallment')).toBe('0.00 0.00 1030.30');
    expect(figures({ ...deposit, InterestCapitalization: 0 }, 'pmt')).toBe('10.00 10.00 1010.00');
  });

  it('B5: an overdraft ends on its expiry', () => {
    const overdraft = { ScheduleType: 'Overdraft', ExpiryDateForOD: on('2025-03-20') };
    expect(dates(overdraft)).toBe('2025-02-01 2025-03-01 2025-03-20');
    expect(dates({ ...overdraft, ExpiryDateForOD: on('2025-05-20') })).toMatch(/2025-04-01 2025-05-20$/);
  });

  it('B6: the payment of four rows, the rest in row 2', () => {
    expect(figures({ RealInstallmentNo: 2 }, 'pmt')).toBe('256.28 761.26');
  });
});

describe('the slow reference keeps recalculation of', () => {
  const rest = { LastDueDate: on('2025-04-01'), ActivationDate: undefined } as const;

  it('X1: settled rows are left out, and dates count from the first due date', () => {
    const anchored = {
      ...rest,
      FirstDueDate: on('2025-02-28'),
      InstallmentDay: 31,
      LastDueDate: on('2025-03-31'),
      BlockInstallmentNo: 2,
    };
    expect(dates(anchored)).toBe('2025-04-30 2025-05-31');
    expect(referenceRowsOf(anchored)[0]?.InstallmentNo).toBe(3);
  });

  it('X1: interest begins on the unshifted date when LastDueDate is the shifted one', () => {
    const shift = { HolidayShift: true, HolidayCountry: 'Weekdays', InstallmentsNo: 2 } as const;
    const loan = { ...rest, ...shift, LastDueDate: on('2025-03-03'), BlockInstallmentNo: 1 };
    expect(noDays(loan)).toEqual([31]);
    expect(noDays({ ...loan, DeferDueDate: true })).toEqual([29]);
  });

  it('X2: 305.01, 204.01, 204.02 with 100 blocked of 700', () => {
    const loan = { ...rest, Amount: of(700), InstallmentsNo: 3, IsLocked: true, BlockAmount: of(100) };
    expect(figures(loan, 'pmt')).toBe('305.01 204.01 204.02');
    expect(figures({ ...loan, BlockInterestAmount: of(5) }, 'pmt')).toBe('310.01 204.01 204.02');
  });

  it('X3: 300 repaid on 16 February', () => {
    expect(figures(early(), 'pmt')).toBe('256.28 303.77 153.51 153.51 153.51');
    expect(figures(early(), 'remainingValue')).toMatch(/^1000\.00 753\.72 453\.72 /);
    expect(figures(early(false), 'pmt')).toBe('256.28 303.77 256.28 201.71');
    expect(referenceRowsOf(early())[1]).toMatchObject({
      InstallmentNo: 1,
      noDays: 15,
      kind: 'EarlyRepayment',
    });
    const onDueDate = { EarlyRepayments: [{ Date: on('2025-02-01'), Amount: of('753.72') }] };
    expect(figures(onDueDate, 'pmt')).toBe('256.28 753.72');
  });

  it('X4: six rows of 172.55, and 172.54 from row 4 unless the payment is locked', () => {
    expect(figures({ InstallmentsNo: 6 }, 'pmt')).toBe('172.55 172.55 172.55 172.55 172.55 172.53');
    const left = { ...rest, InstallmentsNo: 6, BlockInstallmentNo: 3, Amount: of('507.45') };
    expect(figures(left, 'pmt')).toBe('172.54 172.54 172.55');
    expect(figures({ ...left, installmentValue: of('172.55') }, 'pmt')).toBe('172.55 172.55 172.53');
  });
});

describe('the slow reference keeps annual rates of', () => {
  it('A1: 12.6823 for 1200 at 12 % in twelve months', () => {
    const outcome = referenceOf({ Amount: of(1200), InstallmentsNo: 12 });
    if (outcome.kind === 'refused') throw new Error(outcome.reason);
    expect(referenceDae(outcome)).toBe('12.6823');
    expect(referenceEir(outcome)).toBe('12.7379');
  });

  it('A1: intervals counted back from the payment', () => {
    expect(monthsBetween('2013-01-12', '2013-02-15')).toBe('1 + 3/366');
    expect(monthsBetween('2024-12-31', '2025-02-28')).toBe('2');
    expect(monthsBetween('2025-01-30', '2025-02-28')).toBe('0 + 29/366');
  });
});

describe('the slow reference on published schedules', () => {
  const asked = published.flatMap(({ id, asked: requests }) =>
    requests.map(({ request }) => ({ id, request: request as { readonly ScheduleType: string } })),
  );
  const known = asked.filter(({ request }) =>
    /^(?:Equal(?:Installments|Principal)|InterestOnly|Balloon|EffectiveRate)$/.test(request.ScheduleType),
  );

  it.each(known)('agrees with the engine, which gives $id as printed', ({ request }) => {
    const read = repaymentScheduleRequest.read({ jsonParam: request });
    expect(read.kind).toBe('valid');
    expect(read.kind === 'valid' ? difference(read.payload, true) : read.kind).toBeUndefined();
  });
});
