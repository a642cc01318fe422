import avro, { type Type } from 'avsc';
import * as fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { WIRE_HEADER_BYTES } from '../../../../shared/messaging/codec/avro-message.ts';
import { MESSAGES } from '../../../../schemas/messages.ts';
import { readSchema } from '../../../../schemas/schema-files.ts';
import {
  DecimalType,
  MAX_EXACT_LONG,
  MIN_EXACT_LONG,
  parseOwnSchema,
} from '../../../../shared/messaging/codec/avro-types.ts';
import { REQUEST_BATCH } from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, payloadOf } from '../../../support/builders/codec-calls.ts';

const codec = codecOf();
const RUNS = { numRuns: 300 };

/** avsc decodes a map as a plain object, which drops a text under `__proto__`. */
const MAP_KEYS = fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__');

function payloadsOf(type: Type): fc.Arbitrary<unknown> {
  if (type instanceof DecimalType) return decimalsOf(type);
  if (type instanceof avro.types.RecordType) {
    return fc.record(Object.fromEntries(type.fields.map((field) => [field.name, payloadsOf(field.type)])));
  }
  if (type instanceof avro.types.ArrayType) return fc.array(payloadsOf(type.itemsType), { maxLength: 4 });
  if (type instanceof avro.types.MapType)
    return fc.dictionary(MAP_KEYS, payloadsOf(type.valuesType), { maxKeys: 4 });
  return PLAIN[type.typeName] ?? fc.option(payloadsOf(branchesOf(type)[1]!), { nil: undefined });
}

const PLAIN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  int: fc.integer(),
  long: fc.integer({ min: MIN_EXACT_LONG, max: MAX_EXACT_LONG }),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  bytes: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  string: fc.string({ unit: 'binary' }),
};

function decimalsOf({ limits: { precision, scale } }: DecimalType): fc.Arbitrary<Decimal> {
  const widest = 10n ** BigInt(precision) - 1n;
  return fc.bigInt({ min: -widest, max: widest }).map((unscaled) => new Decimal(`${unscaled}e-${scale}`));
}

function branchesOf(union: Type): readonly Type[] {
  return (union as unknown as { types: readonly Type[] }).types;
}

interface ScheduleRecord {
  readonly show?: string;
  readonly eir?: string;
  readonly rows: readonly object[];
  readonly extraColumns?: readonly string[];
  readonly columns?: readonly (readonly number[])[];
  readonly explanations?: readonly (readonly object[])[];
  readonly overpaid?: number;
}

/** Makes a schedule consistent: it has the rates that `show` lists, and its rows have what is beside them. */
function consistent(payload: unknown): unknown {
  const { columns, explanations, overpaid, ...schedule } = payload as ScheduleRecord;
  if (schedule.show === undefined) return payload;
  const rows = schedule.rows.map((row, index) => ({
    ...row,
    columns: schedule.extraColumns?.map((_, column) => columns?.[index]?.[column] ?? 0),
    explanation: explanations === undefined ? undefined : (explanations[index] ?? []),
    overpaid: index === schedule.rows.length - 1 ? overpaid : undefined,
  }));
  return { ...schedule, rows, show: 'rows-with-eir', eir: schedule.eir ?? null, dae: undefined };
}

// Batches of requests are covered by batches.test.ts.
it.each(MESSAGES.filter(({ type }) => type !== REQUEST_BATCH))(
  'the codec encodes and decodes $type without change, in the bytes that avsc writes',
  (definition) => {
    const schema = parseOwnSchema(readSchema(definition));
    const form = MESSAGE_FORMS[definition.type];
    fc.assert(
      fc.property(payloadsOf(schema).map(consistent), fc.constant(definition.type), (payload, type) => {
        expect(codec.faultsOf(type, payload)).toEqual([]);
        const encoded = atOnce(codec.encode(type, payload, 'avro'));
        expect(payloadOf(codec.decode(encoded))).toEqual(payload);
        if (definition.kind === 'batch') return;
        const written = schema.toBuffer(form?.toRecord?.(payload) ?? payload);
        expect(encoded.value.subarray(WIRE_HEADER_BYTES).equals(written)).toBe(true);
      }),
      RUNS,
    );
  },
);
