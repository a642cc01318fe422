/** The shapes of a product's details in the answer of `plat_bp_getbankingproductbycode` (interface section 2.2). */

import { z } from 'zod';
import { figureOrNull, flagOrNull, text, textOrNull, yesOrNo } from './product-reply-parts.ts';

const generalData = z
  .object({
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
    PeriodicityType: text('Name of the periodicity of installments.'),
    RepaymentAllocationMethod: textOrNull('How repayments are allocated.'),
    HolidayShiftForRepaymentInstallments: yesOrNo('Due dates move off days without business.'),
    HolidayShiftMethod: textOrNull('How they move.'),
    DeferDueDate: yesOrNo('Interest accrues to the moved date.'),
    GraceType: textOrNull('What becomes of interest in grace.'),
    ProductGrace: textOrNull('Grace of the product.'),
    GraceDaysForRepayment: figureOrNull('Days of grace for a repayment.'),
    PenaltyForGracePeriod: yesOrNo('Penalties accrue in the days of grace.'),
  })
  .strict()
  .describe('With displayBPDetails.');

const scheduleColumn = z
  .object({
    PaymentScheduleTypeDetailId: text('GUID of the column.'),
    ColumnRepaymentSchedule: text('Name of the column.'),
    CalculationMethod: text('How it is calculated.'),
    Fee: textOrNull('Its commission.'),
    InsuranceClass: textOrNull('Its class of insurances.'),
    Source: textOrNull('The input that it reads.'),
    Display: yesOrNo('It is shown.'),
  })
  .strict();

const scheduleType = z
  .object({
    PaymentScheduleTypeId: text('GUID of the schedule type.'),
    PaymentScheduleTypeName: text('Its name.'),
    PaymentScheduleCode: text('Its code.'),
    ProductType: textOrNull(
      "Code of the product's type where the schedule type is made for it, else of its first.",
    ),
    ScheduleInterestCalculationType: text('Its day count.'),
    IsWithEqualInstallments: yesOrNo('Level payment.'),
    InstallmentValueCustom: yesOrNo('The payment may be locked.'),
    UseMaturityDate: yesOrNo('MaturityDate moves the last due date.'),
    MeasurementUnit: textOrNull('Days, Months or null for any.'),
    PaymentScheduleTypeDetails: z
      .array(scheduleColumn)
      .describe('Columns in the order of their calculation.'),
  })
  .strict();

const guarantee = z
  .object({
    ProductGuaranteeName: text('Name of the guarantee.'),
    GuaranteeType: textOrNull('Its type.'),
    MaxAcceptedCoveringPercent: figureOrNull('Largest part that it may cover, in percent.'),
  })
  .strict();

const destination = z
  .object({
    ProductDestinationTypeName: text('What the money may be used for.'),
    IsDefault: yesOrNo('The default.'),
  })
  .strict();

const tranche = z
  .object({
    Name: text('Name of the tranche.'),
    TranchePercent: figureOrNull('Its part of the amount, in percent.'),
    InterestPercent: figureOrNull('Its rate.'),
    StartMonthFromActivation: figureOrNull('Months from the activation to its start.'),
    UnusageCommissionPercent: figureOrNull('Percent charged on what is not used of it.'),
  })
  .strict();

const associatedProduct = z
  .object({
    AssociatedProductName: text('Name of the other product.'),
    AssociatedProductCode: text('Its code.'),
  })
  .strict();

/** Details, in which every section appears only when its flag asks for it (L2). */
export const detailsShape = z
  .object({
    GeneralData: generalData.optional(),
    CountryCalendars: z
      .array(z.object({ CountryName: text('Name of a holiday calendar.') }).strict())
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
  })
  .strict();
