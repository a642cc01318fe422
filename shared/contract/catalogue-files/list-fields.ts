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
  flag,
  guid,
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
  Id: guid(),
  Name: name(),
  Status: itemStatus(),
});

/** An amount or a percentage of a charge. */
const charge = () => number().min(0, { error: 'must not be below 0' });

const interest = recordOf({
  Id: guid(),
  Name: name(),
  Code: code(),
  Status: itemStatus(),
  Type: oneOf(INTEREST_TYPES),
  Description: maybeText(),
  AppliedToLoanItemIfOverdue: maybeText(),
  IsDefault: flag(),
  UseBankingFormula: flag(),
  IsPenalty: flag(),
  IsGeneral: flag(),
  IsForSightDeposit: flag(),
  IsForOverdraft: flag(),
  IsCreditLine: flag(),
  IsDebitOrder: flag(),
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
      IsForOverdraft: flag(),
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
  Id: guid(),
  Name: name(),
  Type: maybeText(),
  PeriodicityType: name(),
  Currency: name(),
  Status: itemStatus(),
  IsForUnusage: flag(),
  ValueIsPercent: flag(),
  IncludedInRepaymentSchedule: flag(),
  AutomaticLoadOnContract: flag(),
  MandatoryForApplicant: flag(),
  UseBankingFormula: flag(),
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
  PerAnnum: flag(),
  GracePeriodFee: maybeCount(),
});

/** A file of commission-lists/, or an item of its list. */
export const COMMISSION_LIST_SHAPE: z.ZodType<CommissionListRecord> = recordOf({
  ...listMembers(),
  Commissions: items(commission),
});

const insurance = recordOf({
  Id: guid(),
  InsuranceCode: code(),
  InsuranceName: name(),
  Status: itemStatus(),
  PeriodicityType: name(),
  Currency: name(),
  Insurer: maybeText(),
  OperationItem: maybeText(),
  Class: maybeText(),
  ClassId: maybe(guid()),
  Description: maybeText(),
  BankingFormulaType: maybeText(),
  IsMandatoryForApplicant: flag(),
  IsMandatoryForDebtor: flag(),
  IncludedIntoRepaymentScheduleInstallment: flag(),
  UseBankingFormula: flag(),
  ValueIsPercentage: flag(),
  Values: items(
    recordOf({ Value: charge(), Status: itemStatus(), ValidFrom: maybeDay(), ValidTo: maybeDay() }),
  ),
  PercentAppliedTo: maybeText(),
  IsUpfront: maybeFlag(),
  PerAnnum: flag(),
  Formula: maybeFormula(),
  Filters: filters(),
});

/** A file of insurance-lists/, or an item of its list. */
export const INSURANCE_LIST_SHAPE: z.ZodType<InsuranceListRecord> = recordOf({
  ...listMembers(),
  Insurances: items(insurance),
});

const discount = recordOf({
  Id: guid(),
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
  UseBankingFormula: flag(),
  IsOptionalDiscount: flag(),
  IsPercentage: flag(),
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
