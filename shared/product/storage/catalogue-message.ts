/** Catalogue records as messages. The fields that an index needs are next to the compressed record. */

import { gunzipSync, gzipSync } from 'node:zlib';
import { parseJson, refusalText } from '../../platform/parse-json.ts';
import { readCatalogueRecord } from '../catalogue/read-record.ts';
import {
  type CalendarDate,
  MIN_YEAR,
  toCalendarDate,
  formatCalendarDate,
  MAX_YEAR,
  parseCalendarDate,
} from '../../lending/dates/calendar-date.ts';
import type { Codec, Decoded } from '../../messaging/codec.ts';
import type { OutgoingMessage } from '../../messaging/message.ts';
import {
  type CatalogueRecord,
  identifyRecord,
  RECORD_KINDS,
  type RecordIdentity,
  recordKey,
  type RecordKind,
} from '../catalogue/catalogue-record.ts';

export const CATALOGUE_RECORD = 'CatalogueRecord';

const BODY_ENCODINGS = ['json', 'json+gzip'] as const;

/** Byte limit of a record's JSON text in a message, and of a catalogue file. */
export const MAX_RECORD_BYTES = 4 * 1_024 * 1_024;

/** The Avro payload; `body` is the record's JSON text, encoded as `encoding` says. */
export interface CatalogueMessage {
  readonly kind: string;
  readonly code: string;
  readonly version: number;
  readonly id?: string | undefined;
  readonly status?: string | undefined;
  readonly validFrom?: CalendarDate | undefined;
  readonly validTo?: CalendarDate | undefined;
  readonly encoding: (typeof BODY_ENCODINGS)[number];
  readonly body: Buffer;
}

const FIRST_DAY = toCalendarDate(MIN_YEAR, 1, 1);
const LAST_DAY = toCalendarDate(MAX_YEAR, 12, 31);

/** Creates the payload of a record. Throws RangeError on a record that is too large. */
export function toCatalogueMessage(entry: CatalogueRecord): CatalogueMessage {
  const { kind, code, version, id, status, validFrom, validTo } = identifyRecord(entry);
  const text = Buffer.from(JSON.stringify(entry.record));
  if (text.length > MAX_RECORD_BYTES)
    throw new RangeError(`the record ${code} must have at most ${MAX_RECORD_BYTES} bytes of JSON`);
  return {
    kind,
    code,
    version,
    id: id ?? undefined,
    status: status ?? undefined,
    validFrom: parseDay(validFrom),
    validTo: parseDay(validTo),
    encoding: 'json+gzip',
    body: gzipSync(text),
  };
}

/** Creates the message of a record. Rejects with an error of the codec, or a RangeError if the record is too large. */
export async function encodeRecord(
  codec: Codec,
  topic: string,
  entry: CatalogueRecord,
): Promise<OutgoingMessage> {
  const { value, headers } = await codec.encode(CATALOGUE_RECORD, toCatalogueMessage(entry), 'avro');
  return { topic, key: recordKey(identifyRecord(entry)), value: unpooled(value), headers };
}

/** Returns the payload of a decoded message. Throws Error, which quotes no values, if it is not a catalogue record. */
export function readPayload(decoded: Decoded): CatalogueMessage {
  if (decoded.kind === 'decoded' && decoded.type === CATALOGUE_RECORD)
    return decoded.payload as CatalogueMessage;
  if (decoded.kind === 'decoded') throw new Error(`it is not a ${CATALOGUE_RECORD}`);
  const { code, errors = [] } = decoded.problem;
  const paths = errors.map(({ path }) => path);
  throw new Error([`it cannot be decoded (${code})`, ...paths].join(', '));
}

/** Reads a record's identity. Throws Error on an unknown kind, a bad version or day, or the key of another record. */
export function readIdentity(key: string, message: CatalogueMessage): RecordIdentity {
  const kind = RECORD_KINDS.find((known) => known === message.kind);
  if (kind === undefined) throw new Error('its kind is unknown');
  const { version } = message;
  if (!Number.isSafeInteger(version) || version < 1) throw new Error('its version must be 1 or more');
  const identity = { ...identityOf(message), kind };
  if (recordKey(identity) !== key) throw new Error('its key must be kind/code/version of the record');
  return identity;
}

function identityOf({ kind, code, version, id, status, validFrom, validTo }: CatalogueMessage) {
  const days = { validFrom: formatDay(validFrom), validTo: formatDay(validTo) };
  return { kind, code, version, id: id ?? null, status: status ?? null, ...days };
}

/** `bytes` is the JSON size. Throws Error, quoting no values, if the record is invalid or contradicts the message. */
export function unpackRecord(message: CatalogueMessage, source: string) {
  const { value, bytes } = unpackBody(message.encoding, message.body);
  const read = readCatalogueRecord(message.kind as RecordKind, value, source);
  if (read.kind === 'invalid') throw new Error(`its body is invalid at ${read.paths.join(', ')}`);
  const { entry } = read;
  const differs = contradictingFields(identifyRecord(entry), identityOf(message));
  if (differs.length > 0)
    throw new Error(`its body contradicts the fields ${differs.join(', ')} of the message`);
  return { entry, bytes };
}

/** Copies a value out of Node's buffer pool. The embedded broker would otherwise keep the whole, much larger pool. */
function unpooled(value: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(value.length);
  value.copy(copy);
  return copy;
}

/** Returns the names of the fields of `stated` that contradict the identity; fields that `stated` lacks do not. */
export function contradictingFields(
  identity: RecordIdentity,
  stated: Readonly<Record<string, unknown>>,
): readonly string[] {
  return Object.entries(identity)
    .filter(([name, value]) => stated[name] !== undefined && stated[name] !== value)
    .map(([name]) => name);
}

function parseDay(text: string | null): CalendarDate | undefined {
  return text === null ? undefined : parseCalendarDate(text);
}

function formatDay(day: CalendarDate | undefined): string | null {
  if (day === undefined) return null;
  if (!(day >= FIRST_DAY && day <= LAST_DAY)) throw new Error('its validity is out of range');
  return formatCalendarDate(day);
}

/** `bytes` is the size of the JSON. Throws Error, which quotes no values, if the body is too large or unreadable. */
export function unpackBody(encoding: string, body: Buffer) {
  const text = unpackedText(encoding, body);
  if (text.length > MAX_RECORD_BYTES) throw new Error(TOO_LARGE);
  const parsed = parseJson(text, { maxValues: Infinity });
  if (parsed.kind === 'refused') throw new Error(refusalText(parsed, 'its body'));
  return { value: parsed.value, bytes: text.length };
}

const TOO_LARGE = `its body has more than ${MAX_RECORD_BYTES} bytes`;

function unpackedText(encoding: string, body: Buffer): Buffer {
  if (encoding === 'json') return body;
  if (encoding !== 'json+gzip') throw new Error(`its encoding must be one of ${BODY_ENCODINGS.join(', ')}`);
  try {
    return gunzipSync(body, { maxOutputLength: MAX_RECORD_BYTES });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(isTooLarge ? TOO_LARGE : 'its body cannot be decompressed', { cause: error });
  }
}
