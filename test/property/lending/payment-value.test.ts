import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_COUNT_NAMES, type DayCountName } from '../../../shared/lending/dates/day-count.ts';
import { calculatePaymentValue } from '../../../shared/lending/payment-value.ts';
import type { PaymentValueRequest } from '../../../shared/lending/request/payment-value-request.ts';
import {
  BUILT_IN_PERIODICITIES,
  daysPerPeriod,
  monthsPerPeriod,
  type Periodicity,
} from '../../../shared/lending/dates/periodicity.ts';

/** Far more digits than any result has, so that only payments very close to a tie need more. */
const Exact = Decimal.clone({ precision: 120, rounding: Decimal.ROUND_HALF_UP, maxE: 9e15, minE: -9e15 });

const REPEATING = BUILT_IN_PERIODICITIES.filter(({ unit }) => unit !== 'Once');

interface Annuity {
  readonly financed: string;
  readonly future: string;
  readonly rate: string;
  readonly installments: number;
  readonly periodicity: Periodicity;
  readonly method: DayCountName;
  readonly grace: boolean;
  readonly inAdvance: boolean;
  readonly digits: number;
}

const amount = fc.oneof(
  fc.integer({ min: 1, max: 500 }).map((cents) => new Decimal(cents).div(100).toFixed()),
  fc.integer({ min: 1, max: 1_000_000_000 }).map((cents) => new Decimal(cents).div(100).toFixed()),
  fc
    .bigInt({ min: 1n, max: 4n * 10n ** 29n })
    .map((units) => new Exact(units.toString()).div('1e18').toFixed()),
);

const ratePercent = fc.oneof(
  fc.constant('0'),
  fc.integer({ min: 1, max: 40_000 }).map((thousandths) => new Decimal(thousandths).div(1000).toFixed()),
  fc.integer({ min: -90_000, max: -1 }).map((thousandths) => new Decimal(thousandths).div(1000).toFixed()),
  fc.integer({ min: 1, max: 999_999_999 }).map((digits) => `7.${String(digits).padStart(20, '3')}`),
  fc.integer({ min: 100, max: 100_000 }).map(String),
);

function annuities(maxInstallments: number): fc.Arbitrary<Annuity> {
  return fc
    .record({
      amount,
      share: fc.constantFrom('0', '0', '0.25', '1', '1.001', '2.5', '-0.5', 'savings'),
      rate: ratePercent,
      installments: fc.integer({ min: 2, max: maxInstallments }),
      periodicity: fc.constantFrom(...REPEATING),
      method: fc.constantFrom(...DAY_COUNT_NAMES),
      grace: fc.boolean(),
      inAdvance: fc.boolean(),
      digits: fc.constantFrom(2, 2, 2, 0, 5, 10),
    })
    .map(({ amount: sum, share, ...others }) =>
      share === 'savings'
        ? { ...others, financed: '0', future: sum }
        : { ...others, financed: sum, future: new Exact(sum).times(share).toFixed(18) },
    );
}

const requestOf = (annuity: Annuity): PaymentValueRequest => ({
  InstallmentsNo: annuity.installments,
  PeriodicityType: annuity.periodicity.name,
  InterestCalculationMethod: annuity.method,
  FinancedAmount: new Decimal(annuity.financed),
  InterestPercent: new Decimal(annuity.rate),
  GracePeriodPrincipal: annuity.grace ? 1 : 0,
  FutureValue: new Decimal(annuity.future),
  InterestType: annuity.inAdvance ? 1 : 0,
  Precision: annuity.digits,
});

function paymentOf(annuity: Annuity): Decimal {
  const outcome = calculatePaymentValue(requestOf(annuity));
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  return outcome.pmtValue;
}

/** The rate of one period by rule P1, independent of the engine. */
function periodRate({ rate, method, periodicity }: Annuity, Arithmetic = Exact): Decimal {
  const yearly = new Arithmetic(rate).div(100);
  const months = monthsPerPeriod(periodicity);
  const days = daysPerPeriod(periodicity);
  if (days > 0) return yearly.times(days).div(method.includes('/360') ? 360 : 365);
  if (method === '30/365') return yearly.times(30 * months).div(365);
  return method === 'Actual/360' ? yearly.times(365 * months).div(12 * 360) : yearly.times(months).div(12);
}

/** The payment by discount factors, unrounded. */
function referencePayment(annuity: Annuity, Arithmetic = Exact): Decimal {
  const i = periodRate(annuity, Arithmetic);
  const payments = annuity.grace ? annuity.installments - 1 : annuity.installments;
  const financed = new Arithmetic(annuity.financed);
  const future = new Arithmetic(annuity.future);
  const sign = financed.isZero() ? -1 : 1;
  if (i.isZero()) return financed.minus(future).div(payments).times(sign);
  const discount = new Arithmetic(1).div(i.plus(1).pow(payments));
  const arrears = financed.minus(future.times(discount)).times(i).div(new Arithmetic(1).minus(discount));
  return (annuity.inAdvance ? arrears.div(i.plus(1)) : arrears).times(sign);
}

/** Enough digits to distinguish a payment from a tie; discount factors of these annuities go down to 1e-1000. */
const Finer = Decimal.clone({ precision: 1_500 });
/** Fewer digits than were calculated; rounding to them restores an exact tie that was lost in inexact steps. */
const TRUSTED_DIGITS = 1_400;

/** The rounded payment, calculated with 120 digits, or with 1,500 if the result differs from `shown`. */
function expectedPayment(annuity: Annuity, shown: string): string {
  const round = (payment: Decimal): string => {
    const rounded = payment.toDecimalPlaces(annuity.digits, Decimal.ROUND_HALF_UP);
    return rounded.isZero() ? '0' : rounded.toFixed();
  };
  const expected = round(referencePayment(annuity));
  if (expected === shown) return expected;
  return round(referencePayment(annuity, Finer).toSignificantDigits(TRUSTED_DIGITS));
}

describe('calculatePaymentValue for random annuities', () => {
  const periodicity = { name: 'Quarterly', count: 3, unit: 'Months' } as const;
  const quarterly = { periodicity, inAdvance: false } as const;
  const both = { financed: '0.26', future: '0.26' };
  it.each<[string, Omit<Annuity, keyof typeof quarterly | 'grace'>, string]>([
    [
      'a payment just below a tie down',
      { rate: '2087', installments: 148, method: '30/360', digits: 5, financed: '0.01', future: '0.01001' },
      '0.05217',
    ],
    [
      'an exact tie away from zero',
      { rate: '-77.265', installments: 46, method: 'Actual/360', digits: 10, ...both },
      '-0.0509197813',
    ],
  ])('rounds %s (M5)', (_what, terms, expected) => {
    const annuity = { ...quarterly, grace: false, ...terms };
    expect(paymentOf(annuity).toFixed()).toBe(expected);
    expect(expectedPayment(annuity, expected)).toBe(expected);
  });

  it('equals a reference with 120 digits (P1, P2, M5)', () => {
    fc.assert(
      fc.property(annuities(400), (annuity) => {
        fc.pre(periodRate(annuity).greaterThan(-1));
        const shown = paymentOf(annuity).toFixed();
        expect(shown).toBe(expectedPayment(annuity, shown));
      }),
      { numRuns: 4_000 },
    );
  });
});
