/** The answer of `plat_bp_getbankingproductbycode` on the wire (interface section 2.2). */

import { z } from 'zod';
import { dayObject, figureOrNull, flagOrNull, plainText, textOrNull, yesOrNo } from './reply-parts.ts';

const generalData = z
  .strictObject({
    BankAccountType: textOrNull('Type of the account.'),
    IsRevolving: yesOrNo('Repaid amounts can be drawn again.'),
    AutoDisbursement: yesOrNo('Disbursed without a further step.'),
    MaxNoDisbursements: figureOrNull('Most disbursements.'),
    ActivationTranchesOnDocumentSubmission: yesOrNo('Tranches are activated with their documents.'),
    IsGuaranteed: yesOrNo('Needs guarantees.'),
    AllowCollateralPartialRelease: flagOrNull('Collateral may be released in parts.'),
    AllowCoDebtor: yesOrNo('Allows co-debtors.'),
    AllowRefinancing: yesOrNo('Allows refinancing.'),
    MaxNoOfCodebtors: figureOrNull('Most co-debtors.'),
    PeriodicityType: plainText('Name of the periodicity of installments.'),
    RepaymentAllocationMethod: textOrNull('How repayments are allocated.'),
    HolidayShiftForRepaymentInstallments: yesOrNo('Due dates move off days without business.'),
    HolidayShiftMethod: textOrNull('How they move.'),
    DeferDueDate: yesOrNo('Interest accrues to the moved date.'),
    GraceType: textOrNull('What becomes of interest in grace.'),
    ProductGrace: textOrNull('Grace of the product.'),
    GraceDaysForRepayment: figureOrNull('Days of grace for a repayment.'),
    PenaltyForGracePeriod: yesOrNo('Penalties accrue in the days of grace.'),
  })
  .describe('With displayBPDetails.');

const scheduleColumn = z.strictObject({
  PaymentScheduleTypeDetailId: plainText('GUID of the column.'),
  ColumnRepaymentSchedule: plainText('Name of the column.'),
  CalculationMethod: plainText('How it is calculated.'),
  Fee: textOrNull('Its commission.'),
  InsuranceClass: textOrNull('Its class of insurances.'),
  Source: textOrNull('The input that it reads.'),
  Display: yesOrNo('It is shown.'),
});

const scheduleType = z.strictObject({
  PaymentScheduleTypeId: plainText('GUID of the schedule type.'),
  PaymentScheduleTypeName: plainText('Its name.'),
  PaymentScheduleCode: plainText('Its code.'),
  ProductType: textOrNull(
    "Code of the product's type where the schedule type is made for it, else of its first.",
  ),
  ScheduleInterestCalculationType: plainText('Its day count.'),
  IsWithEqualInstallments: yesOrNo('Level payment.'),
  InstallmentValueCustom: yesOrNo('The payment may be locked.'),
  UseMaturityDate: yesOrNo('MaturityDate moves the last due date.'),
  MeasurementUnit: textOrNull('Days, Months or null for any.'),
  PaymentScheduleTypeDetails: z.array(scheduleColumn).describe('Columns in the order of their calculation.'),
});

const guarantee = z.strictObject({
  ProductGuaranteeName: plainText('Name of the guarantee.'),
  GuaranteeType: textOrNull('Its type.'),
  MaxAcceptedCoveringPercent: figureOrNull('Largest part that it may cover, in percent.'),
});

const destination = z.strictObject({
  ProductDestinationTypeName: plainText('What the money may be used for.'),
  IsDefault: yesOrNo('The default.'),
});

const tranche = z.strictObject({
  Name: plainText('Name of the tranche.'),
  TranchePercent: figureOrNull('Its part of the amount, in percent.'),
  InterestPercent: figureOrNull('Its rate.'),
  StartMonthFromActivation: figureOrNull('Months from the activation to its start.'),
  UnusageCommissionPercent: figureOrNull('Percent charged on what is not used of it.'),
});

const associatedProduct = z.strictObject({
  AssociatedProductName: plainText('Name of the other product.'),
  AssociatedProductCode: plainText('Its code.'),
});

/** Details, in which every section appears only when its flag asks for it (L2). */
const details = z.strictObject({
  GeneralData: generalData.optional(),
  CountryCalendars: z
    .array(z.strictObject({ CountryName: plainText('Name of a holiday calendar.') }))
    .describe('With displayCountryCalendars.')
    .optional(),
  AssociatedPaymentScheduleTypes: z
    .array(scheduleType)
    .describe('With displayPaymentScheduleTypes: Active ones, the default first.')
    .optional(),
  ProductGuarantees: z.array(guarantee).describe('With displayProductGuarantees.').optional(),
  ProductDestinationTypes: z.array(destination).describe('With displayProductDestinationTypes.').optional(),
  DisbursementMatrix: z.array(tranche).describe('With displayDisbursementMatrix.').optional(),
  AssociatedProducts: z.array(associatedProduct).describe('With displayAssociatedProducts.').optional(),
});

const availability = z
  .strictObject({
    Currency: plainText('ISO 4217 code.').optional(),
    PeriodType: plainText('Unit of the periods.').optional(),
    MaxPeriodForDisbursement: figureOrNull('Longest period of disbursement.').optional(),
    MinimumPeriod: figureOrNull('Shortest term.').optional(),
    MaximumPeriod: figureOrNull('Longest term.').optional(),
    MinimumEarlyRepaymentValue: figureOrNull('Smallest early repayment.').optional(),
    MinimumAmount: figureOrNull('Smallest amount.').optional(),
    MaximumAmount: figureOrNull('Largest amount.').optional(),
    UnusageStartPeriod: figureOrNull('Period from which unused amounts cost.').optional(),
    MinimumAdvance: figureOrNull('Smallest advance, in percent of the amount.').optional(),
    MaximumAdvance: figureOrNull('Largest advance, in percent of the amount.').optional(),
    AvailabilityItemFilters: z
      .array(
        z.strictObject({
          Filter: plainText('Name of the filter.'),
          FilterScope: textOrNull('Its scope.'),
          FilterType: textOrNull('Its type.'),
          Description: textOrNull('What it is for.'),
        }),
      )
      .optional(),
    ProductCovenants: z
      .array(
        z.strictObject({
          Name: plainText('Name of the covenant.'),
          Type: textOrNull('Its type.'),
          Value: figureOrNull('Its value.'),
          ValidFrom: dayObject('First day.'),
          ValidTo: dayObject('Last day.'),
          ReviewFrequencyMonths: figureOrNull('Months between two reviews.'),
        }),
      )
      .optional(),
    MandatoryRoles: z
      .array(z.strictObject({ Name: plainText('Name of the role.'), SearchLimit: z.boolean() }))
      .describe('With displayMandatoryRoles.')
      .optional(),
  })
  .describe('All but MandatoryRoles with displayBPAvailability.');

const validity = {
  ValueValidFrom: dayObject('First day of the value.'),
  ValueValidTo: dayObject('Last day of the value.'),
};

const commission = z.strictObject({
  Name: plainText('Name of the commission.'),
  Type: textOrNull('Its type.'),
  PeriodicityType: plainText('Name of its periodicity.'),
  Currency: plainText('ISO 4217 code.'),
  Status: plainText('Always Active.'),
  IsForUnusage: yesOrNo('Charged on the unused amount.'),
  ValueIsPercent: yesOrNo('The percentage of a value counts, not its amount.'),
  IncludedInRepaymentSchedule: yesOrNo('Part of the repayment schedule.'),
  AutomaticLoadOnContract: yesOrNo('Loaded on every contract.'),
  MandatoryForApplicant: yesOrNo('Mandatory.'),
  UseBankingFormula: yesOrNo('Calculated by a formula.'),
  IsForContractVersion: flagOrNull('Charged for a new version of a contract.'),
  PercentAppliedTo: textOrNull('Base of the percentage.'),
  Percent: figureOrNull('Its percentage.'),
  Values: z
    .array(
      z.strictObject({
        CommissionValue: figureOrNull('Amount.'),
        CommissionPercent: figureOrNull('Percentage.'),
        Status: plainText('Always Active.'),
        ...validity,
      }),
    )
    .describe('Active values that are valid on the day.'),
});

const standardInterest = z
  .strictObject({
    Name: plainText('Name of the interest.'),
    Code: plainText('Its code.'),
    AppliedToLoanItemIfOverdue: textOrNull('The item whose delay it is charged for.'),
    Description: textOrNull('What it is for.'),
    IsDefault: flagOrNull('The default of its list.'),
    UseBankingFormula: flagOrNull('Calculated by a formula.'),
    IsPenalty: flagOrNull('A penalty.'),
    IsGeneral: flagOrNull('General.'),
    IsForSightDeposit: flagOrNull('For sight deposits.'),
    IsForOverdraft: flagOrNull('For overdrafts.'),
    IsCreditLine: flagOrNull('For credit lines.'),
    IsDebitOrder: flagOrNull('For debit orders.'),
    Type: plainText('Fixed, Variable, Collection or BankingFormula.'),
    Values: z
      .array(
        z.strictObject({
          Value: z.number().describe('Annual percent.'),
          ValueStatus: plainText('Always Active.'),
          ...validity,
        }),
      )
      .describe('Active values that are valid on the day.'),
    CollectionInterests: z
      .array(
        z.strictObject({
          InterestName: plainText('The interest whose value is the rate.'),
          InterestStartPeriod: figureOrNull('First installment.'),
          InterestEndPeriod: figureOrNull('Last installment.'),
          InterestStartDate: dayObject('First day.'),
          InterestEndDate: dayObject('Last day.'),
        }),
      )
      .describe('Type Collection: rates by range of installments that are valid on the day.'),
  })
  .describe('An interest.');

const bandedInterest = z
  .strictObject({
    InterestName: plainText('Name of the interest.'),
    InterestCode: plainText('Its code.'),
    InterestType: plainText('Collection.'),
    IsForOverdraft: flagOrNull('For overdrafts.'),
    BandedInterests: z
      .array(
        z.strictObject({
          InterestName: plainText('Name of the band.'),
          MinUtilizedAmount: figureOrNull('Where the band begins.'),
          MaxUtilizedAmount: figureOrNull('Where the band ends.'),
          IsForOverdraft: flagOrNull('For overdrafts.'),
          CollectionValidFrom: textOrNull('First day, as 2024-01-31.'),
          CollectionValidTo: textOrNull('Last day.'),
          Value: z.number().describe('Annual percent.'),
          ValueMessage: textOrNull('What to tell about the rate.'),
        }),
      )
      .describe('Bands that are valid on the day.'),
  })
  .describe('An interest of type Collection by utilised amount.');

const offer = z.strictObject({
  InterestCommissionItemName: plainText('Name of the item.'),
  CommissionListName: textOrNull('Name of its list of commissions.'),
  InterestListName: textOrNull('Name of its list of interests.'),
  Commissions: z.array(commission),
  Interests: z
    .array(z.union([standardInterest, bandedInterest]))
    .describe(
      'Each either with Name, Code, Type, Values and CollectionInterests or, of type Collection by utilised amount, with InterestName, InterestCode, InterestType, IsForOverdraft and BandedInterests.',
    ),
});

const insurance = z.strictObject({
  InsuranceCode: plainText('Code of the insurance.'),
  InsuranceName: plainText('Its name.'),
  PeriodicityType: plainText('Name of its periodicity.'),
  Currency: plainText('ISO 4217 code.'),
  Insurer: textOrNull('Who insures.'),
  OperationItem: textOrNull('Item of the operation.'),
  Class: textOrNull('Class of the insurance.'),
  Description: textOrNull('What it is for.'),
  BankingFormulaType: textOrNull('Type of its formula.'),
  IsMandatoryForApplicant: yesOrNo('Mandatory for the applicant.'),
  IsMandatoryForDebtor: yesOrNo('Mandatory for the debtor.'),
  IncludedIntoRepaymentScheduleInstallment: yesOrNo('Part of the installments.'),
  UseBankingFormula: yesOrNo('Calculated by a formula.'),
  ValueIsPercentage: yesOrNo('Its values are percentages.'),
});

const insuranceItem = z.strictObject({
  Name: plainText('Name of the item.'),
  Code: plainText('Its code.'),
  StartDate: dayObject('First day.'),
  EndDate: dayObject('Last day.'),
  InsuranceListName: plainText('Name of its list.'),
  Insurances: z.array(insurance).describe('Active insurances of the list.'),
});

const discount = z.strictObject({
  Name: plainText('Name of the discount.'),
  Discount: textOrNull('The campaign or reason that it belongs to.'),
  AppliedToDimension: plainText('Interest, Commission or Insurance.'),
  CommissionType: textOrNull('Type of the commissions that it lowers.'),
  Commission: textOrNull('The commission that it lowers.'),
  InterestType: textOrNull('Type of the interests that it lowers.'),
  InsuranceClass: textOrNull('Class of the insurances that it lowers.'),
  Insurance: textOrNull('The insurance that it lowers.'),
  BankingFormulaType: textOrNull('Type of its formula.'),
  DestinationEntity: textOrNull('Entity that it depends on.'),
  DestinationEntityAttribute: textOrNull('Attribute of that entity.'),
  DiscountValue: figureOrNull('Percentage, percentage points or amount.'),
  StartDate: dayObject('First day.'),
  EndDate: dayObject('Last day.'),
  UseBankingFormula: yesOrNo('Calculated by a formula.'),
  IsOptionalDiscount: yesOrNo('Given only when a request names it.'),
  IsPercentage: yesOrNo('DiscountValue is a percentage.'),
});

const question = z.strictObject({
  Name: plainText('The question.'),
  QuestionType: textOrNull('Its type.'),
  AnswerEntity: textOrNull('Entity that keeps the answer.'),
  AnswerField: textOrNull('Field that keeps it.'),
  IsForSolicitant: yesOrNo('Asked of the applicant.'),
  IsForCoborrower: yesOrNo('Asked of the co-borrower.'),
});

/** Dimensions, in which every section appears only when its flag asks for it (L2). */
const dimensions = z.strictObject({
  InterestsAndCommissions: z.array(offer).describe('With displayInterestsAndCommissions.').optional(),
  Insurance: z.array(insuranceItem).describe('With displayInsurance.').optional(),
  Discounts: z.array(discount).describe('With displayDiscounts: Active ones.').optional(),
  Questions: z.array(question).describe('With displayQuestions.').optional(),
});

/** The whole answer. */
export const productByCodeReply = z
  .strictObject({
    BankingProduct: z.strictObject({
      BankingProductCode: plainText('Code of the product as the catalogue spells it.'),
      Name: plainText('Its name.'),
      StartDate: textOrNull('First day, as 2024-01-31T00:00:00; null without one.'),
      EndDate: textOrNull('Last day; null without one.'),
      BankingProductType: plainText('Product type.'),
    }),
    Details: details.optional(),
    Availability: availability.optional(),
    Dimensions: dimensions.optional(),
  })
  .describe('A section appears only when its flag is true; without data it is an empty list.');
