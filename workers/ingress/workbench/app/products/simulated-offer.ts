/** What the page reads of simulations. */
import type { z } from 'zod';
import type { simulateReply } from '../../../../../shared/api/actions/simulate-action.ts';
import { leadingPayment } from '../schedules/leading-payment.ts';
import { exactSum } from '../schedules/schedule.ts';

/** The periodicity of a charge that is paid at the start. */
export const ONCE = 'Once';
/** Percentages of a reply have at most ten decimals (Q5). */
const PERCENT_PARTS = 10 ** 10;

/** One of the offers of a simulation; several fit when interests, lists or both are open. */
export type SimulatedOffer = Simulated['Records'][number];
export type Simulated = z.infer<typeof simulateReply>;

/** A commission or an insurance of a simulated offer, in money or in percent, before and after discounts. */
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

/** A row of the schedule of a simulated offer. */
export interface OfferRow {
  readonly InstallmentNo: number;
  readonly remainingValue: number;
  readonly interest: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly insurance?: number;
  readonly totalInstallment: number;
}

/** What a simulated offer contains as JSON text. */
export interface OfferParts {
  readonly commissions: readonly OfferCharge[];
  readonly insurances: readonly OfferCharge[];
  /** The first is the down payment. */
  readonly rows: readonly OfferRow[];
  /** The rate before discounts in percent. */
  readonly baseRate: number | undefined;
}

type JsonParts = Pick<
  SimulatedOffer,
  'ScheduleJson' | 'OutputInterestJson' | 'OutputCommissionJson' | 'OutputInsuranceJson'
>;

export function readOffer(offer: JsonParts): OfferParts {
  const { paymentSchedule } = JSON.parse(offer.ScheduleJson) as { paymentSchedule: readonly OfferRow[] };
  const { BaseInterestPercent } = JSON.parse(offer.OutputInterestJson) as {
    BaseInterestPercent?: number | null;
  };
  return {
    commissions: readCharges(offer.OutputCommissionJson),
    insurances: readCharges(offer.OutputInsuranceJson),
    rows: paymentSchedule,
    baseRate: BaseInterestPercent ?? undefined,
  };
}

function readCharges(text: string): readonly OfferCharge[] {
  return (JSON.parse(text) as readonly OfferCharge[] | null) ?? [];
}

/** A sum of an offer, and the part of it that is paid once at the start and is in no instalment (Q6). */
export interface OfferSum {
  readonly amount: number;
  readonly atStart: number;
}

/** The payment and the sums of an offer, with what is paid at the start. */
export function offerFigures(
  { TotalFee, TotalInsurance, Total }: Pick<SimulatedOffer, 'TotalFee' | 'TotalInsurance' | 'Total'>,
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

/** What a charge costs once at the start, half up to the decimals of the currency; zero for a repeated one. */
function onceCost(charge: OfferCharge, financed: number, decimals: number): number {
  if (periodicityOf(charge) !== ONCE) return 0;
  const { Value: value, Percent: percent } = charge;
  const unit = 10 ** decimals;
  const parts = BigInt(Math.round(financed * unit)) * BigInt(Math.round((percent ?? 0) * PERCENT_PARTS));
  const whole = BigInt(PERCENT_PARTS) * 100n;
  return value ?? Number((2n * parts + whole) / (2n * whole)) / unit;
}
