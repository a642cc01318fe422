/**
 * `PLAT_BP_Simulate` (interface section 4.4): its request, with the fields at the top of the body, and the action.
 * The contract reports missing and invalid fields (400); the simulation validates the fields with the product.
 */

import type { z } from 'zod';
import { simulationUnits } from '../../lending/work-units.ts';
import { MAX_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/max-installments.ts';
import type { Fault } from '../../platform/problem.ts';
import type { SimulateRequest } from '../../product/simulation/simulation.ts';
import { isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import {
  amount,
  count,
  figuresByName,
  guid,
  namedFigures,
  optional,
  optionalList,
  text,
  objectOf,
  requestOf,
} from '../json/field-kinds.ts';
import { defineAction } from '../json/action-definition.ts';
import { createRequestContract, type Fields } from '../json/request-contract.ts';
import { interestRateRange } from '../schedule/request-fields.ts';
import examples from './examples.json' with { type: 'json' };
import { renderSimulation, simulateReply, type SimulatePayload } from './reply.ts';

/** Maximum number of optional discounts that a request may name. */
const MAX_CHOICES = 100;
/** Maximum number of arguments for the formulas of one part. */
const MAX_ARGUMENTS = 100;

const AMOUNT = { minimum: 0, maximum: MAX_AMOUNT_MINOR };

const ONE_IS_SENT = 'Send Name or ProductDiscountId, or both if they agree.';

const optionalFeature = objectOf({
  Name: optional(text()).describe(`Name of an optional discount, case-insensitive. ${ONE_IS_SENT}`),
  ProductDiscountId: optional(guid()).describe(`Id of an optional discount. ${ONE_IS_SENT}`),
}).meta({ id: 'OptionalDiscount' });

const chosenDiscount = objectOf({
  ...optionalFeature.shape,
  ProductCode: optional(text()).describe('Code of the product; must be that of the request.'),
}).meta({ id: 'ChosenDiscount' });

const formulaArguments = figuresByName(MAX_ARGUMENTS);
const formulaPart = (what: string) =>
  optional(formulaArguments).describe(`Arguments of the formulas of ${what}, by their names.`);

const inputFormula = objectOf({
  interestInput: formulaPart('interests'),
  commissionInput: formulaPart('commissions'),
  insuranceInput: formulaPart('insurances'),
  discountInput: formulaPart('discounts'),
}).meta({ id: 'FormulaInput' });

/** The fields of the request. */
export const simulateFields = requestOf({
  productCode: text().describe(
    'Code of the product, case-insensitive. Its approved version is returned (L1).',
  ),
  amount: amount({ exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR }).describe(
    "Contract amount in the product's currency, the down payment included. More than zero (Q1, Q6).",
  ),
  loanPeriod: count(
    { minimum: 1, maximum: MAX_INSTALLMENTS },
    "periods of the product's periodicity",
  ).describe("Number of periods of the product's periodicity (Q6)."),
  scheduleType: text().describe('Name or code of a schedule type of the product, case-insensitive (Q2).'),
  downPayment: optional(amount(AMOUNT)).describe(
    'Part of the amount that is paid immediately. Default 0 (Q1, Q6).',
  ),
  interestType: optional(guid()).describe(
    'Id of the interest type. Mandatory with jsonInputFormula and jsonMultipleInterestRates (Q3).',
  ),
  interestTypeName: optional(text()).describe(
    'Fixed, Variable, Collection or BankingFormula, case-insensitive. Without a type, the default interest is offered (Q3).',
  ),
  optional: optionalList(optionalFeature, MAX_CHOICES).describe('Optional discounts that are taken (Q5).'),
  discount: optionalList(chosenDiscount, MAX_CHOICES).describe('Optional discounts that are taken (Q5).'),
  jsonFilterCommission: namedFigures().describe(
    'Figures for the filters of interests and commissions (L3, Q3).',
  ),
  jsonInsuranceFilter: namedFigures().describe('Figures for the filters of insurances (L3, Q6).'),
  jsonDiscountFilter: namedFigures().describe('Figures for the filters of discounts (L3, Q5).'),
  jsonInputFormula: optional(inputFormula).describe('Arguments of banking formulas (Q7).'),
  jsonMultipleInterestRates: optionalList(interestRateRange, MAX_INSTALLMENTS).describe(
    'Rates by range of installments, instead of those of an interest of type Collection (Q7, R1).',
  ),
  installmentValue: optional(amount(AMOUNT)).describe('Desired installment value: a fixed payment (B2, Q2).'),
  principalValue: optional(amount(AMOUNT)).describe('Desired principal value: a fixed principal (B2, Q2).'),
});

/** The parsed request: figures are exact decimals (M1). */
export type SimulateInput = z.output<typeof simulateFields>;

/** The request of HTTP calls and messages. */
export const simulateRequest = createRequestContract<SimulateInput>({
  fields: simulateFields,
  between: requireInterestType,
});

/** Converts the request for the simulation, whose filters compare JSON numbers. */
export function toSimulateRequest(input: SimulateInput): SimulateRequest {
  return {
    ...input,
    jsonFilterCommission: input.jsonFilterCommission?.map(namedFigure),
    jsonInsuranceFilter: input.jsonInsuranceFilter?.map(namedFigure),
    jsonDiscountFilter: input.jsonDiscountFilter?.map(namedFigure),
  };
}

function namedFigure({ name, value }: NonNullable<SimulateInput['jsonFilterCommission']>[number]) {
  return { name, value: value.toNumber() };
}

/**
 * Formula arguments, an object without any included, and rates by range require an interest type (interface 4.4, Q3).
 * An empty list means the same as none (R1).
 */
function requireInterestType(sent: Fields): readonly Fault[] {
  const { interestType, jsonInputFormula, jsonMultipleInterestRates: rates } = sent;
  if (!isAbsent(interestType)) return [];
  const needing = [
    ...(isRecord(jsonInputFormula) ? ['jsonInputFormula'] : []),
    ...(Array.isArray(rates) && rates.length > 0 ? ['jsonMultipleInterestRates'] : []),
  ];
  const message = `is missing; must be the id of the interest type with ${needing.join(' and ')}`;
  return needing.length === 0 ? [] : [shapeFault('interestType', 'missing', message)];
}

/** The simulation of a product. */
export const SIMULATE = defineAction<SimulateInput, SimulatePayload>({
  name: 'PLAT_BP_Simulate',
  summary: 'Simulates a banking product with its interest, commissions, insurances and discounts',
  description:
    'Returns one record for each interest of the product that matches the request, with its payment schedule from the ' +
    'day of the request. Row 0 is the down payment. Nothing is stored (Q2, Q3, Q4).',
  requestType: 'SimulateRequest',
  request: simulateRequest,
  replyShape: simulateReply,
  examples,
  answerHeaders: ['holidayCalendar'],
  units: simulationUnits,
  render: renderSimulation,
});
