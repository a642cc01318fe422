/** What providers report about the messages that they accepted (N7). */

import type { ReceiptSettings } from '../../../shared/notification/provider-settings.ts';
import { readId } from '../../../shared/notification/notification-id.ts';
import type { ReceiptStatus } from '../../../shared/notification/notification-state.ts';
import { scalarText, valueAtPointer } from '../../../shared/platform/json-pointer.ts';
import type { Posted } from './receipt-signature.ts';

/** `unsubscribed` and `stopped` say that the receiver wants no more campaigns. */
type ReportedState = ReceiptStatus | 'unsubscribed' | 'stopped';

export interface Receipt {
  /** Undefined if the report names none of our ids. */
  readonly notificationId: string | undefined;
  readonly status: ReportedState;
  /** The address that the report names: that of the receiver, or of a copy. */
  readonly receiver: string | undefined;
  /** Epoch milliseconds; undefined if the report has no plausible time. */
  readonly at: number | undefined;
  readonly providerMessageId: string | undefined;
  readonly code: string | undefined;
}

/** Pointers into an event, and the state that each of its values means; other values mean nothing. */
interface ReceiptFormat {
  /** Where the event is, or the list of events. Default: the whole body. */
  readonly events?: string | undefined;
  readonly id: string;
  /** The values, joined by slashes, are looked up in `states`: `bounce/blocked`, then `bounce`. */
  readonly status: readonly string[];
  readonly states: Readonly<Partial<Record<ReportedState, readonly unknown[]>>>;
  readonly receiver?: string | undefined;
  readonly messageId?: string | undefined;
  readonly at?: string | undefined;
  readonly code?: string | undefined;
  /** Where a message from a receiver has its text, and the number of the receiver. */
  readonly inbound?: { readonly texts: readonly string[]; readonly from: string };
}

/** The words with which providers and operators in the United States and Europe let a receiver stop messages. */
const STOP = /^\s*(?:stop|stopall|unsubscribe|cancel|end|quit|revoke|optout)\s*$/i;

const FORMATS: Readonly<Record<Exclude<ReceiptSettings['kind'], 'path'>, ReceiptFormat>> = {
  sendgrid: {
    id: '/notification_id',
    status: ['/event', '/type'],
    states: {
      delivered: ['delivered'],
      undelivered: ['bounce/blocked', 'blocked', 'dropped'],
      bounced: ['bounce'],
      complained: ['spamreport'],
      unsubscribed: ['unsubscribe', 'group_unsubscribe'],
    },
    receiver: '/email',
    messageId: '/sg_message_id',
    at: '/timestamp',
    code: '/status',
  },
  // No SMS status says that a number will never exist, so none of them is a bounce.
  twilio: {
    id: '/id',
    status: ['/SmsStatus'],
    states: { delivered: ['delivered'], undelivered: ['undelivered', 'failed'] },
    receiver: '/To',
    inbound: { texts: ['/OptOutType', '/Body'], from: '/From' },
    messageId: '/MessageSid',
    code: '/ErrorCode',
  },
  mailgun: {
    events: '/event-data',
    id: '/user-variables/notification-id',
    status: ['/event', '/severity', '/reason'],
    states: {
      delivered: ['delivered'],
      undelivered: ['failed/permanent', 'rejected'],
      bounced: ['failed/permanent/bounce', 'failed/permanent/suppress-bounce'],
      complained: ['complained'],
      unsubscribed: ['unsubscribed'],
    },
    receiver: '/recipient',
    messageId: '/message/headers/message-id',
    at: '/timestamp',
    code: '/delivery-status/code',
  },
  vonage: {
    id: '/client-ref',
    status: ['/status'],
    states: { delivered: ['delivered'], undelivered: ['failed', 'rejected', 'expired'] },
    receiver: '/msisdn',
    inbound: { texts: ['/text'], from: '/msisdn' },
    messageId: '/messageId',
    at: '/timestamp',
    code: '/err-code',
  },
};

/** Longest time from an event to its report; a provider repeats a report for at most three days. */
const MAX_AGE_MS = 3 * 86_400_000;
const SAFE_ID = /^[A-Za-z0-9._:@<>+=/~-]{1,128}$/;
/** A number of at most five digits, or an enhanced status of SMTP. */
const SAFE_CODE = /^\d{1,5}$|^[245]\.\d{1,3}\.\d{1,3}$/;
const MILLISECONDS_FROM = 1e11;

export type ReadReceipts = (
  posted: Pick<Posted, 'fields' | 'search'>,
  nowMs: number,
) => readonly Receipt[] | undefined;

/** Creates the reader of a provider's reports. It returns undefined for a body that is not one. */
export function createReceiptReader(settings: ReceiptSettings): ReadReceipts {
  const format =
    settings.kind === 'path' ? { ...settings, status: [settings.status] } : FORMATS[settings.kind];
  return ({ fields, search }, nowMs) => {
    // Twilio has no field for an id of the sender, so the address to which it reports carries ours.
    const named = { ...(fields as object | undefined), id: new URLSearchParams(search).get('id') };
    const found = valueAtPointer(settings.kind === 'twilio' ? named : fields, format.events ?? '');
    const events: readonly unknown[] = Array.isArray(found) ? found : [found];
    const isReport = events.every((event) => typeof event === 'object' && event !== null);
    return isReport ? events.flatMap((event) => readReceipt(event, format, nowMs)) : undefined;
  };
}

function readReceipt(event: unknown, format: ReceiptFormat, nowMs: number): readonly Receipt[] {
  const textAt = (pointer: string | undefined): string | undefined =>
    pointer === undefined ? undefined : scalarText(valueAtPointer(event, pointer));
  const { inbound } = format;
  const isStop = inbound?.texts.some((pointer) => STOP.test(textAt(pointer) ?? '')) === true;
  const status = isStop ? 'stopped' : stateOf(format, textAt);
  if (status === undefined) return [];
  const receiver = textAt(isStop ? inbound.from : format.receiver);
  const at = timeOf(textAt(format.at));
  const code = textAt(format.code);
  return [
    {
      notificationId: readId(textAt(format.id)),
      status,
      receiver,
      at: at !== undefined && at <= nowMs && at > nowMs - MAX_AGE_MS ? at : undefined,
      providerMessageId: safeId(textAt(format.messageId), receiver),
      code: code !== undefined && SAFE_CODE.test(code) ? code : undefined,
    },
  ];
}

function stateOf({ status, states }: ReceiptFormat, textAt: (pointer: string) => string | undefined) {
  const values = status.map(textAt).filter((value) => value !== undefined);
  const named = Object.entries(states) as readonly [ReportedState, readonly unknown[]][];
  for (let count = values.length; count > 0; count -= 1) {
    const value = values.slice(0, count).join('/');
    const found = named.find(([, all]) => all.some((one) => String(one) === value));
    if (found !== undefined) return found[0];
  }
  return undefined;
}

/** Reads epoch seconds or milliseconds, or a date and time. */
function timeOf(text: string | undefined): number | undefined {
  const number = Number(text);
  const ms = Number.isNaN(number)
    ? Date.parse(text ?? '')
    : number * (number < MILLISECONDS_FROM ? 1_000 : 1);
  return Number.isNaN(ms) ? undefined : Math.floor(ms);
}

/** The id, unless it may contain the receiver. SendGrid appends the place of the event to its id after a dot. */
function safeId(id: string | undefined, receiver: string | undefined): string | undefined {
  const own = id?.replace(/\.(?:filter|recv).*$/s, '');
  if (own === undefined || !SAFE_ID.test(own)) return undefined;
  return receiver !== undefined && receiver !== '' && own.includes(receiver) ? undefined : own;
}
