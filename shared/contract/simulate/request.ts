/**
 * The request of `PLAT_BP_Simulate` on the wire: interface section 4.4, members at the top of the body. Decides shape
 * (400); what the product has of it is decided by the simulation.
 */

import { z } from 'zod';
import { MOST_INSTALLMENTS } from '../../lending/terms/loan-terms.ts';
import {
  amount,
  count,
  figuresByName,
  guid,
  optional,
  optionalList,
  text,
  wanted,
} from '../json/field-kinds.ts';
import { namedFigures } from '../json/named-figures-shape.ts';
import { interestRateRange } from '../schedule/repayment-schedule-items.ts';

/** More optional features than this no product has. */
const MOST_CHOICES = 100;
/** Most arguments of the formulas of one part. */
const MOST_ARGUMENTS = 100;

const AN_OBJECT = { error: wanted('an object') };
const ONE_IS_SENT = 'Name or ProductDiscountId is sent, or both where they agree.';

const optionalFeature = z.object(
  {
    Name: optional(text()).describe(`Name of an optional discount, in any case. ${ONE_IS_SENT}`),
    ProductDiscountId: optional(guid()).describe(`Id of an optional discount. ${ONE_IS_SENT}`),
  },
  AN_OBJECT,
);

const chosenDiscount = z.object(
  {
    ...optionalFeature.shape,
    ProductCode: optional(text()).describe('Code of the product; must be that of the request.'),
  },
  AN_OBJECT,
);

const formulaPart = (what: string) =>
  optional(figuresByName(MOST_ARGUMENTS)).describe(`Arguments of the formulas of ${what}, by their names.`);

const inputFormula = z.object(
  {
    interestInput: formulaPart('interests'),
    commissionInput: formulaPart('commissions'),
    insuranceInput: formulaPart('insurances'),
    discountInput: formulaPart('discounts'),
  },
  AN_OBJECT,
);

/** The record of members. */
export const simulateMembers = z.object(
  {
    productCode: text().describe('Code of the product, in any case. Its approved version answers.'),
    amount: amount().describe(
      "Contract amount in the product's currency, the down payment included. More than zero.",
    ),
    loanPeriod: count("periods of the product's periodicity").describe(
      "Number of periods of the product's periodicity.",
    ),
    scheduleType: text().describe('Name or code of a schedule type of the product, in any case.'),
    downPayment: optional(amount()).describe('Part of the amount that is paid at once. Default 0.'),
    interestType: optional(guid()).describe(
      'Id of the interest type. Mandatory beside jsonInputFormula and jsonMultipleInterestRates.',
    ),
    interestTypeName: optional(text()).describe(
      'Fixed, Variable, Collection or BankingFormula, in any case. Without a type the default interest is offered.',
    ),
    optional: optionalList(optionalFeature, MOST_CHOICES).describe('Optional discounts that are taken.'),
    discount: optionalList(chosenDiscount, MOST_CHOICES).describe('Optional discounts that are taken.'),
    jsonFilterCommission: namedFigures().describe('Figures for the filters of interests and commissions.'),
    jsonInsuranceFilter: namedFigures().describe('Figures for the filters of insurances.'),
    jsonDiscountFilter: namedFigures().describe('Figures for the filters of discounts.'),
    jsonInputFormula: optional(inputFormula).describe('Arguments of banking formulas.'),
    jsonMultipleInterestRates: optionalList(interestRateRange, MOST_INSTALLMENTS).describe(
      'Rates by range of installments in place of those of an interest of type Collection.',
    ),
    installmentValue: optional(amount()).describe('Desired installment value: a locked payment.'),
    principalValue: optional(amount()).describe('Desired principal value: a locked principal.'),
  },
  { error: wanted('an object with the members of the request') },
);
