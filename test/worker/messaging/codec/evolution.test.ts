import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import type { SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import { codecOf, payloadOf, problemOf } from '../../../support/builders/codec-calls.ts';
import { REQUEST, smallRequest } from '../../../support/builders/codec-fixture.ts';

interface RecordSchema {
  fields: { name: string; type: unknown; default?: unknown }[];
}

const WRITER_ID = 9;

function changedSchema(change: (schema: RecordSchema) => void): string {
  const schema = JSON.parse(readSchema(messageDefinition(REQUEST)!)) as RecordSchema;
  change(schema);
  return JSON.stringify(schema);
}

function decodeFrom(writerText: string, payload: object) {
  const writer = parseWriterSchema(writerText);
  const header = Buffer.from([0, 0, 0, 0, WRITER_ID]);
  const schemaOf = () => Promise.resolve({ kind: 'found', schema: writer });
  const registry = { schemaOf } as unknown as SchemaRegistry;
  const value = Buffer.concat([header, writer.toBuffer(payload)]);
  return codecOf({ registry }).decode({ value, headers: {} });
}

it('messages with another schema version are read from an older writer with fewer fields, and a newer one with more', async () => {
  const left = new Set(['Explain', 'HolidayShift']);
  const older = changedSchema((schema) => {
    schema.fields = schema.fields.filter(({ name }) => !left.has(name)).toReversed();
  });
  expect(payloadOf(await decodeFrom(older, smallRequest))).toEqual(smallRequest);
  const newer = changedSchema((schema) => {
    const items = { type: 'record', name: 'Deep', fields: [{ name: 'a', type: 'string' }] };
    const rate = { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 };
    const extra = { name: 'Extra', default: null, type: ['null', { type: 'array', items }] };
    schema.fields.splice(1, 0, extra);
    schema.fields.push({ name: 'Rate', default: null, type: ['null', rate] });
  });
  const payload = { ...smallRequest, Extra: [{ a: 'x' }, { a: 'y' }], Rate: new Decimal('1.25') };
  expect(payloadOf(await decodeFrom(newer, payload))).toEqual(smallRequest);
});

const SCALED = { type: 'bytes', logicalType: 'decimal', precision: 38, scale: 6 };
it.each([
  ['the writer lacks a mandatory field, naming the field', [], /incompatible.*Amount/],
  ['a decimal has another scale', [{ name: 'Amount', type: SCALED }], /incompatible/],
])('messages with another schema version are refused when %s', async (_, amount, detail) => {
  const text = changedSchema((schema) => {
    schema.fields = schema.fields.flatMap((field) => (field.name === 'Amount' ? amount : [field]));
  });
  expect(problemOf(await decodeFrom(text, smallRequest)).detail).toMatch(detail);
});

it('messages with another schema version are refused when a decimal has more digits than its precision', async () => {
  const bare = changedSchema(() => undefined).replaceAll('"logicalType":"decimal"', '"logicalType":"other"');
  const record = { ...smallRequest, Amount: Buffer.alloc(17, 0x7f), InterestPercent: null };
  const bytes = parseWriterSchema(bare).toBuffer(record);
  const value = Buffer.concat([Buffer.from('0040000043', 'hex'), bytes]);
  expect(problemOf(codecOf().decode({ value, headers: {} })).detail).toContain('decimal of 38 digits');
});
