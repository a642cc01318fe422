/** What the page reads of look-ups and simulations. */
import type { ReplyOf, Schemas } from '../../../../../shared/client/client.ts';

export type Product = ReplyOf<'getBankingProductByCode'>;
export type ProductDocument = Schemas['ProductDocument'];
export type Offer = Schemas['InterestsAndCommissionsItem'];
/** One of the offers of a simulation; several fit when interests, lists or both are open. */
export type SimulatedOffer = Schemas['SimulationRecord'];

type Interest = Pick<
  Schemas['Interest'],
  'Name' | 'Type' | 'Values' | 'InterestName' | 'InterestType' | 'BandedInterests'
>;
/** The days on which a value is valid. */
type ValueDays = Pick<Schemas['InterestValue'], 'ValueValidFrom' | 'ValueValidTo'>;

/** An interest of either kind, as the page shows it; the bands have the values of today. */
export function describeInterest(interest: Interest) {
  return {
    name: interest.Name ?? interest.InterestName ?? '',
    type: interest.Type ?? interest.InterestType ?? '',
    values: interest.Values ?? [],
    bands: interest.BandedInterests ?? [],
  };
}

/** The value that is in force on a day (YYYY-MM-DD): valid from it or before, and the latest of those. */
export function valueInForce<Value extends ValueDays>(
  values: readonly Value[],
  day: string,
): Value | undefined {
  return values
    .filter(({ ValueValidFrom, ValueValidTo }) => {
      const from = ValueValidFrom?.invariantDate ?? '';
      const to = ValueValidTo?.invariantDate ?? '9999-12-31';
      return from.slice(0, 10) <= day && day <= to.slice(0, 10);
    })
    .toSorted((one, other) =>
      (other.ValueValidFrom?.invariantDate ?? '').localeCompare(one.ValueValidFrom?.invariantDate ?? ''),
    )[0];
}

/** A commission or an insurance of a simulated offer, before and after discounts. */
export interface OfferCharge {
  readonly name: string;
  readonly periodicity: string;
  /** In money; null: a percentage. */
  readonly value: number | null;
  readonly percent: number | null;
  readonly baseValue: number | null;
  readonly basePercent: number | null;
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

interface JsonCharge {
  readonly Name: string | null;
  readonly Value: number | null;
  readonly Percent: number | null;
  readonly BaseValue: number | null;
  readonly BasePercent: number | null;
  readonly FeePeriodicityType?: string | null;
  readonly InsurancePeriodicityType?: string | null;
}

function readCharges(text: string): readonly OfferCharge[] {
  const charges = JSON.parse(text) as readonly JsonCharge[] | null;
  return (charges ?? []).map((charge) => ({
    name: charge.Name ?? '',
    periodicity: charge.FeePeriodicityType ?? charge.InsurancePeriodicityType ?? '',
    value: charge.Value,
    percent: charge.Percent,
    baseValue: charge.BaseValue,
    basePercent: charge.BasePercent,
  }));
}

/** The plain figures of the availability section, in the order of the reply. */
export function plainFields(section: object): readonly (readonly [string, string | number])[] {
  return Object.entries(section).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  );
}
