/** Who reports (N7): the signature of the provider over what it posted, in constant time, and at most 300 s old. */

import { createHmac, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ReceiptSource } from '../../../shared/notification/provider-configuration.ts';
import { readPublicKey } from '../../../shared/notification/provider-settings.ts';
import { receiptAddress } from '../../../shared/notification/receipt-address.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { scalarText, valueAtPointer } from '../../../shared/platform/json-pointer.ts';

/** What a provider posted. */
export interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON or as a form; undefined if it is neither. */
  readonly fields: unknown;
  /** The query with its question mark, as it was sent; empty without one. */
  readonly search: string;
  /** The last segment of the path, if the address has a secret. */
  readonly secret: string | undefined;
}

export type IsAuthentic = (posted: Posted, nowMs: number) => boolean;

const TOLERANCE_MS = 300_000;

/** Creates the check of a provider. Rejects with ConfigError for Twilio without PUBLIC_URL. */
export async function createSignatureCheck(
  { name, receipts }: ReceiptSource,
  publicUrl: string | undefined,
): Promise<IsAuthentic> {
  const { kind, key } = receipts;
  switch (kind) {
    case 'sendgrid': {
      const publicKey = readPublicKey(key);
      return ({ headers, body }, nowMs) => {
        const at = String(headers['x-twilio-email-event-webhook-timestamp']);
        const signature = String(headers['x-twilio-email-event-webhook-signature']);
        const signed = Buffer.concat([Buffer.from(at), body]);
        return isRecent(at, nowMs) && verify('sha256', signed, publicKey, Buffer.from(signature, 'base64'));
      };
    }
    case 'twilio': {
      const address = receiptAddress(publicUrl, name);
      const { validateRequest } = (await import('twilio')).default;
      // A report has no time; the signature covers the whole address, and with it the notification.
      return ({ headers, search, fields }) =>
        validateRequest(key, String(headers['x-twilio-signature']), address + search, formOf(fields));
    }
    case 'mailgun':
      // It signs time and token, but not the event.
      return ({ fields }, nowMs) => {
        const [at, token, signature] = ['timestamp', 'token', 'signature'].map(
          (field) => scalarText(valueAtPointer(fields, `/signature/${field}`)) ?? '',
        ) as [string, string, string];
        return isRecent(at, nowMs) && isEqual(signature, hmacOf(key, at + token));
      };
    case 'vonage':
      return ({ fields }, nowMs) => {
        const { sig = '', ...signed } = formOf(fields);
        const sorted = Object.entries(signed).toSorted(([one], [other]) => (one < other ? -1 : 1));
        const text = sorted.map(([field, value]) => `&${field}=${value.replaceAll(/[&=]/g, '_')}`).join('');
        return isRecent(signed['timestamp'], nowMs) && isEqual(sig.toLowerCase(), hmacOf(key, text));
      };
    case 'path':
      return ({ secret = '' }) => isEqual(secret, key);
    default:
      return assertNever(kind);
  }
}

function isRecent(epochSeconds: string | undefined, nowMs: number): boolean {
  return Math.abs(nowMs - Number(epochSeconds) * 1_000) <= TOLERANCE_MS;
}

function hmacOf(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The members that are text or numbers. */
function formOf(fields: unknown): Record<string, string> {
  const entries = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const text = scalarText(value);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}
