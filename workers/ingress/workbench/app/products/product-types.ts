/** What the room reads of look-ups and simulations. */
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

/** An interest of either kind, as the room shows it; the bands have the values of today. */
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

/** The names of the commissions of a simulated offer; the reply contains them as JSON text. */
export function commissionNames({
  OutputCommissionJson,
}: Pick<SimulatedOffer, 'OutputCommissionJson'>): readonly string[] {
  const commissions: unknown = JSON.parse(OutputCommissionJson);
  if (!Array.isArray(commissions)) return [];
  return commissions.map((commission: { Name?: string }) => commission.Name ?? '');
}

/** The plain figures of the availability section, in the order of the reply. */
export function plainFields(section: object): readonly (readonly [string, string | number])[] {
  return Object.entries(section).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  );
}
