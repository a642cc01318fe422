import avro, { type Schema } from 'avsc';
import { expect, test } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { ACTIONS } from '../../../../shared/contract/actions/actions.ts';
import { toJsonSchema, type JsonSchema } from '../../../../shared/contract/json/json-schema.ts';
import { isDateSchema } from '../../../../shared/contract/json/field-kinds.ts';
import { problemSchema } from '../../../../shared/contract/json/problem.ts';
import {
  paymentValueFields,
  paymentValueRequest,
} from '../../../../shared/contract/payment-value/calculate-pmt.ts';
import {
  insuranceListFields,
  productByCodeFields,
  productDetailsFields,
  productDocumentsFields,
} from '../../../../shared/contract/product/look-ups.ts';
import { rateFields, rateRequest } from '../../../../shared/contract/rate/calculate-rate.ts';
import { repaymentScheduleFields } from '../../../../shared/contract/schedule/request-fields.ts';
import { simulateFields } from '../../../../shared/contract/simulate/simulate.ts';
import type { SimulatePayload, SimulatePayloadRecord } from '../../../../shared/contract/simulate/reply.ts';
import { repaymentScheduleRequest } from '../../../../shared/contract/schedule/calculate-repayment-schedule.ts';
import type { PaymentValue } from '../../../../shared/lending/request/payment-value-request.ts';
import type { DiscountedFlow, ProvenRate } from '../../../../shared/lending/request/rate-request.ts';

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

/** One line for each field: path, kind, and a question mark where it may be left out. A record is written out once. */
function avroMembers(
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
      ...(own === undefined ? [] : avroMembers({ fields: own }, `${path}${name}.`, known)),
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
  return avroMembers(record, `${path}.`, known);
}

function isRecord(type: AvroRecord | AvroType): type is AvroRecord {
  return type.fields !== undefined;
}

function kindOf(type: string | AvroType): string {
  return typeof type === 'string' ? type : (type.logicalType ?? type.type);
}

function zodMembers({ properties = {}, required = [] }: JsonSchema, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [
    `${path}${name}${required.includes(name) ? '' : '?'} ${avroKind(field)}`,
    ...(field.items === undefined ? [] : zodItems(field.items, `${path}${name}`)),
    ...(field.properties === undefined ? [] : zodMembers(field, `${path}${name}.`)),
    // Avro has no fields under names of the caller's: there they are a list.
    ...(isFigures(field) ? [`${path}${name}.name string`, `${path}${name}.value decimal`] : []),
  ]);
}

function isFigures({ maxProperties, additionalProperties }: JsonSchema): boolean {
  return maxProperties !== undefined && JSON.stringify(additionalProperties) === '{"type":"number"}';
}

function zodItems(items: JsonSchema, path: string): string[] {
  return items.properties === undefined ? [`${path}[] ${avroKind(items)}`] : zodMembers(items, `${path}.`);
}

function avroKind(schema: JsonSchema): string {
  if (isDateSchema(schema)) return 'date';
  if (schema.enum?.includes(true) === true) return 'boolean';
  if (isFigures(schema)) return 'array';
  const [type = ''] = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return { number: 'decimal', integer: 'int', object: 'record' }[type] ?? type;
}

test.each([
  ['CalculateRepaymentScheduleRequest', repaymentScheduleFields, 71],
  ['CalculatePMTRequest', paymentValueFields, 9],
  ['CalculateRateRequest', rateFields, 8],
  ['GetBankingProductByCodeRequest', productByCodeFields, 16],
  ['GetBankingProductDetailsRequest', productDetailsFields, 3],
  ['GetProductInsuranceListRequest', insuranceListFields, 6],
  ['GetProductDocumentsRequest', productDocumentsFields, 3],
  ['SimulateRequest', simulateFields, 38],
] as const)(
  'the JSON %s and the Avro one have the same fields, kinds and optional fields',
  (type, fields, least) => {
    const fromZod = zodMembers(toJsonSchema(fields));
    expect(fromZod.length).toBeGreaterThanOrEqual(least);
    expect(avroMembers(avroRecord(type)).toSorted()).toEqual(fromZod.toSorted());
  },
);

/** Every field of a type, true where it may be null: the compiler checks that none is left out or made up. */
type NullableMembers<Type> = { [Name in keyof Type]-?: null extends Type[Name] ? true : false };

const nullableMembers = (record: AvroRecord) =>
  Object.fromEntries(record.fields.map(({ name, type }) => [name, Array.isArray(type)]));

test('the replies have the fields of what is calculated', () => {
  expect(nullableMembers(avroRecord('CalculatePMTReply'))).toEqual({
    pmtValue: false,
    principalValue: false,
    digits: false,
  } satisfies NullableMembers<PaymentValue>);
  const rate = avroRecord('CalculateRateReply');
  expect(nullableMembers(rate)).toEqual({
    rate: true,
    proof: false,
    residual: true,
    warnings: false,
  } satisfies NullableMembers<ProvenRate>);
  const proof = rate.fields.find(({ name }) => name === 'proof')?.type as AvroType | undefined;
  expect(nullableMembers(proof?.items as AvroRecord)).toEqual({
    date: true,
    amount: false,
    years: false,
    discountedAmount: true,
  } satisfies NullableMembers<DiscountedFlow>);
});

test('the reply of a simulation has the fields of its payload', () => {
  const reply = avroRecord('SimulateReply');
  expect(nullableMembers(reply)).toEqual({
    Records: false,
    ReturnValue: false,
    warnings: false,
  } satisfies NullableMembers<SimulatePayload>);
  const records = reply.fields.find(({ name }) => name === 'Records')?.type as AvroType | undefined;
  expect(nullableMembers(records?.items as AvroRecord)).toEqual({
    currencyDigits: false,
    InterestPercent: false,
    IRR: true,
    FirstInstallment: false,
    FirstInsurance: false,
    TotalInsurance: false,
    FirstFee: false,
    TotalFee: false,
    Total: false,
    ScheduleJson: false,
    InterestId: false,
    InterestListId: false,
    InterestCommissionItemId: false,
    CommissionListId: true,
    cntInterestId: false,
    cntInterestCommissionItemId: false,
    OutputInterestJson: false,
    OutputCommissionJson: false,
    OutputInsuranceJson: false,
  } satisfies NullableMembers<SimulatePayloadRecord>);
});

test('the JSON problem and the Avro problem have the same fields', () => {
  const fromZod = zodMembers(problemSchema()).map((line) => line.replace('status decimal', 'status int'));
  expect(avroMembers(avroRecord('ProblemReply')).toSorted()).toEqual(fromZod.toSorted());
});

const BASE = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
};
const MANDATORY_OF_ITEMS: Readonly<Record<string, object>> = {
  Commission: { FeePeriodicityType: 'Monthly', FeeDate: '2024-01-01', FeeName: 'x', SourceValue: 1 },
  Insurance: {
    InsurancePeriodicityType: 'Monthly',
    InsuranceDate: '2024-01-01',
    InsuranceName: 'x',
    SourceValue: 1,
  },
  EarlyRepayments: { Date: '2024-01-01', Amount: 1 },
};

/** A request in which one number, at the top or in an item, has a certain value. */
function requestWith(list: string | undefined, name: string, value: number): unknown {
  if (list === undefined) return { jsonParam: { ...BASE, [name]: value } };
  const base = name === 'SourcePercent' ? { SourceValue: null } : {};
  return { jsonParam: { ...BASE, [list]: [{ ...MANDATORY_OF_ITEMS[list], ...base, [name]: value }] } };
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

test.each(decimals(avroRecord('CalculateRepaymentScheduleRequest')))(
  '%s %s: a number is accepted exactly when the Avro schema has a place for it',
  (list, name, { precision = 0, scale = 0 }) => {
    const read = (value: number) => repaymentScheduleRequest.read(requestWith(list, name, value));
    expect(read(Number(`1e${precision - scale - 1}`))).toMatchObject({ kind: 'valid' });
    expect(read(Number(`1e${precision - scale}`))).toMatchObject({ problem: 'not-computable' });
    expect(read(Number(`1e-${scale}`))).toMatchObject({ kind: 'valid' });
    expect(read(Number(`1e-${scale + 1}`))).toMatchObject({ problem: 'not-computable' });
  },
);

test.each(decimals(avroRecord('CalculatePMTRequest')))(
  '%s %s of a payment value: a number is accepted exactly when the Avro schema has a place for it',
  (_list, name, { precision = 0, scale = 0 }) => {
    const terms = { InstallmentsNo: 4, PeriodicityType: 'Monthly', InterestCalculationMethod: '30/360' };
    const read = (value: number) => paymentValueRequest.read({ jsonParam: { ...terms, [name]: value } });
    expect(read(Number(`1e${precision - scale - 1}`))).toMatchObject({ kind: 'valid' });
    expect(read(Number(`1e${precision - scale}`))).toMatchObject({ problem: 'not-computable' });
    expect(read(Number(`1e-${scale}`))).toMatchObject({ kind: 'valid' });
    expect(read(Number(`1e-${scale + 1}`))).toMatchObject({ problem: 'not-computable' });
  },
);

/** Requests in which one flow has a certain amount. */
const bodies = (value: number) => [
  { Rule: 'XIRR', CashFlows: [{ Date: '2024-01-01', Amount: value }] },
  { Rule: 'IRR', PeriodicityType: 'Monthly', Amounts: [value] },
];

test('the amounts of flows are accepted exactly when the Avro schema has a place for them', () => {
  const fields = avroRecord('CalculateRateRequest').fields.filter(({ name }) =>
    /CashFlows|Amounts/.test(name),
  );
  expect(JSON.stringify(fields).match(/"precision":38,"scale":18/g)).toHaveLength(2);
  for (const fits of [1e19, 1e-18]) {
    for (const jsonParam of bodies(fits))
      expect(rateRequest.read({ jsonParam })).toMatchObject({ kind: 'valid' });
  }
  for (const misfit of [1e20, 1e-19]) {
    for (const jsonParam of bodies(misfit))
      expect(rateRequest.read({ jsonParam })).toMatchObject({ problem: 'not-computable' });
  }
});

test('the Avro schemas of all actions are valid', () => {
  for (const { requestType, replyType } of ACTIONS) {
    for (const type of [requestType, replyType]) {
      const schema = avroRecord(type) as unknown as Schema;
      expect(avro.Type.forSchema(schema).typeName).toBe('record');
    }
  }
});
