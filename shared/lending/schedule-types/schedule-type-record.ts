/** A schedule type record as authors edit it (S1), not yet validated; fields as in AssociatedPaymentScheduleTypes. */

export interface ScheduleColumnRecord {
  /** GUID. */
  readonly PaymentScheduleTypeDetailId: string;
  /** A standard column, such as Interest, or the name of an additional column. */
  readonly ColumnRepaymentSchedule: string;
  /** RemainingValue, PMT, Linear, EffectiveRate, CapitalPercent, Balance, Fee, Insurance or Formula (S2). */
  readonly CalculationMethod: string;
  /** The commission that a Fee column shows, or that the amount of a Formula column counts as. */
  readonly Fee?: string | null | undefined;
  /** Like Fee, for the insurances of a class. */
  readonly InsuranceClass?: string | null | undefined;
  /** The input that the column reads; default: that of its method. A Formula column may have it and no Formula. */
  readonly Source?: string | null | undefined;
  /** The expression of a Formula column. */
  readonly Formula?: string | null | undefined;
  /** False hides an additional column; its amount still counts. Default true. */
  readonly Display?: boolean | null | undefined;
  /** True if the charges of a Fee or Insurance column are upfront by default (F1). */
  readonly IsUpfront?: boolean | null | undefined;
}

/** A schedule type. Absent or null fields have the documented default. */
export interface ScheduleTypeRecord {
  /** GUID, published as ScheduleTypeId (S7). */
  readonly PaymentScheduleTypeId: string;
  readonly PaymentScheduleCode: string;
  readonly PaymentScheduleTypeName: string;
  /** Draft, Active, VersionDraft or Closed. */
  readonly Status: string;
  /** Codes or names of product types, the default first. */
  readonly ProductTypes: readonly string[];
  readonly ScheduleInterestCalculationType: string;
  readonly IsWithEqualInstallments: boolean;
  readonly InstallmentValueCustom: boolean;
  readonly UseMaturityDate: boolean;
  /** Days, Months or null for any. */
  readonly MeasurementUnit?: string | null | undefined;
  /** HALF_UP (default) or HALF_EVEN. */
  readonly Rounding?: string | null | undefined;
  /** Maximum number of instalments of a request; default: the maximum of all schedules. */
  readonly MaximumInstallments?: number | null | undefined;
  /** True makes ResidualValue mandatory; default false. */
  readonly ResidualRequired?: boolean | null | undefined;
  /** The ResidualInInstallment of requests that leave it out (B1); default false. */
  readonly ResidualInInstallment?: boolean | null | undefined;
  /** False refuses commissions and insurances; default true. */
  readonly AcceptsCharges?: boolean | null | undefined;
  /** True ends the schedule on ExpiryDateForOD (B5); default false. */
  readonly UseExpiryDate?: boolean | null | undefined;
  /** True allows InterestCapitalization 1 to add interest to the balance; default false. */
  readonly InterestCapitalization?: boolean | null | undefined;
  readonly PaymentScheduleTypeDetails: readonly ScheduleColumnRecord[];
}

export interface ActivationFault {
  readonly column?: string;
  /** With `column` the end of a sentence that begins with it, such as `must have no Source`; else a whole sentence. */
  readonly message: string;
}
