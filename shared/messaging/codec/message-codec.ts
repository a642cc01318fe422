import { messageDefinition, MESSAGES } from '../../../schemas/messages.ts';
import { readReleasedSchemas, readSchema } from '../../../schemas/schema-files.ts';
import type { Clock } from '../../platform/system-ports.ts';
import { errorText } from '../../platform/errors.ts';
import { createProblem, type Fault } from '../../platform/problem.ts';
import type { Codec, Decoded, Encoded, EncodedMessage, MessageFormat } from '../codec.ts';
import { HEADER, headerText } from '../headers.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import {
  openAvroBatch,
  type AvroMessage,
  createAvroMessage,
  createAvroWriter,
  findSchemaFaults,
  MAGIC_BYTE,
  WIRE_HEADER_BYTES,
} from './avro-message.ts';
import { openJsonBatch, writeJsonReplyBatch, decodeJson } from './json-message.ts';
import type { MessageForm, MessageForms } from './json-message.ts';
import { type EncodedBatch, REPLY_BATCH, type ReplyBatch, REQUEST_BATCH } from './request-batch.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { createLocalReaders, createSchemasById } from './schema-by-id.ts';
import type { Found, SchemasById, SchemasByIdOptions } from './schema-by-id.ts';

export interface MessageCodecOptions {
  /** The forms by message type. A type without one, other than a batch, has no JSON representation. */
  readonly shapes: MessageForms;
  readonly clock: Clock;
  /** Without it, messages have the local schema ids of MESSAGES, so all readers and writers need the same list. */
  readonly registry?: SchemaRegistry | undefined;
}

export interface MessageCodec extends Codec {
  /** The fields of a payload that Avro cannot represent exactly, at most 100: encode() would throw PayloadError. */
  faultsOf(type: string, payload: unknown): readonly Fault[];
  /** The type that the header (JSON) or schema id (Avro) names; undefined if it names none. Rejects like `decode`. */
  typeOf(message: EncodedMessage): SyncOrAsync<string | undefined>;
}

export const CONTENT_TYPE = {
  avro: 'application/vnd.apache.avro',
  json: 'application/json',
} as const satisfies Record<MessageFormat, string>;

/** This content type does not indicate a format. Some producers set it on every message. */
const NEUTRAL_TYPE = 'application/octet-stream';
const AVRO_TYPES: ReadonlySet<string> = new Set([CONTENT_TYPE.avro, 'application/avro', 'avro/binary']);
const FORMAT_NAME = { avro: 'Avro', json: 'JSON' } as const satisfies Record<MessageFormat, string>;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const JSON_WHITESPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Maximum number of whitespace bytes before a JSON value. No known producer writes more. */
const MAX_JSON_INDENT = 1_024;
/** Maximum number of unknown schema ids that are looked up for one batch: 500 items could otherwise cause 500 calls. */
const MAX_UNKNOWN_IDS = 8;

/** Codecs with the same forms share the compiled messages, because compiling them takes a tenth of a second. */
const COMPILED = new WeakMap<MessageForms, Pick<SchemasByIdOptions, 'messages' | 'localReaders'>>();

/** Throws if a schema was changed without a release. Schemas are compiled at their first use. */
export function createMessageCodec(options: MessageCodecOptions): MessageCodec {
  const { shapes } = options;
  const compiled = compiledMessages(shapes);
  const byType = new Map(compiled.messages.map((message) => [message.definition.type, message]));
  const store = createSchemasById({ ...options, ...compiled });
  const write = createAvroWriter();
  const decoder = new Decoder(store, shapes);

  const messageOf = (type: string): AvroMessage => {
    const message = byType.get(type);
    if (message === undefined) throw new Error(`${type} is not in the list of messages`);
    return message;
  };
  const encodeAvro = (message: AvroMessage, id: number, payload: unknown): Encoded => ({
    value: write(message, id, payload),
    headers: {
      [HEADER.contentType]: CONTENT_TYPE.avro,
      // Readers of states may read them in Avro and JSON.
      ...(message.definition.kind === 'state' && { [HEADER.messageType]: message.definition.type }),
    },
  });
  const requestBatch = messageOf(REQUEST_BATCH);

  return {
    decode: (message) => decoder.decode(message),
    isBatch: ({ value }) => {
      if (value?.[0] !== MAGIC_BYTE) return firstJsonByte(value) === OPEN_ARRAY;
      if (value.length < WIRE_HEADER_BYTES) return false;
      const id = value.readUInt32BE(1);
      // After prepare() this id is known, even if no message with it has been read yet.
      if (id === store.writerId(requestBatch)) return true;
      const found = store.known(id);
      return found !== undefined && 'message' in found && found.message === requestBatch;
    },
    encode: (type, payload, format) => {
      const message = messageOf(type);
      if (format === 'json') return encodeJson(shapes, type, payload);
      const id = store.writerId(message);
      if (id !== undefined) return encodeAvro(message, id, payload);
      return store.findWriterId(message).then((found) => encodeAvro(message, found, payload));
    },
    prepare: async (types) => {
      for (const type of types) await store.findWriterId(messageOf(type));
    },
    typeOf: ({ value, headers }) => {
      if (value?.[0] !== MAGIC_BYTE) return headerText(headers, HEADER.messageType);
      if (value.length < WIRE_HEADER_BYTES) return undefined;
      const id = value.readUInt32BE(1);
      return andThen(store.known(id) ?? store.find(id), (found) =>
        'message' in found ? found.message.definition.type : undefined,
      );
    },
    faultsOf: (type, payload) => findSchemaFaults(messageOf(type).schema, payload),
  };
}

function compiledMessages(forms: MessageForms) {
  const known = COMPILED.get(forms);
  if (known !== undefined) return known;
  const messages = MESSAGES.map((definition) =>
    createAvroMessage(definition, readSchema(definition), forms[definition.type]),
  );
  const compiled = { messages, localReaders: createLocalReaders(messages, readReleasedSchemas()) };
  COMPILED.set(forms, compiled);
  return compiled;
}

function encodeJson(forms: MessageForms, type: string, payload: unknown): Encoded {
  const headers = { [HEADER.contentType]: CONTENT_TYPE.json, [HEADER.messageType]: type };
  if (type === REPLY_BATCH) return { value: writeJsonReplyBatch(payload as ReplyBatch), headers };
  const form = findForm(forms, type);
  if (form === undefined) throw new Error(`${type} has no JSON form`);
  return { value: Buffer.from(form.render(payload)), headers };
}

class Decoder {
  readonly #store: SchemasById;
  readonly #forms: MessageForms;

  constructor(store: SchemasById, forms: MessageForms) {
    this.#store = store;
    this.#forms = forms;
  }

  /** `unknownIds` is passed only for items of a batch, and collects the ids of schemas that cannot be read. */
  decode({ value, headers }: EncodedMessage, unknownIds?: Set<number>): SyncOrAsync<Decoded> {
    const contentType = headerText(headers, HEADER.contentType);
    const format = detectFormat(value);
    if (value === null || format === undefined)
      return undecodable(formatOfContentType(contentType) ?? 'json', describeOther(value));
    const refusal = refuseContentType(contentType, format);
    if (refusal !== undefined) return undecodable(format, refusal);
    if (format === 'avro') return this.#decodeAvro(value, unknownIds);
    return this.#decodeJson(headerText(headers, HEADER.messageType), value);
  }

  #decodeAvro(value: Buffer, unknownIds: Set<number> | undefined): SyncOrAsync<Decoded> {
    if (value.length < WIRE_HEADER_BYTES)
      return undecodable('avro', 'The message ends within its schema id.');
    const id = value.readUInt32BE(1);
    const known = this.#store.known(id);
    if (known !== undefined) return this.#readAvro(known, value);
    if (unknownIds !== undefined && unknownIds.size >= MAX_UNKNOWN_IDS && !unknownIds.has(id)) {
      const why = `the batch has more than ${MAX_UNKNOWN_IDS} unknown ids`;
      return undecodable('avro', `Schema id ${id} was not looked up: ${why}.`);
    }
    return this.#store.find(id).then((found) => {
      if ('unreadable' in found) unknownIds?.add(id);
      return this.#readAvro(found, value);
    });
  }

  #readAvro(found: Found, value: Buffer): Decoded {
    if ('unreadable' in found) return undecodable('avro', `The message cannot be read: ${found.unreadable}.`);
    const { type } = found.message.definition;
    if (type === REQUEST_BATCH) {
      const unknownIds = new Set<number>();
      const decode = (item: Buffer) => this.decode({ value: item, headers: {} }, unknownIds);
      return batchDecoded('avro', () => openAvroBatch(() => found.read(value), decode));
    }
    try {
      return { kind: 'decoded', type, format: 'avro', payload: found.read(value) };
    } catch (error) {
      return undecodable('avro', `The message does not follow its schema: ${errorText(error)}.`);
    }
  }

  #decodeJson(type: string | undefined, value: Buffer): Decoded {
    if (type === undefined)
      return undecodable('json', `A JSON message needs the header ${HEADER.messageType}.`);
    const form = findForm(this.#forms, type);
    if (form === undefined) {
      return undecodable('json', `The header ${HEADER.messageType} does not name a known message type.`);
    }
    const definition = messageDefinition(type);
    const isBulk = definition?.kind === 'request' && definition.bulkRequestTopic !== undefined;
    if (isBulk && firstJsonByte(value) === OPEN_ARRAY)
      return batchDecoded('json', () => openJsonBatch(value, { type, form }));
    return decodeJson(value, { type, form });
  }
}

function findForm(forms: MessageForms, type: string): MessageForm | undefined {
  return Object.hasOwn(forms, type) ? forms[type] : undefined;
}

function batchDecoded(format: MessageFormat, open: EncodedBatch['open']): Decoded {
  const payload: EncodedBatch = { format, open };
  return { kind: 'decoded', type: REQUEST_BATCH, format, payload };
}

function undecodable(format: MessageFormat, detail: string): Decoded {
  return { kind: 'undecodable', format, problem: createProblem('undecodable-message', { detail }) };
}

function detectFormat(value: Buffer | null): MessageFormat | undefined {
  if (value?.[0] === MAGIC_BYTE) return 'avro';
  const first = firstJsonByte(value);
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? 'json' : undefined;
}

function firstJsonByte(value: Buffer | null): number | undefined {
  let at = BYTE_ORDER_MARK.every((byte, index) => value?.[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  while (at < MAX_JSON_INDENT && JSON_WHITESPACE.has(value?.[at] ?? -1)) at += 1;
  return value?.[at];
}

function describeOther(value: Buffer | null): string {
  if (value === null || value.length === 0) return 'The message is empty.';
  const start = value.toString('utf8', 0, MAX_JSON_INDENT).trim();
  const [literal] = /^(?:true|false|null)$/.exec(start) ?? [];
  const kind = start.startsWith('"') ? 'a string' : /^-?\d/.test(start) ? 'a number' : literal;
  return kind === undefined
    ? 'The message is neither Avro nor JSON.'
    : `A JSON object or array is expected, not ${kind}.`;
}

function refuseContentType(contentType: string | undefined, format: MessageFormat): string | undefined {
  if (contentType === CONTENT_TYPE[format]) return undefined;
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || mediaType === '' || mediaType === NEUTRAL_TYPE) return undefined;
  if (mediaType.startsWith('application/cloudevents'))
    return `Structured CloudEvents are not read: send the data of the event as the value, with its type in the headers ${HEADER.messageType} and ${HEADER.contentType}.`;
  const named = formatOfContentType(mediaType);
  if (named === format) return undefined;
  return named === undefined
    ? `The header ${HEADER.contentType} is neither JSON (application/json or a type that ends in +json) nor Avro (${[...AVRO_TYPES].join(', ')}), nor ${NEUTRAL_TYPE}.`
    : `The header ${HEADER.contentType} names ${FORMAT_NAME[named]}, which contradicts the first byte of the message.`;
}

/** The format of a content type, without regard to parameters and case; undefined for other types. */
function formatOfContentType(contentType: string | undefined): MessageFormat | undefined {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined) return undefined;
  if (AVRO_TYPES.has(mediaType)) return 'avro';
  return mediaType === CONTENT_TYPE.json || mediaType.endsWith('+json') ? 'json' : undefined;
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}
