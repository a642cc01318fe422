/** A version of a banking product in the catalogue (docs/catalogue.md). Conventions: catalogue-record.ts. */

import {
  code,
  filters,
  flagOrFalse,
  recordId,
  items,
  maybe,
  maybeCount,
  maybeDay,
  maybeFlag,
  maybeNumber,
  maybeSigned,
  maybeText,
  name,
  recordOf,
  type RecordOf,
  version,
  word,
} from './record-kinds.ts';

/** Only an Approved version of a product is returned (L1). */
const PRODUCT_STATUSES = ['Draft', 'VersionDraft', 'Approved', 'Closed'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

const PERIOD_TYPES = ['Days', 'Weeks', 'Months', 'Years'] as const;
export type PeriodType = (typeof PERIOD_TYPES)[number];

const display = recordOf({
  ProductImage: maybe(items(recordOf({ Name: name(), RealName: name() }))),
  Benefits: maybeText(),
  DisplayConditions: maybeText(),
  NoOfDebtor: maybeCount(),
});

export const generalData = recordOf({
  BankAccountType: maybeText('Type of the account.'),
  IsRevolving: flagOrFalse('Repaid amounts can be drawn again.'),
  AutoDisbursement: flagOrFalse('Disbursed automatically.'),
  MaxNoDisbursements: maybeCount('Maximum number of disbursements.'),
  ActivationTranchesOnDocumentSubmission: flagOrFalse('Tranches are activated with their documents.'),
  IsGuaranteed: flagOrFalse('Needs guarantees.'),
  AllowCollateralPartialRelease: maybeFlag('Collateral may be released in parts.'),
  AllowCoDebtor: flagOrFalse('Allows co-debtors.'),
  AllowRefinancing: flagOrFalse('Allows refinancing.'),
  MaxNoOfCodebtors: maybeCount('Maximum number of co-debtors.'),
  PeriodicityType: name('Name of the periodicity of installments.'),
  RepaymentAllocationMethod: maybeText('How repayments are allocated.'),
  HolidayShiftForRepaymentInstallments: flagOrFalse('Due dates on non-business days are moved.'),
  /** A holiday method (H1). */
  HolidayShiftMethod: maybeText('How due dates on non-business days are moved.'),
  DeferDueDate: flagOrFalse('Interest accrues until the moved date.'),
  /** Deferred, Capitalised, Spread or Forgiven (G2). */
  GraceType: maybeText('What happens to the interest of a grace period.'),
  ProductGrace: maybeText('Grace period of the product.'),
  GraceDaysForRepayment: maybeCount('Grace period of a repayment, in days.'),
  PenaltyForGracePeriod: flagOrFalse('Penalties accrue during the grace period.'),
});

export type GeneralData = RecordOf<typeof generalData>;

export const covenant = recordOf({
  Name: name('Name of the covenant.'),
  Type: maybeText('Its type.'),
  Value: maybeSigned('Its value.'),
  ValidFrom: maybeDay('First day.'),
  ValidTo: maybeDay('Last day.'),
  ReviewFrequencyMonths: maybeCount('Months between two reviews.'),
});

export const availabilityFilter = recordOf({
  Filter: name('Name of the filter.'),
  FilterScope: maybeText('Its scope.'),
  FilterType: maybeText('Its type.'),
  Description: maybeText('Its purpose.'),
});

export const role = recordOf({
  Name: name('Name of the role.'),
  SearchLimit: flagOrFalse('As in the catalogue.'),
});

/** Bounds are inclusive; null means no bound (Q6). */
export const availabilityFields = recordOf({
  Currency: name('ISO 4217 code.'),
  PeriodType: word(PERIOD_TYPES)('Unit of the periods.'),
  MaxPeriodForDisbursement: maybeCount('Longest period of disbursement.'),
  MinimumPeriod: maybeCount('Shortest term.'),
  MaximumPeriod: maybeCount('Longest term.'),
  MinimumEarlyRepaymentValue: maybeNumber('Smallest prepayment.'),
  MinimumAmount: maybeNumber('Smallest amount.'),
  MaximumAmount: maybeNumber('Largest amount.'),
  UnusageStartPeriod: maybeCount('First period that is charged for unused amounts.'),
  MinimumAdvance: maybeNumber('Smallest advance, in percent of the amount.'),
  MaximumAdvance: maybeNumber('Largest advance, in percent of the amount.'),
  AvailabilityItemFilters: items(availabilityFilter),
  ProductCovenants: items(covenant),
  MandatoryRoles: items(role),
});

export type Availability = RecordOf<typeof availabilityFields>;

export const guarantee = recordOf({
  ProductGuaranteeName: name('Name of the guarantee.'),
  GuaranteeType: maybeText('Its type.'),
  MaxAcceptedCoveringPercent: maybeNumber('Largest share that it may cover, in percent.'),
});

export const destination = recordOf({
  ProductDestinationTypeName: name('Purpose for which the loan may be used.'),
  IsDefault: flagOrFalse('The default.'),
});

export const associatedProduct = recordOf({
  AssociatedProductName: name('Name of the other product.'),
  AssociatedProductCode: code('Its code.'),
});

export const tranche = recordOf({
  Name: name('Name of the tranche.'),
  TranchePercent: maybeNumber('Its share of the amount, in percent.'),
  InterestPercent: maybeSigned('Its rate.'),
  StartMonthFromActivation: maybeCount('Months from the activation to its start.'),
  UnusageCommissionPercent: maybeNumber('Percent charged on its unused amount.'),
});

/** An interest-commission item: both lists are offered if all filters pass (L3, Q3). */
const offer = recordOf({
  Id: recordId(),
  Name: name(),
  InterestList: maybe(code()),
  CommissionList: maybe(code()),
  Filters: filters(),
});

export type InterestCommissionItem = RecordOf<typeof offer>;

export const insuranceItem = recordOf({
  Id: recordId(),
  Name: name('Name of the item.'),
  Code: code('Its code.'),
  InsuranceList: code(),
  StartDate: maybeDay('First day.'),
  EndDate: maybeDay('Last day.'),
  Filters: filters(),
});

export type ProductInsuranceItem = RecordOf<typeof insuranceItem>;

export const question = recordOf({
  Name: name('The question.'),
  QuestionType: maybeText('Its type.'),
  AnswerEntity: maybeText('Entity that stores the answer.'),
  AnswerField: maybeText('Field that stores the answer.'),
  IsForSolicitant: flagOrFalse('Asked of the applicant.'),
  IsForCoborrower: flagOrFalse('Asked of the co-borrower.'),
});

const document = recordOf({
  ReportId: recordId(),
  DisplayName: name(),
  IsMandatory: maybeFlag(),
  IsAccord: maybeFlag(),
});

export const PRODUCT_SHAPE = recordOf({
  Code: code(),
  Version: version(),
  Id: recordId(),
  Status: word(PRODUCT_STATUSES)(),
  Name: name(),
  StartDate: maybeDay(),
  EndDate: maybeDay(),
  /** Code or name of a product type, such as TL or Term Loan. */
  BankingProductType: name(),
  Display: display,
  GeneralData: generalData,
  /** Names of holiday calendars; a business day must be one in all of them (Q2). */
  CountryCalendars: items(name()),
  /** Names or codes of schedule types; the first is the default. */
  PaymentScheduleTypes: items(name()),
  /** Percent of the balance that each instalment repays, for schedule types such as CreditCard (B3). */
  CapitalPercent: maybeNumber(),
  /** The residual value in percent of the financed amount (B1). */
  ResidualPercent: maybeNumber(),
  Guarantees: items(guarantee),
  DestinationTypes: items(destination),
  DisbursementMatrix: items(tranche),
  AssociatedProducts: items(associatedProduct),
  Availability: availabilityFields,
  InterestsAndCommissions: items(offer),
  Insurances: items(insuranceItem),
  /** Codes of discount lists. */
  Discounts: items(code()),
  /** Code of the list of limits of its offers (Q9). An absent one stays absent, so that stored records do not change. */
  LimitList: code().nullish(),
  Questions: items(question),
  Documents: items(document),
});
export type ProductRecord = RecordOf<typeof PRODUCT_SHAPE>;
