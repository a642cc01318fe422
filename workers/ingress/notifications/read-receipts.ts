/** What providers report about the messages that they accepted (N7). */

import { readId } from '../../../shared/notification/notification-id.ts';
import type { ReceiptFormat, ReceiptSettings } from '../../../shared/notification/provider-settings.ts';
import { scalarText, valueAtPointer } from '../../../shared/platform/json-pointer.ts';
import type { Posted } from './receipt-signature.ts';
import formats from './receipt-formats.json' with { type: 'json' };

/** The first format in which an event has a known status applies. No SMS status says that a number will never exist. */
const FORMATS = formats as unknown as Readonly<Record<string, readonly ReceiptFormat[]>>;

/** Longest time from an event to its report; a provider repeats a report for at most three days. */
const MAX_AGE_MS = 3 * 86_400_000;
const SAFE_ID = /^[A-Za-z0-9._:@<>+=/~-]{1,128}$/;
/** A number of at most five digits, or an enhanced status of SMTP. */
const SAFE_CODE = /^\d{1,5}$|^[245]\.\d{1,3}\.\d{1,3}$/;
const MILLISECONDS_FROM = 1e11;

export type Receipt = NonNullable<ReturnType<typeof readReceipt>>;

/** Returns undefined if what was posted is no report. Events that say nothing about the end of a message are left out. */
export function readReceipts(
  settings: ReceiptSettings,
  { fields, search }: Pick<Posted, 'fields' | 'search'>,
  nowMs: number,
): readonly Receipt[] | undefined {
  const all = settings.kind === 'path' ? [settings] : (FORMATS[settings.kind] ?? []);
  // Twilio has no field for an id of the sender, so the address to which it reports carries ours.
  const id = settings.kind === 'twilio' && { id: new URLSearchParams(search).get('id') };
  const found = valueAtPointer(id ? { ...(fields() as object), ...id } : fields(), all[0]?.events ?? '');
  const events: readonly unknown[] = Array.isArray(found) ? found : [found];
  if (!events.every((event) => typeof event === 'object' && event !== null)) return undefined;
  return events.flatMap((event) => {
    const read = all.map((format) => readReceipt(event, format, nowMs));
    return read.find((receipt) => receipt !== undefined) ?? [];
  });
}

function readReceipt(event: unknown, format: ReceiptFormat, nowMs: number) {
  const textAt = (pointer: string | undefined): string | undefined =>
    pointer === undefined ? undefined : scalarText(valueAtPointer(event, pointer));
  const values = format.status.map((pointer) => textAt(pointer)?.trim().toLowerCase());
  const value = values
    .map((_value, at) => values.slice(0, at + 1).join('/'))
    .findLast((joined) => Object.hasOwn(format.states, joined));
  const status = format.states[value ?? ''];
  if (status === undefined) return undefined;
  const receiver = textAt(format.receiver) ?? '';
  const at = timeOf(textAt(format.at));
  const code = textAt(format.code) ?? '';
  return {
    /** Undefined if the report names none of our ids. */
    notificationId: readId(textAt(format.id)),
    /** `unsubscribed` and `stopped` say that the receiver wants no more campaigns, `started` that it wants them again. */
    status,
    /** The address that the report names: that of the receiver, or of a copy; empty if it names none. */
    receiver,
    /** Epoch milliseconds; now if the report has no plausible time. */
    at: at <= nowMs && at > nowMs - MAX_AGE_MS ? at : nowMs,
    providerMessageId: safeId(textAt(format.messageId), receiver),
    code: SAFE_CODE.test(code) ? code : undefined,
  };
}

/** Reads epoch seconds or milliseconds, or a date and time; NaN for other texts. */
function timeOf(text = ''): number {
  const number = Number(text);
  const ms = Number.isNaN(number) ? Date.parse(text) : number * (number < MILLISECONDS_FROM ? 1_000 : 1);
  return Math.floor(ms);
}

/** The id, unless it may contain the receiver. SendGrid appends the place of the event to its id after a dot. */
function safeId(id: string | undefined, receiver: string): string | undefined {
  const own = id?.replace(/\.(?:filter|recv).*$/s, '') ?? '';
  return SAFE_ID.test(own) && (receiver === '' || !own.includes(receiver)) ? own : undefined;
}
