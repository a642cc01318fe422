/** The files of interests, commissions, insurances, discounts and custom lists: what JSON they hold (docs/catalogue.md). */

import { z } from 'zod';
import {
  type CommissionListRecord,
  type CustomListRecord,
  DISCOUNT_DIMENSIONS,
  type DiscountListRecord,
  type InsuranceListRecord,
  INTEREST_TYPES,
  type InterestListRecord,
} from '../../product/catalogue/list-records.ts';
import {
  code,
  filters,
  flagOrFalse,
  recordId,
  items,
  itemStatus,
  maybe,
  maybeCount,
  maybeDay,
  maybeFlag,
  maybeFormula,
  maybeNumber,
  maybeText,
  name,
  number,
  oneOf,
  recordOf,
  version,
} from './record-field-kinds.ts';
import { wanted } from '../json/field-kinds.ts';

/** Most values of a custom list, such as the postal codes of a country. */
const MOST_CUSTOM_VALUES = 50_000;

/** What all lists have. */
const listMembers = () => ({
  Code: code(),
  Version: version(),
  Id: recordId(),
  Name: name(),
  Status: itemStatus(),
});

/** An amount or a percentage of a charge. */
const charge = () => number().min(0, { error: 'must not be below 0' });

const interest = recordOf({
  Id: recordId(),
  Name: name(),
  Code: code(),
  Status: itemStatus(),
  Type: oneOf(INTEREST_TYPES),
  Description: maybeText(),
  AppliedToLoanItemIfOverdue: maybeText(),
  IsDefault: flagOrFalse(),
  UseBankingFormula: flagOrFalse(),
  IsPenalty: flagOrFalse(),
  IsGeneral: flagOrFalse(),
  IsForSightDeposit: flagOrFalse(),
  IsForOverdraft: flagOrFalse(),
  IsCreditLine: flagOrFalse(),
  IsDebitOrder: flagOrFalse(),
  Values: items(
    recordOf({ Value: number(), ValueStatus: itemStatus(), ValidFrom: maybeDay(), ValidTo: maybeDay() }),
  ),
  CollectionInterests: items(
    recordOf({
      InterestName: name(),
      InterestStartPeriod: maybeCount(),
      InterestEndPeriod: maybeCount(),
      InterestStartDate: maybeDay(),
      InterestEndDate: maybeDay(),
    }),
  ),
  BandedInterests: items(
    recordOf({
      InterestName: name(),
      MinUtilizedAmount: maybeNumber(),
      MaxUtilizedAmount: maybeNumber(),
      IsForOverdraft: flagOrFalse(),
      CollectionValidFrom: maybeDay(),
      CollectionValidTo: maybeDay(),
      Value: number(),
      ValueMessage: maybeText(),
    }),
  ),
  Formula: maybeFormula(),
});

/** A file of interest-lists/, or an item of its list. */
export const INTEREST_LIST_SHAPE: z.ZodType<InterestListRecord> = recordOf({
  ...listMembers(),
  Interests: items(interest),
});

const commission = recordOf({
  Id: recordId(),
  Name: name(),
  Type: maybeText(),
  PeriodicityType: name(),
  Currency: name(),
  Status: itemStatus(),
  IsForUnusage: flagOrFalse(),
  ValueIsPercent: flagOrFalse(),
  IncludedInRepaymentSchedule: flagOrFalse(),
  AutomaticLoadOnContract: flagOrFalse(),
  MandatoryForApplicant: flagOrFalse(),
  UseBankingFormula: flagOrFalse(),
  IsForContractVersion: maybeFlag(),
  PercentAppliedTo: maybeText(),
  Percent: maybeNumber(),
  Values: items(
    recordOf({
      CommissionValue: maybe(charge()),
      CommissionPercent: maybe(charge()),
      Status: itemStatus(),
      ValidFrom: maybeDay(),
      ValidTo: maybeDay(),
    }),
  ),
  Formula: maybeFormula(),
  IsUpfront: maybeFlag(),
  PerAnnum: flagOrFalse(),
  GracePeriodFee: maybeCount(),
});

/** A file of commission-lists/, or an item of its list. */
export const COMMISSION_LIST_SHAPE: z.ZodType<CommissionListRecord> = recordOf({
  ...listMembers(),
  Commissions: items(commission),
});

const insurance = recordOf({
  Id: recordId(),
  InsuranceCode: code(),
  InsuranceName: name(),
  Status: itemStatus(),
  PeriodicityType: name(),
  Currency: name(),
  Insurer: maybeText(),
  OperationItem: maybeText(),
  Class: maybeText(),
  ClassId: maybe(recordId()),
  Description: maybeText(),
  BankingFormulaType: maybeText(),
  IsMandatoryForApplicant: flagOrFalse(),
  IsMandatoryForDebtor: flagOrFalse(),
  IncludedIntoRepaymentScheduleInstallment: flagOrFalse(),
  UseBankingFormula: flagOrFalse(),
  ValueIsPercentage: flagOrFalse(),
  Values: items(
    recordOf({ Value: charge(), Status: itemStatus(), ValidFrom: maybeDay(), ValidTo: maybeDay() }),
  ),
  PercentAppliedTo: maybeText(),
  IsUpfront: maybeFlag(),
  PerAnnum: flagOrFalse(),
  Formula: maybeFormula(),
  Filters: filters(),
});

/** A file of insurance-lists/, or an item of its list. */
export const INSURANCE_LIST_SHAPE: z.ZodType<InsuranceListRecord> = recordOf({
  ...listMembers(),
  Insurances: items(insurance),
});

const discount = recordOf({
  Id: recordId(),
  Name: name(),
  Status: itemStatus(),
  Discount: maybeText(),
  AppliedToDimension: oneOf(DISCOUNT_DIMENSIONS),
  CommissionType: maybeText(),
  Commission: maybeText(),
  InterestType: maybe(oneOf(INTEREST_TYPES)),
  InsuranceClass: maybeText(),
  Insurance: maybeText(),
  BankingFormulaType: maybeText(),
  DestinationEntity: maybeText(),
  DestinationEntityAttribute: maybeText(),
  DiscountValue: maybeNumber(),
  StartDate: maybeDay(),
  EndDate: maybeDay(),
  UseBankingFormula: flagOrFalse(),
  IsOptionalDiscount: flagOrFalse(),
  IsPercentage: flagOrFalse(),
  Formula: maybeFormula(),
  Filters: filters(),
});

/** A file of discount-lists/, or an item of its list. */
export const DISCOUNT_LIST_SHAPE: z.ZodType<DiscountListRecord> = recordOf({
  ...listMembers(),
  Discounts: items(discount),
});

/** A file of custom-lists/, or an item of its list. */
export const CUSTOM_LIST_SHAPE: z.ZodType<CustomListRecord> = recordOf({
  Code: code(),
  Version: version(),
  Values: z
    .array(number(), { error: wanted('a list of numbers') })
    .max(MOST_CUSTOM_VALUES, { error: `must have at most ${MOST_CUSTOM_VALUES} numbers` }),
});
