/** The parts of the look-up replies that the room shows (docs/api.md). */

export interface ValueOverTime {
  readonly Value?: number | null;
  readonly CommissionValue?: number | null;
  readonly CommissionPercent?: number | null;
  readonly ValueValidFrom: { readonly invariantDate: string } | null;
  readonly ValueValidTo: { readonly invariantDate: string } | null;
}

/** Interests by utilised amount have InterestName, InterestType and bands; all others Name, Type and values. */
export interface Interest {
  readonly Name?: string;
  readonly Type?: string;
  readonly IsDefault?: boolean;
  readonly Description?: string | null;
  readonly Values?: readonly ValueOverTime[];
  readonly InterestName?: string;
  readonly InterestType?: string;
  readonly BandedInterests?: readonly { readonly InterestName: string; readonly Value: number }[];
}

export interface Offer {
  readonly InterestCommissionItemName: string;
  readonly Interests: readonly Interest[];
  readonly Commissions: readonly {
    readonly Name: string;
    readonly PeriodicityType: string;
    readonly Currency: string | null;
    readonly ValueIsPercent: boolean;
    readonly MandatoryForApplicant: boolean;
    readonly Values: readonly ValueOverTime[];
  }[];
}

export interface Product {
  readonly BankingProduct: {
    readonly BankingProductCode: string;
    readonly Name: string;
    readonly StartDate: string | null;
    readonly EndDate: string | null;
    readonly BankingProductType: string;
  };
  readonly Availability?: Readonly<Record<string, unknown>>;
  readonly Dimensions?: { readonly InterestsAndCommissions?: readonly Offer[] };
}

export interface ProductDocument {
  readonly Doc: { readonly ReportId: string; readonly IsMandatory: boolean };
  readonly Report: { readonly DisplayName: string };
}

/** One of the offers of a simulation; several fit when interests, lists or both are open. */
export interface SimulatedOffer {
  readonly InterestPercent: string;
  readonly IRR: string;
  readonly FirstInstallment: number;
  readonly TotalInsurance: number;
  readonly TotalFee: number;
  readonly Total: number;
  readonly InterestId: string;
  readonly InterestCommissionItemId: string;
  readonly OutputCommissionJson: string;
}

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
export function commissionNames({ OutputCommissionJson }: SimulatedOffer): readonly string[] {
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
