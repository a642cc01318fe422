/** A version of a banking product in the catalogue. Conventions: catalogue-record.ts. */

import type { ItemFilter, ValidDays, VersionedRecord } from './record-parts.ts';

/** Only an Approved version of a product is returned (L1). */
export const PRODUCT_STATUSES = ['Draft', 'VersionDraft', 'Approved', 'Closed'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

/** Unit of the bounds of a product's term. */
export const PERIOD_TYPES = ['Days', 'Weeks', 'Months', 'Years'] as const;
export type PeriodType = (typeof PERIOD_TYPES)[number];

/** One version of a product. */
export interface ProductRecord extends VersionedRecord {
  readonly Status: ProductStatus;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
  /** Code or name of a product type of the engine, such as TL or Term Loan. */
  readonly BankingProductType: string;
  readonly Display: {
    readonly ProductImage: readonly { readonly Name: string; readonly RealName: string }[] | null;
    readonly Benefits: string | null;
    readonly DisplayConditions: string | null;
    readonly NoOfDebtor: number | null;
  };
  readonly GeneralData: GeneralData;
  /** Names of holiday calendars. */
  readonly CountryCalendars: readonly string[];
  /** Names or codes of schedule types; the first is the default. */
  readonly PaymentScheduleTypes: readonly string[];
  /** Percent of the balance that each instalment repays, for schedule types that need it (B3). */
  readonly CapitalPercent: number | null;
  /** Percent of the financed amount that remains after the last instalment (B1). */
  readonly ResidualPercent: number | null;
  readonly Guarantees: readonly {
    readonly ProductGuaranteeName: string;
    readonly GuaranteeType: string | null;
    readonly MaxAcceptedCoveringPercent: number | null;
  }[];
  readonly DestinationTypes: readonly {
    readonly ProductDestinationTypeName: string;
    readonly IsDefault: boolean;
  }[];
  readonly DisbursementMatrix: readonly {
    readonly Name: string;
    readonly TranchePercent: number | null;
    readonly InterestPercent: number | null;
    readonly StartMonthFromActivation: number | null;
    readonly UnusageCommissionPercent: number | null;
  }[];
  readonly AssociatedProducts: readonly {
    readonly AssociatedProductName: string;
    readonly AssociatedProductCode: string;
  }[];
  readonly Availability: Availability;
  readonly InterestsAndCommissions: readonly InterestCommissionItem[];
  readonly Insurances: readonly ProductInsuranceItem[];
  /** Codes of discount lists. */
  readonly Discounts: readonly string[];
  readonly Questions: readonly {
    readonly Name: string;
    readonly QuestionType: string | null;
    readonly AnswerEntity: string | null;
    readonly AnswerField: string | null;
    readonly IsForSolicitant: boolean;
    readonly IsForCoborrower: boolean;
  }[];
  readonly Documents: readonly {
    /** GUID. */
    readonly ReportId: string;
    readonly DisplayName: string;
    readonly IsMandatory: boolean | null;
    readonly IsAccord: boolean | null;
  }[];
}

export interface GeneralData {
  readonly BankAccountType: string | null;
  readonly IsRevolving: boolean;
  readonly AutoDisbursement: boolean;
  readonly MaxNoDisbursements: number | null;
  readonly ActivationTranchesOnDocumentSubmission: boolean;
  readonly IsGuaranteed: boolean;
  readonly AllowCollateralPartialRelease: boolean | null;
  readonly AllowCoDebtor: boolean;
  readonly AllowRefinancing: boolean;
  readonly MaxNoOfCodebtors: number | null;
  /** Name of the periodicity of the instalments. */
  readonly PeriodicityType: string;
  readonly RepaymentAllocationMethod: string | null;
  readonly HolidayShiftForRepaymentInstallments: boolean;
  /** A holiday method of the engine (H1). */
  readonly HolidayShiftMethod: string | null;
  readonly DeferDueDate: boolean;
  /** Deferred, Capitalised, Spread or Forgiven (G2). */
  readonly GraceType: string | null;
  readonly ProductGrace: string | null;
  readonly GraceDaysForRepayment: number | null;
  readonly PenaltyForGracePeriod: boolean;
}

/** Bounds are inclusive; null: no bound. MinimumAdvance and MaximumAdvance are percentages of the amount (Q6). */
export interface Availability {
  /** ISO 4217. */
  readonly Currency: string;
  readonly PeriodType: PeriodType;
  readonly MaxPeriodForDisbursement: number | null;
  readonly MinimumPeriod: number | null;
  readonly MaximumPeriod: number | null;
  readonly MinimumEarlyRepaymentValue: number | null;
  readonly MinimumAmount: number | null;
  readonly MaximumAmount: number | null;
  readonly UnusageStartPeriod: number | null;
  readonly MinimumAdvance: number | null;
  readonly MaximumAdvance: number | null;
  readonly AvailabilityItemFilters: readonly {
    readonly Filter: string;
    readonly FilterScope: string | null;
    readonly FilterType: string | null;
    readonly Description: string | null;
  }[];
  readonly ProductCovenants: readonly (ValidDays & {
    readonly Name: string;
    readonly Type: string | null;
    readonly Value: number | null;
    readonly ReviewFrequencyMonths: number | null;
  })[];
  readonly MandatoryRoles: readonly { readonly Name: string; readonly SearchLimit: boolean }[];
}

/** An offer of a product: interests with their commissions, under conditions (L3, Q3). */
export interface InterestCommissionItem {
  /** GUID. */
  readonly Id: string;
  readonly Name: string;
  /** Codes of lists. */
  readonly InterestList: string | null;
  readonly CommissionList: string | null;
  readonly Filters: readonly ItemFilter[];
}

export interface ProductInsuranceItem {
  /** GUID. */
  readonly Id: string;
  readonly Name: string;
  readonly Code: string;
  /** Code of an insurance list. */
  readonly InsuranceList: string;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
  readonly Filters: readonly ItemFilter[];
}
