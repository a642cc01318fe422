import { expect, test } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { toJsonSchema, type JsonSchema } from '../../../../shared/api/json/json-schema.ts';
import { isDateSchema } from '../../../../shared/api/json/field-kinds.ts';
import type { ReadRequest } from '../../../../shared/api/json/request-reader.ts';
import { problemShape } from '../../../../shared/api/json/problem-document.ts';
import {
  offerDocumentFields,
  type OfferDocumentPayload,
} from '../../../../shared/api/actions/offer-document-action.ts';
import { paymentValueFields, paymentValueRequest } from '../../../../shared/api/actions/pmt-action.ts';
import {
  insuranceListFields,
  productByCodeFields,
  productDetailsFields,
  productDocumentsFields,
} from '../../../../shared/api/actions/look-up-actions.ts';
import {
  productListFields,
  referenceListsFields,
  simulationOptionsFields,
} from '../../../../shared/api/actions/product-list-actions.ts';
import type { AppliedLimit, OfferExplanation } from '../../../../shared/product/simulation/offer-figures.ts';
import { rateFields, rateRequest } from '../../../../shared/api/actions/rate-action.ts';
import { repaymentScheduleFields } from '../../../../shared/api/actions/schedule-request-fields.ts';
import {
  simulateFields,
  type OfferPayload,
  type SimulatePayload,
  type SimulatePayloadRecord,
} from '../../../../shared/api/actions/simulate-action.ts';
import { repaymentScheduleRequest } from '../../../../shared/api/actions/schedule-action.ts';
import type { PaymentValue } from '../../../../shared/lending/request/payment-value-request.ts';
import { PROOF_REQUEST } from '../../../support/builders/schedule-call.ts';
import type { DiscountedFlow, ProvenRate } from '../../../../shared/lending/request/rate-request.ts';
import type {
  RepaymentSchedule,
  ScheduleRow,
} from '../../../../shared/lending/request/repayment-schedule.ts';

interface AvroType {
  readonly type: string;
  readonly name?: string;
  readonly fields?: AvroRecord['fields'];
  readonly logicalType?: string;
  readonly precision?: number;
  readonly scale?: number;
  readonly items?: string | AvroRecord | AvroType;
}
interface AvroRecord {
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: AvroNode; readonly default?: null }[];
}
type AvroNode = string | AvroType | readonly [string, string | AvroType];

function avroRecord(type: string): AvroRecord {
  const definition = messageDefinition(type);
  if (definition === undefined) throw new Error(`no ${type} in the catalogue`);
  return JSON.parse(readSchema(definition)) as AvroRecord;
}

/** Lists the fields of a record as `path? kind`, with a question mark for optional fields. */
function avroFields(
  { fields }: Pick<AvroRecord, 'fields'>,
  path = '',
  known = new Map<string, AvroRecord>(),
): string[] {
  return fields.flatMap(({ name, type: node, default: standard }) => {
    const isUnion = Array.isArray(node);
    if (isUnion && (node[0] !== 'null' || standard !== null)) throw new Error(`${name} has no default null`);
    const type = (isUnion ? node[1] : node) as string | AvroType;
    const { items, fields: own } = typeof type === 'string' ? {} : type;
    return [
      `${path}${name}${isUnion ? '?' : ''} ${kindOf(type)}`,
      ...(items === undefined ? [] : avroItems(items, `${path}${name}`, known)),
      ...(own === undefined ? [] : avroFields({ fields: own }, `${path}${name}.`, known)),
    ];
  });
}

function avroItems(
  items: string | AvroRecord | AvroType,
  path: string,
  known: Map<string, AvroRecord>,
): string[] {
  const record = typeof items === 'string' ? known.get(items) : isRecord(items) ? items : undefined;
  if (record === undefined) return [`${path}[] ${kindOf(items as string | AvroType)}`];
  known.set(record.name, record);
  return avroFields(record, `${path}.`, known);
}

function isRecord(type: AvroRecord | AvroType): type is AvroRecord {
  return type.fields !== undefined;
}

function kindOf(type: string | AvroType): string {
  return typeof type === 'string' ? type : (type.logicalType ?? type.type);
}

function zodFields({ properties = {}, required = [] }: JsonSchema, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [
    `${path}${name}${required.includes(name) ? '' : '?'} ${avroKind(field)}`,
    ...(field.items === undefined ? [] : zodItems(field.items, `${path}${name}`)),
    ...(field.properties === undefined ? [] : zodFields(field, `${path}${name}.`)),
    // In Avro, figures whose names the caller chooses are a list.
    ...(isFigures(field) ? [`${path}${name}.name string`, `${path}${name}.value decimal`] : []),
  ]);
}

function isFigures({ maxProperties, additionalProperties }: JsonSchema): boolean {
  return maxProperties !== undefined && JSON.stringify(additionalProperties) === '{"type":"number"}';
}

function zodItems(items: JsonSchema, path: string): string[] {
  return items.properties === undefined ? [`${path}[] ${avroKind(items)}`] : zodFields(items, `${path}.`);
}

function avroKind(schema: JsonSchema): string {
  if (isDateSchema(schema)) return 'date';
  if (isFigures(schema)) return 'array';
  const [type = ''] = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return { number: 'decimal', integer: 'int', object: 'record' }[type] ?? type;
}

/** Mandatory fields that may be null in Avro, since a released schema cannot become stricter: the calculation refuses null. */
const NULLABLE_IN_AVRO = new Set(['BandedInterestRates.Value decimal']);

const FLAGS_IN_AVRO = new Set(
  ['Commission.IsUpfront', 'Insurance.IsUpfront', 'DeferDueDate', 'IsLocked', 'ResidualInInstallment'].map(
    (name) => `${name}? int`,
  ),
);

test.each([
  ['CalculateRepaymentScheduleRequest', repaymentScheduleFields, 71],
  ['CalculatePMTRequest', paymentValueFields, 9],
  ['CalculateRateRequest', rateFields, 8],
  ['GetBankingProductByCodeRequest', productByCodeFields, 16],
  ['GetBankingProductDetailsRequest', productDetailsFields, 3],
  ['GetProductInsuranceListRequest', insuranceListFields, 6],
  ['GetProductDocumentsRequest', productDocumentsFields, 3],
  ['GetProductListRequest', productListFields, 3],
  ['GetSimulationOptionsRequest', simulationOptionsFields, 3],
  ['GetReferenceListsRequest', referenceListsFields, 6],
  ['SimulateRequest', simulateFields, 52],
  ['CreateOfferDocumentRequest', offerDocumentFields, 59],
] as const)(
  '%s has the same fields, kinds and optional fields in JSON and in Avro',
  (type, fields, least) => {
    const fromZod = zodFields(toJsonSchema(fields)).map((field) => {
      if (FLAGS_IN_AVRO.has(field)) return field.replace('int', 'boolean');
      return NULLABLE_IN_AVRO.has(field) ? field.replace(' ', '? ') : field;
    });
    expect(fromZod.length).toBeGreaterThanOrEqual(least);
    expect(avroFields(avroRecord(type)).toSorted()).toEqual(fromZod.toSorted());
  },
);

/** All fields of a type, true if nullable; the compiler checks that the list is complete. */
type Nulls<Type> = {
  [Name in keyof Type]-?: Extract<Type[Name], null | undefined> extends never ? false : true;
};

const nullableFields = (record: AvroRecord) =>
  Object.fromEntries(record.fields.map(({ name, type }) => [name, Array.isArray(type)]));

function itemRecord({ fields }: AvroRecord, list: string) {
  const type = fields.find(({ name }) => name === list)?.type as AvroType | undefined;
  return type?.items as AvroRecord;
}

const itemFields = (record: AvroRecord, list: string) => nullableFields(itemRecord(record, list));

/** The type of a field that may be null. */
function nestedRecord({ fields }: AvroRecord, field: string) {
  const found = fields.find(({ name }) => name === field);
  return (found?.type as readonly unknown[] | undefined)?.[1] as AvroRecord;
}
const MUST = false as const;
const MAY = true as const;

test('the Avro replies of calculations and simulations have the fields of the results', () => {
  const payment = { pmtValue: MUST, principalValue: MUST, digits: MUST } satisfies Nulls<PaymentValue>;
  expect(nullableFields(avroRecord('CalculatePMTReply'))).toEqual(payment);
  const document = {
    document: MUST,
    contentType: MAY,
    content: MAY,
    warnings: MUST,
  } satisfies Nulls<OfferDocumentPayload>;
  expect(nullableFields(avroRecord('CreateOfferDocumentReply'))).toEqual(document);
  const rate = avroRecord('CalculateRateReply');
  const proven = { rate: MAY, proof: MUST, residual: MAY, warnings: MUST } satisfies Nulls<ProvenRate>;
  expect(nullableFields(rate)).toEqual(proven);
  const amounts = { amount: MUST, discountedAmount: MAY };
  const flow = { date: MAY, years: MUST, ...amounts } satisfies Nulls<DiscountedFlow>;
  expect(itemFields(rate, 'proof')).toEqual(flow);
  const reply = avroRecord('SimulateReply');
  const payload = { Records: MUST, ReturnValue: MUST, warnings: MUST } satisfies Nulls<SimulatePayload>;
  expect(nullableFields(reply)).toEqual(payload);
  const sums = { FirstInstallment: MUST, FirstInsurance: MUST, TotalInsurance: MUST, FirstFee: MUST };
  const ids = { InterestListId: MUST, InterestCommissionItemId: MUST, CommissionListId: MAY };
  const counts = { currencyDigits: MUST, cntInterestId: MUST, cntInterestCommissionItemId: MUST };
  const texts = { ScheduleJson: MUST, OutputInterestJson: MUST, OutputCommissionJson: MUST };
  const rest = { TotalFee: MUST, InterestId: MUST, OutputInsuranceJson: MUST };
  const all = { ...sums, ...ids, ...counts, ...texts, ...rest };
  const figures = { InterestPercent: MUST, IRR: MAY, Total: MUST };
  const record = { ...all, ...figures, Offer: MAY } satisfies Nulls<SimulatePayloadRecord>;
  expect(itemFields(reply, 'Records')).toEqual(record);
  const nested = nestedRecord(itemRecord(reply, 'Records'), 'Offer');
  const costs = { TotalUpfront: MUST, TotalCostOfCredit: MUST, TotalAmountPayable: MUST, APRC: MAY };
  const payments = { InstallmentAmount: MAY, FirstInstallmentAmount: MAY, LastInstallmentAmount: MAY };
  const origin = { ProductVersion: MUST, HolidayCalendar: MAY, StartDate: MUST, Explanation: MAY };
  const offer = { ...costs, ...payments, ...origin, Limits: MAY } satisfies Nulls<OfferPayload>;
  expect(nullableFields(nested)).toEqual(offer);
  const explanation = { Figure: MUST, Name: MAY, Amount: MAY, Formula: MUST };
  const explained = (nestedRecord(nested, 'Explanation') as unknown as AvroType).items as AvroRecord;
  expect(nullableFields(explained)).toEqual(explanation satisfies Nulls<OfferExplanation>);
  const limit = { Name: MUST, Figure: MUST, Largest: MUST, Value: MAY, Result: MUST };
  const limited = (nestedRecord(nested, 'Limits') as unknown as AvroType).items as AvroRecord;
  expect(nullableFields(limited)).toEqual(limit satisfies Nulls<AppliedLimit>);
});

test('the Avro reply of a schedule has its fields and those of its rows, with lists of rows and Overpaid beside them', () => {
  const reply = avroRecord('CalculateRepaymentScheduleReply');
  const form = { casing: MUST, show: MUST, currencyDigits: MUST, scheduleTypeId: MUST, startDate: MUST };
  const rates = { dae: MAY, eir: MAY, warnings: MUST, calendar: MAY };
  const lists = { rows: MUST, extraColumns: MAY };
  const schedule = { ...form, ...rates, ...lists } satisfies Nulls<RepaymentSchedule>;
  expect(nullableFields(reply)).toEqual({ ...schedule, columns: MAY, explanations: MAY, overpaid: MAY });
  const place = { InstallmentNo: MUST, dueDate: MUST, noDays: MUST, installmentTypeId: MUST };
  const charges = { managementFee: MUST, insurance: MAY, capitalisedInterest: MAY };
  const paid = { pmt: MUST, interest: MUST, principal: MUST, totalInstallment: MUST, ...charges };
  const row = { ...place, remainingValue: MUST, ...paid, isEarlyRepayment: MUST };
  expect(itemFields(reply, 'rows')).toEqual(
    row satisfies Nulls<
      Omit<ScheduleRow, 'columns' | 'explanation' | 'overpaid' | 'onlyInRows' | 'onlyInRate'>
    >,
  );
});

test('a problem has the same fields in JSON and in Avro', () => {
  const fromZod = zodFields(toJsonSchema(problemShape)).map((line) =>
    line.replace('status decimal', 'status int'),
  );
  expect(avroFields(avroRecord('ProblemReply')).toSorted()).toEqual(fromZod.toSorted());
});

const MANDATORY_ITEM_FIELDS: Readonly<Record<string, object>> = {
  Commission: { FeePeriodicityType: 'Monthly', FeeDate: '2024-01-01', FeeName: 'x', SourceValue: 1 },
  Insurance: {
    InsurancePeriodicityType: 'Monthly',
    InsuranceDate: '2024-01-01',
    InsuranceName: 'x',
    SourceValue: 1,
  },
  EarlyRepayments: { Date: '2024-01-01', Amount: 1 },
  BandedInterestRates: { Value: 1 },
};

function requestWith(list: string | undefined, name: string, value: number): unknown {
  if (list === undefined) return { jsonParam: { ...PROOF_REQUEST, [name]: value } };
  const base = name === 'SourcePercent' ? { SourceValue: null } : {};
  return {
    jsonParam: { ...PROOF_REQUEST, [list]: [{ ...MANDATORY_ITEM_FIELDS[list], ...base, [name]: value }] },
  };
}

function decimals({ fields }: AvroRecord, list?: string): [string | undefined, string, AvroType][] {
  return fields.flatMap(({ name, type: node }) => {
    const type = Array.isArray(node) ? (node[1] as string | AvroType) : (node as string | AvroType);
    if (typeof type === 'string') return [];
    const { items } = type;
    if (items !== undefined) return typeof items !== 'string' && isRecord(items) ? decimals(items, name) : [];
    return type.logicalType === 'decimal' ? [[list, name, type]] : [];
  });
}

function readAtLimits(
  read: (value: number) => ReadRequest<unknown>,
  { precision = 0, scale = 0 }: Partial<AvroType>,
): readonly string[] {
  return [precision - scale - 1, precision - scale, -scale, -scale - 1].map((exponent) => {
    const result = read(Number(`1e${exponent}`));
    return result.kind === 'valid' ? 'valid' : result.problem;
  });
}
const AT_LIMITS = ['valid', 'not-computable', 'valid', 'not-computable'];

const PMT = { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' };
const READERS = {
  CalculateRepaymentScheduleRequest: (list: string | undefined, name: string, value: number) =>
    repaymentScheduleRequest.read(requestWith(list, name, value)),
  CalculatePMTRequest: (_list: string | undefined, name: string, value: number) =>
    paymentValueRequest.read({ jsonParam: { ...PMT, [name]: value } }),
};

test.each(
  Object.entries(READERS).flatMap(([type, read]) =>
    decimals(avroRecord(type)).map(([list, name, size]) => ({ type, list, name, size, read })),
  ),
)('$type $list $name has the range of its Avro decimal', ({ list, name, size, read }) => {
  expect(readAtLimits((value) => read(list, name, value), size)).toEqual(AT_LIMITS);
});

test.each([
  ['CashFlows', (value: number) => ({ Rule: 'XIRR', CashFlows: [{ Date: '2024-01-01', Amount: value }] })],
  ['Amounts', (value: number) => ({ Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [value] })],
] as const)('the amounts of %s have the range of their Avro decimal', (name, body) => {
  const field = avroRecord('CalculateRateRequest').fields.find((one) => one.name === name);
  expect(JSON.stringify(field)).toContain('"precision":38,"scale":18');
  const read = (value: number) => rateRequest.read({ jsonParam: body(value) });
  expect(readAtLimits(read, { precision: 38, scale: 18 })).toEqual(AT_LIMITS);
});
