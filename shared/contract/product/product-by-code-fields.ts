/** The shapes of a product's dimensions in the answer of `plat_bp_getbankingproductbycode` (interface section 2.2). */

import { z } from 'zod';
import { dayObject, figureOrNull, flagOrNull, text, textOrNull, yesOrNo } from './product-reply-parts.ts';

const validity = {
  ValueValidFrom: dayObject('First day of the value.'),
  ValueValidTo: dayObject('Last day of the value.'),
};

const commission = z
  .object({
    Name: text('Name of the commission.'),
    Type: textOrNull('Its type.'),
    PeriodicityType: text('Name of its periodicity.'),
    Currency: text('ISO 4217 code.'),
    Status: text('Always Active.'),
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
        z
          .object({
            CommissionValue: figureOrNull('Amount.'),
            CommissionPercent: figureOrNull('Percentage.'),
            Status: text('Always Active.'),
            ...validity,
          })
          .strict(),
      )
      .describe('Active values that are valid on the day.'),
  })
  .strict();

const standardInterest = z
  .object({
    Name: text('Name of the interest.'),
    Code: text('Its code.'),
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
    Type: text('Fixed, Variable, Collection or BankingFormula.'),
    Values: z
      .array(
        z
          .object({
            Value: z.number().describe('Annual percent.'),
            ValueStatus: text('Always Active.'),
            ...validity,
          })
          .strict(),
      )
      .describe('Active values that are valid on the day.'),
    CollectionInterests: z
      .array(
        z
          .object({
            InterestName: text('The interest whose value is the rate.'),
            InterestStartPeriod: figureOrNull('First installment.'),
            InterestEndPeriod: figureOrNull('Last installment.'),
            InterestStartDate: dayObject('First day.'),
            InterestEndDate: dayObject('Last day.'),
          })
          .strict(),
      )
      .describe('Type Collection: rates by range of installments that are valid on the day.'),
  })
  .strict()
  .describe('An interest.');

const bandedInterest = z
  .object({
    InterestName: text('Name of the interest.'),
    InterestCode: text('Its code.'),
    InterestType: text('Collection.'),
    IsForOverdraft: flagOrNull('For overdrafts.'),
    BandedInterests: z
      .array(
        z
          .object({
            InterestName: text('Name of the band.'),
            MinUtilizedAmount: figureOrNull('Where the band begins.'),
            MaxUtilizedAmount: figureOrNull('Where the band ends.'),
            IsForOverdraft: flagOrNull('For overdrafts.'),
            CollectionValidFrom: textOrNull('First day, as 2024-01-31.'),
            CollectionValidTo: textOrNull('Last day.'),
            Value: z.number().describe('Annual percent.'),
            ValueMessage: textOrNull('What to tell about the rate.'),
          })
          .strict(),
      )
      .describe('Bands that are valid on the day.'),
  })
  .strict()
  .describe('An interest of type Collection by utilised amount.');

const offer = z
  .object({
    InterestCommissionItemName: text('Name of the item.'),
    CommissionListName: textOrNull('Name of its list of commissions.'),
    InterestListName: textOrNull('Name of its list of interests.'),
    Commissions: z.array(commission),
    Interests: z
      .array(z.union([standardInterest, bandedInterest]))
      .describe(
        'Each either with Name, Code, Type, Values and CollectionInterests or, of type Collection by utilised amount, with InterestName, InterestCode, InterestType, IsForOverdraft and BandedInterests.',
      ),
  })
  .strict();

const insurance = z
  .object({
    InsuranceCode: text('Code of the insurance.'),
    InsuranceName: text('Its name.'),
    PeriodicityType: text('Name of its periodicity.'),
    Currency: text('ISO 4217 code.'),
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
  })
  .strict();

const insuranceItem = z
  .object({
    Name: text('Name of the item.'),
    Code: text('Its code.'),
    StartDate: dayObject('First day.'),
    EndDate: dayObject('Last day.'),
    InsuranceListName: text('Name of its list.'),
    Insurances: z.array(insurance).describe('Active insurances of the list.'),
  })
  .strict();

const discount = z
  .object({
    Name: text('Name of the discount.'),
    Discount: textOrNull('The campaign or reason that it belongs to.'),
    AppliedToDimension: text('Interest, Commission or Insurance.'),
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
  })
  .strict();

const question = z
  .object({
    Name: text('The question.'),
    QuestionType: textOrNull('Its type.'),
    AnswerEntity: textOrNull('Entity that keeps the answer.'),
    AnswerField: textOrNull('Field that keeps it.'),
    IsForSolicitant: yesOrNo('Asked of the applicant.'),
    IsForCoborrower: yesOrNo('Asked of the co-borrower.'),
  })
  .strict();

/** Dimensions, in which every section appears only when its flag asks for it (L2). */
export const dimensionsShape = z
  .object({
    InterestsAndCommissions: z.array(offer).describe('With displayInterestsAndCommissions.').optional(),
    Insurance: z.array(insuranceItem).describe('With displayInsurance.').optional(),
    Discounts: z.array(discount).describe('With displayDiscounts: Active ones.').optional(),
    Questions: z.array(question).describe('With displayQuestions.').optional(),
  })
  .strict();
