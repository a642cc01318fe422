/** Messages in the Confluent wire format (docs.confluent.io, serdes-develop): 0x00, schema id (uint32 BE), value. */

import avro, { type Resolver, type Type } from 'avsc';
import { type MessageDefinition, recordName } from '../../../schemas/messages.ts';
import { errorText, SystemError } from '../../platform/errors.ts';
import { lazy } from '../../platform/lazy.ts';
import { type Fault, createProblem } from '../../platform/problem.ts';
import { compileBoundsCheck, TooManyItemsError } from './avro-bounds.ts';
import { DecimalType, decimalMisfit, branchesOf, isSameSchema, parseOwnSchema } from './avro-types.ts';
import type { DecimalLimits } from './avro-types.ts';
import type { MessageForm } from './json-message.ts';
import { MAX_BATCH_ITEMS, batchIdFault, batchSizeProblem } from './request-batch.ts';
import type { ReplyBatch, BatchItem, OpenedBatch, ReplyBatchItem, RequestBatch } from './request-batch.ts';
import type { Decoded } from '../codec.ts';
import type { SyncOrAsync } from '../../platform/sync-or-async.ts';

export const MAGIC_BYTE = 0;
export const WIRE_HEADER_BYTES = 5;
const INITIAL_SCRATCH_BYTES = 64 * 1_024;
/** A larger buffer is not kept, so that one large message does not occupy memory permanently. */
const MAX_KEPT_SCRATCH_BYTES = 1_024 * 1_024;
const MAX_FAULTS = 100;

export interface AvroMessage {
  readonly definition: MessageDefinition;
  /** The first access compiles the schema. It throws if the schema is invalid, or its record has another name. */
  readonly schema: Type;
  readonly schemaText: string;
  readonly form: Pick<MessageForm, 'toRecord' | 'fromRecord'>;
}

export interface AvroReader {
  readonly message: AvroMessage;
  /** Returns the payload; throws when the bytes are not exactly one value of the writer's schema. */
  read(bytes: Buffer): unknown;
}

/** A payload cannot be encoded because it does not fit its schema. Values are never rounded or truncated to fit. */
export class PayloadError extends SystemError {
  override readonly name = 'PayloadError';
  readonly faults: readonly Fault[];

  constructor(type: string, faults: readonly Fault[]) {
    const listed = faults.map((fault) => `${fault.path} ${fault.message}`).join('; ');
    super('payload-does-not-fit', `${type} cannot be encoded: ${listed}`, { canRetry: false });
    this.faults = faults;
  }
}

export function createAvroMessage(
  definition: MessageDefinition,
  schemaText: string,
  form: AvroMessage['form'] = {},
): AvroMessage {
  const parsed = lazy(() => {
    const schema = parseOwnSchema(schemaText);
    if (schema.name === recordName(definition)) return schema;
    throw new Error(
      `the schema of ${definition.type} names its record ${schema.name}, not ${recordName(definition)}`,
    );
  });
  return {
    definition,
    get schema() {
      return parsed();
    },
    schemaText,
    form,
  };
}

/** Creates a reader for messages written with the schema `writer`. Throws if our schema cannot read them. */
export function createAvroReader(message: AvroMessage, writer: Type): AvroReader {
  const { definition, schema, form } = message;
  const maxItems = definition.kind === 'batch' ? MAX_BATCH_ITEMS : Infinity;
  const check = compileBoundsCheck(writer, maxItems);
  const markAbsent = absenceIn(schema);
  const isOwn = schema === writer || isSameSchema(schema, writer);
  const resolver: Resolver | undefined = isOwn ? undefined : schema.createResolver(writer);
  return {
    message,
    read: (bytes) => {
      check(bytes, WIRE_HEADER_BYTES);
      const { value } = schema.decode(bytes, WIRE_HEADER_BYTES, resolver) as { value: unknown };
      markAbsent?.(value);
      form.fromRecord?.(value);
      return value;
    },
  };
}

/** Returns a function that encodes payloads. It throws PayloadError with the fields that do not fit, at most 100. */
export function createAvroWriter(): (message: AvroMessage, schemaId: number, payload: unknown) => Buffer {
  let scratch = Buffer.allocUnsafeSlow(INITIAL_SCRATCH_BYTES);
  return (message, schemaId, payload) => {
    const isBatch = message.definition.kind === 'batch';
    const record = isBatch
      ? toBatchRecord(payload as ReplyBatch)
      : (message.form.toRecord?.(payload) ?? payload);
    let target = scratch;
    let end = encodeInto(message, record, target);
    if (end < 0) {
      target = Buffer.allocUnsafeSlow(target.length - end);
      end = encodeInto(message, record, target);
      if (target.length <= MAX_KEPT_SCRATCH_BYTES) scratch = target;
    }
    const bytes = Buffer.from(target.subarray(0, end));
    bytes[0] = MAGIC_BYTE;
    bytes.writeUInt32BE(schemaId, 1);
    return bytes;
  };
}

/** Returns the offset after the value, or minus the number of bytes by which `target` is too short. */
function encodeInto(message: AvroMessage, record: unknown, target: Buffer): number {
  try {
    return message.schema.encode(record, target, WIRE_HEADER_BYTES);
  } catch (error) {
    const faults = findSchemaFaults(message.schema, record);
    const unnamed = { path: 'payload', code: 'wrong-type', message: errorText(error) };
    throw new PayloadError(message.definition.type, faults.length > 0 ? faults : [unnamed]);
  }
}

/** The fields that the schema cannot hold exactly, at most 100, with paths such as `Commission[0].SourceValue`. */
export function findSchemaFaults(schema: Type, payload: unknown): readonly Fault[] {
  const faults: Fault[] = [];
  schema.isValid(payload, {
    errorHook: (path, value: unknown, expected) => {
      if (faults.length < MAX_FAULTS) faults.push({ path: toPathText(path), ...findMisfit(expected, value) });
    },
  });
  return faults;
}

function toPathText(path: readonly string[]): string {
  let text = '';
  for (const step of path) {
    if (/^\d+$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text === '' ? 'payload' : text;
}

function findMisfit(expected: Type, value: unknown): Omit<Fault, 'path'> {
  const branches = branchesOf(expected);
  for (const branch of branches) {
    if (branch instanceof DecimalType) return describeDecimalMisfit(value, branch.limits);
    if (typeof value === 'number' && (branch.typeName === 'int' || branch.typeName === 'long')) {
      const range = branch.typeName === 'int' ? 'of 32 bits' : 'from -2^52 to 2^53 - 2';
      return { code: 'out-of-range', message: `must be a whole number ${range}` };
    }
  }
  const kinds = branches.map((branch) => branch.branchName ?? branch.typeName).join(' or ');
  return { code: 'wrong-type', message: `must be ${kinds}` };
}

function describeDecimalMisfit(value: unknown, limits: DecimalLimits): Omit<Fault, 'path'> {
  const { precision, scale } = limits;
  const code = decimalMisfit(value, limits);
  if (code === 'too-many-decimals') return { code, message: `must have at most ${scale} decimals` };
  if (code === 'too-large') {
    return { code: 'out-of-range', message: `must be below 10^${precision - scale} in absolute value` };
  }
  return { code: 'wrong-type', message: 'must be a finite decimal' };
}

type Visit = (value: unknown) => void;

/** The visit changes null to undefined in records: absent fields are null in Avro and undefined in payloads (M6). */
function absenceIn(type: Type): Visit | undefined {
  if (type instanceof avro.types.RecordType) return absenceInRecord(type);
  const visitItem = type instanceof avro.types.ArrayType ? absenceIn(type.itemsType) : undefined;
  return visitItem && ((items) => (items as readonly unknown[]).forEach(visitItem));
}

function absenceInRecord({ fields }: avro.types.RecordType): Visit {
  const optional = fields.flatMap(({ name, type }) =>
    branchesOf(type).some(({ typeName }) => typeName === 'null') ? [name] : [],
  );
  const nested = fields.flatMap(({ name, type }) => {
    const visit = branchesOf(type)
      .map(absenceIn)
      .find((one) => one !== undefined);
    return visit === undefined ? [] : [{ name, visit }];
  });
  return (value) => {
    const record = value as Record<string, unknown>;
    for (const name of optional) if (record[name] === null) record[name] = undefined;
    for (const { name, visit } of nested) if (record[name] !== undefined) visit(record[name]);
  };
}

/** Never throws: if `read` throws because the bytes do not follow their schema, the batch is `invalid`. */
export function openAvroBatch(
  read: () => unknown,
  decode: (value: Buffer) => SyncOrAsync<Decoded>,
): OpenedBatch {
  let items: RequestBatch['items'];
  try {
    ({ items } = read() as RequestBatch);
  } catch (error) {
    const tooMany = error instanceof TooManyItemsError ? batchSizeProblem(MAX_BATCH_ITEMS + 1) : undefined;
    const detail = `The message does not follow its schema: ${errorText(error)}.`;
    return { kind: 'invalid', problem: tooMany ?? createProblem('undecodable-message', { detail }) };
  }
  const problem = batchSizeProblem(items.length);
  if (problem !== undefined) return { kind: 'invalid', problem };
  return {
    kind: 'items',
    items: items.map(({ id, value }): BatchItem => {
      const fault = batchIdFault(id);
      if (fault === undefined) return { id, decode: () => decode(value) };
      const invalid = createProblem('invalid-request', { errors: [fault] });
      return { id: undefined, decode: () => ({ kind: 'undecodable', format: 'avro', problem: invalid }) };
    }),
  };
}

/** Absent fields become null, because avsc writes null faster than a default value. */
function toBatchRecord({ items }: RequestBatch | ReplyBatch) {
  return {
    items: items.map((item: Partial<ReplyBatchItem> & { readonly value: Buffer }) => {
      const { id, status, value, warnings = null, holidayCalendar = null } = item;
      return { id: id === undefined ? null : String(id), status, value, warnings, holidayCalendar };
    }),
  };
}
