import { describe, expect, test } from 'vitest';
import type { AmortisedRow } from '../../../../shared/lending/amortisation/amortised-row.ts';
import { toCalendarDate } from '../../../../shared/lending/dates/calendar-date.ts';
import { explainRow } from '../../../../shared/lending/explain/explain-row.ts';
import type { ExplainedFigure } from '../../../../shared/lending/request/repayment-schedule.ts';
import type { ExplanationContext, RowTrace } from '../../../../shared/lending/amortisation/row-trace.ts';
import { faultOfExplanation } from '../../../support/reference/formula-checker.ts';

const THIRTY: ExplanationContext = { currencyDigits: 2, dayCount: '30/360', dayCountDenominator: 360 };
const ACTUAL: ExplanationContext = {
  currencyDigits: 2,
  dayCount: 'Actual/Actual',
  dayCountDenominator: 365 * 366,
};

const ROW: AmortisedRow = {
  kind: 'regular',
  no: 1,
  index: 0,
  from: toCalendarDate(2025, 1, 1),
  to: toCalendarDate(2025, 2, 1),
  dueDate: toCalendarDate(2025, 2, 1),
  count: 30,
  remaining: 100_000,
  accrued: 1_000,
  interest: 1_000,
  capitalised: 0,
  principal: 24_628,
};
const LEVEL = {
  kind: 'level',
  amount: 25_628,
  firstRow: 1,
  lastRow: 4,
  balance: 100_000,
  residual: 0,
  at: [{ percent: '12' }],
  closed: { method: 'simple', percent: '12', count: 30 },
} as const;
const TRACE: RowTrace = {
  row: ROW,
  interest: { method: 'simple', slices: [{ percent: '12' }] },
  payment: LEVEL,
  principal: { rule: 'payment' },
  charges: [],
  showsInsurance: false,
};

/** The entries of a row by figure; each formula is recalculated first. */
function explained(trace: RowTrace, context = THIRTY) {
  const entries = explainRow(trace, context);
  expect(entries.map((entry) => faultOfExplanation(entry, context.currencyDigits))).toEqual(
    entries.map(() => ''),
  );
  return (figure: ExplainedFigure, name?: string) =>
    entries.find((entry) => entry.figure === figure && entry.name === name);
}

/** The principal of the last row: the balance above the residual. */
const restAbove = (residual: number, balance = 25_375) =>
  ({ principal: { rule: 'rest', balance, residual } }) as const;

/** One charge of a fixed value. */
const chargeOf = (kind: 'commission' | 'insurance', name: string, amount: number) =>
  ({ kind, name, amount, charges: 1, each: { rule: 'value', value: amount } }) as const;

/** The trace of the row, with changes. */
const traceOf = (row: Partial<AmortisedRow>, trace: Partial<RowTrace>): RowTrace => ({
  ...TRACE,
  ...trace,
  row: { ...ROW, ...row },
});

describe('explainRow for a level payment (S5, S6)', () => {
  test('returns days, basis, rate and formula of each figure in the order of calculation', () => {
    expect(explainRow(TRACE, THIRTY)).toEqual([
      { figure: 'remainingValue', amount: 100_000, formula: 'balance at the start: 1000.00' },
      {
        figure: 'payment',
        amount: 25_628,
        days: 30,
        basis: 360,
        dayCount: '30/360',
        rates: ['12'],
        base: 100_000,
        formula: '1000.00 * 12 % * 30/360 / (1 - (1 + 12 % * 30/360)^-4) = 256.28',
      },
      {
        figure: 'interest',
        amount: 1_000,
        days: 30,
        basis: 360,
        dayCount: '30/360',
        rates: ['12'],
        base: 100_000,
        formula: '1000.00 * 12 % * 30/360 = 10.00',
      },
      { figure: 'principal', amount: 24_628, formula: 'payment 256.28 - interest 10.00 = 246.28' },
      { figure: 'pmt', amount: 25_628, formula: 'interest 10.00 + principal 246.28 = 256.28' },
      { figure: 'managementFee', amount: 0, formula: 'no commission: 0.00' },
      { figure: 'totalInstallment', amount: 25_628, formula: 'PMT 256.28 + commissions 0.00 = 256.28' },
    ]);
    explained(TRACE);
  });

  test('derives the balance of a later row from the previous row', () => {
    const row = { no: 2, remaining: 75_372, accrued: 754, interest: 754, principal: 24_874 };
    const figure = explained(traceOf(row, { previous: ROW }));
    expect(figure('remainingValue')?.formula).toBe('balance 1000.00 - principal 246.28 = 753.72');
  });

  test.each([
    ['12', 20_000, 20_702, '(1000.00 - 200.00 * (1 + 12 % * 30/360)^-4) * 12 % * 30/360'],
    ['0', 20_000, 20_000, '(1000.00 - 200.00) / 4'],
    ['0', 0, 25_000, '1000.00 / 4'],
    ['-12', 0, 24_378, '1000.00 * -12 % * 30/360 / (1 - (1 + -12 % * 30/360)^-4)'],
  ])('explains a level payment at %s %% with residual %d (B1, R3)', (percent, residual, amount, formula) => {
    const payment = { ...LEVEL, residual, amount, closed: { ...LEVEL.closed, percent } };
    const row = { principal: amount - 1_000 };
    expect(explained(traceOf(row, { payment }))('payment')?.formula).toContain(formula);
  });

  test('describes the payment in words for irregular periods, which have no closed formula', () => {
    const { closed: _closed, ...open } = LEVEL;
    const payment = explained(traceOf({}, { payment: open }))('payment');
    expect(payment).toEqual({
      figure: 'payment',
      amount: 25_628,
      rates: ['12'],
      base: 100_000,
      formula: 'level payment that brings balance 1000.00 to 0.00 over rows 1 to 4 at 12 %: 256.28',
    });
  });

  test.each([
    [false, 'over rows 1 to 4 at 10 % above 0.00 and 8 % above 500.00: 256.28'],
    [true, 'at 10 % on a whole balance from 0.00 and 8 % on a whole balance from 500.00: 256.28'],
  ])('shows the lower limit of each band (R2), bands on the whole balance: %s', (isWhole, words) => {
    const { closed: _closed, ...open } = LEVEL;
    const at = [
      { percent: '10', from: 0 },
      { percent: '8', from: 50_000 },
    ];
    const payment = explained(traceOf({}, { payment: { ...open, at, isWhole } }))('payment');
    expect(payment?.formula).toContain(words);
    expect(payment?.rates).toEqual(['10', '8']);
  });

  test('shows the planned balance if it differs, and negative capitalised interest (G2, X2)', () => {
    const planned = explained(traceOf({ principal: 25_375 }, restAbove(0)));
    expect(planned('principal')?.formula).toBe('balance of the plan: 253.75');
    const principal = { rule: 'rest', balance: 100_000, residual: 20_000, capitalised: -1_000 } as const;
    const lowered = explained(traceOf({ principal: 79_000 }, { principal }));
    expect(lowered('principal')?.formula).toBe(
      'balance 1000.00 + capitalised interest -10.00 - residual 200.00 = 790.00',
    );
  });

  test('repays the balance above the residual in the last row (B1, M3)', () => {
    const row = { remaining: 25_375, accrued: 254, interest: 254, principal: 25_375 };
    expect(explained(traceOf(row, restAbove(0)))('principal')?.formula).toBe('balance: 253.75');
    const above = explained(traceOf({ ...row, principal: 5_375 }, restAbove(20_000)));
    expect(above('principal')?.formula).toBe('balance 253.75 - residual 200.00 = 53.75');
  });
});

describe('explainRow for other payments and principal', () => {
  test.each([
    [{ kind: 'fixed', amount: 20_000 }, 'locked by the request: 200.00'],
    [{ kind: 'kept', amount: 20_000 }, 'kept through an early repayment: 200.00'],
    [
      { kind: 'equal-part', amount: 20_000, balance: 100_000, residual: 20_000, rows: 4 },
      '(1000.00 - 200.00) / 4 = 200.00',
    ],
    [{ kind: 'formula', amount: 20_000, text: '2 * 100.00' }, '2 * 100.00 = 200.00'],
  ] as const)('the payment %o (B2, X3, S2)', (payment, formula) => {
    expect(explained(traceOf({ principal: 19_000 }, { payment }))('payment')?.formula).toBe(formula);
  });

  test.each([
    [{ rule: 'percent', percent: '20', base: 100_000 }, 20_000, '20 % * 1000.00 = 200.00'],
    [{ rule: 'percent', percent: '20', base: 90_000 }, 18_000, '20 % * balance of the plan 900.00 = 180.00'],
    [{ rule: 'none', why: 'grace' }, 0, 'no principal in the grace period: 0.00'],
    [{ rule: 'none', why: 'before-maturity' }, 0, 'no principal before the end: 0.00'],
    [
      { rule: 'none', why: 'interest-exceeds-payment' },
      0,
      'no principal as the interest exceeds the payment: 0.00',
    ],
    [{ rule: 'prepayment' }, 30_000, 'repaid early as requested: 300.00'],
    [{ rule: 'residual' }, 30_000, 'residual: 300.00'],
    [{ rule: 'formula', text: 'min(300.00, 400.00)' }, 30_000, 'min(300.00, 400.00) = 300.00'],
  ] as const)('the principal %o (B3, S5, X3, S2)', (principal, amount, formula) => {
    const { payment: _payment, ...rest } = traceOf({ principal: amount }, { principal });
    const entries = explainRow(rest, THIRTY);
    expect(entries.find(({ figure }) => figure === 'principal')?.formula).toBe(formula);
    expect(entries.some(({ figure }) => figure === 'payment')).toBe(false);
  });

  test('shows an equal part as the principal (S2, Linear)', () => {
    const payment = { kind: 'equal-part', amount: 25_000, balance: 100_000, residual: 0, rows: 4 } as const;
    const figure = explained(traceOf({ principal: 25_000 }, { payment, principal: { rule: 'part' } }));
    expect(figure('payment')?.formula).toBe('1000.00 / 4 = 250.00');
    expect(figure('principal')?.formula).toBe('equal part: 250.00');
  });

  test('shows a negative principal for a fixed payment below the interest (B2)', () => {
    const figure = explained(traceOf({ principal: -500 }, { payment: { kind: 'fixed', amount: 500 } }));
    expect(figure('principal')?.formula).toBe('payment 5.00 - interest 10.00 = -5.00');
  });

  test('adds blocked amounts to the first new row (X2)', () => {
    const trace = traceOf(
      { remaining: 70_000, accrued: 700, interest: 1_200, principal: 29_801 },
      {
        payment: { ...LEVEL, amount: 20_401, balance: 60_000, firstRow: 2 },
        principal: { rule: 'payment', planInterest: 600 },
        blocked: { principal: 10_000, interest: 500 },
      },
    );
    const figure = explained(trace);
    expect(figure('principal')?.formula).toBe(
      'payment 204.01 - interest of the plan 6.00 + blocked 100.00 = 298.01',
    );
    expect(figure('accruedInterest')?.formula).toBe('700.00 * 12 % * 30/360 = 7.00');
    expect(figure('interest')?.formula).toBe('accrued interest 7.00 + blocked interest 5.00 = 12.00');
  });
});

describe('explainRow for interest (C1, R2, S2)', () => {
  test('shows the rate of each slice of the balance', () => {
    const slices = [
      { percent: '10', base: 99_999 },
      { percent: '8', base: 50_001 },
    ];
    const row = { remaining: 150_000, accrued: 1_167, interest: 1_167, principal: 24_461 };
    const interest = explained(traceOf(row, { interest: { method: 'simple', slices } }))('interest');
    expect(interest?.formula).toBe('999.99 * 10 % * 30/360 + 500.01 * 8 % * 30/360 = 11.67');
    expect(interest).toMatchObject({ rates: ['10', '8'], base: 150_000 });
  });

  test('compounds an effective rate (30000 at 7 %: 169.62)', () => {
    const closed = { method: 'effective', percent: '7', count: 30 } as const;
    const figure = explained(
      traceOf(
        { remaining: 3_000_000, accrued: 16_962, interest: 16_962, principal: 242_321 },
        {
          interest: { method: 'effective', slices: [{ percent: '7' }] },
          payment: { ...LEVEL, amount: 259_283, balance: 3_000_000, lastRow: 12, closed },
        },
      ),
    );
    expect(figure('interest')?.formula).toBe('30000.00 * ((1 + 7 %)^(30/360) - 1) = 169.62');
    expect(figure('payment')?.formula).toContain('/ (1 - (1 + 7 %)^(-12 * 30/360))');
  });

  test.each([
    {
      from: toCalendarDate(2025, 1, 1),
      to: toCalendarDate(2025, 2, 1),
      count: 31 * 366,
      text: '31/365',
      basis: 365,
      accrued: 1_019,
    },
    {
      from: toCalendarDate(2024, 1, 1),
      to: toCalendarDate(2024, 2, 1),
      count: 31 * 365,
      text: '31/366',
      basis: 366,
      accrued: 1_016,
    },
    {
      from: toCalendarDate(2023, 12, 15),
      to: toCalendarDate(2024, 1, 15),
      count: 17 * 366 + 14 * 365,
      text: '(17/365 + 14/366)',
      basis: undefined,
      accrued: 1_018,
    },
  ])('splits the days of Actual/Actual by year: $text', (period) => {
    const { closed: _closed, ...open } = LEVEL;
    const { count, text, basis, accrued } = period;
    const row = {
      from: period.from,
      to: period.to,
      count,
      accrued,
      interest: accrued,
    };
    const trace = traceOf({ ...row, principal: 25_628 - accrued }, { payment: open });
    const interest = explained(trace, ACTUAL)('interest');
    expect(interest?.formula).toContain(`1000.00 * 12 % * ${text} = `);
    expect(interest).toMatchObject({ days: 31, dayCount: 'Actual/Actual' });
    expect(interest?.basis).toBe(basis);
  });

  test('shows a formula of the schedule type unchanged, and states that a row has no interest (S2, B1)', () => {
    const flat = { method: 'formula', text: '1000 / 100', readsDays: false } as const;
    const byFormula = explained(traceOf({}, { interest: flat }));
    expect(byFormula('interest')).toEqual({
      figure: 'interest',
      amount: 1_000,
      formula: '1000 / 100 = 10.00',
    });
    const text = '1000 * 12 / 100 * (1/12)';
    const byDays = explained(
      traceOf({}, { interest: { method: 'formula', text, readsDays: true, percent: '12' } }),
    );
    expect(byDays('interest')).toEqual({
      figure: 'interest',
      amount: 1_000,
      days: 30,
      basis: 360,
      dayCount: '30/360',
      rates: ['12'],
      formula: '1000 * 12 / 100 * (1/12) = 10.00',
    });
    const { interest: _interest, ...none } = traceOf(
      { kind: 'residual', accrued: 0, interest: 0, principal: 20_000 },
      { principal: { rule: 'residual' } },
    );
    expect(explained(none)('interest')?.formula).toBe('no interest: 0.00');
  });
});

describe('explainRow for interest in a grace period (G2, B4)', () => {
  test.each([
    ['deferred', 0, 'accrued interest 10.00 - deferred 10.00 = 0.00'],
    ['spread', 0, 'accrued interest 10.00 - deferred to be spread 10.00 = 0.00'],
    ['forgiven', 0, 'accrued interest 10.00 - forgiven 10.00 = 0.00'],
    ['capitalised', 1_000, 'accrued interest 10.00 - capitalised 10.00 = 0.00'],
  ] as const)('%s interest is not collected', (as, capitalised, formula) => {
    const figure = explained(traceOf({ interest: 0, capitalised }, { uncollected: { as, amount: 1_000 } }));
    expect(figure('accruedInterest')?.formula).toBe('1000.00 * 12 % * 30/360 = 10.00');
    expect(figure('interest')?.formula).toBe(formula);
    expect(figure('capitalisedInterest')?.formula).toBe(
      capitalised === 0 ? undefined : 'accrued interest: 10.00',
    );
  });

  test('adds deferred interest to the payment of the first row after the grace period', () => {
    const deferred = { as: 'deferred', amount: 1_754, firstRow: 1, lastRow: 2 } as const;
    const figure = explained(traceOf({ interest: 2_754 }, { deferred }));
    expect(figure('interest')?.formula).toBe(
      'accrued interest 10.00 + deferred interest 17.54 of rows 1 to 2 = 27.54',
    );
    expect(figure('principal')?.formula).toBe('payment 256.28 - interest 10.00 = 246.28');
    expect(figure('pmt')?.formula).toBe('interest 27.54 + principal 246.28 = 273.82');
  });

  test('spreads interest in equal parts, with the remainder in the last row', () => {
    const deferred = { as: 'spread', amount: 667, firstRow: 1, lastRow: 1 } as const;
    const share = { total: 2_000, rows: 3 };
    const part = explained(traceOf({ interest: 1_667 }, { deferred: { ...deferred, share } }));
    expect(part('interest')?.formula).toBe(
      'accrued interest 10.00 + spread interest round(20.00 / 3) of row 1 = 16.67',
    );
    const rest = explained(traceOf({ interest: 1_666 }, { deferred: { ...deferred, amount: 666 } }));
    expect(rest('interest')?.formula).toBe('accrued interest 10.00 + spread interest 6.66 of row 1 = 16.66');
  });

  test('adds capitalised interest to the balance of the next row', () => {
    const previous = { ...ROW, interest: 0, capitalised: 1_000, principal: 0 };
    const row = { remaining: 101_000, accrued: 1_010, interest: 1_010, principal: 24_618 };
    expect(explained(traceOf(row, { previous }))('remainingValue')?.formula).toBe(
      'balance 1000.00 - principal 0.00 + capitalised interest 10.00 = 1010.00',
    );
  });
});

describe('explainRow for charges and additional columns (F2, F4, F5)', () => {
  const fee = { kind: 'commission', name: 'Fee', charges: 1, amount: 0 } as const;
  const percent = { rule: 'percent', percent: '0.5', base: 83_333, appliedTo: 'RemainingValue' } as const;

  test.each([
    [{ amount: 250, each: { rule: 'value', value: 250 } }, 'charge: 2.50'],
    [{ amount: 500, charges: 2, each: { rule: 'value', value: 250 } }, '2 * 2.50 = 5.00'],
    [{ amount: 350, blocked: 100, each: { rule: 'value', value: 250 } }, 'charge 2.50 + blocked 1.00 = 3.50'],
    [{ amount: 417, each: percent }, 'RemainingValue 833.33 * 0.5 % = 4.17'],
    [
      { amount: 35, each: { ...percent, partOfYear: [1, 12] } },
      'RemainingValue 833.33 * 0.5 % * 1/12 = 0.35',
    ],
    [{ amount: 834, charges: 2, each: percent }, '2 * round(RemainingValue 833.33 * 0.5 %) = 8.34'],
    [
      { amount: 517, blocked: 100, each: percent },
      'round(RemainingValue 833.33 * 0.5 %) + blocked 1.00 = 5.17',
    ],
    [{ amount: 100, charges: 0, blocked: 100, each: percent }, 'blocked: 1.00'],
    [{ amount: 0, charges: 0, each: percent }, 'no charge: 0.00'],
    [{ amount: 190, each: { rule: 'formula', text: '10 * 0.19' } }, '10 * 0.19 = 1.90'],
  ] as const)('%o', (charge, formula) => {
    const figure = explained({ ...TRACE, charges: [{ ...fee, ...charge }] });
    expect(figure('managementFee', 'Fee')).toMatchObject({ amount: charge.amount, formula });
    const isPercentCharged = charge.each.rule === 'percent' && !('charges' in charge && charge.charges === 0);
    expect(figure('managementFee', 'Fee')?.rates).toEqual(isPercentCharged ? ['0.5'] : undefined);
    expect(figure('managementFee')?.formula).toMatch(/^one commission: /);
  });

  test('charges an unused amount for its days (400, 1 %, 16 days over 365: 0.18)', () => {
    const each = { rule: 'unused', percent: '1', base: 40_000, count: 16 } as const;
    const context = { ...THIRTY, dayCount: 'Actual/365', dayCountDenominator: 365 };
    const charges = [{ ...fee, amount: 18, each }];
    const entry = explainRow({ ...TRACE, charges }, context).find(({ name }) => name === 'Fee');
    expect(entry).toEqual({
      figure: 'managementFee',
      name: 'Fee',
      amount: 18,
      days: 16,
      basis: 365,
      dayCount: 'Actual/365',
      rates: ['1'],
      base: 40_000,
      formula: 'UnusedAmount 400.00 * 1 % * 16/365 = 0.18',
    });
  });

  test('sums commissions and insurances separately and in the total', () => {
    const charges = [
      chargeOf('commission', 'One', 100),
      chargeOf('commission', 'Two', 50),
      chargeOf('insurance', 'Life', 300),
    ];
    const columns = [{ name: 'Extra', amount: 2_000, text: '2 * interest 10.00' }];
    const figure = explained({ ...TRACE, charges, showsInsurance: true, columns });
    expect(figure('managementFee')?.formula).toBe('1.00 + 0.50 = 1.50');
    expect(figure('insurance')?.formula).toBe('one insurance: 3.00');
    expect(figure('column', 'Extra')?.formula).toBe('2 * interest 10.00 = 20.00');
    expect(figure('totalInstallment')?.formula).toBe(
      'PMT 256.28 + commissions 1.50 + insurances 3.00 = 260.78',
    );
  });
});
