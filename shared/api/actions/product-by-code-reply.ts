/** The answer of `plat_bp_getbankingproductbycode` (2.2). The record schemas define the fields from the catalogue. */

import { z } from 'zod';
import {
  collectionInterest,
  commission,
  discount,
  insurance,
  answeredInterest,
} from '../../product/catalogue/list-records.ts';
import {
  associatedProduct,
  availabilityFields,
  availabilityFilter,
  covenant,
  destination,
  generalData,
  guarantee,
  insuranceItem,
  question,
  role,
  tranche,
} from '../../product/catalogue/product-record.ts';
import { answerFields } from '../../product/catalogue/record-kinds.ts';
import {
  dayObject,
  figureOrNull,
  flagOrNull,
  plainText,
  textOrNull,
  yesOrNo,
} from '../../platform/json-kinds.ts';
import { strictNamed } from '../json/field-kinds.ts';

const listOf = <Shape extends z.ZodRawShape>(name: string, record: z.ZodObject<Shape>) =>
  z.array(z.strictObject(answerFields(record)).meta({ id: name }));

const scheduleColumn = strictNamed('PaymentScheduleColumn', {
  PaymentScheduleTypeDetailId: plainText('GUID of the column.'),
  ColumnRepaymentSchedule: plainText('Name of the column.'),
  CalculationMethod: plainText('Method of its calculation.'),
  Fee: textOrNull('Its commission.'),
  InsuranceClass: textOrNull('Its class of insurances.'),
  Source: textOrNull('The input that it reads.'),
  Display: yesOrNo('It is shown.'),
});

const scheduleType = strictNamed('PaymentScheduleType', {
  PaymentScheduleTypeId: plainText('GUID of the schedule type.'),
  PaymentScheduleTypeName: plainText('Its name.'),
  PaymentScheduleCode: plainText('Its code.'),
  ProductType: textOrNull(
    "Code of the product's type if the schedule type supports it, otherwise of the first type that it supports.",
  ),
  ScheduleInterestCalculationType: plainText('Its day count.'),
  IsWithEqualInstallments: yesOrNo('Level payment.'),
  InstallmentValueCustom: yesOrNo('A request may fix the payment.'),
  UseMaturityDate: yesOrNo('MaturityDate moves the last due date.'),
  MeasurementUnit: textOrNull('Days, Months or null for any.'),
  PaymentScheduleTypeDetails: z.array(scheduleColumn).describe('Columns in the order of their calculation.'),
});

/** Each field is present only if the request sets its flag (L2). */
const details = z
  .strictObject({
    GeneralData: strictNamed('GeneralData', answerFields(generalData)).describe('With displayBPDetails.'),
    CountryCalendars: z
      .array(strictNamed('CountryCalendar', { CountryName: plainText('Name of a holiday calendar.') }))
      .describe('With displayCountryCalendars.'),
    AssociatedPaymentScheduleTypes: z
      .array(scheduleType)
      .describe('With displayPaymentScheduleTypes: Active ones, the default first.'),
    ProductGuarantees: listOf('ProductGuarantee', guarantee).describe('With displayProductGuarantees.'),
    ProductDestinationTypes: listOf('ProductDestinationType', destination).describe(
      'With displayProductDestinationTypes.',
    ),
    DisbursementMatrix: listOf('DisbursementTranche', tranche).describe('With displayDisbursementMatrix.'),
    AssociatedProducts: listOf('AssociatedProduct', associatedProduct).describe(
      'With displayAssociatedProducts.',
    ),
  })
  .partial()
  .meta({ id: 'ProductDetailsSection' });

const availabilitySection = z
  .strictObject({
    ...answerFields(availabilityFields),
    AvailabilityItemFilters: listOf('AvailabilityItemFilter', availabilityFilter),
    ProductCovenants: listOf('ProductCovenant', covenant),
    MandatoryRoles: listOf('MandatoryRole', role).describe('With displayMandatoryRoles.'),
  })
  .partial()
  .describe('All fields except MandatoryRoles are present with displayBPAvailability.')
  .meta({ id: 'ProductAvailabilitySection' });

const validity = {
  ValueValidFrom: dayObject('First day of the value.'),
  ValueValidTo: dayObject('Last day of the value.'),
};
const VALID_VALUES = 'Active values that are valid on the day.';

const commissionReply = strictNamed('Commission', {
  ...answerFields(commission),
  Values: z
    .array(
      strictNamed('CommissionValue', {
        CommissionValue: figureOrNull('Amount.'),
        CommissionPercent: figureOrNull('Percentage.'),
        Status: plainText('Always Active.'),
        ...validity,
      }),
    )
    .describe(VALID_VALUES),
});

/** Covers interests with values and those with bands: clients could not tell two schemas apart by their fields. */
const interest = z
  .strictObject({
    InterestName: plainText('Name of the interest.'),
    InterestCode: plainText('Its code.'),
    InterestType: plainText('Always Collection.'),
    ...answerFields(answeredInterest),
    Values: z
      .array(
        strictNamed('InterestValue', {
          Value: z.number().describe('Annual percent.'),
          ValueStatus: plainText('Always Active.'),
          ...validity,
        }),
      )
      .describe(VALID_VALUES),
    CollectionInterests: listOf('CollectionInterest', collectionInterest).describe(
      'Type Collection: rates by range of installments that are valid on the day.',
    ),
    BandedInterests: z
      .array(
        strictNamed('InterestBand', {
          InterestName: plainText('Name of the band.'),
          MinUtilizedAmount: figureOrNull('Lower bound of the band.'),
          MaxUtilizedAmount: figureOrNull('Upper bound of the band.'),
          IsForOverdraft: flagOrNull('For overdrafts.'),
          CollectionValidFrom: textOrNull('First day, as 2024-01-31.'),
          CollectionValidTo: textOrNull('Last day.'),
          Value: z.number().describe('Annual percent.'),
          ValueMessage: textOrNull('Text about the rate.'),
        }),
      )
      .describe('Bands that are valid on the day.'),
  })
  .partial()
  .extend({ IsForOverdraft: flagOrNull('For overdrafts.') })
  .meta({ id: 'Interest' });

const offer = strictNamed('InterestsAndCommissionsItem', {
  InterestCommissionItemName: plainText('Name of the item.'),
  CommissionListName: textOrNull('Name of its list of commissions.'),
  InterestListName: textOrNull('Name of its list of interests.'),
  Commissions: z.array(commissionReply),
  Interests: z
    .array(interest)
    .describe(
      'Each has either Name, Code, Type, Values and CollectionInterests or, for type Collection by utilised amount, InterestName, InterestCode, InterestType, IsForOverdraft and BandedInterests.',
    ),
});

const insuranceSection = strictNamed('InsuranceItem', {
  ...answerFields(insuranceItem),
  InsuranceListName: plainText('Name of its list.'),
  Insurances: listOf('Insurance', insurance).describe('Active insurances of the list.'),
});

const dimensions = z
  .strictObject({
    InterestsAndCommissions: z.array(offer).describe('With displayInterestsAndCommissions.'),
    Insurance: z.array(insuranceSection).describe('With displayInsurance.'),
    Discounts: listOf('Discount', discount).describe('With displayDiscounts: Active ones.'),
    Questions: listOf('Question', question).describe('With displayQuestions.'),
  })
  .partial()
  .meta({ id: 'ProductDimensionsSection' });

export const productByCodeReply = z
  .strictObject({
    BankingProduct: strictNamed('BankingProduct', {
      BankingProductCode: plainText('Code of the product as the catalogue spells it.'),
      Name: plainText('Its name.'),
      StartDate: textOrNull('First day, as 2024-01-31T00:00:00; null without one.'),
      EndDate: textOrNull('Last day; null without one.'),
      BankingProductType: plainText('Product type.'),
    }),
    Details: details.optional(),
    Availability: availabilitySection.optional(),
    Dimensions: dimensions.optional(),
  })
  .describe(
    'Details, Availability and Dimensions are present if they or one of their sections are requested. A requested section in them without data is an empty list.',
  );
