import { createHmac, hash, verify } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { isEqualSecret } from '../../../shared/notification/command-proof.ts';
import type { ReceiptSource } from '../../../shared/notification/provider-configuration.ts';
import { readPublicKey } from '../../../shared/notification/provider-settings.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { lazy } from '../../../shared/platform/lazy.ts';
import { jsonOf, scalarText, valueAtPointer } from '../../../shared/platform/json-pointer.ts';

const TOLERANCE_MS = 300_000;
/** Sorting is done before a signature is known to be right. */
const MAX_FIELDS = 200;

type Request = Pick<FastifyRequest<{ Params: ReceiptParams }>, 'headers' | 'url' | 'params'>;
export type ReceiptParams = { readonly provider: string; readonly secret?: string };
export type Posted = ReturnType<typeof readPosted>;

/** What a provider posted. `fields`: the body as JSON or as a form. `search`: the query with its question mark, as sent. */
export function readPosted({ headers, url, params: { secret = '' } }: Request, body: Buffer) {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  // The bytes are those of a provider, so no rule for requests applies to their values.
  const fields = lazy(() =>
    isForm ? Object.fromEntries(new URLSearchParams(body.toString())) : jsonOf(body.toString()),
  );
  return { headers, body, fields, search: /\?.*/.exec(url)?.[0] ?? '', secret };
}

/** Who reports (N7): whether the provider signed what was posted, where it has a time at most 300 s from `nowMs`. */
export async function isAuthentic(
  { receipts: { kind, key }, address }: ReceiptSource,
  { headers, body, fields, search, secret }: Posted,
  nowMs: number,
): Promise<boolean> {
  const isRecent = (epochSeconds = ''): boolean =>
    Math.abs(nowMs - Number(epochSeconds) * 1_000) <= TOLERANCE_MS;
  const hasMac = (mac: string, text: string): boolean =>
    isEqualSecret(mac, createHmac('sha256', key).update(text).digest('hex'));
  switch (kind) {
    case 'sendgrid': {
      const at = String(headers['x-twilio-email-event-webhook-timestamp']);
      const signature = String(headers['x-twilio-email-event-webhook-signature']);
      const signed = Buffer.concat([Buffer.from(at), body]);
      return isRecent(at) && verify('sha256', signed, readPublicKey(key), Buffer.from(signature, 'base64'));
    }
    case 'twilio': {
      if (headers['x-twilio-signature'] === undefined) return false;
      const { validateRequest } = (await import('twilio')).default;
      // A report has no time; the signature covers the whole address, and with it the notification.
      const form = formOf(fields());
      const signature = String(headers['x-twilio-signature']);
      return form !== undefined && validateRequest(key, signature, address + search, form);
    }
    case 'mailgun': {
      // It signs time and token, but not the event.
      const {
        timestamp = '',
        token = '',
        signature = '',
      } = formOf(valueAtPointer(fields(), '/signature')) ?? {};
      return isRecent(timestamp) && hasMac(signature, timestamp + token);
    }
    case 'vonage': {
      const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
      if (token !== undefined) {
        const { jwtVerify } = await import('jose');
        const checks = { algorithms: ['HS256'], currentDate: new Date(nowMs) };
        const verified = await jwtVerify(token, Buffer.from(key), checks).catch(() => undefined);
        const { iat, payload_hash } = verified?.payload ?? {};
        return isRecent(String(iat)) && payload_hash === hash('sha256', body);
      }
      // Signed messages of its SMS API.
      const { sig = '', ...signed } = formOf(fields()) ?? {};
      const sorted = Object.entries(signed).toSorted(([one], [other]) => (one < other ? -1 : 1));
      const text = sorted.map(([field, value]) => `&${field}=${value.replaceAll(/[&=]/g, '_')}`).join('');
      return isRecent(signed['timestamp']) && hasMac(sig.toLowerCase(), text);
    }
    case 'path':
      return isEqualSecret(secret, key);
    default:
      return assertNever(kind);
  }
}

/** Undefined if there are too many members, or others than text and numbers: they would be read without a signature. */
function formOf(fields: unknown): Record<string, string> | undefined {
  const members = Object.entries(fields ?? {});
  if (members.length > MAX_FIELDS) return undefined;
  const entries = members.map(([name, value]) => [name, scalarText(value)]);
  if (entries.some(([, text]) => text === undefined)) return undefined;
  return Object.fromEntries(entries) as Record<string, string>;
}
