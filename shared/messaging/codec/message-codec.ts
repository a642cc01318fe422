import { messageDefinition, MESSAGES } from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import type { Clock } from '../../platform/clock.ts';
import { createProblem, type Fault, type Problem, type Warning } from '../../platform/problem.ts';
import { errorText } from '../../platform/errors.ts';
import { faultsAgainstSchema } from './avro-faults.ts';
import {
  type AvroMessage,
  createAvroMessage,
  createAvroWriter,
  MAGIC_BYTE,
  WIRE_HEADER_BYTES,
} from './avro-message.ts';
import type { Codec, Decoded, Encoded, EncodedMessage, MessageFormat } from '../codec.ts';
import { contradicts, CONTENT_TYPE, formatOfContentType, lastText } from './message-format.ts';
import { HEADER } from '../header-names.ts';
import { decodeJson, encodeJson } from './json-codec.ts';
import { openJsonBatch } from './json-batch.ts';
import type { JsonShapes } from './json-shapes.ts';
import { openAvroBatch } from './avro-batch.ts';
import type { SyncOrAsync } from '../sync-or-async.ts';
import { writeAvroReplyBatch } from './reply-batch-avro.ts';
import { writeJsonReplyBatch } from './reply-batch-json.ts';
import { type EncodedBatch, REPLY_BATCH, type ReplyBatch, REQUEST_BATCH } from './request-batch.ts';
import { createSchemaStore, type Found, type SchemaStore } from './schema-store.ts';
import type { SchemaRegistry } from './schema-registry.ts';

type DecodeItem = (value: Buffer) => SyncOrAsync<Decoded>;

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
/** What JSON allows before its first bracket: blank, tab, line feed, carriage return. */
const JSON_BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/**
 * Schema ids that the registry is asked for in vain on behalf of one batch. Items of further ones are undecodable
 * unasked: a batch of 500 unknown ids would make 500 calls.
 */
const MAX_UNKNOWN_IDS_ASKED = 8;
const TOO_MANY_UNKNOWN_IDS = `the batch has more than ${MAX_UNKNOWN_IDS_ASKED} that nobody knows.`;
/** Nobody writes more of them; a message of blanks alone is not walked through. */
const MAX_JSON_INDENT = 1_024;

export interface MessageCodecOptions {
  /** The JSON forms by message type; a type without one does not travel as JSON. */
  readonly shapes: JsonShapes;
  readonly clock: Clock;
  /** Absent: the fixed ids of the catalogue are used, and every reader needs the same catalogue. */
  readonly registry?: SchemaRegistry | undefined;
  /** Whether prepare() registers a schema that the registry lacks (default), or rejects. */
  readonly registerMissing?: boolean | undefined;
}

/** The codec of the catalogue, and what its callers may ask beforehand. */
export interface MessageCodec extends Codec {
  /**
   * Members of a payload whose value has no exact place in the type's Avro schema, such as a number with more decimals
   * than the schema keeps; empty when it fits. Readable but not computable: status 422 (E1). Never throws for a type
   * of the catalogue.
   */
  faultsOf(type: string, payload: unknown): readonly Fault[];
}

/** Builds the codec of all messages in the catalogue. Throws when a schema is not valid or was changed unreleased. */
export function createMessageCodec(options: MessageCodecOptions): MessageCodec {
  const messages = MESSAGES.map((definition) => createAvroMessage(definition, readSchema(definition)));
  const byType = new Map(messages.map((message) => [message.definition.type, message]));
  const store = createSchemaStore({ ...options, messages, released: readReleasedSchemas() });
  const writer = createAvroWriter();

  const messageOf = (type: string): AvroMessage => {
    const message = byType.get(type);
    if (message === undefined) throw new Error(`${type} is not in the catalogue of messages`);
    return message;
  };
  const avroEncoded = (message: AvroMessage, id: number, payload: unknown): Encoded => ({
    value:
      message.definition.type === REPLY_BATCH
        ? writeAvroReplyBatch(id, payload as ReplyBatch)
        : writer.write(message, id, payload),
    headers: { [HEADER.contentType]: CONTENT_TYPE.avro },
  });
  const decode = createDecode(store, options.shapes);

  return {
    decode: (message) => decode(message),
    isBatch: ({ value }) => {
      if (value?.[0] !== MAGIC_BYTE) return firstJsonByte(value) === OPEN_ARRAY;
      if (value.length < WIRE_HEADER_BYTES) return false;
      const id = value.readUInt32BE(1);
      // After prepare() our own id is known before any message of it was read.
      if (id === store.writerId(messageOf(REQUEST_BATCH))) return true;
      const found = store.known(id);
      return found !== undefined && 'message' in found && found.message.definition.type === REQUEST_BATCH;
    },
    encode: (type, payload, format) => {
      const message = messageOf(type);
      if (format === 'json') return jsonEncoded(options.shapes, type, payload);
      const id = store.writerId(message);
      if (id !== undefined) return avroEncoded(message, id, payload);
      return store.findWriterId(message).then((found) => avroEncoded(message, found, payload));
    },
    prepare: async (types) => {
      for (const type of types) await store.findWriterId(messageOf(type));
    },
    faultsOf: (type, payload) => faultsAgainstSchema(messageOf(type).schema, payload),
  };
}

/** Decodes messages, and items of batches, for which it is told what the registry was asked for in vain. */
function createDecode(
  store: SchemaStore,
  shapes: JsonShapes,
): (message: EncodedMessage, askedInVain?: Set<number>) => SyncOrAsync<Decoded> {
  const decodeAvro = (value: Buffer, askedInVain?: Set<number>): SyncOrAsync<Decoded> => {
    if (value.length < WIRE_HEADER_BYTES)
      return undecodable('avro', 'The message ends within its schema id.');
    const id = value.readUInt32BE(1);
    const found = store.known(id);
    if (found !== undefined) return readAvro(found, value, decoderOfItems);
    if (askedInVain !== undefined && askedInVain.size >= MAX_UNKNOWN_IDS_ASKED && !askedInVain.has(id)) {
      return undecodable('avro', `Schema id ${id} was not looked up: ${TOO_MANY_UNKNOWN_IDS}`);
    }
    return store.find(id).then((asked) => {
      if ('unreadable' in asked) askedInVain?.add(id);
      return readAvro(asked, value, decoderOfItems);
    });
  };
  const decode = ({ value, headers }: EncodedMessage, askedInVain?: Set<number>): SyncOrAsync<Decoded> => {
    const claimed = lastText(headers, HEADER.contentType);
    const format = formatOf(value);
    if (value === null || format === undefined) {
      const detail =
        value === null || value.length === 0
          ? 'The message is empty.'
          : 'The message is neither Avro nor JSON.';
      return undecodable(formatOfContentType(claimed) ?? 'json', detail);
    }
    if (contradicts(claimed, format)) {
      return undecodable(
        format,
        `The header ${HEADER.contentType} contradicts the first byte of the message.`,
      );
    }
    if (format === 'avro') return decodeAvro(value, askedInVain);
    return readJson(shapes, lastText(headers, HEADER.messageType), value);
  };
  /** An item of a batch is a message value without headers. */
  const decoderOfItems = (): DecodeItem => {
    const askedInVain = new Set<number>();
    return (value) => decode({ value, headers: {} }, askedInVain);
  };
  return decode;
}

/** The first byte decides; undefined when it is of neither format. */
function formatOf(value: Buffer | null): MessageFormat | undefined {
  if (value?.[0] === MAGIC_BYTE) return 'avro';
  const first = firstJsonByte(value);
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? 'json' : undefined;
}

function firstJsonByte(value: Buffer | null): number | undefined {
  let at = 0;
  while (at < MAX_JSON_INDENT && JSON_BLANKS.has(value?.[at] ?? -1)) at += 1;
  return value?.[at];
}

function readAvro(found: Found, value: Buffer, decoderOfItems: () => DecodeItem): Decoded {
  if ('unreadable' in found) return undecodable('avro', `The message cannot be read: ${found.unreadable}.`);
  const { type } = found.message.definition;
  if (type === REQUEST_BATCH)
    return batchDecoded('avro', () => ({
      step: () => openAvroBatch(() => found.read(value), decoderOfItems()),
    }));
  try {
    return { kind: 'decoded', type, format: 'avro', payload: found.read(value) };
  } catch (error) {
    return undecodable('avro', `The message does not follow its schema: ${errorText(error)}.`);
  }
}

function readJson(shapes: JsonShapes, type: string | undefined, value: Buffer): Decoded {
  if (type === undefined)
    return undecodable('json', `A JSON message needs the header ${HEADER.messageType}.`);
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (shape === undefined) {
    return undecodable('json', `The header ${HEADER.messageType} names no known type of message.`);
  }
  if (comesInBatches(type) && firstJsonByte(value) === OPEN_ARRAY)
    return batchDecoded('json', () => openJsonBatch(value, { type, shape }));
  const read = decodeJson(value, shape);
  if (read.kind === 'invalid') return { kind: 'undecodable', format: 'json', problem: read.problem };
  return jsonDecoded(type, read.payload, read.warnings);
}

/** Requests of which an array may be sent: those that have a topic for mass traffic. */
function comesInBatches(type: string): boolean {
  const definition = messageDefinition(type);
  return definition?.kind === 'request' && definition.bulkRequestTopic !== undefined;
}

function batchDecoded(format: MessageFormat, open: EncodedBatch['open']): Decoded {
  const payload: EncodedBatch = { format, open };
  return { kind: 'decoded', type: REQUEST_BATCH, format, payload };
}

function jsonDecoded(type: string, payload: unknown, warnings: readonly Warning[]): Decoded {
  const decoded = { kind: 'decoded', type, format: 'json', payload } as const;
  return warnings.length === 0 ? decoded : { ...decoded, warnings };
}

function jsonEncoded(shapes: JsonShapes, type: string, payload: unknown): Encoded {
  const headers = { [HEADER.contentType]: CONTENT_TYPE.json, [HEADER.messageType]: type };
  if (type === REPLY_BATCH) return { value: writeJsonReplyBatch(payload as ReplyBatch), headers };
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (shape === undefined) throw new Error(`${type} has no JSON form`);
  return { value: encodeJson(payload, shape), headers };
}

function undecodable(format: MessageFormat, detail: string): Decoded {
  const problem: Problem = createProblem('undecodable-message', { detail });
  return { kind: 'undecodable', format, problem };
}
