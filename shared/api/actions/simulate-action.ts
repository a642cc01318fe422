/** `PLAT_BP_Simulate` (4.4). The four JSON texts of a record keep the spelling of the interface, even CurrenctyId. */

import type { Decimal } from 'decimal.js';
import { formatCalendarDate, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import { formatMinorUnits, MAX_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import { formatCalendar } from '../../messaging/header-text.ts';
import { LIMITED_FIGURES } from '../../product/catalogue/limit-list.ts';
import {
  EXPLAINED_OFFER_FIGURES,
  LIMIT_RESULTS,
  type OfferFigures,
} from '../../product/simulation/offer-figures.ts';
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
  strictIn,
  strictNamed,
  termsOf,
  amount,
  count,
  date,
  figuresByName,
  flag,
  guid,
  namedFigures,
  numericFlag,
  optional,
  optionalList,
  text,
  objectOf,
} from '../json/field-kinds.ts';
import { asWritten, csvText } from '../json/csv-rows.ts';
import { defineAction } from '../json/action-definition.ts';
import { createRequestReader, type Fields } from '../json/request-reader.ts';
import { interestRateRange } from './schedule-request-fields.ts';
import examples from './simulate-examples.json' with { type: 'json' };
import TEXTS from './field-texts.json' with { type: 'json' };

const strict = strictIn(TEXTS);

/** Written as text, because a row of JSON.stringify takes as long as the calculation of the row. */
function formatScheduleJson({ rows, offer, currencyDigits }: SimulationRecord): string {
  const money = (name: string, minor: number | undefined) =>
    minor === undefined ? '' : `,"${name}":${formatMinorUnits(minor, currencyDigits)}`;
  const texts = rows.map(
    (row) =>
      `{"InstallmentNo":${row.InstallmentNo}` +
      (offer === undefined ? '' : `,"DueDate":"${formatDay(row.dueDate)}"`) +
      money('remainingValue', row.remainingValue) +
      money('pMT', row.pmt) +
      money('interest', row.interest) +
      money('principal', row.principal) +
      money('managementFee', row.managementFee) +
      money('totalInstallment', row.totalInstallment) +
      money('insurance', row.insurance) +
      `${money('capitalisedInterest', row.capitalisedInterest)}}`,
  );
  return `{"paymentSchedule":[${texts.join(',')}]}`;
}

/** A day as in the rows of schedules (D1). */
const formatDay = (day: CalendarDate) => `${formatCalendarDate(day)}T00:00:00`;

/** The charges of the schedule; with an offer all charges, and where they count (Q8). */
function formatCharges(
  charges: readonly OfferedCharge[],
  { offer }: SimulationRecord,
  currencyField: string,
  prefix: string,
): string {
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
    ...(offer && { InSchedule: charge.place.inSchedule, InAprc: charge.place.inAprc }),
  }));
  return JSON.stringify(shown);
}

function figure(value: Decimal | null): unknown {
  return value === null ? null : JSON.rawJSON(value.toFixed());
}

const offerExplanation = strict('OfferExplanation', {
  Figure: z.enum(EXPLAINED_OFFER_FIGURES),
  Name: z.string().optional(),
  Amount: z.number().nullable(),
  Formula: z.string(),
});

const offerLimit = strict('OfferLimit', {
  Name: z.string(),
  Figure: z.enum(LIMITED_FIGURES),
  Largest: z.number(),
  Value: z.number().nullable(),
  Result: z.enum(LIMIT_RESULTS),
});

/** Fields of a record that only an offer has, so they are optional in the schema of the record (Q8). */
const offerFields = described(TEXTS.OfferFigures, {
  TotalUpfront: z.number().optional(),
  TotalCostOfCredit: z.number().optional(),
  TotalAmountPayable: z.number().optional(),
  APRC: z.string().nullable().optional(),
  InstallmentAmount: z.number().nullable().optional(),
  FirstInstallmentAmount: z.number().optional(),
  LastInstallmentAmount: z.number().optional(),
  ProductVersion: wholeNumber(TEXTS.OfferFigures.ProductVersion, 1).optional(),
  HolidayCalendar: z.string().nullable().optional(),
  StartDate: z.string().optional(),
  Explanation: z.array(offerExplanation).optional(),
  Limits: z.array(offerLimit).optional(),
});

const record = strictNamed('SimulationRecord', {
  ...described(TEXTS.SimulationRecord, {
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
  ...offerFields,
});

export const simulateReply = z.strictObject({
  Records: z.array(record).describe('One for each interest that is offered, in the order of the catalogue.'),
  ReturnValue: z.literal(0).meta({ type: 'integer', description: 'Always 0.' }),
});

type OfferField = keyof typeof offerFields;

/** A record in the reply message. Its amounts are minor units of a currency with `currencyDigits` decimals. */
export type SimulatePayloadRecord = Omit<z.output<typeof record>, 'IRR' | 'CommissionListId' | OfferField> & {
  readonly currencyDigits: number;
  readonly IRR: string | null | undefined;
  readonly CommissionListId: string | null | undefined;
  /** Absent without an offer. Avro decodes null as absent, and a record of its own tells the two apart. */
  readonly Offer: OfferPayload | undefined;
};

type Absent = null | undefined;
type OfferRecord = ReturnType<typeof offerPayload>;

/** The figures of an offer in the reply message, in minor units. What may be null or absent may be either. */
export type OfferPayload = {
  readonly [Name in keyof OfferRecord]:
    | OfferRecord[Name]
    | (OfferRecord[Name] & Absent extends never ? never : Absent);
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
    OutputCommissionJson: formatCharges(offer.commissions, offer, 'CurrencyId', 'Fee'),
    OutputInsuranceJson: formatCharges(offer.insurances, offer, 'CurrenctyId', 'Insurance'),
    Offer: offer.offer && offerPayload(offer.offer),
  }));
  return { Records, ReturnValue: 0, warnings };
}

function offerPayload(figures: OfferFigures) {
  return {
    TotalUpfront: figures.totalUpfront,
    TotalCostOfCredit: figures.totalCostOfCredit,
    TotalAmountPayable: figures.totalAmountPayable,
    APRC: figures.aprc,
    InstallmentAmount: figures.installmentAmount,
    FirstInstallmentAmount: figures.firstInstallmentAmount,
    LastInstallmentAmount: figures.lastInstallmentAmount,
    ProductVersion: figures.productVersion,
    HolidayCalendar: figures.calendar && formatCalendar(figures.calendar),
    StartDate: figures.startDate,
    Explanation: figures.explanation,
    Limits: figures.limits,
  };
}

/** Writes the answer as JSON text. Absent fields are written as null, because Avro decodes null as absent. */
export function renderSimulation({ Records, ReturnValue }: SimulatePayload): string {
  return `{"Records":[${Records.map(recordText).join(',')}],"ReturnValue":${ReturnValue}}`;
}

/** The rows of all offers; the first columns say which offer a row belongs to (T6). */
function simulationCsv({ Records }: SimulatePayload): string {
  const rows = Records.flatMap(({ InterestCommissionItemId, InterestId, InterestPercent, ScheduleJson }) => {
    const { paymentSchedule } = JSON.parse(ScheduleJson, asWritten) as { readonly paymentSchedule: object[] };
    const offer = { InterestCommissionItemId, InterestId, InterestPercent };
    return paymentSchedule.map((row) => ({ ...offer, ...row }));
  });
  return csvText(rows);
}

const AMOUNTS: ReadonlySet<string> = new Set<keyof SimulatePayloadRecord>([
  'FirstInstallment',
  'FirstInsurance',
  'TotalInsurance',
  'FirstFee',
  'TotalFee',
  'Total',
]);
const FIELDS = Object.keys(record.shape).filter((name) => !(name in offerFields)) as readonly Exclude<
  keyof typeof record.shape,
  OfferField
>[];

function recordText(sent: SimulatePayloadRecord): string {
  const fields = FIELDS.map((name) => {
    const value = sent[name] ?? null;
    const isAmount = AMOUNTS.has(name) && typeof value === 'number';
    return `"${name}":${isAmount ? formatMinorUnits(value, sent.currencyDigits) : JSON.stringify(value)}`;
  });
  const ofOffer = sent.Offer === undefined ? '' : `,${offerText(sent.Offer, sent.currencyDigits)}`;
  return `{${fields.join(',')}${ofOffer}}`;
}

/** The fields of an offer; a first or last payment that is the regular one, and explanations nobody asked for, are absent. */
function offerText(offer: OfferPayload, digits: number): string {
  const money = (minor: number | Absent) =>
    typeof minor === 'number' ? JSON.rawJSON(formatMinorUnits(minor, digits)) : minor;
  const shown = {
    ...offer,
    TotalUpfront: money(offer.TotalUpfront),
    TotalCostOfCredit: money(offer.TotalCostOfCredit),
    TotalAmountPayable: money(offer.TotalAmountPayable),
    APRC: typeof offer.APRC === 'string' ? `${offer.APRC}%` : null,
    InstallmentAmount: money(offer.InstallmentAmount) ?? null,
    FirstInstallmentAmount: money(offer.FirstInstallmentAmount) ?? undefined,
    LastInstallmentAmount: money(offer.LastInstallmentAmount) ?? undefined,
    HolidayCalendar: offer.HolidayCalendar ?? null,
    StartDate: formatDay(offer.StartDate),
    Explanation: offer.Explanation?.map((entry) => ({
      ...entry,
      Name: entry.Name ?? undefined,
      Amount: typeof entry.Amount === 'string' ? JSON.rawJSON(entry.Amount) : null,
    })),
    Limits: offer.Limits?.map((limit) => ({
      ...limit,
      Largest: JSON.rawJSON(limit.Largest),
      Value: typeof limit.Value === 'string' ? JSON.rawJSON(limit.Value) : null,
    })),
  } satisfies Record<OfferField, unknown>;
  return JSON.stringify(shown).slice(1, -1);
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

const ID_OR_NAME = 'Send Name or the id, or both if they agree.';

const chosenCommission = objectOf({
  Name: optional(text()).describe(`Name of an optional commission, case-insensitive. ${ID_OR_NAME}`),
  FeeId: optional(guid()).describe(`Id of an optional commission. ${ID_OR_NAME}`),
}).meta({ id: 'ChosenCommission' });

const chosenInsurance = objectOf({
  Name: optional(text()).describe(`Name of an optional insurance, case-insensitive. ${ID_OR_NAME}`),
  InsuranceId: optional(guid()).describe(`Id of an optional insurance. ${ID_OR_NAME}`),
}).meta({ id: 'ChosenInsurance' });

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
  interestType: optional(guid()),
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
  InterestType: optional(numericFlag()),
  Offer: optional(flag()),
  Date: optional(date()),
  Explain: optional(flag()),
  FirstDueDate: optional(date()),
  InstallmentDay: optional(count({ minimum: 1, maximum: 31 })),
  GracePeriodPrincipal: optional(count({ minimum: 0, maximum: MAX_INSTALLMENTS })),
  GracePeriodInterest: optional(count({ minimum: 0, maximum: MAX_INSTALLMENTS })),
  OptionalCommissions: optionalList(chosenCommission, MAX_CHOICES),
  OptionalInsurances: optionalList(chosenInsurance, MAX_CHOICES),
  Income: optional(amount({ exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR })),
});

/** The parsed request. Its figures are exact decimals (M1). */
export type SimulateInput = z.output<typeof simulateFields>;

export const simulateRequest = createRequestReader<SimulateInput>({
  fields: simulateFields,
  between: requireInterestType,
});

/** Converts the figures for filters to binary numbers, which the simulation compares with those of the catalogue. */
export function toSimulateRequest(input: SimulateInput) {
  const numbers = (figures: SimulateInput['jsonFilterCommission']) =>
    figures?.map(({ name, value }) => ({ name, value: value.toNumber() }));
  return {
    ...input,
    jsonFilterCommission: numbers(input.jsonFilterCommission),
    jsonInsuranceFilter: numbers(input.jsonInsuranceFilter),
    jsonDiscountFilter: numbers(input.jsonDiscountFilter),
  } satisfies SimulateRequest;
}

/** Formula arguments (even an empty object) and a non-empty list of rates require interestType (4.4, Q3, R1). */
export function requireInterestType(sent: Fields): readonly Fault[] {
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
    'day of the request. Row 0 is the down payment. With Offer it also has what an offer must say: total cost, annual ' +
    'rate and due dates. Nothing is stored (Q2, Q3, Q4, Q8).',
  requestType: 'SimulateRequest',
  request: simulateRequest,
  replyShape: simulateReply,
  examples,
  answerHeaders: ['holidayCalendar'],
  units: simulationUnits,
  render: renderSimulation,
  formats: { 'text/csv': { render: simulationCsv } },
});
