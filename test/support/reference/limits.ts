/** The limits of an offer, slowly: a loop over days and types, and decimal arithmetic of 100 digits (Q9). */

import { Decimal } from 'decimal.js';
import type { LimitRecord } from '../../../shared/product/catalogue/limit-list.ts';
import type { LimitedOffer } from '../../../shared/product/simulation/national-limits.ts';

const Precise = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP });

/** The figure of the offer in percent; undefined if it has none. */
function percentOf(figure: LimitRecord['Figure'], offer: LimitedOffer): Decimal | undefined {
  const { rates, rateFlows, financed, totalCostOfCredit, interest, payment, paymentsPerYear, income } = offer;
  const share = (part: Decimal.Value, whole: Decimal.Value) => new Precise(part).times(100).dividedBy(whole);
  if (figure === 'InterestPercent') return rates.toSorted((one, other) => other.comparedTo(one))[0];
  if (figure === 'APRC') {
    // A year lies between both flows: what is drawn, and what is paid.
    const [drawn = 0, paid = 0] = rateFlows.flows.map(({ amount }) => Number(amount));
    return drawn < 0 && paid > 0 ? share(drawn + paid, -drawn) : undefined;
  }
  if (figure === 'TotalCostPercent') return share(totalCostOfCredit, financed);
  if (figure === 'ChargesPercent') return share(totalCostOfCredit - interest, financed);
  if (income === undefined || paymentsPerYear === undefined) return undefined;
  const ofYear = new Precise(payment).times(paymentsPerYear.numerator.toString());
  return share(ofYear, new Precise(income).times(12).times(paymentsPerYear.denominator.toString()));
}

/** The result of each limit that applies on a day `yyyy-mm-dd` to the product type with this code, as text. */
export function referenceLimits(
  limits: readonly LimitRecord[],
  { code, day }: { readonly code: string; readonly day: string },
  offer: LimitedOffer,
): readonly string[] {
  const results: string[] = [];
  for (const { Status, ValidFrom, ValidTo, ProductTypes, Figure, Largest } of limits) {
    if (Status !== 'Active' || (ValidFrom ?? day) > day || (ValidTo ?? day) < day) continue;
    if (ProductTypes.length > 0 && !ProductTypes.includes(code)) continue;
    const percent = percentOf(Figure, offer);
    const isEndless = Figure === 'APRC' && Number(offer.rateFlows.flows[0]?.amount) >= 0;
    if (percent === undefined) results.push(`${Figure} none ${isEndless ? 'Above' : 'Unknown'}`);
    else results.push(`${Figure} ${percent.toFixed(4)} ${percent.greaterThan(Largest) ? 'Above' : 'Within'}`);
  }
  return results;
}
