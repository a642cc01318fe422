/**
 * The payment of an annuity by a closed formula (P2): (financed - future v^n) i / (1 - v^n), in advance divided by 1+i,
 * with i the rate of one period, v = 1/(1+i) and n payments. The payment is calculated as one exact fraction and
 * rounded once, so that ties and near ties are rounded correctly at any rate.
 */

import { Decimal } from 'decimal.js';
import { absoluteValue } from './numbers/fixed-root.ts';
import { formatMinorUnits, scaleToInteger } from './numbers/money.ts';
import { parsePaymentTerms, type PaymentTerms } from './terms/payment-terms.ts';
import type { PaymentValueOutcome, PaymentValueRequest } from './request/payment-value-request.ts';
import { BUILT_IN_PERIODICITIES, type Periodicity } from './dates/periodicity.ts';
import { Validation, type RequestFault } from './request/validation.ts';
import { divideRounded } from './numbers/rounding.ts';

/** Payments of this amount or more, in major units, do not fit into a message. */
const TOO_LARGE = 10n ** 20n;

interface Quotient {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * The level payment of a loan or savings plan (P1, P2) and the equal part of the principal, both rounded half up to
 * `Precision` decimals (M5). Never throws: an invalid request is refused with its faults (E3). `known` are the
 * periodicities of the catalogue (D7).
 */
export function calculatePaymentValue(
  request: PaymentValueRequest,
  known: readonly Periodicity[] = BUILT_IN_PERIODICITIES,
): PaymentValueOutcome {
  const validation = new Validation();
  const terms = parsePaymentTerms(request, known, validation);
  if (terms === undefined) return { kind: 'refused', faults: validation.faults };
  const { digits } = terms;
  const amounts = scaleAmounts(terms);
  const pmt = roundToDigits(calculatePayment(terms, amounts), terms, amounts);
  const principal = roundToDigits(calculatePrincipal(terms, amounts), terms, amounts);
  if (absoluteValue(pmt) >= TOO_LARGE * 10n ** BigInt(digits)) {
    const path = terms.financed.isZero() ? 'FutureValue' : 'FinancedAmount';
    validation.reject(path, 'amount-too-large', 'must be smaller: the payment is too large to be answered');
    return { kind: 'refused', faults: validation.faults };
  }
  return {
    kind: 'payment-value',
    pmtValue: new Decimal(formatMinorUnits(pmt, digits)),
    principalValue: new Decimal(formatMinorUnits(principal, digits)),
    digits,
  };
}

/** Finds faults without a calculation, for callers that report them together with violations of the schema (E3). */
export function findPaymentValueFaults(
  request: PaymentValueRequest,
  known: readonly Periodicity[] = BUILT_IN_PERIODICITIES,
): readonly RequestFault[] {
  const validation = new Validation();
  parsePaymentTerms(request, known, validation);
  return validation.faults;
}

/** With 1+i = p/q: (financed p^n - future q^n)(p - q) / (q (p^n - q^n)); in advance the denominator begins with p. */
function calculatePayment(terms: PaymentTerms, amounts: ScaledAmounts): Quotient {
  const { numerator: p, denominator: q } = terms.growth;
  if (p === q) return calculatePrincipal(terms, amounts);
  const exponent = BigInt(terms.payments);
  const grown = p ** exponent;
  const base = q ** exponent;
  return {
    numerator: (amounts.financed * grown - amounts.future * base) * (p - q),
    denominator: (terms.isInAdvance ? p : q) * (grown - base),
  };
}

function calculatePrincipal({ payments }: PaymentTerms, { financed, future }: ScaledAmounts): Quotient {
  return { numerator: financed - future, denominator: BigInt(payments) };
}

interface ScaledAmounts {
  readonly financed: bigint;
  readonly future: bigint;
  readonly decimals: number;
}

function scaleAmounts({ financed, future }: PaymentTerms): ScaledAmounts {
  const decimals = Math.max(financed.decimalPlaces(), future.decimalPlaces());
  return {
    financed: scaleToInteger(financed, decimals),
    future: scaleToInteger(future, decimals),
    decimals,
  };
}

/** Rounds to units of the last decimal of the answer, and makes payments into a savings plan positive (P2). */
function roundToDigits(
  { numerator, denominator }: Quotient,
  { digits }: PaymentTerms,
  { financed, decimals }: ScaledAmounts,
): bigint {
  const isSavingsPlan = financed === 0n;
  const sign = (denominator < 0n ? -1n : 1n) * (isSavingsPlan ? -1n : 1n);
  const scaled = sign * numerator * 10n ** BigInt(digits);
  return divideRounded(scaled, absoluteValue(denominator) * 10n ** BigInt(decimals), 'HALF_UP');
}
