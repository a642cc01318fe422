/**
 * The request of `PLAT_BP_CalculateRepaymentSchedule`, not yet validated: section 4.1 of the interface, with the
 * extensions of S6. Absent and null fields are undefined (M6), amounts and rates are exact decimals (M1) in major units
 * and percent a year, flags of 0 and 1 are booleans, dates have no zone (D1), and case in names is ignored.
 */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';

export interface RepaymentScheduleRequest {
  /** Name or code of a schedule type (S1). */
  readonly ScheduleType: string;
  /** Product type code or name; default: that of the schedule type (S4). */
  readonly ProductType?: string | undefined;
  /** Annual rate in percent (M4); absent only with rate ranges or bands (S4). */
  readonly InterestPercent?: Decimal | undefined;
  /** Financed amount in major units of the currency, more than zero (M6). */
  readonly Amount: Decimal;
  /** Number of instalments, 1..1200 (M6). */
  readonly InstallmentsNo: number;
  readonly PeriodicityType: string;
  /** Day of month of each due date, 1..31 (D4); without effect with day and week units. */
  readonly InstallmentDay: number;
  /** With Amount the credit value, a base of percentages (F2); formulas may read it too. */
  readonly AdvanceAmount?: Decimal | undefined;
  /** Number of rows that do not collect interest (G2). */
  readonly GracePeriodInterest?: number | undefined;
  /** Number of rows without principal (G1). */
  readonly GracePeriodPrincipal?: number | undefined;
  /** Start of a recalculation: due date of the last settled row, or date of a prepayment (X1). */
  readonly LastDueDate?: CalendarDate | undefined;
  /** Number of settled rows in a recalculation (X1). */
  readonly BlockInstallmentNo?: number | undefined;
  /** True if the first new row collects the blocked amounts, including those of charges (X2). */
  readonly IsLocked?: boolean | undefined;
  readonly BlockAmount?: Decimal | undefined;
  readonly BlockInterestAmount?: Decimal | undefined;
  /** Start of the schedule, unless LastDueDate is sent (D2). */
  readonly ActivationDate?: CalendarDate | undefined;
  /** Extension S6: the dates of all rows of the contract, in ascending order, before any shift (D9). */
  readonly DueDates?: readonly CalendarDate[] | undefined;
  /** Default: by InstallmentMethod, or one period after the start (D3). */
  readonly FirstDueDate?: CalendarDate | undefined;
  /** Replaces the last due date if the schedule type uses it (D5). */
  readonly MaturityDate?: CalendarDate | undefined;
  /** True if HolidayMethod (default Forward) shifts due dates that are not working days (H1). */
  readonly HolidayShift?: boolean | undefined;
  readonly HolidayCountry?: string | undefined;
  readonly HolidayMethod?: string | undefined;
  /** True if interest accrues to the shifted date (H3). */
  readonly DeferDueDate?: boolean | undefined;
  /** Number of the row that ends the schedule and repays the rest (B6). */
  readonly RealInstallmentNo?: number | undefined;
  /** Periods of the contract; if sent, InstallmentsNo, except with Once (D8). */
  readonly ContractPeriod?: number | undefined;
  /** 1: payments are due in advance, at the start of their periods; 0 or absent: in arrears (B7). */
  readonly InterestType?: number | undefined;
  /** 0, 1, 2 or absent: determines the casing and the content of the answer (A5). */
  readonly CalculateDAE?: number | undefined;
  /** Fixed payment of the instalments; zero if not fixed (B2). */
  readonly installmentValue?: Decimal | undefined;
  /** Fixed principal of the instalments; zero if not fixed (B2). */
  readonly principalValue?: Decimal | undefined;
  /** `ActualMonth` or `NextMonth` (D3). */
  readonly InstallmentMethod?: string | undefined;
  readonly StartDateForUnusage?: CalendarDate | undefined;
  readonly ExpiryDateForOD?: CalendarDate | undefined;
  readonly UnusedAmount?: Decimal | undefined;
  /** 0 or 1 (B4). */
  readonly InterestCapitalization?: number | undefined;
  /** Costs paid once at the start; they reduce the first cash flow of DAE and EIR (A1, A2). */
  readonly UpFrontValue?: Decimal | undefined;
  readonly ResidualValue?: Decimal | undefined;
  /** True if the residual is paid in the last row, false if in a separate row (B1). */
  readonly ResidualInInstallment?: boolean | undefined;
  /** Percent of the balance that is repaid with each row of a credit card (B3). */
  readonly CapitalPercent?: Decimal | undefined;
  readonly Commission?: readonly CommissionItem[] | undefined;
  readonly Insurance?: readonly InsuranceItem[] | undefined;
  readonly MultipleInterestRates?: readonly InterestRateRange[] | undefined;
  readonly BandedInterestRates?: readonly InterestRateBand[] | undefined;

  /** Extension S6: name of a day count that replaces that of the schedule type (C1). */
  readonly InterestCalculationMethod?: string | undefined;
  /** Extension S6: ISO 4217 code; determines the number of decimals of amounts (M2). */
  readonly Currency?: string | undefined;
  /** Extension S6: the treatment of interest that is not collected in a grace period (G2). */
  readonly GraceType?: string | undefined;
  /** Extension S6: number of decimals of amounts, instead of that of the currency (M2). */
  readonly Precision?: number | undefined;
  /** Extension S6: prepayments (X3). */
  readonly EarlyRepayments?: readonly EarlyRepaymentItem[] | undefined;
  readonly AllowNegativeAmortisation?: boolean | undefined;
  /** Extension S6: how bands apply to the balance (R2). */
  readonly BandMethod?: string | undefined;
  /** Extension S6: adds an explanation of the figures to every row. */
  readonly Explain?: boolean | undefined;
}

/** A commission that is charged repeatedly, or once (F1-F5). */
export interface CommissionItem {
  /** Amount per charge; exactly one of SourceValue and SourcePercent is sent (F1). */
  readonly SourceValue?: Decimal | undefined;
  readonly SourcePercent?: Decimal | undefined;
  readonly FeePeriodicityType: string;
  readonly FeeDate: CalendarDate;
  /** FeeName or FeeId identifies the commission (F1). */
  readonly FeeName?: string | undefined;
  readonly FeeId?: string | undefined;
  readonly GracePeriodFee?: number | undefined;
  readonly BlockFeeAmount?: Decimal | undefined;
  readonly IsUpfront?: boolean | undefined;
  /** Extension S6: base of a percentage (F2). */
  readonly PercentAppliedTo?: string | undefined;
  /** Extension S6: the percentage is per annum (F2). */
  readonly PerAnnum?: boolean | undefined;
  /** Extension S6: the percentage is charged on the unused amount (F5). */
  readonly IsForUnusage?: boolean | undefined;
}

/** Where a charge counts: default both; `Rows`: in no annual rate; `Rate`: in no row, because it is paid elsewhere (Q8). */
export type CountedIn = 'Rows' | 'Rate';

/** A charge as a simulation gives it to the calculation; requests cannot send `CountsIn`. */
export type Simulated<Item> = Item & { readonly CountsIn?: CountedIn | undefined };

/** An insurance that is charged repeatedly, or once (F1-F4). */
export interface InsuranceItem {
  readonly SourceValue?: Decimal | undefined;
  readonly SourcePercent?: Decimal | undefined;
  readonly InsurancePeriodicityType: string;
  readonly InsuranceDate: CalendarDate;
  /** The insurance's name, or its class by id or name, identifies it (F1). */
  readonly InsuranceName?: string | undefined;
  readonly InsuranceClassId?: string | undefined;
  readonly InsuranceClassName?: string | undefined;
  readonly GracePeriodInsurance?: number | undefined;
  readonly BlockInsuranceAmount?: Decimal | undefined;
  readonly IsUpfront?: boolean | undefined;
  readonly PercentAppliedTo?: string | undefined;
  readonly PerAnnum?: boolean | undefined;
}

/** A rate for a range of rows (R1). */
export interface InterestRateRange {
  readonly InterestRate?: Decimal | undefined;
  readonly FromInstNo?: number | undefined;
  readonly ToInstNo?: number | undefined;
}

/** A rate for a band of the balance (R2). */
export interface InterestRateBand {
  readonly MinUtilizedAmount?: Decimal | undefined;
  readonly MaxUtilizedAmount?: Decimal | undefined;
  readonly Value?: Decimal | undefined;
}

/** A prepayment of principal (X3). */
interface EarlyRepaymentItem {
  readonly Date: CalendarDate;
  readonly Amount: Decimal;
  /** True (default) if the term stays and the payment falls; false if the payment stays. */
  readonly DecreaseInstallment?: boolean | undefined;
}
