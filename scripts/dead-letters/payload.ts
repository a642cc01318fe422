/** The payload of a letter as `show` prints it: readable, with personal data masked. */

import { MESSAGE_FORMS } from '../../shared/contract/actions/message-forms.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import {
  type BatchItem,
  type EncodedBatch,
  openAtOnce,
  REQUEST_BATCH,
} from '../../shared/messaging/codec/request-batch.ts';
import { errorText } from '../../shared/platform/errors.ts';
import type { Problem } from '../../shared/platform/problem.ts';

/** What `show` prints of a payload. */
export interface ShownPayload {
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly bytes: number;
  /** The payload in the spellings of the interface; absent where it cannot be shown. */
  readonly content?: unknown;
  /** Why it cannot be read or is not shown, with the fields that are wrong. */
  readonly notes: readonly string[];
}

export interface PayloadOptions {
  readonly reveal: boolean;
  /** The letter is a notification: anything in a value that cannot be read by its shape may be personal data. */
  readonly isCommand: boolean;
}

/** Most requests of a batch whose faults are listed. */
const MAX_FAULTY_ITEMS = 20;
const HIDDEN = 'the payload is not shown, since it cannot be masked; --reveal shows it';
/** Bytes shown of a value that is not JSON. */
const SHOWN_BYTES = 4_096;

/** Reads a letter's value for a screen. Rejects only with lost infrastructure (the schema registry). */
export async function showPayload(
  message: LogMessage,
  codec: Codec,
  options: PayloadOptions,
): Promise<ShownPayload> {
  const bytes = message.value?.length ?? 0;
  if (message.value === null) {
    const notes = ['the letter holds no value; where it was left out, the original topic may still have it'];
    return { type: undefined, format: undefined, bytes, notes };
  }
  const decoded = await codec.decode(message);
  const { format } = decoded;
  if (decoded.kind === 'undecodable') {
    const type = headerText(message.headers, HEADER.messageType);
    return { type, format, bytes, ...rawContent(message.value, notesOf(decoded.problem), options) };
  }
  const { type, payload } = decoded;
  if (type === REQUEST_BATCH)
    return { type, format, bytes, ...(await batchContent(message.value, payload, options)) };
  try {
    const content = masked(jsonForm(type, payload), options.reveal);
    return { type, format, bytes, content, notes: [] };
  } catch (error) {
    return { type, format, bytes, notes: [`the payload cannot be shown: ${errorText(error)}`] };
  }
}

/** The content of a batch: JSON as it was sent, and of Avro each request as its type is written in JSON. */
async function batchContent(
  value: Buffer,
  payload: unknown,
  options: PayloadOptions,
): Promise<Pick<ShownPayload, 'content' | 'notes'>> {
  const batch = payload as EncodedBatch;
  const opened = openAtOnce(batch);
  if (opened.kind === 'invalid') return rawContent(value, notesOf(opened.problem), options);
  const items: unknown[] = [];
  const notes: string[] = [];
  let faulty = 0;
  for (const [index, item] of opened.items.entries()) {
    const { content, faults } = await itemContent(item);
    items.push(content);
    if (faults === undefined) continue;
    faulty += 1;
    if (faulty <= MAX_FAULTY_ITEMS) notes.push(...faults.map((note) => `request ${index + 1}: ${note}`));
  }
  if (faulty > MAX_FAULTY_ITEMS) notes.push(`and ${faulty - MAX_FAULTY_ITEMS} more requests with faults`);
  if (batch.format === 'json') return rawContent(value, notes, options);
  return { content: masked(items, options.reveal), notes };
}

async function itemContent(
  item: BatchItem,
): Promise<{ readonly content: unknown; readonly faults?: readonly string[] }> {
  const decoded = await item.decode();
  const id = item.id === undefined ? {} : { id: item.id };
  const unreadable = { ...id, unreadable: true };
  if (decoded.kind === 'undecodable') return { content: unreadable, faults: notesOf(decoded.problem) };
  try {
    return { content: { ...id, ...(jsonForm(decoded.type, decoded.payload) as object) } };
  } catch (error) {
    return { content: unreadable, faults: [`it cannot be shown: ${errorText(error)}`] };
  }
}

/** A decoded payload as the interface spells it. Throws where its type has no JSON form. */
function jsonForm(type: string, payload: unknown): unknown {
  const shape = Object.hasOwn(MESSAGE_FORMS, type) ? MESSAGE_FORMS[type] : undefined;
  if (shape === undefined) throw new Error(`${type} has no JSON form`);
  return JSON.parse(shape.render(payload));
}

function notesOf({ title, detail, errors = [] }: Problem): readonly string[] {
  return [detail ?? title, ...errors.map((fault) => `${fault.path}: ${fault.message}`)];
}

/** The content of bytes that do not follow a shape. */
function rawContent(
  value: Buffer,
  notes: readonly string[],
  { reveal, isCommand }: PayloadOptions,
): Pick<ShownPayload, 'content' | 'notes'> {
  let content: unknown;
  try {
    content = JSON.parse(value.toString('utf8'));
  } catch {
    if (!reveal) return { notes: [...notes, HIDDEN] };
    return { content: { base64: value.subarray(0, SHOWN_BYTES).toString('base64') }, notes };
  }
  if (isCommand && !reveal) return { notes: [...notes, HIDDEN] };
  return { content: masked(content, reveal), notes };
}

function masked(content: unknown, reveal: boolean): unknown {
  return reveal ? content : maskPayload(content);
}

/**
 * Fields that hold personal data or message texts, at any depth of a payload and in any spelling. Amounts, dates, codes
 * and the like are shown.
 */
const MASKED: ReadonlySet<string> = new Set([
  'receiver',
  'recipient',
  'to',
  'sender',
  'from',
  'replyto',
  'cc',
  'bcc',
  'subject',
  'message',
  'body',
  'text',
  'html',
  'content',
  'phone',
  'phonenumber',
  'email',
]);
/** Inside these, names are masked too: a file name may identify a person. */
const MASKED_WITH_NAMES: ReadonlySet<string> = new Set(['attachments', 'attachmentlist']);

/** The payload with personal data replaced by its length, for a screen that others may see. `value` as of JSON.parse. */
export function maskPayload(value: unknown): unknown {
  return walk(value, MASKED);
}

function walk(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => walk(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => {
      const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      if (names.has(plain)) return [name, hidden(field)];
      return [name, walk(field, MASKED_WITH_NAMES.has(plain) ? WITH_NAMES : names)];
    }),
  );
}

const WITH_NAMES: ReadonlySet<string> = new Set([...MASKED, 'name', 'filename']);

/** The length of the value; empty values stay as they are, since that may be the fault. */
function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (value === null || value === undefined || value === '') return value;
  if (typeof value === 'string') return `[masked, ${value.length} characters]`;
  return '[masked]';
}
