/** Explains the figures of an offer, as the figures of schedule rows are explained (Q8, S6). */

import type { RateFlow, RateFlows } from '../../lending/annual-rate/rate-flows.ts';
import {
  equation,
  explainSum,
  moneyText,
  type CurrencyContext,
  type Term,
} from '../../lending/explain/explanation-text.ts';
import { formatMinorUnits } from '../../lending/numbers/money.ts';
import type { ScheduleRow } from '../../lending/request/repayment-schedule.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';
import type { DiscountedCharge } from './charge-prices.ts';
import type { ExplainedOfferFigure, OfferExplanation, OfferFigures } from './offer-figures.ts';

/** A charge that is paid once at the start, in minor units. */
export interface ChargeAtStart {
  readonly priced: DiscountedCharge;
  readonly amount: number;
}

/** The rows that an offer shows as payments; undefined where they do not exist. */
export type ShownPayments = Readonly<Record<'regular' | 'first' | 'last', ScheduleRow | undefined>>;

/** In minor units; `startCost`, `besides` and `uncounted` are charges at the start, beside the rows, in no APRC. */
type OfferParts = Readonly<
  Record<'installments' | 'startCost' | 'besides' | 'uncounted' | 'financed', number>
>;

interface OfferSources {
  readonly atStart: readonly ChargeAtStart[];
  readonly parts: OfferParts;
  readonly rateFlows: RateFlows;
  readonly payments: ShownPayments;
  readonly loan: SimulatedLoan;
}

/** Explains every figure that the offer has, in the order of the record. */
export function explainOffer(figures: OfferFigures, sources: OfferSources): readonly OfferExplanation[] {
  const { atStart, parts, rateFlows, payments, loan } = sources;
  const context = { currencyDigits: loan.digits };
  const explain = (figure: ExplainedOfferFigure, terms: readonly Term[], amount: number) =>
    inMajorUnits(explainSum(figure, terms, amount, context), context);
  const payment = (figure: ExplainedOfferFigure, row: ScheduleRow | undefined) =>
    row === undefined ? [] : [explain(figure, paymentTerms(row), row.pmt)];
  const { totalUpfront, totalCostOfCredit: cost, totalAmountPayable, aprc } = figures;
  const charges: readonly Term[] = atStart.map(({ amount }) => ({ label: '', amount }));
  const single = { label: atStart.length === 1 ? 'one charge' : 'no charge', amount: totalUpfront };
  const credit = { label: 'financed amount', amount: parts.financed };
  return [
    ...atStart.map((charge) => explainAtStart(charge, parts.financed, context)),
    explain('TotalUpfront', charges.length > 1 ? charges : [single], totalUpfront),
    explain('TotalCostOfCredit', costTerms(parts, credit), cost),
    explain('TotalAmountPayable', [credit, { label: 'total cost', amount: cost }], totalAmountPayable),
    { Figure: 'APRC', Amount: aprc, Formula: rateEquation(aprc, rateFlows, parts, context) },
    ...payment('InstallmentAmount', payments.regular),
    ...('firstInstallmentAmount' in figures ? payment('FirstInstallmentAmount', payments.first) : []),
    ...('lastInstallmentAmount' in figures ? payment('LastInstallmentAmount', payments.last) : []),
  ];
}

function inMajorUnits(
  { figure, amount, formula }: ReturnType<typeof explainSum<ExplainedOfferFigure>>,
  { currencyDigits }: CurrencyContext,
): OfferExplanation {
  return { Figure: figure, Amount: formatMinorUnits(amount, currencyDigits), Formula: formula };
}

/** For example `FinancedAmount 1000.00 * 2 % * (1 - 25 %) - 5 = 10.00`. */
function explainAtStart(
  { priced: { shown, charge }, amount }: ChargeAtStart,
  financed: number,
  context: CurrencyContext,
): OfferExplanation {
  const { discountPercent, discountValue, basePercent, baseValue } = shown;
  const explained = (formula: string): OfferExplanation => ({
    ...inMajorUnits({ figure: 'TotalUpfront', amount, formula }, context),
    Name: charge.name,
  });
  if (basePercent === null && discountPercent === null && discountValue === null)
    return explained(`charge: ${moneyText(amount, context)}`);
  const base =
    basePercent === null
      ? String(baseValue?.toFixed())
      : `FinancedAmount ${moneyText(financed, context)} * ${basePercent.toFixed()} %`;
  const percent = discountPercent === null ? '' : ` * (1 - ${discountPercent.toFixed()} %)`;
  const value = discountValue === null ? '' : ` - ${discountValue.toFixed()}`;
  return explained(equation(base + percent + value, amount, context));
}

function costTerms(parts: OfferParts, credit: Term): readonly Term[] {
  const further: readonly Term[] = [
    { label: 'paid at the start', amount: parts.startCost },
    { label: 'paid beside the installments', amount: parts.besides },
    { label: 'charges outside the APRC', amount: parts.uncounted, isTakenAway: true },
  ];
  return [
    { label: 'installments', amount: parts.installments },
    ...further.filter(({ amount }) => amount !== 0),
    { ...credit, isTakenAway: true },
  ];
}

/** For example `1000.00 - 10.00 = 256.28 / (1 + 15.1234 %)^(1/12) + ...`. */
function rateEquation(
  aprc: string | null,
  { flows, unitsPerYear }: RateFlows,
  { financed, startCost }: OfferParts,
  context: CurrencyContext,
): string {
  const growth = `(1 + ${aprc === null ? 'APRC' : `${aprc} %`})`;
  const paid = flows.slice(1).filter(({ amount }) => Number(amount) !== 0);
  const terms = paid.map((flow) => {
    const time = timeText(flow, unitsPerYear);
    return moneyText(Number(flow.amount), context) + (time === '' ? '' : ` / ${growth}^(${time})`);
  });
  const drawn = moneyText(financed, context) + (startCost === 0 ? '' : ` - ${moneyText(startCost, context)}`);
  return `${drawn} = ${terms.join(' + ')}`;
}

/** Years after the start, such as `1/12 + 3/366`; empty on the start itself. */
function timeText({ wholeUnits, extraDays, yearDays }: RateFlow, unitsPerYear: number): string {
  const units = unitsPerYear === 1 ? `${wholeUnits}` : `${wholeUnits}/${unitsPerYear}`;
  const parts = [
    ...(wholeUnits === 0 ? [] : [units]),
    ...(extraDays === 0 ? [] : [`${extraDays}/${yearDays}`]),
  ];
  return parts.join(' + ');
}

function paymentTerms({ InstallmentNo, interest, principal }: ScheduleRow): readonly Term[] {
  const after = `of row ${InstallmentNo}`;
  return [
    { label: 'interest', amount: interest, after },
    { label: 'principal', amount: principal, after },
  ];
}
