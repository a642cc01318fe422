/** `PLAT_BP_Simulate` (4.4). The four JSON texts of a record keep the spelling of the interface, even CurrenctyId. */

import type { Decimal } from 'decimal.js';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits, MAX_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import type {
  OfferedCharge,
  SimulationRecord,
  SimulateRequest,
} from '../../product/simulation/simulation.ts';
import { z } from 'zod';
import type { RequestWarning } from '../../lending/request/validation.ts';
import { wholeNumber } from '../../platform/json-kinds.ts';
import { simulationUnits } from '../../lending/work-units.ts';
import { MAX_INSTALLMENTS } from '../../lending/request/field-checks.ts';
import type { Fault } from '../../platform/problem.ts';
import { isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import {
  described,
  strictNamed,
  termsOf,
  amount,
  count,
  figuresByName,
  guid,
  namedFigures,
  numericFlag,
  optional,
  optionalList,
  text,
  objectOf,
} from '../json/field-kinds.ts';
import { defineAction } from '../json/action-definition.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import { interestRateRange } from './schedule-request-fields.ts';
import examples from './simulate-examples.json' with { type: 'json' };
import TEXTS from './field-texts.json' with { type: 'json' };

function formatScheduleJson(offer: SimulationRecord): string {
  const money = (minor: number | undefined) =>
    minor === undefined ? undefined : JSON.rawJSON(formatMinorUnits(minor, offer.currencyDigits));
  const paymentSchedule = offer.rows.map((row) => ({
    InstallmentNo: row.InstallmentNo,
    remainingValue: money(row.remainingValue),
    pMT: money(row.pmt),
    interest: money(row.interest),
    principal: money(row.principal),
    managementFee: money(row.managementFee),
    totalInstallment: money(row.totalInstallment),
    insurance: money(row.insurance),
    capitalisedInterest: money(row.capitalisedInterest),
  }));
  return JSON.stringify({ paymentSchedule });
}

function formatCharges(charges: readonly OfferedCharge[], currencyField: string, prefix: string): string {
  const shown = charges.map((charge) => ({
    Name: charge.name,
    Value: figure(charge.value),
    Percent: figure(charge.percent),
    BaseValue: figure(charge.baseValue),
    BasePercent: figure(charge.basePercent),
    DiscountValue: figure(charge.discountValue),
    DiscountPercent: figure(charge.discountPercent),
    ValueIsPercent: charge.valueIsPercent,
    [currencyField]: charge.currencyId,
    [`${prefix}PeriodicityType`]: charge.periodicityType,
    [`${prefix}Date`]: formatCalendarDate(charge.date),
    [`${prefix}Id`]: charge.id,
    IsUpfront: charge.isUpfront,
  }));
  return JSON.stringify(shown);
}

function figure(value: Decimal | null): unknown {
  return value === null ? null : JSON.rawJSON(value.toFixed());
}

const record = strictNamed(
  'SimulationRecord',
  described(TEXTS.SimulationRecord, {
    InterestPercent: z.string(),
    IRR: z.string().nullable(),
    FirstInstallment: z.number(),
    FirstInsurance: z.number(),
    TotalInsurance: z.number(),
    FirstFee: z.number(),
    TotalFee: z.number(),
    Total: z.number(),
    ScheduleJson: z.string(),
    InterestId: z.string(),
    InterestListId: z.string(),
    InterestCommissionItemId: z.string(),
    CommissionListId: z.string().nullable(),
    cntInterestId: wholeNumber(TEXTS.SimulationRecord.cntInterestId),
    cntInterestCommissionItemId: wholeNumber(TEXTS.SimulationRecord.cntInterestCommissionItemId),
    OutputInterestJson: z.string(),
    OutputCommissionJson: z.string(),
    OutputInsuranceJson: z.string(),
  }),
);

export const simulateReply = z.strictObject({
  Records: z.array(record).describe('One for each interest that is offered, in the order of the catalogue.'),
  ReturnValue: z.literal(0).meta({ type: 'integer', description: 'Always 0.' }),
});

/** A record in the reply message. Its amounts are minor units of a currency with `currencyDigits` decimals. */
export type SimulatePayloadRecord = Omit<z.output<typeof record>, 'IRR' | 'CommissionListId'> & {
  readonly currencyDigits: number;
  readonly IRR: string | null | undefined;
  readonly CommissionListId: string | null | undefined;
};

export interface SimulatePayload {
  readonly Records: readonly SimulatePayloadRecord[];
  readonly ReturnValue: number;
  readonly warnings: readonly RequestWarning[];
}

export function simulatePayload(
  offers: readonly SimulationRecord[],
  warnings: readonly RequestWarning[],
): SimulatePayload {
  const Records = offers.map((offer) => ({
    currencyDigits: offer.currencyDigits,
    InterestPercent: offer.interestPercent,
    IRR: offer.irr,
    FirstInstallment: offer.firstInstallment,
    FirstInsurance: offer.firstInsurance,
    TotalInsurance: offer.totalInsurance,
    FirstFee: offer.firstFee,
    TotalFee: offer.totalFee,
    Total: offer.total,
    ScheduleJson: formatScheduleJson(offer),
    InterestId: offer.interestId,
    InterestListId: offer.interestListId,
    InterestCommissionItemId: offer.interestCommissionItemId,
    CommissionListId: offer.commissionListId,
    cntInterestId: offer.cntInterestId,
    cntInterestCommissionItemId: offer.cntInterestCommissionItemId,
    OutputInterestJson: JSON.stringify({
      BaseInterestPercent: figure(offer.interest.basePercent),
      InterestDiscountValue: figure(offer.interest.discountValue),
      InterestDiscountPercent: figure(offer.interest.discountPercent),
    }),
    OutputCommissionJson: formatCharges(offer.commissions, 'CurrencyId', 'Fee'),
    OutputInsuranceJson: formatCharges(offer.insurances, 'CurrenctyId', 'Insurance'),
  }));
  return { Records, ReturnValue: 0, warnings };
}

/** Writes the answer as JSON text. Absent fields are written as null, because Avro decodes null as absent. */
export function renderSimulation({ Records, ReturnValue }: SimulatePayload): string {
  return `{"Records":[${Records.map(recordText).join(',')}],"ReturnValue":${ReturnValue}}`;
}

const AMOUNTS: ReadonlySet<string> = new Set<keyof SimulatePayloadRecord>([
  'FirstInstallment',
  'FirstInsurance',
  'TotalInsurance',
  'FirstFee',
  'TotalFee',
  'Total',
]);
const FIELDS = Object.keys(record.shape) as readonly (keyof typeof record.shape)[];

function recordText(sent: SimulatePayloadRecord): string {
  const fields = FIELDS.map((name) => {
    const value = sent[name] ?? null;
    const isAmount = AMOUNTS.has(name) && typeof value === 'number';
    return `"${name}":${isAmount ? formatMinorUnits(value, sent.currencyDigits) : JSON.stringify(value)}`;
  });
  return `{${fields.join(',')}}`;
}

const MAX_CHOICES = 100;
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

export const simulateFields = termsOf(TEXTS.SimulateRequest, {
  productCode: text(),
  amount: amount({ exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR }),
  loanPeriod: count({ minimum: 1, maximum: MAX_INSTALLMENTS }, "periods of the product's periodicity"),
  scheduleType: text(),
  downPayment: optional(amount(AMOUNT)),
  interestType: optional(guid('; 0 or 1 for payments in arrears or in advance is InterestType')),
  interestTypeName: optional(text()),
  optional: optionalList(optionalFeature, MAX_CHOICES),
  discount: optionalList(chosenDiscount, MAX_CHOICES),
  jsonFilterCommission: namedFigures(),
  jsonInsuranceFilter: namedFigures(),
  jsonDiscountFilter: namedFigures(),
  jsonInputFormula: optional(inputFormula),
  jsonMultipleInterestRates: optionalList(interestRateRange, MAX_INSTALLMENTS),
  installmentValue: optional(amount(AMOUNT)),
  principalValue: optional(amount(AMOUNT)),
  InterestType: optional(numericFlag('; the id of an interest type is interestType')),
});

/** The parsed request. Its figures are exact decimals (M1). */
export type SimulateInput = z.output<typeof simulateFields>;

export const simulateRequest = createRequestReader<SimulateInput>({
  fields: simulateFields,
  between: requireInterestType,
});

/** Converts the figures for filters to binary numbers, which the simulation compares with those of the catalogue. */
export function toSimulateRequest(input: SimulateInput): SimulateRequest {
  const numbers = (figures: SimulateInput['jsonFilterCommission']) =>
    figures?.map(({ name, value }) => ({ name, value: value.toNumber() }));
  return {
    ...input,
    jsonFilterCommission: numbers(input.jsonFilterCommission),
    jsonInsuranceFilter: numbers(input.jsonInsuranceFilter),
    jsonDiscountFilter: numbers(input.jsonDiscountFilter),
  };
}

/** Formula arguments (even an empty object) and a non-empty list of rates require interestType (4.4, Q3, R1). */
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
