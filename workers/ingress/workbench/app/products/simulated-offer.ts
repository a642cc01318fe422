import type { z } from 'zod';
import type { simulateReply } from '../../../../../shared/api/actions/simulate-action.ts';
import { leadingPayment } from '../schedules/leading-payment.ts';
import { exactSum, type ShownAmounts } from '../schedules/schedule.ts';

/** The periodicity of a charge that is paid once, at the start of the loan (Q6). */
export const ONCE = 'Once';
/** Percentages are read with ten decimals, the most that a reply shows (Q5). */
const PERCENT_PARTS = 10 ** 10;

/** One offer of a simulation. Rule Q3 decides how many offers a request gets. */
export type SimulatedOffer = Simulated['Records'][number];
export type Simulated = z.infer<typeof simulateReply>;

/** A commission or insurance, priced by `Value` in currency units or by `Percent`. `Base...` is before discounts. */
export interface OfferCharge {
  readonly Name: string | null;
  readonly Value: number | null;
  readonly Percent: number | null;
  readonly BaseValue: number | null;
  readonly BasePercent: number | null;
  readonly FeePeriodicityType?: string | null;
  readonly InsurancePeriodicityType?: string | null;
}

export function periodicityOf({ FeePeriodicityType, InsurancePeriodicityType }: OfferCharge): string {
  return FeePeriodicityType ?? InsurancePeriodicityType ?? '';
}

export interface OfferParts {
  readonly commissions: readonly OfferCharge[];
  readonly insurances: readonly OfferCharge[];
  /** The first row is the down payment, which may be zero. */
  readonly rows: readonly ShownAmounts[];
  /** The rate before discounts, in percent a year. */
  readonly baseRate: number | undefined;
}

/** Reads the JSON texts of an offer. Throws SyntaxError if a text is not JSON. */
export function readOffer(offer: SimulatedOffer): OfferParts {
  const interest = JSON.parse(offer.OutputInterestJson) as { BaseInterestPercent?: number | null };
  return {
    commissions: (JSON.parse(offer.OutputCommissionJson) as OfferParts['commissions'] | null) ?? [],
    insurances: (JSON.parse(offer.OutputInsuranceJson) as OfferParts['insurances'] | null) ?? [],
    rows: (JSON.parse(offer.ScheduleJson) as { paymentSchedule: readonly ShownAmounts[] }).paymentSchedule,
    baseRate: interest.BaseInterestPercent ?? undefined,
  };
}

/** A sum in currency units, and the part of it that is paid at the start, in no instalment (Q6). */
export interface OfferSum {
  readonly amount: number;
  readonly atStart: number;
}

/** The leading payment and the totals of an offer. Adds the charges paid once, which the reply's totals omit. */
export function offerFigures(
  { TotalFee, TotalInsurance, Total }: SimulatedOffer,
  { commissions, insurances, rows: [before, ...rows] }: OfferParts,
  decimals: number,
) {
  const financed = exactSum([before?.remainingValue ?? 0, -(before?.principal ?? 0)]);
  const onceOf = (charges: readonly OfferCharge[]) =>
    exactSum(charges.map((one) => onceCost(one, financed, decimals)));
  const [fees, insurance] = [onceOf(commissions), onceOf(insurances)];
  return {
    payment: leadingPayment(rows),
    fees: sum(TotalFee, fees),
    insurance: sum(TotalInsurance, insurance),
    total: sum(Total, exactSum([fees, insurance])),
  };
}

function sum(repeated: number, atStart: number): OfferSum {
  return { amount: exactSum([repeated, atStart]), atStart };
}

/** What a charge costs at the start. A percentage of `financed` is rounded half up. Zero for a repeated charge. */
function onceCost(charge: OfferCharge, financed: number, decimals: number): number {
  if (periodicityOf(charge) !== ONCE) return 0;
  const { Value: value, Percent: percent } = charge;
  const unit = 10 ** decimals;
  const parts = BigInt(Math.round(financed * unit)) * BigInt(Math.round((percent ?? 0) * PERCENT_PARTS));
  const whole = BigInt(PERCENT_PARTS) * 100n;
  return value ?? Number((2n * parts + whole) / (2n * whole)) / unit;
}
