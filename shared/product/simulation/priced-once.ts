/** Charges that cost every loan the same, priced once a day (Q5). */

import type { Findings } from '../../lending/request/refusal.ts';
import type { Discount } from './discount-amount.ts';
import type { CatalogueCharge } from './offered-charges.ts';
import { pricedCharge, type PricedCharge } from './simulate-charges.ts';
import type { SimulatedLoan } from './simulate-loan.ts';

/** What a price without discounts depends on besides the charge, which is that of one day. */
type PriceBasis = Pick<SimulatedLoan, 'currency' | 'digits' | 'rounding' | 'periodicities' | 'start'>;

/** Charges as they were priced last without discounts. A charge of another day is another object. */
const undiscounted = new WeakMap<
  CatalogueCharge,
  { readonly basis: PriceBasis; readonly priced: PricedCharge }
>();

/** A {@link pricedCharge}; one without discounts, which costs every loan the same, is priced once. */
export function pricedOnce(
  charge: CatalogueCharge,
  discounts: readonly Discount[],
  loan: SimulatedLoan,
  findings: Findings,
): PricedCharge | undefined {
  if (discounts.length > 0 || charge.isByFormula) return pricedCharge(charge, discounts, loan, findings);
  const known = undiscounted.get(charge);
  if (known !== undefined && isSameBasis(known.basis, loan)) return known.priced;
  const priced = pricedCharge(charge, discounts, loan, findings);
  if (priced !== undefined) undiscounted.set(charge, { basis: basisOf(loan), priced });
  return priced;
}

function basisOf({ currency, digits, rounding, periodicities, start }: SimulatedLoan): PriceBasis {
  return { currency, digits, rounding, periodicities, start };
}

function isSameBasis(one: PriceBasis, other: PriceBasis): boolean {
  return (
    one.start === other.start &&
    one.currency === other.currency &&
    one.digits === other.digits &&
    one.rounding === other.rounding &&
    one.periodicities === other.periodicities
  );
}
