/** Lists of the catalogue (docs/catalogue.md). Rates are annual, percentages of charges only with PerAnnum (F2). */

import { anyList, anyNumber } from '../../platform/json-kinds.ts';
import {
  code,
  filters,
  flagOrFalse,
  interestFlag,
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
  type RecordOf,
  setFlag,
  version,
  word,
} from './record-kinds.ts';

export const INTEREST_TYPES = ['Fixed', 'Variable', 'Collection', 'BankingFormula'] as const;
export type InterestType = (typeof INTEREST_TYPES)[number];

const DISCOUNT_DIMENSIONS = ['Interest', 'Commission', 'Insurance'] as const;
export type DiscountDimension = (typeof DISCOUNT_DIMENSIONS)[number];

const MAX_CUSTOM_VALUES = 50_000;

/** Fields of all lists except custom ones. The Active version with the highest number is in force (L2). */
export const listFields = () => ({
  Code: code(),
  Version: version(),
  Id: recordId(),
  Name: name(),
  Status: itemStatus(),
});

/**
 * Whether the charge counts in the cost of an offer; by default a compulsory one does (Q8). An absent one stays absent,
 * so that stored records do not change.
 */
const inAprc = () => setFlag().nullish();

const charge = () => anyNumber().min(0, { error: 'must not be below 0' });

/** The rate of a range of instalments, both ends included. A null start means the first, a null end the last. */
export const collectionInterest = recordOf({
  InterestName: name('The interest whose value is the rate.'),
  InterestStartPeriod: maybeCount('First installment.'),
  InterestEndPeriod: maybeCount('Last installment.'),
  InterestStartDate: maybeDay('First day.'),
  InterestEndDate: maybeDay('Last day.'),
});

export type CollectionInterest = RecordOf<typeof collectionInterest>;

const interestValue = recordOf({
  Value: anyNumber(),
  ValueStatus: itemStatus(),
  ValidFrom: maybeDay(),
  ValidTo: maybeDay(),
});

/** A band of the utilised amount (R2). */
const bandedInterest = recordOf({
  InterestName: name(),
  MinUtilizedAmount: maybeNumber(),
  MaxUtilizedAmount: maybeNumber(),
  IsForOverdraft: flagOrFalse(),
  CollectionValidFrom: maybeDay(),
  CollectionValidTo: maybeDay(),
  Value: anyNumber(),
  ValueMessage: maybeText(),
});

export const answeredInterest = recordOf({
  Name: name('Name of the interest.'),
  Code: code('Its code.'),
  AppliedToLoanItemIfOverdue: maybeText('The loan item that it is charged on while overdue.'),
  Description: maybeText('Its purpose.'),
  IsDefault: interestFlag('The default of its list.'),
  UseBankingFormula: interestFlag('Calculated by a formula.'),
  IsPenalty: interestFlag('A penalty.'),
  IsGeneral: interestFlag('General.'),
  IsForSightDeposit: interestFlag('For sight deposits.'),
  IsForOverdraft: interestFlag('For overdrafts.'),
  IsCreditLine: interestFlag('For credit lines.'),
  IsDebitOrder: interestFlag('For debit orders.'),
  Type: word(INTEREST_TYPES)('Fixed, Variable, Collection or BankingFormula.'),
});

const { Name, Code, Type, Description, ...otherFields } = answeredInterest.shape;

/** The fields are in the order of stored records. In another order every interest list would be published again. */
const interest = recordOf({
  Id: recordId(),
  Name,
  Code,
  Status: itemStatus(),
  Type,
  Description,
  ...otherFields,
  Values: items(interestValue),
  CollectionInterests: items(collectionInterest),
  /** Rates of a Collection interest by utilised amount. If present, look-ups return the interest with other fields. */
  BandedInterests: items(bandedInterest),
  Formula: maybeFormula(),
});

export type InterestRecord = RecordOf<typeof interest>;

export const INTEREST_LIST_SHAPE = recordOf({ ...listFields(), Interests: items(interest) });
export type InterestListRecord = RecordOf<typeof INTEREST_LIST_SHAPE>;

const commissionValue = recordOf({
  CommissionValue: maybe(charge()),
  CommissionPercent: maybe(charge()),
  Status: itemStatus(),
  ValidFrom: maybeDay(),
  ValidTo: maybeDay(),
});

export const commission = recordOf({
  /** Published as FeeId. */
  Id: recordId(),
  Name: name('Name of the commission.'),
  Type: maybeText('Its type.'),
  /** A Once charge is paid at the start (Q6). */
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
  /** Null means the financed amount (F2). */
  PercentAppliedTo: maybeText('Base of the percentage.'),
  Percent: maybeNumber('Its percentage.'),
  Values: items(commissionValue),
  Formula: maybeFormula(),
  /** True if due at the start of its period; null leaves it to the schedule type (F1). */
  IsUpfront: maybeFlag(),
  /** True if the percentage is annual (F2). */
  PerAnnum: flagOrFalse(),
  /** Number of initial instalments in which the commission is waived (F3). */
  GracePeriodFee: maybeCount(),
  InAprc: inAprc(),
});

export type CommissionRecord = RecordOf<typeof commission>;

export const COMMISSION_LIST_SHAPE = recordOf({ ...listFields(), Commissions: items(commission) });
export type CommissionListRecord = RecordOf<typeof COMMISSION_LIST_SHAPE>;

export const insurance = recordOf({
  /** Published as InsuranceId. */
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
  InAprc: inAprc(),
});

export type InsuranceRecord = RecordOf<typeof insurance>;

export const INSURANCE_LIST_SHAPE = recordOf({ ...listFields(), Insurances: items(insurance) });
export type InsuranceListRecord = RecordOf<typeof INSURANCE_LIST_SHAPE>;

/** A null in a field that restricts the discount, such as CommissionType, is no restriction. */
export const discount = recordOf({
  /** ProductDiscountId in requests. */
  Id: recordId(),
  Name: name('Name of the discount.'),
  Status: itemStatus(),
  Discount: maybeText('Its campaign or reason.'),
  AppliedToDimension: word(DISCOUNT_DIMENSIONS)('Interest, Commission or Insurance.'),
  CommissionType: maybeText('Type of the commissions that it lowers.'),
  Commission: maybeText('The commission that it lowers.'),
  InterestType: maybeWord(INTEREST_TYPES)('Type of the interests that it lowers.'),
  InsuranceClass: maybeText('Class of the insurances that it lowers.'),
  Insurance: maybeText('The insurance that it lowers.'),
  BankingFormulaType: maybeText('Type of its formula.'),
  DestinationEntity: maybeText('Entity that it depends on.'),
  DestinationEntityAttribute: maybeText('Attribute of that entity.'),
  /** A percentage if IsPercentage; otherwise percentage points of an interest, or an amount of a charge (Q5). */
  DiscountValue: maybeNumber('Percentage, percentage points or amount.'),
  StartDate: maybeDay('First day.'),
  EndDate: maybeDay('Last day.'),
  UseBankingFormula: flagOrFalse('Calculated by a formula.'),
  IsOptionalDiscount: flagOrFalse('Given only when a request names it.'),
  IsPercentage: flagOrFalse('DiscountValue is a percentage.'),
  Formula: maybeFormula(),
  Filters: filters(),
});

export type DiscountRecord = RecordOf<typeof discount>;

export const DISCOUNT_LIST_SHAPE = recordOf({ ...listFields(), Discounts: items(discount) });
export type DiscountListRecord = RecordOf<typeof DISCOUNT_LIST_SHAPE>;

/** A set of values that several filters can name. */
export const CUSTOM_LIST_SHAPE = recordOf({
  Code: code(),
  Version: version(),
  Values: anyList(anyNumber(), 'a list of numbers').max(MAX_CUSTOM_VALUES, {
    error: `must have at most ${MAX_CUSTOM_VALUES} numbers`,
  }),
});
export type CustomListRecord = RecordOf<typeof CUSTOM_LIST_SHAPE>;

/** The ids that requests send as interestType (Q3). They never change. */
export const INTEREST_OPTION_IDS: Readonly<Record<InterestType, string>> = {
  Fixed: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a101',
  Variable: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a102',
  Collection: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a103',
  BankingFormula: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a104',
};
