/**
 * Interests, commissions, insurances and discounts, in lists to which products refer by code. Conventions:
 * catalogue-record.ts. Percentages are annual for interests; for charges they are per charge unless PerAnnum (F2).
 */

import type { FormulaRecord, ItemFilter, ItemStatus, ValidDays, VersionedRecord } from './record-parts.ts';

export const INTEREST_TYPES = ['Fixed', 'Variable', 'Collection', 'BankingFormula'] as const;
export type InterestType = (typeof INTEREST_TYPES)[number];

export const DISCOUNT_DIMENSIONS = ['Interest', 'Commission', 'Insurance'] as const;
export type DiscountDimension = (typeof DISCOUNT_DIMENSIONS)[number];

/** Common fields of lists. The Active version of a list with the highest number is in force. */
interface ListRecord extends VersionedRecord {
  readonly Status: ItemStatus;
}

export interface InterestListRecord extends ListRecord {
  readonly Interests: readonly InterestRecord[];
}

export interface InterestRecord {
  /** GUID. */
  readonly Id: string;
  /** Unique in its list, case-insensitively. */
  readonly Name: string;
  readonly Code: string;
  readonly Status: ItemStatus;
  readonly Type: InterestType;
  readonly Description: string | null;
  readonly AppliedToLoanItemIfOverdue: string | null;
  readonly IsDefault: boolean;
  readonly UseBankingFormula: boolean;
  readonly IsPenalty: boolean;
  readonly IsGeneral: boolean;
  readonly IsForSightDeposit: boolean;
  readonly IsForOverdraft: boolean;
  readonly IsCreditLine: boolean;
  readonly IsDebitOrder: boolean;
  /** Annual percentages; at most one Active one on any day. */
  readonly Values: readonly InterestValue[];
  /** Rates by instalment range, of a Collection interest. */
  readonly CollectionInterests: readonly CollectionInterest[];
  /**
   * Rates by utilised amount, of a Collection interest; look-ups then return the second set of fields of the
   * interface.
   */
  readonly BandedInterests: readonly BandedInterest[];
  /** The annual percentage of a BankingFormula interest. */
  readonly Formula: FormulaRecord | null;
}

export interface InterestValue extends ValidDays {
  readonly Value: number;
  readonly ValueStatus: ItemStatus;
}

/** A range of instalments, both ends inclusive; null: from the first instalment, or to the last. */
export interface CollectionInterest {
  /** An interest of the same list, whose value on the day is the rate. */
  readonly InterestName: string;
  readonly InterestStartPeriod: number | null;
  readonly InterestEndPeriod: number | null;
  readonly InterestStartDate: string | null;
  readonly InterestEndDate: string | null;
}

/** A band of the utilised amount (R2). */
export interface BandedInterest {
  readonly InterestName: string;
  readonly MinUtilizedAmount: number | null;
  readonly MaxUtilizedAmount: number | null;
  readonly IsForOverdraft: boolean;
  readonly CollectionValidFrom: string | null;
  readonly CollectionValidTo: string | null;
  readonly Value: number;
  readonly ValueMessage: string | null;
}

export interface CommissionListRecord extends ListRecord {
  readonly Commissions: readonly CommissionRecord[];
}

export interface CommissionRecord {
  /** GUID, published as FeeId. */
  readonly Id: string;
  /** Unique in its list, case-insensitively. */
  readonly Name: string;
  readonly Type: string | null;
  /** Name of a periodicity; a Once commission is paid at the start (Q6). */
  readonly PeriodicityType: string;
  /** ISO 4217. */
  readonly Currency: string;
  readonly Status: ItemStatus;
  /** Charged on the unused amount (F5). */
  readonly IsForUnusage: boolean;
  /** True: the percentage of a value is charged; false: its amount. */
  readonly ValueIsPercent: boolean;
  readonly IncludedInRepaymentSchedule: boolean;
  readonly AutomaticLoadOnContract: boolean;
  readonly MandatoryForApplicant: boolean;
  readonly UseBankingFormula: boolean;
  readonly IsForContractVersion: boolean | null;
  /** Base of the percentage (F2); null: the financed amount. */
  readonly PercentAppliedTo: string | null;
  readonly Percent: number | null;
  /** At most one Active one on any day. */
  readonly Values: readonly CommissionValue[];
  readonly Formula: FormulaRecord | null;
  /** Due at the start of its period; null: as defined by the schedule type (F1). */
  readonly IsUpfront: boolean | null;
  /** The percentage is annual (F2). */
  readonly PerAnnum: boolean;
  /** Number of first instalments in which it is waived (F3). */
  readonly GracePeriodFee: number | null;
}

export interface CommissionValue extends ValidDays {
  readonly CommissionValue: number | null;
  readonly CommissionPercent: number | null;
  readonly Status: ItemStatus;
}

export interface InsuranceListRecord extends ListRecord {
  readonly Insurances: readonly InsuranceRecord[];
}

export interface InsuranceRecord {
  /** GUID, published as InsuranceId. */
  readonly Id: string;
  readonly InsuranceCode: string;
  /** Unique in its list, case-insensitively. */
  readonly InsuranceName: string;
  readonly Status: ItemStatus;
  /** Name of a periodicity; a Once insurance is paid at the start (Q6). */
  readonly PeriodicityType: string;
  /** ISO 4217. */
  readonly Currency: string;
  readonly Insurer: string | null;
  readonly OperationItem: string | null;
  readonly Class: string | null;
  /** GUID of the class. */
  readonly ClassId: string | null;
  readonly Description: string | null;
  readonly BankingFormulaType: string | null;
  readonly IsMandatoryForApplicant: boolean;
  readonly IsMandatoryForDebtor: boolean;
  readonly IncludedIntoRepaymentScheduleInstallment: boolean;
  readonly UseBankingFormula: boolean;
  /** True: values are percentages; false: amounts. */
  readonly ValueIsPercentage: boolean;
  /** At most one Active one on any day. */
  readonly Values: readonly InsuranceValue[];
  /** Base of the percentage (F2); null: the financed amount. */
  readonly PercentAppliedTo: string | null;
  /** Due at the start of its period; null: as defined by the schedule type (F1). */
  readonly IsUpfront: boolean | null;
  /** The percentage is annual (F2). */
  readonly PerAnnum: boolean;
  readonly Formula: FormulaRecord | null;
  readonly Filters: readonly ItemFilter[];
}

export interface InsuranceValue extends ValidDays {
  readonly Value: number;
  readonly Status: ItemStatus;
}

export interface DiscountListRecord extends ListRecord {
  readonly Discounts: readonly DiscountRecord[];
}

export interface DiscountRecord {
  /** GUID; ProductDiscountId in requests. */
  readonly Id: string;
  /** Unique in its list, case-insensitively. */
  readonly Name: string;
  readonly Status: ItemStatus;
  /** The campaign to which the discount belongs, or its reason. */
  readonly Discount: string | null;
  readonly AppliedToDimension: DiscountDimension;
  /** Type of the commissions to which it applies; null: any. */
  readonly CommissionType: string | null;
  /** Name of the commission to which it applies; null: all. */
  readonly Commission: string | null;
  /** Type of the interests to which it applies; null: any. */
  readonly InterestType: InterestType | null;
  /** Class of the insurances to which it applies; null: any. */
  readonly InsuranceClass: string | null;
  /** Name of the insurance to which it applies; null: all. */
  readonly Insurance: string | null;
  readonly BankingFormulaType: string | null;
  readonly DestinationEntity: string | null;
  readonly DestinationEntityAttribute: string | null;
  /**
   * A percentage if IsPercentage is true; otherwise percentage points of an interest, or an amount of a charge (Q5).
   */
  readonly DiscountValue: number | null;
  readonly StartDate: string | null;
  readonly EndDate: string | null;
  readonly UseBankingFormula: boolean;
  /** True: applied only if the request names the discount. */
  readonly IsOptionalDiscount: boolean;
  readonly IsPercentage: boolean;
  readonly Formula: FormulaRecord | null;
  readonly Filters: readonly ItemFilter[];
}

/** A set of values that filters share. */
export interface CustomListRecord {
  readonly Code: string;
  /** Whole number from 1. */
  readonly Version: number;
  readonly Values: readonly number[];
}

/** Id of each option; ids never change. */
export const INTEREST_OPTION_IDS: Readonly<Record<InterestType, string>> = {
  Fixed: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a101',
  Variable: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a102',
  Collection: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a103',
  BankingFormula: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a104',
};
