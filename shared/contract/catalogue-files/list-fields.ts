/** The JSON of lists of interests, commissions, insurances and discounts, and of custom lists (docs/catalogue.md). */

import type { z } from 'zod';
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
  maybeWord,
  name,
  recordOf,
  version,
  word,
} from './record-field-kinds.ts';
import { anyList, anyNumber } from '../json/field-kinds.ts';

/** Maximum number of values in a custom list, such as the postal codes of a country. */
const MAX_CUSTOM_VALUES = 50_000;

/** Fields of all lists of charges and interests. */
const listFields = () => ({
  Code: code(),
  Version: version(),
  Id: recordId(),
  Name: name(),
  Status: itemStatus(),
});

/** The amount or percentage of a charge. */
const charge = () => anyNumber().min(0, { error: 'must not be below 0' });

export const collectionInterest = recordOf({
  InterestName: name('The interest whose value is the rate.'),
  InterestStartPeriod: maybeCount('First installment.'),
  InterestEndPeriod: maybeCount('Last installment.'),
  InterestStartDate: maybeDay('First day.'),
  InterestEndDate: maybeDay('Last day.'),
});

const interest = recordOf({
  Id: recordId(),
  Name: name(),
  Code: code(),
  Status: itemStatus(),
  Type: word(INTEREST_TYPES),
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
    recordOf({ Value: anyNumber(), ValueStatus: itemStatus(), ValidFrom: maybeDay(), ValidTo: maybeDay() }),
  ),
  CollectionInterests: items(collectionInterest),
  BandedInterests: items(
    recordOf({
      InterestName: name(),
      MinUtilizedAmount: maybeNumber(),
      MaxUtilizedAmount: maybeNumber(),
      IsForOverdraft: flagOrFalse(),
      CollectionValidFrom: maybeDay(),
      CollectionValidTo: maybeDay(),
      Value: anyNumber(),
      ValueMessage: maybeText(),
    }),
  ),
  Formula: maybeFormula(),
});

/** A record in the folder interest-lists/. */
export const INTEREST_LIST_SHAPE: z.ZodType<InterestListRecord> = recordOf({
  ...listFields(),
  Interests: items(interest),
});

export const commission = recordOf({
  Id: recordId(),
  Name: name('Name of the commission.'),
  Type: maybeText('Its type.'),
  PeriodicityType: name('Name of its periodicity.'),
  Currency: name('ISO 4217 code.'),
  Status: itemStatus('Status; answers contain only Active ones.'),
  IsForUnusage: flagOrFalse('Charged on the unused amount.'),
  ValueIsPercent: flagOrFalse('Its values are percentages, not amounts.'),
  IncludedInRepaymentSchedule: flagOrFalse('Part of the repayment schedule.'),
  AutomaticLoadOnContract: flagOrFalse('Loaded on every contract.'),
  MandatoryForApplicant: flagOrFalse('Mandatory.'),
  UseBankingFormula: flagOrFalse('Calculated by a formula.'),
  IsForContractVersion: maybeFlag('Charged for a new version of a contract.'),
  PercentAppliedTo: maybeText('Base of the percentage.'),
  Percent: maybeNumber('Its percentage.'),
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

/** A record in the folder commission-lists/. */
export const COMMISSION_LIST_SHAPE: z.ZodType<CommissionListRecord> = recordOf({
  ...listFields(),
  Commissions: items(commission),
});

export const insurance = recordOf({
  Id: recordId(),
  InsuranceCode: code('Code of the insurance.'),
  InsuranceName: name('Its name.'),
  Status: itemStatus(),
  PeriodicityType: name('Name of its periodicity.'),
  Currency: name('ISO 4217 code.'),
  Insurer: maybeText('The insurer.'),
  OperationItem: maybeText('Item of the operation.'),
  Class: maybeText('Class of the insurance.'),
  ClassId: maybe(recordId()),
  Description: maybeText('Its purpose.'),
  BankingFormulaType: maybeText('Type of its formula.'),
  IsMandatoryForApplicant: flagOrFalse('Mandatory for the applicant.'),
  IsMandatoryForDebtor: flagOrFalse('Mandatory for the debtor.'),
  IncludedIntoRepaymentScheduleInstallment: flagOrFalse('Part of the installments.'),
  UseBankingFormula: flagOrFalse('Calculated by a formula.'),
  ValueIsPercentage: flagOrFalse('Its values are percentages.'),
  Values: items(
    recordOf({ Value: charge(), Status: itemStatus(), ValidFrom: maybeDay(), ValidTo: maybeDay() }),
  ),
  PercentAppliedTo: maybeText(),
  IsUpfront: maybeFlag(),
  PerAnnum: flagOrFalse(),
  Formula: maybeFormula(),
  Filters: filters(),
});

/** A record in the folder insurance-lists/. */
export const INSURANCE_LIST_SHAPE: z.ZodType<InsuranceListRecord> = recordOf({
  ...listFields(),
  Insurances: items(insurance),
});

export const discount = recordOf({
  Id: recordId(),
  Name: name('Name of the discount.'),
  Status: itemStatus(),
  Discount: maybeText('Its campaign or reason.'),
  AppliedToDimension: word(DISCOUNT_DIMENSIONS, 'Interest, Commission or Insurance.'),
  CommissionType: maybeText('Type of the commissions that it lowers.'),
  Commission: maybeText('The commission that it lowers.'),
  InterestType: maybeWord(INTEREST_TYPES, 'Type of the interests that it lowers.'),
  InsuranceClass: maybeText('Class of the insurances that it lowers.'),
  Insurance: maybeText('The insurance that it lowers.'),
  BankingFormulaType: maybeText('Type of its formula.'),
  DestinationEntity: maybeText('Entity that it depends on.'),
  DestinationEntityAttribute: maybeText('Attribute of that entity.'),
  DiscountValue: maybeNumber('Percentage, percentage points or amount.'),
  StartDate: maybeDay('First day.'),
  EndDate: maybeDay('Last day.'),
  UseBankingFormula: flagOrFalse('Calculated by a formula.'),
  IsOptionalDiscount: flagOrFalse('Given only when a request names it.'),
  IsPercentage: flagOrFalse('DiscountValue is a percentage.'),
  Formula: maybeFormula(),
  Filters: filters(),
});

/** A record in the folder discount-lists/. */
export const DISCOUNT_LIST_SHAPE: z.ZodType<DiscountListRecord> = recordOf({
  ...listFields(),
  Discounts: items(discount),
});

/** A record in the folder custom-lists/. */
export const CUSTOM_LIST_SHAPE: z.ZodType<CustomListRecord> = recordOf({
  Code: code(),
  Version: version(),
  Values: anyList(anyNumber(), 'a list of numbers').max(MAX_CUSTOM_VALUES, {
    error: `must have at most ${MAX_CUSTOM_VALUES} numbers`,
  }),
});
