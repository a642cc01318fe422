/** Actions that tell a caller what the others accept: products on offer, options of a simulation, reference lists. */

import { z } from 'zod';
import {
  countOrNull,
  figureOrNull,
  flagOrNull,
  plainText,
  textOrNull,
  wholeNumber,
  yesOrNo,
} from '../../platform/json-kinds.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/field-checks.ts';
import type { Fault } from '../../platform/problem.ts';
import type { SelectorRequest } from '../../product/look-up/product-look-ups.ts';
import {
  DEFAULT_LISTED_PRODUCTS,
  MAX_LISTED_PRODUCTS,
  type ProductListRequest,
} from '../../product/look-up/products-on-offer.ts';
import type { ReferenceRequest } from '../../product/look-up/reference-lists.ts';
import { MAX_FILTER_VALUES, MAX_VALUES_OF_FILTERS } from '../../product/simulation/simulation-options.ts';
import { FORMULA_INPUT_PARTS } from '../../product/simulation/simulation.ts';
import { type Action, defineAction } from '../json/action-definition.ts';
import { shapeFault } from '../json/faults.ts';
import { count, flag, optional, requestOf, strictNamed, text } from '../json/field-kinds.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import examples from './product-list-examples.json' with { type: 'json' };
import { BY_CODE_OR_ID, day, lazyWriter, productDetailsFields, requireCodeOr } from './look-up-actions.ts';

/** A list of objects, each of the named shape. */
const listOf = <Shape extends z.ZodRawShape>(description: string, id: string, shape: Shape) =>
  z.array(strictNamed(id, shape)).describe(description);
const texts = (description: string) => z.array(z.string()).describe(description);
const oneOfThese = (names: readonly string[], description: string) =>
  plainText(description).meta({ enum: [...names] });

const productOnOffer = strictNamed('ProductOnOffer', {
  ProductId: plainText('GUID of its version: productId and bankingProductId of other requests.'),
  BankingProductCode: plainText('Its code: productCode of other requests.'),
  Name: plainText('Its name.'),
  BankingProductType: plainText('Product type, by code or name.'),
  StartDate: textOrNull('First day, as 2024-01-31T00:00:00; null without one.'),
  EndDate: textOrNull('Last day; null without one.'),
  PeriodicityType: plainText('Periodicity of its installments.'),
  PaymentScheduleTypes: texts(
    'Names or codes of its schedule types, the default first; none if it cannot be simulated.',
  ),
  Currency: plainText('ISO 4217 code of its amounts.'),
  MinimumAmount: figureOrNull('Smallest amount; null: no bound, as for the other bounds (Q6).'),
  MaximumAmount: figureOrNull('Largest amount.'),
  MinimumAdvance: figureOrNull('Smallest down payment, in percent of the amount.'),
  MaximumAdvance: figureOrNull('Largest down payment, in percent of the amount.'),
  PeriodType: plainText('Unit of the two periods: Days, Weeks, Months or Years.'),
  MinimumPeriod: countOrNull('Shortest term.'),
  MaximumPeriod: countOrNull('Longest term.'),
});

export const productListReply = z.strictObject({
  Products: z.array(productOnOffer).describe('By code.'),
  Next: textOrNull('The value of `after` for the next page, which may be empty; null on the last one.'),
});

const scheduleType = {
  PaymentScheduleTypeId: plainText('GUID: ScheduleTypeId of schedules.'),
  PaymentScheduleTypeName: plainText('Its name: scheduleType of simulations, ScheduleType of schedules.'),
  PaymentScheduleCode: plainText('Its code, which may be sent instead.'),
  InstallmentValueCustom: yesOrNo('A request may fix installmentValue or principalValue (B2).'),
  RequiresOneOf: texts(
    'Fields of which a request must send one, because formulas read them (Q2); none: no field.',
  ),
};

const periods = (which: string) =>
  wholeNumber(`${which} loanPeriod on the day, in LoanPeriodUnit; null if none is allowed (Q6).`, 1)
    .max(MAX_INSTALLMENTS)
    .nullable()
    .describe(`${which} loanPeriod on the day, in LoanPeriodUnit; null if none is allowed (Q6).`);

const simulationInterest = strictNamed('SimulationInterest', {
  InterestTypeId: plainText('interestType of the request: all interests of this type are then offered (Q3).'),
  InterestTypeName: plainText('interestTypeName of the request.'),
  InterestId: plainText('GUID of the interest.'),
  InterestName: plainText('Its name.'),
  InterestListId: plainText('GUID of its list.'),
  InterestCommissionItemId: plainText('GUID of the item that offers it.'),
  InterestCommissionItemName: plainText('Name of the item.'),
  CommissionListId: textOrNull('GUID of the commissions of the item.'),
  IsDefault: yesOrNo('The one of its item that is offered without an interest type.'),
  NeedsInterestRates: yesOrNo(
    'Offered only with jsonMultipleInterestRates: it has no rates on the day (Q7).',
  ),
});

const simulationFilter = strictNamed('SimulationFilter', {
  Field: plainText('Field of the request to which the figure belongs.'),
  Name: plainText('Name of the figure.'),
  UsedBy: plainText('The item, insurance or discount that is left out unless the figure passes (L3).'),
  From: figureOrNull('Smallest figure of a range that passes; null: no bound, or no range.'),
  To: figureOrNull('Largest figure of a range that passes.'),
  Values: z
    .array(z.number())
    .describe(
      `Figures of a set or custom list that pass, at most the first ${MAX_FILTER_VALUES}; none where all filters would have more than ${MAX_VALUES_OF_FILTERS}.`,
    ),
  ValueCount: wholeNumber('Number of figures of the set or custom list; 0 for a range.'),
});

const formulaArgument = strictNamed('SimulationFormulaInput', {
  Part: oneOfThese(FORMULA_INPUT_PARTS, 'Part of jsonInputFormula to which the argument belongs (Q7).'),
  Name: plainText('Name of the argument.'),
  UsedBy: plainText('The interest, commission, insurance or discount whose formula reads it.'),
});

const charge = {
  Currency: plainText('ISO 4217 code.'),
  IsPercent: yesOrNo('Its price is a percentage.'),
  Price: figureOrNull('Price on the day, in percent or money; null by formula or without a price.'),
  PercentAppliedTo: textOrNull('Base of the percentage; null: the financed amount (F2).'),
  PerAnnum: yesOrNo('The percentage is an annual rate (F2).'),
  IsUpfront: flagOrNull('Due at the start of its period; null: as the schedule type defines (F1).'),
  ComesWithContract: yesOrNo('Part of every simulation (Q6).'),
  IsOptional: yesOrNo('Part of a simulation if OptionalCommissions or OptionalInsurances names it (Q8).'),
};

const optionalCommission = strictNamed('SimulationCommission', {
  FeeId: plainText('FeeId of OptionalCommissions and of schedule requests.'),
  FeeName: plainText('FeeName of schedule requests.'),
  CommissionType: textOrNull('Its type.'),
  CommissionListId: plainText('GUID of its list.'),
  FeePeriodicityType: plainText('Name of its periodicity.'),
  IsForUnusage: yesOrNo('Charged on the unused amount (F5).'),
  ...charge,
});

const optionalInsurance = strictNamed('SimulationInsurance', {
  InsuranceId: plainText('InsuranceId of OptionalInsurances.'),
  InsuranceName: plainText('InsuranceName of schedule requests.'),
  InsuranceClassId: textOrNull('InsuranceClassId of schedule requests.'),
  InsuranceClassName: textOrNull('InsuranceClassName of schedule requests.'),
  InsuranceItemCode: plainText('Code of the insurance item of the product.'),
  InsurancePeriodicityType: plainText('Name of its periodicity.'),
  ...charge,
});

const productDiscount = strictNamed('SimulationDiscount', {
  ProductDiscountId: plainText('ProductDiscountId in `discount` and `optional` of the request.'),
  Name: plainText('Its name.'),
  AppliedToDimension: plainText('Interest, Commission or Insurance.'),
  DiscountValue: figureOrNull('Percentage, percentage points or amount; null by formula.'),
  IsPercentage: yesOrNo('DiscountValue is a percentage.'),
  IsOptionalDiscount: yesOrNo('Given only when a request names it (Q5).'),
});

export const simulationOptionsReply = z.strictObject({
  Product: productOnOffer,
  LoanPeriodUnit: plainText(
    'What loanPeriod counts, such as Monthly periods; with Once, months or the like.',
  ),
  ScheduleTypes: listOf('The schedule types of the product, the default first.', 'SimulationScheduleType', {
    ...scheduleType,
    MinimumLoanPeriod: periods('Shortest'),
    MaximumLoanPeriod: periods('Longest'),
  }),
  Interests: z.array(simulationInterest).describe('In the order of the offers.'),
  Filters: z.array(simulationFilter).describe('Figures that narrow the choice; each may be left out.'),
  FormulaInputs: z
    .array(formulaArgument)
    .describe('Arguments that formulas of the product read, if it is used.'),
  Commissions: z.array(optionalCommission).describe('Active commissions of the offers.'),
  Insurances: z.array(optionalInsurance).describe('Active insurances of the items of the day.'),
  Discounts: z.array(productDiscount).describe('Active discounts of the day.'),
});

export const referenceListsReply = z
  .strictObject({
    PaymentScheduleTypes: listOf('Active schedule types (S1).', 'ReferenceScheduleType', {
      ...scheduleType,
      ProductTypes: texts('Codes of the product types that may use it (S4).'),
      InterestCalculationMethod: plainText('Its day count (C1).'),
      MeasurementUnit: textOrNull('Days, Months or null for any periodicity (S1).'),
      UseMaturityDate: yesOrNo('MaturityDate moves the last due date (D5).'),
      MaximumInstallments: countOrNull('Most installments of a request; null: 1200.'),
    }),
    Periodicities: listOf('Periodicities (D7).', 'ReferencePeriodicity', {
      Name: plainText('PeriodicityType of requests.'),
      Count: wholeNumber('Units from one due date to the next; 0 for Once.'),
      Unit: plainText('Days, Weeks, HalfMonths, Months, Years or Once.'),
    }),
    CountryCalendars: listOf('Holiday calendars (H2).', 'ReferenceCalendar', {
      Name: plainText('HolidayCountry of requests; several are joined by `+`.'),
      Description: textOrNull('English name, or the calendar on which one of the catalogue is based.'),
      Version: plainText('Version of its holidays.'),
      Source: oneOfThese(['Catalogue', 'BuiltIn', 'Library'], 'Where its holidays come from.'),
    }),
    InstallmentTypes: listOf('Kinds of rows (S7).', 'ReferenceInstallmentType', {
      InstallmentTypeId: plainText('InstallmentTypeId of schedules.'),
      Name: plainText('Regular, Grace, Residual or EarlyRepayment.'),
    }),
    InterestTypes: listOf('Options of the interest type (Q3).', 'ReferenceInterestType', {
      InterestTypeId: plainText('interestType of simulations.'),
      Name: plainText('interestTypeName of simulations.'),
    }),
    ProductTypes: listOf('Product types (S4).', 'ReferenceProductType', {
      Code: plainText('ProductType of schedule requests.'),
      Name: plainText('Its name, which may be sent instead.'),
    }),
  })
  .partial()
  .describe('Each list is present if its flag is set.');

const LIMIT = { minimum: 1, maximum: MAX_LISTED_PRODUCTS };

export const productListFields = requestOf({
  after: optional(text()).describe('Code after which the page begins: Next of the page before.'),
  limit: optional(count(LIMIT, 'products')).describe(
    `Products on the page, at most ${MAX_LISTED_PRODUCTS}. Absent: ${DEFAULT_LISTED_PRODUCTS}.`,
  ),
  Date: day(),
});

export const simulationOptionsFields = productDetailsFields;

export const referenceListsFields = requestOf(
  Object.fromEntries(
    Object.keys(referenceListsReply.shape).map((name) => [
      `display${name}`,
      optional(flag()).describe(`True: returns ${name}.`),
    ]),
  ),
);

function checkLimit({ limit }: Fields): readonly Fault[] {
  if (!Number.isInteger(limit) || (Number(limit) >= LIMIT.minimum && Number(limit) <= LIMIT.maximum))
    return [];
  return [shapeFault('limit', 'out-of-range', `must be from ${LIMIT.minimum} to ${LIMIT.maximum}`)];
}

/** Unpacking a product takes about as long as this number of figures of a schedule. */
const UNITS_PER_PRODUCT = 300;

export const PRODUCT_LISTS: readonly Action[] = [
  defineAction<ProductListRequest, z.output<typeof productListReply>>({
    name: 'PLAT_BP_GetProductList',
    summary: 'Lists the banking products on offer with their bounds',
    description:
      'Lists the approved versions that are valid on the day, a page at a time, by code (L5). ' +
      '`PLAT_BP_GetSimulationOptions` has what a simulation of one of them needs.',
    requestType: 'GetProductListRequest',
    request: createRequestReader<ProductListRequest>({ fields: productListFields, between: checkLimit }),
    replyShape: productListReply,
    examples: examples.PLAT_BP_GetProductList,
    units: ({ limit = DEFAULT_LISTED_PRODUCTS }) => limit * UNITS_PER_PRODUCT,
    render: lazyWriter(productListReply),
  }),
  defineAction<SelectorRequest, z.output<typeof simulationOptionsReply>>({
    name: 'PLAT_BP_GetSimulationOptions',
    summary: 'Returns what a simulation of a banking product can choose from and has to send',
    description: `${BY_CODE_OR_ID} Everything is as of the day, which should be that of the simulation (L6).`,
    requestType: 'GetSimulationOptionsRequest',
    request: createRequestReader<SelectorRequest>({
      fields: simulationOptionsFields,
      between: requireCodeOr('productId'),
    }),
    replyShape: simulationOptionsReply,
    units: () => MAX_VALUES_OF_FILTERS,
    examples: examples.PLAT_BP_GetSimulationOptions,
    render: lazyWriter(simulationOptionsReply),
  }),
  defineAction<ReferenceRequest, z.output<typeof referenceListsReply>>({
    name: 'PLAT_BP_GetReferenceLists',
    summary: 'Returns the requested lists of names and ids that requests and answers use',
    description:
      'Each list has its own flag. The lists have what is in force: built-in records and those of the catalogue (L7).',
    requestType: 'GetReferenceListsRequest',
    request: createRequestReader<ReferenceRequest>({ fields: referenceListsFields }),
    replyShape: referenceListsReply,
    examples: examples.PLAT_BP_GetReferenceLists,
    render: lazyWriter(referenceListsReply),
  }),
];
