/** What the room shows of the replies of look-ups (docs/api.md). */
import type { Schemas } from '../../../../../shared/client/client.ts';

/** A value of an interest or of a commission, with its days. */
export type ValueOverTime = Partial<Schemas['InterestValue'] & Schemas['CommissionValue']> &
  Pick<Schemas['InterestValue'], 'ValueValidFrom' | 'ValueValidTo'>;

export type Offer = Schemas['InterestsAndCommissionsItem'];

/** Interests by utilised amount have InterestName, InterestType and bands; all others Name, Type and values. */
interface ShownInterest {
  readonly Name?: string;
  readonly Type?: string;
  readonly Values?: readonly ValueOverTime[];
  readonly InterestName?: string;
  readonly InterestType?: string;
  readonly BandedInterests?: readonly Pick<Schemas['InterestBand'], 'InterestName' | 'Value'>[];
}

/** An interest of either kind, as the room shows it; the bands have the values of today. */
export function describeInterest(interest: ShownInterest) {
  return {
    name: interest.Name ?? interest.InterestName ?? '',
    type: interest.Type ?? interest.InterestType ?? '',
    values: interest.Values ?? [],
    bands: interest.BandedInterests ?? [],
  };
}

/** The value that is in force on a day (YYYY-MM-DD): valid from it or before, and the latest of those. */
export function valueInForce(values: readonly ValueOverTime[], day: string): ValueOverTime | undefined {
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
export function commissionNames({ OutputCommissionJson }: Schemas['SimulationRecord']): readonly string[] {
  const commissions: unknown = JSON.parse(OutputCommissionJson);
  if (!Array.isArray(commissions)) return [];
  return commissions.map((commission: { Name?: string }) => commission.Name ?? '');
}

/** The plain figures of the availability section, in the order of the reply. */
export function plainFields(
  section: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string | number])[] {
  return Object.entries(section).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  );
}
