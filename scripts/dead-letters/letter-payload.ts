import { JSON_SHAPES } from '../../shared/contract/actions/message-forms.ts';
import type { Codec } from '../../shared/messaging/codec.ts';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { headerText } from '../../shared/messaging/headers.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { type EncodedBatch, REQUEST_BATCH } from '../../shared/messaging/codec/request-batch.ts';
import { errorText } from '../../shared/platform/errors.ts';
import { showBatch } from './batch-payload.ts';
import { maskPayload } from './mask-payload.ts';

/** What `show` tells of a payload. */
export interface ShownPayload {
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly bytes: number;
  /** The payload in the spellings of the interface; absent where it cannot be shown. */
  readonly content?: unknown;
  /** Why it cannot be read or is not shown, with the members that are wrong. */
  readonly notes: readonly string[];
}

export interface PayloadOptions {
  readonly reveal: boolean;
  /** The letter is a notification: what cannot be read by its shape may be personal data in any place. */
  readonly isCommand: boolean;
}

const HIDDEN = 'the payload is not shown, since it cannot be masked; --reveal shows it';
/** Of bytes that are no JSON so many are shown. */
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
    const { title, detail, errors = [] } = decoded.problem;
    const notes = [detail ?? title, ...errors.map((fault) => `${fault.path}: ${fault.message}`)];
    const type = headerText(message.headers, HEADER.messageType);
    return { type, format, bytes, ...rawContent(message.value, notes, options) };
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

/** A decoded payload as the interface spells it. Throws where its type has no JSON form. */
export function jsonForm(type: string, payload: unknown): unknown {
  const shape = Object.hasOwn(JSON_SHAPES, type) ? JSON_SHAPES[type] : undefined;
  if (shape === undefined) throw new Error(`${type} has no JSON form`);
  return JSON.parse(shape.render(payload));
}

/** What is in a batch: JSON as it was sent, and of Avro each request as its type is written in JSON. */
async function batchContent(
  value: Buffer,
  payload: unknown,
  options: PayloadOptions,
): Promise<Pick<ShownPayload, 'content' | 'notes'>> {
  const batch = payload as EncodedBatch;
  const { items, notes } = await showBatch(batch, jsonForm);
  if (items === undefined || batch.format === 'json') return rawContent(value, notes, options);
  return { content: masked(items, options.reveal), notes };
}

/** What is in bytes that do not follow a shape. */
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
