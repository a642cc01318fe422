/**
 * Avro values in the Confluent wire format: a zero byte, the schema id as four bytes big-endian, then the value
 * (https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format).
 */

import type { Resolver, Type } from 'avsc';
import { type MessageDefinition, recordName } from '../../../schemas/messages.ts';
import { errorText } from '../../platform/errors.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import { compileAbsence } from './avro-absence.ts';
import { compileBoundsCheck } from './avro-bounds.ts';
import { batchRecord } from './avro-batch.ts';
import { faultsAgainstSchema, PayloadError } from './avro-faults.ts';
import { assertRatesMatchShow, restoreRates } from './avro-rates.ts';
import { putExtrasBesideRows, putExtrasIntoRows } from './avro-row-extras.ts';
import { isSameSchema, parseOwnSchema } from './avro-schema.ts';
import {
  MAX_BATCH_ITEMS,
  REPLY_BATCH,
  type ReplyBatch,
  REQUEST_BATCH,
  type RequestBatch,
} from './request-batch.ts';

/** First byte of every Avro message. */
export const MAGIC_BYTE = 0;
/** Bytes before the value. */
export const WIRE_HEADER_BYTES = 5;
/** Fits nearly every message; a larger one makes the buffer grow to what was needed, up to the limit below. */
const FIRST_SCRATCH_BYTES = 64 * 1_024;
/** A larger buffer is not kept: one huge message shall not hold its memory for ever. */
const LARGEST_KEPT_SCRATCH_BYTES = 1_024 * 1_024;

/** A catalogue message with its schema, ready to be written and read. */
export interface AvroMessage {
  readonly definition: MessageDefinition;
  readonly schema: Type;
  readonly schemaText: string;
  /** Domain form of a decoded record, in place. */
  readonly toDomain: (record: unknown) => void;
  /** Record form of a payload. Throws when the payload would lose something on the way. */
  readonly toRecord: (payload: unknown) => unknown;
}

/** Reads values of one writer's schema as our own. */
export interface AvroReader {
  readonly message: AvroMessage;
  /** Answers the payload; throws when the bytes are not exactly one value of the writer's schema. */
  read(bytes: Buffer): unknown;
}

/** Builds a catalogue message of its schema. Throws when the schema is not valid, or names another record. */
export function createAvroMessage(definition: MessageDefinition, schemaText: string): AvroMessage {
  const schema = parseOwnSchema(schemaText);
  if (schema.name !== recordName(definition)) {
    throw new Error(
      `the schema of ${definition.type} names its record ${schema.name}, not ${recordName(definition)}`,
    );
  }
  const markAbsent = compileAbsence(schema);
  const isSchedule = definition.type === 'CalculateRepaymentScheduleReply';
  const isBatch = definition.type === REQUEST_BATCH || definition.type === REPLY_BATCH;
  return {
    definition,
    schema,
    schemaText,
    toDomain: (record) => {
      markAbsent?.(record);
      if (isSchedule) completeSchedule(record as RepaymentSchedule);
    },
    toRecord: (payload) => {
      if (isSchedule) return scheduleRecord(payload as RepaymentSchedule);
      return isBatch ? batchRecord(payload as RequestBatch | ReplyBatch) : payload;
    },
  };
}

function completeSchedule(schedule: RepaymentSchedule): void {
  restoreRates(schedule);
  putExtrasIntoRows(schedule);
}

function scheduleRecord(schedule: RepaymentSchedule): RepaymentSchedule {
  assertRatesMatchShow(schedule);
  return putExtrasBesideRows(schedule);
}

/** Makes the reader of a writer's schema. Throws when it cannot be read as ours; the message names the member. */
export function createAvroReader(message: AvroMessage, writer: Type): AvroReader {
  const check = compileBoundsCheck(writer, message.definition.kind === 'batch' ? MAX_BATCH_ITEMS : Infinity);
  const resolver: Resolver | undefined = isSameSchema(message.schema, writer)
    ? undefined
    : message.schema.createResolver(writer);
  return {
    message,
    read: (bytes) => {
      check(bytes, WIRE_HEADER_BYTES);
      const { value } = message.schema.decode(bytes, WIRE_HEADER_BYTES, resolver) as { value: unknown };
      message.toDomain(value);
      return value;
    },
  };
}

/** Writes payloads; `write` throws PayloadError naming each member that does not fit. */
export function createAvroWriter(): {
  write(message: AvroMessage, schemaId: number, payload: unknown): Buffer;
} {
  let scratch = Buffer.allocUnsafeSlow(FIRST_SCRATCH_BYTES);
  return {
    write: (message, schemaId, payload) => {
      let target = scratch;
      let end = encodeInto(message, payload, target);
      if (end < 0) {
        target = Buffer.allocUnsafeSlow(target.length - end);
        end = encodeInto(message, payload, target);
        if (target.length <= LARGEST_KEPT_SCRATCH_BYTES) scratch = target;
      }
      target[0] = MAGIC_BYTE;
      target.writeUInt32BE(schemaId, 1);
      return Buffer.from(target.subarray(0, end));
    },
  };
}

/** Answers where the value ends, or minus the number of bytes that are missing. */
function encodeInto(message: AvroMessage, payload: unknown, target: Buffer): number {
  const record = message.toRecord(payload);
  try {
    return message.schema.encode(record, target, WIRE_HEADER_BYTES);
  } catch (error) {
    const faults = faultsAgainstSchema(message.schema, record);
    const unnamed = { path: 'payload', code: 'wrong-type', message: errorText(error) };
    throw new PayloadError(message.definition.type, faults.length > 0 ? faults : [unnamed]);
  }
}
