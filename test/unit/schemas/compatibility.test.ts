import { describe, expect, it } from 'vitest';
import { messageDefinition } from '../../../schemas/messages.ts';
import { readSchema } from '../../../schemas/schema-files.ts';
import { incompatibilities } from '../../../shared/messaging/codec/schema-compatibility.ts';

interface Field {
  name: string;
  type: unknown;
  default?: unknown;
  doc?: string;
}

const REQUEST = readSchema(messageDefinition('CalculateRepaymentScheduleRequest')!);
const decimal = (precision: number, scale: number) => ({
  type: 'bytes',
  logicalType: 'decimal',
  precision,
  scale,
});

function incompatibilitiesOf(change: (fields: Field[]) => void): string[] {
  const schema = JSON.parse(REQUEST) as { fields: Field[] };
  change(schema.fields);
  return incompatibilities(REQUEST, JSON.stringify(schema)).map(({ field, reason }) => `${field} ${reason}`);
}

const field = (fields: Field[], name: string): Field => fields.find((one) => one.name === name)!;
const remove = (fields: Field[], name: string) => fields.splice(fields.indexOf(field(fields, name)), 1);

const retype = (name: string, type: unknown) => (fields: Field[]) =>
  Object.assign(field(fields, name), { type });

function itemFields(fields: Field[], name: string): Field[] {
  const [, list] = field(fields, name).type as [string, { items: { fields: Field[] } }];
  return list.items.fields;
}

const enumRecord = (...symbols: string[]) =>
  JSON.stringify({
    type: 'record',
    name: 'A',
    fields: [{ name: 'a', type: { type: 'enum', name: 'E', symbols } }],
  });

describe('a schema change', () => {
  it.each<[string, (fields: Field[]) => void]>([
    ['a new optional field', (fields) => fields.push({ name: 'New', type: ['null', 'int'], default: null })],
    ['a new field with a default', (fields) => fields.unshift({ name: 'New', type: 'int', default: 3 })],
    ['a removed optional field', (fields) => remove(fields, 'Explain')],
    ['a different order of fields', (fields) => fields.push(fields.shift()!)],
    ['another description', (fields) => Object.assign(field(fields, 'Amount'), { doc: 'Another text.' })],
  ])('is compatible: %s', (_, change) => {
    expect(incompatibilitiesOf(change)).toEqual([]);
  });

  it.each<[string, (fields: Field[]) => void, string]>([
    [
      'a new mandatory field',
      (fields) => fields.push({ name: 'New', type: 'int' }),
      'New is new and mandatory',
    ],
    ['dropping a mandatory field', (fields) => remove(fields, 'Amount'), 'Amount was mandatory and is gone'],
    ['another type', retype('InstallmentsNo', 'string'), 'InstallmentsNo was int and is string'],
    [
      'a wider whole number, which older readers cannot take',
      retype('InstallmentsNo', 'long'),
      'InstallmentsNo was int and is long',
    ],
    [
      'a different scale of a decimal',
      retype('Amount', decimal(38, 6)),
      'Amount was decimal(38,18) and is decimal(38,6)',
    ],
    [
      'fewer digits of an optional decimal',
      retype('UpFrontValue', ['null', decimal(20, 18)]),
      'UpFrontValue was decimal(38,18) and is decimal(20,18)',
    ],
    [
      'a date changed into a number',
      retype('ActivationDate', ['null', 'int']),
      'ActivationDate was date and is int',
    ],
    [
      'an optional field made mandatory',
      (fields) => Object.assign(field(fields, 'Currency'), { type: 'string', default: undefined }),
      'Currency was null or string and is string',
    ],
    [
      'a mandatory field made optional, which older readers cannot read',
      retype('ScheduleType', ['null', 'string']),
      'ScheduleType was string and is null or string',
    ],
    [
      'an additional type',
      retype('Currency', ['null', 'string', 'int']),
      'Currency was null or string and is null or string or int',
    ],
    ['a removed type', retype('Currency', ['null']), 'Currency was null or string and is null'],
    [
      'a new mandatory field in an item of a list',
      (fields) => itemFields(fields, 'Commission').push({ name: 'Rank', type: 'int' }),
      'Commission[].Rank is new and mandatory',
    ],
  ])('is incompatible: %s', (_, change, reason) => {
    expect(incompatibilitiesOf(change)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    ['long', 'timestamp-millis', 'timestamp-micros'],
    ['long', 'time-micros', 'timestamp-micros'],
    ['int', 'time-millis', 'date'],
    ['string', 'uuid', undefined],
  ])('is incompatible: another meaning of the same %s, %s and %s', (type, before, after) => {
    const record = (logicalType?: string) =>
      JSON.stringify({ type: 'record', name: 'A', fields: [{ name: 'a', type: { type, logicalType } }] });
    const reason = `was ${before} and is ${after ?? type}; add a new field`;
    expect(incompatibilities(record(before), record(after))).toEqual([{ field: 'a', reason }]);
  });

  it('is incompatible: a different record name', () => {
    const renamed = REQUEST.replace('"CalculateRepaymentScheduleRequest"', '"Other"');
    expect(incompatibilities(REQUEST, renamed)).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('a record keeps its name') }),
    ]);
  });

  it('is incompatible: a new symbol of an enum, which older readers do not know', () => {
    expect(incompatibilities(enumRecord('X'), enumRecord('X'))).toEqual([]);
    expect(incompatibilities(enumRecord('X'), enumRecord('X', 'Y'))).toEqual([
      { field: 'a', reason: expect.stringContaining('was enum of X and is enum of X, Y') },
    ]);
  });
});
