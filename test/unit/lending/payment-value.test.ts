import cases from '../../cases/lending/annuity.json' with { type: 'json' };
import type { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { DAY_COUNT_NAMES } from '../../../shared/lending/dates/day-count.ts';
import { calculatePaymentValue, findPaymentValueFaults } from '../../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../../shared/lending/request/payment-value-request.ts';
import { periodFraction } from '../../../shared/lending/dates/period-fraction.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from '../../../shared/lending/dates/periodicity.ts';
import type { RequestFault } from '../../../shared/lending/request/validation.ts';
import { decimal } from '../../support/builders/lending-loan.ts';
import { readRequestCases } from '../../support/builders/request-cases.ts';

function annuity(changes: Partial<PaymentValueRequest> = {}): PaymentValueRequest {
  return {
    InstallmentsNo: 4,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: decimal(1000),
    InterestPercent: decimal(12),
    ...changes,
  };
}

function paymentOf(changes: Partial<PaymentValueRequest>, known?: readonly Periodicity[]) {
  const outcome = calculatePaymentValue(annuity(changes), known);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome;
}

/** The payment and its principal with all digits, separated by a blank. */
function figures(changes: Partial<PaymentValueRequest> = {}): string {
  const { pmtValue, principalValue, digits } = paymentOf(changes);
  return `${pmtValue.toFixed(digits)} ${principalValue.toFixed(digits)}`;
}

function faultsOf(changes: Partial<PaymentValueRequest>): readonly RequestFault[] {
  const outcome = calculatePaymentValue(annuity(changes));
  if (outcome.kind === 'payment-value') throw new Error('the request was not refused');
  return outcome.faults;
}

const codesOf = (changes: Partial<PaymentValueRequest>) =>
  faultsOf(changes).map(({ path, code }) => `${path} ${code}`);

const NOTHING_FINANCED = { FinancedAmount: undefined, FutureValue: decimal(1000) };

describe('calculatePaymentValue for 1000 at 12 % in four months (P2)', () => {
  it.each([
    ['in arrears', {}, '256.28 250.00'],
    ['in advance', { InterestType: 1 }, '253.74 250.00'],
    ['in half months (D10)', { PeriodicityType: 'Semimonthly' }, '253.13 250.00'],
    ['with grace', { GracePeriodPrincipal: 1 }, '340.02 333.33'],
    ['with grace in advance', { GracePeriodPrincipal: 1, InterestType: 1 }, '336.66 333.33'],
    ['with 200 still owed', { FutureValue: decimal(200) }, '207.02 200.00'],
    ['with 200 still owed in advance', { FutureValue: decimal(200), InterestType: 1 }, '204.98 200.00'],
    ['saved instead', NOTHING_FINANCED, '246.28 250.00'],
    ['saved in advance', { ...NOTHING_FINANCED, InterestType: 1 }, '243.84 250.00'],
    ['without a rate (P1)', { InterestPercent: undefined }, '250.00 250.00'],
    ['without interest', { InterestPercent: decimal(0), FutureValue: decimal(200) }, '200.00 200.00'],
    ['all of it still owed: interest only', { FutureValue: decimal(1000) }, '10.00 0.00'],
    ['more still owed than financed: less than the interest', { FutureValue: decimal(1010) }, '7.54 -2.50'],
    ['twice as much still owed: paid out instead', { FutureValue: decimal(2000) }, '-236.28 -250.00'],
    ['nothing financed and nothing saved', { FinancedAmount: undefined }, '0.00 0.00'],
    ['zero financed and zero saved', { FinancedAmount: decimal(0), FutureValue: decimal(0) }, '0.00 0.00'],
    ['in one payment', { InstallmentsNo: 1 }, '1010.00 1000.00'],
    ['in one payment in advance', { InstallmentsNo: 1, InterestType: 1 }, '1000.00 1000.00'],
  ])('%s', (_name, changes, expected) => {
    expect(figures(changes)).toBe(expected);
  });

  it('treats 0 like an absent grace period, future value or interest type', () => {
    expect(figures({ GracePeriodPrincipal: 0, FutureValue: decimal(0), InterestType: 0 })).toBe(figures());
  });
});

describe('calculatePaymentValue, rounding (M5)', () => {
  it.each([
    [0, '256 250'],
    [1, '256.3 250.0'],
    [5, '256.28109 250.00000'],
    [10, '256.2810939117 250.0000000000'],
  ])('rounds to %i decimals as requested by Precision', (digits, expected) => {
    expect(figures({ Precision: digits })).toBe(expected);
  });

  it('rounds an exact tie half up', () => {
    const cent = { FinancedAmount: decimal('0.01'), InterestPercent: undefined, InstallmentsNo: 2 };
    expect(figures(cent)).toBe('0.01 0.01');
    const growing = { InstallmentsNo: 1, FinancedAmount: decimal('100.5'), InterestPercent: decimal(12) };
    expect(figures(growing)).toBe('101.51 100.50');
    const tie = { ...growing, FinancedAmount: decimal(1), FutureValue: decimal('0.005') };
    expect(figures(tie)).toBe('1.01 1.00');
    const below = { ...tie, FutureValue: decimal('0.005000000000000001') };
    expect(figures(below)).toBe('1.00 0.99');
  });
});

function sharesOf(name: string) {
  const periodicity = BUILT_IN_PERIODICITIES.find((known) => known.name === name);
  return DAY_COUNT_NAMES.map((dayCount) => {
    const share = periodicity && periodFraction(dayCount, periodicity);
    return share && `${share.numerator}/${share.denominator}`;
  });
}

describe('calculatePaymentValue, one period as a fraction of a year (P1)', () => {
  it.each([
    ['Monthly', ['1/12', '1/12', '1/12', '6/73', '73/864', '1/12', '1/12']],
    ['Semimonthly', ['1/24', '1/24', '1/24', '3/73', '73/1728', '1/24', '1/24']],
    ['Quarterly', ['1/4', '1/4', '1/4', '18/73', '73/288', '1/4', '1/4']],
    ['Annual', ['1/1', '1/1', '1/1', '72/73', '73/72', '1/1', '1/1']],
    ['Weekly', ['7/360', '7/360', '7/360', '7/365', '7/360', '7/365', '7/365']],
    ['Daily', ['1/360', '1/360', '1/360', '1/365', '1/360', '1/365', '1/365']],
  ])('is defined for %s and each day count', (name, expected) => {
    expect(sharesOf(name)).toEqual(expected);
  });

  it('rejects Once', () => {
    expect(sharesOf('Once')).toEqual(DAY_COUNT_NAMES.map(() => undefined));
  });

  it('accepts periodicities of the catalogue (D7)', () => {
    const known = [{ name: 'Every 10 days', count: 10, unit: 'Days' }] as const;
    const byCatalogue = paymentOf({ PeriodicityType: 'every 10 DAYS', InstallmentsNo: 1 }, known);
    expect(byCatalogue.pmtValue.toFixed()).toBe('1003.33');
  });
});

describe('calculatePaymentValue with invalid requests (P1, P2)', () => {
  it.each(
    readRequestCases<Partial<PaymentValueRequest>>(`
InstallmentsNo = 0 | InstallmentsNo out-of-range must be a whole number from 1 to 1200
InstallmentsNo = 1201 | InstallmentsNo out-of-range must be a whole number from 1 to 1200
InstallmentsNo = 2.5 | InstallmentsNo out-of-range must be a whole number from 1 to 1200
InterestCalculationMethod = "31/360"
  InterestCalculationMethod unknown-day-count must be one of 30/360, 30E/360, 30E/360 ISDA, 30/365, Actual/360, Actual/365, Actual/Actual
PeriodicityType = "Once"
  PeriodicityType not-allowed must be one of Daily, Weekly, Biweekly, Semimonthly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly
PeriodicityType = "Fortnightly"
  PeriodicityType unknown-periodicity must be one of Daily, Weekly, Biweekly, Semimonthly, Monthly, Bimonthly, Quarterly, Trimestrial, Semiannual, Semestrial, Annual, Yearly
FinancedAmount = -1 | FinancedAmount out-of-range must be zero or more
FinancedAmount = 0; FutureValue = -1
  FutureValue out-of-range must be zero or more where FinancedAmount is zero
FinancedAmount = null; FutureValue = -5
  FutureValue out-of-range must be zero or more where FinancedAmount is zero
FinancedAmount = 0; FutureValue = -10000000000001 | FutureValue amount-too-large must be at most 10000000000000 in absolute value
FinancedAmount = 1e14 | FinancedAmount amount-too-large must be at most 10000000000000 in absolute value
FinancedAmount = 1e-19 | FinancedAmount too-many-decimals must have at most 18 decimals
FinancedAmount = 0; FutureValue = -1e-19 | FutureValue too-many-decimals must have at most 18 decimals
InterestPercent = 100001 | InterestPercent out-of-range must be from -100000 to 100000 percent a year
InterestPercent = -1200 | InterestPercent rate-too-low must leave a positive balance in every period
GracePeriodPrincipal = 2 | GracePeriodPrincipal out-of-range must be 0 or 1
GracePeriodPrincipal = 1; InstallmentsNo = 1
  GracePeriodPrincipal not-allowed must be 0 with one installment: no payment is left
InterestType = -1 | InterestType out-of-range must be 0 or 1
Precision = 11 | Precision out-of-range must be a whole number from 0 to 10
`),
  )('reports $fault', ({ fault, changes }) => {
    const faults = faultsOf(changes);
    expect(faults.map(({ path, code, message }) => `${path} ${code} ${message}`)).toEqual([fault]);
    expect(faults[0]?.status).toBe(422);
    expect(findPaymentValueFaults(annuity(changes))).toEqual(faults);
  });

  it('reports nothing at the limits', () => {
    const limits = { FinancedAmount: decimal('1e13'), FutureValue: decimal('-1e13'), Precision: 10 };
    expect(paymentOf(limits).digits).toBe(10);
    expect(paymentOf({ InterestPercent: decimal('-1199.99') }).digits).toBe(2);
    expect(figures({ InstallmentsNo: 1200, FinancedAmount: decimal('1e-18') })).toBe('0.00 0.00');
  });

  it('rejects amounts whose payment does not fit into the answer', () => {
    const InterestPercent = decimal('-1199.99999999999999999');
    const nearly = { InterestPercent, InterestType: 1, InstallmentsNo: 1 };
    expect(codesOf({ ...nearly, FutureValue: decimal(-5) })).toEqual(['FinancedAmount amount-too-large']);
    expect(codesOf({ ...nearly, ...NOTHING_FINANCED })).toEqual(['FutureValue amount-too-large']);
  });

  it('reports all faults together (E3)', () => {
    const wrong = {
      InstallmentsNo: 0,
      PeriodicityType: 'x',
      InterestCalculationMethod: 'y',
      FinancedAmount: decimal(-1),
      InterestPercent: decimal(1e6),
      GracePeriodPrincipal: 3,
      FutureValue: decimal('1e20'),
      InterestType: 5,
      Precision: 0.5,
    };
    const paths = faultsOf(wrong).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(Object.keys(wrong).toSorted());
  });
});

interface SpreadsheetCase {
  readonly id: string;
  readonly kind: string;
  readonly input: {
    readonly annual_rate?: number;
    readonly rate_per_period: number;
    readonly periods: number;
    readonly present_value?: number;
    readonly future_value?: number;
    readonly payment?: number;
    readonly payments_at: string;
  };
  readonly expected: { readonly value: number };
  readonly tolerance: { readonly absolute: number };
}

describe('calculatePaymentValue and spreadsheet functions', () => {
  const known = (cases as readonly SpreadsheetCase[]).map((one) => [one.id, one] as const);

  it.each(known)('matches %s', (_id, { kind, input, expected, tolerance }) => {
    const rate = input.annual_rate === undefined ? input.rate_per_period * 12 : input.annual_rate;
    const present = kind === 'pv' ? expected.value : (input.present_value ?? 0);
    const future = kind === 'fv' ? expected.value : (input.future_value ?? 0);
    const payment = input.payment ?? expected.value;
    const { pmtValue } = paymentOf({
      InstallmentsNo: input.periods,
      InterestPercent: decimal(rate).times(100),
      FinancedAmount: decimal(present).abs(),
      FutureValue: present === 0 ? decimal(future).abs() : owedAtTheEnd(present, future),
      InterestType: input.payments_at === 'begin' ? 1 : 0,
      Precision: 10,
    });
    expect(Math.abs(pmtValue.toNumber() - Math.abs(payment))).toBeLessThanOrEqual(
      kind === 'pmt' ? tolerance.absolute : 1e-4,
    );
  });
});

/** In a spreadsheet the future value has the sign of the payments, opposite to that of the present value. */
function owedAtTheEnd(present: number, future: number): Decimal {
  return decimal(present < 0 ? future : -future);
}
