import { MESSAGE_FORMS } from '../api/actions/message-forms.ts';
import type { Codec } from '../messaging/codec.ts';
import { HEADER, headerText } from '../messaging/headers.ts';
import type { LogMessage } from '../messaging/message.ts';
import { type BatchItem, type EncodedBatch, REQUEST_BATCH } from '../messaging/codec/request-batch.ts';
import { errorText } from '../platform/errors.ts';
import { isRecord } from '../api/json/faults.ts';
import { keepDigits, parseJson } from '../platform/parse-json.ts';
import type { Problem } from '../platform/problem.ts';
import { faultText, plainPath } from './read-dead-letter.ts';

interface ShownContent {
  /** The payload with the field names of the interface; absent if it cannot be shown. */
  readonly content?: unknown;
  /** Set where the payload is hidden as a whole, because it cannot be masked. */
  readonly isHidden?: true;
  readonly notes: readonly string[];
}

interface ShownPayload extends ShownContent {
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly bytes: number;
}

/** The types of notifications. A header may name another type, under which a notification would not be masked. */
export const COMMAND_TYPES: ReadonlySet<string> = new Set(['SendSmsCommand', 'SendEmailCommand']);
const MAX_FAULTY_ITEMS = 20;
const HIDDEN = 'the payload is hidden, since it cannot be masked';

/** Decodes and masks a value. Hides a notification that violates its schema, since any part of it may be personal. */
export async function showPayload(
  message: LogMessage,
  codec: Codec,
  isCommand: boolean,
): Promise<ShownPayload> {
  const bytes = message.value?.length ?? 0;
  if (message.value === null) {
    const notes = ['the letter has no value; if it was omitted, the original topic may still have it'];
    return { type: undefined, format: undefined, bytes, notes };
  }
  const decoded = await codec.decode(message);
  const { format } = decoded;
  if (decoded.kind === 'undecodable') {
    const named = headerText(message.headers, HEADER.messageType);
    const type = named === undefined ? named : plainPath(named);
    return { type, format, bytes, ...showRaw(message.value, listNotes(decoded.problem), isCommand) };
  }
  const { type, payload } = decoded;
  if (isCommand && !COMMAND_TYPES.has(type))
    return { type, format, bytes, notes: [`a notification has no type ${type}`, HIDDEN], isHidden: true };
  if (type === REQUEST_BATCH)
    return { type, format, bytes, ...(await showBatch(message.value, payload, isCommand)) };
  try {
    const content = maskPayload(toJson(type, payload));
    return { type, format, bytes, content, notes: [] };
  } catch (error) {
    return { type, format, bytes, notes: [`the payload cannot be shown: ${errorText(error)}`] };
  }
}

async function showBatch(value: Buffer, payload: unknown, isCommand: boolean): Promise<ShownContent> {
  const batch = payload as EncodedBatch;
  const opened = batch.open();
  if (opened.kind === 'invalid') return showRaw(value, listNotes(opened.problem), isCommand);
  const items: unknown[] = [];
  const notes: string[] = [];
  let faulty = 0;
  for (const [index, item] of opened.items.entries()) {
    const { content, faults } = await showItem(item);
    items.push(content);
    if (faults === undefined) continue;
    faulty += 1;
    if (faulty <= MAX_FAULTY_ITEMS) notes.push(...faults.map((note) => `request ${index + 1}: ${note}`));
  }
  if (faulty > MAX_FAULTY_ITEMS) notes.push(`and ${faulty - MAX_FAULTY_ITEMS} more invalid requests`);
  if (batch.format === 'json') return showRaw(value, notes, isCommand);
  return { content: maskPayload(items), notes };
}

async function showItem(
  item: BatchItem,
): Promise<{ readonly content: unknown; readonly faults?: readonly string[] }> {
  const decoded = await item.decode();
  const id = item.id === undefined ? {} : { id: item.id };
  const unreadable = { ...id, unreadable: true };
  if (decoded.kind === 'undecodable') return { content: unreadable, faults: listNotes(decoded.problem) };
  try {
    return { content: { ...id, ...(toJson(decoded.type, decoded.payload) as object) } };
  } catch (error) {
    return { content: unreadable, faults: [`it cannot be shown: ${errorText(error)}`] };
  }
}

function toJson(type: string, payload: unknown): unknown {
  const shape = formOf(type);
  if (shape === undefined) throw new Error(`${type} has no JSON form`);
  return JSON.parse(shape.render(payload), keepDigits);
}

/** The JSON form of a message type; undefined for an unknown type. */
export function formOf(type: string) {
  return Object.hasOwn(MESSAGE_FORMS, type) ? MESSAGE_FORMS[type] : undefined;
}

function listNotes({ title, detail, errors = [] }: Problem): readonly string[] {
  return [detail ?? title, ...errors.map(faultText)];
}

function showRaw(value: Buffer, notes: readonly string[], isCommand: boolean): ShownContent {
  // A batch of valid requests may have more members and elements than one request.
  const parsed = parseJson(value, { maxValues: Infinity });
  if (parsed.kind === 'refused' || isCommand) return { notes: [...notes, HIDDEN], isHidden: true };
  return { content: maskPayload(parsed.value), notes };
}

const ADDRESSES = [
  'receiver',
  'recipient',
  'to',
  'sender',
  'from',
  'replyto',
  'cc',
  'bcc',
  'phone',
  'phonenumber',
];
const TEXTS = ['email', 'subject', 'message', 'body', 'text', 'html', 'content', 'fields'];
/** Fields with personal data or message texts, in lower case without separators. Amounts, dates and codes are shown. */
const MASKED: ReadonlySet<string> = new Set([...ADDRESSES, ...TEXTS]);
/** Inside these fields the names of files are masked too, since they may identify a person. */
const MASKED_WITH_NAMES: ReadonlySet<string> = new Set(['attachments', 'attachmentlist']);

/** Masks fields with personal data at any depth, by their names. */
export function maskPayload(value: unknown): unknown {
  return maskFields(value, MASKED);
}

function maskFields(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => maskFields(item, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => {
      const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      if (names.has(plain)) return [name, hideValue(field)];
      return [name, maskFields(field, MASKED_WITH_NAMES.has(plain) ? WITH_NAMES : names)];
    }),
  );
}

const WITH_NAMES: ReadonlySet<string> = new Set([...MASKED, 'name', 'filename']);

/** Replaces a text by its length, and other values by a mark. Keeps empty values, since they may be the fault. */
function hideValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideValue);
  if (value === null || value === undefined || value === '') return value;
  if (typeof value === 'string') return `[masked, ${value.length} characters]`;
  return '[masked]';
}
