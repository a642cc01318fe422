import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { messageDefinition } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import { parseWriterSchema } from '../../../../shared/messaging/codec/avro-types.ts';
import type { SchemaRegistry } from '../../../../shared/messaging/codec/schema-registry.ts';
import {
  codecOf,
  payloadOf,
  problemOf,
  REQUEST,
  smallRequest,
} from '../../../support/builders/codec-fixture.ts';

interface RecordSchema {
  fields: { name: string; type: unknown; default?: unknown }[];
}

const WRITER_ID = 9;

/** The schema of the request with a change, as another version of the software would have it. */
function changedSchema(change: (schema: RecordSchema) => void): string {
  const schema = JSON.parse(readSchema(messageDefinition(REQUEST)!)) as RecordSchema;
  change(schema);
  return JSON.stringify(schema);
}

/** Encodes with another writer's schema and decodes with ours. */
function decodeFrom(writerText: string, payload: object) {
  const writer = parseWriterSchema(writerText);
  const header = Buffer.from([0, 0, 0, 0, WRITER_ID]);
  const registry = {
    schemaOf: () => Promise.resolve({ kind: 'found', schema: parseWriterSchema(writerText) }),
  } as unknown as SchemaRegistry;
  const value = Buffer.concat([header, writer.toBuffer(payload)]);
  return codecOf({ registry }).decode({ value, headers: {} });
}

describe('messages with another schema version', () => {
  it('are read from an older writer without an optional field, and with fields in another order', async () => {
    const older = changedSchema((schema) => {
      schema.fields = schema.fields
        .filter(({ name }) => name !== 'Explain' && name !== 'HolidayShift')
        .toReversed();
    });
    expect(payloadOf(await decodeFrom(older, smallRequest))).toEqual(smallRequest);
  });

  it('are read from a newer writer without its additional fields', async () => {
    const newer = changedSchema((schema) => {
      schema.fields.splice(1, 0, {
        name: 'Extra',
        default: null,
        type: [
          'null',
          { type: 'array', items: { type: 'record', name: 'Deep', fields: [{ name: 'a', type: 'string' }] } },
        ],
      });
      schema.fields.push({
        name: 'Rate',
        default: null,
        type: ['null', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }],
      });
    });
    const payload = { ...smallRequest, Extra: [{ a: 'x' }, { a: 'y' }], Rate: new Decimal('1.25') };
    expect(payloadOf(await decodeFrom(newer, payload))).toEqual(smallRequest);
  });

  it('are refused when the writer lacks a mandatory field, naming the field', async () => {
    const without = changedSchema((schema) => {
      schema.fields = schema.fields.filter(({ name }) => name !== 'Amount');
    });
    expect(problemOf(await decodeFrom(without, smallRequest)).detail).toMatch(/incompatible.*Amount/);
  });

  it('are refused when a decimal has another scale', async () => {
    const scaled = changedSchema((schema) => {
      const amount = schema.fields.find(({ name }) => name === 'Amount')!;
      amount.type = { type: 'bytes', logicalType: 'decimal', precision: 38, scale: 6 };
    });
    expect(problemOf(await decodeFrom(scaled, smallRequest)).detail).toContain('incompatible');
  });

  it('are refused when a decimal has more digits than its precision', async () => {
    const bare = changedSchema(() => undefined).replaceAll(
      '"logicalType":"decimal",',
      '"logicalType":"other",',
    );
    const raw = parseWriterSchema(bare);
    const value = Buffer.concat([
      Buffer.from('0040000000', 'hex'),
      raw.toBuffer({ ...smallRequest, Amount: Buffer.alloc(17, 0x7f), InterestPercent: null }),
    ]);
    expect(problemOf(codecOf().decode({ value, headers: {} })).detail).toContain('decimal of 38 digits');
  });
});
