/** Reports as the providers document and sign them, made from their published recipes with node:crypto alone. */

import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';

export interface Report {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Query of the address, with its question mark. */
  readonly search?: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const KEYS = {
  sendgrid: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  twilio: 'twilio-auth-token',
  mailgun: 'mailgun-signing-key',
  vonage: 'vonage-signature-secret',
  path: 'a-secret-of-the-address-of-others',
};

const secondsOf = (atMs: number): string => String(Math.floor(atMs / 1_000));

export function sendgridReport(events: readonly object[], atMs = Date.now()): Report {
  const body = JSON.stringify(events);
  const at = secondsOf(atMs);
  const signature = createSign('sha256')
    .update(at + body)
    .sign(privateKey, 'base64');
  const headers = {
    'x-twilio-email-event-webhook-timestamp': at,
    'x-twilio-email-event-webhook-signature': signature,
  };
  return { headers: { ...JSON_TYPE, ...headers }, body };
}

/** `address`: the whole address without its query. */
export function twilioReport(fields: Readonly<Record<string, string>>, address: string, search = ''): Report {
  const signed = Object.keys(fields)
    .toSorted()
    .map((name) => name + fields[name]);
  const signature = createHmac('sha1', KEYS.twilio).update(address + search + signed.join(''));
  const headers = { ...FORM_TYPE, 'x-twilio-signature': signature.digest('base64') };
  return { headers, body: new URLSearchParams(fields).toString(), search };
}

export function mailgunReport(event: object, atMs = Date.now()): Report {
  const [timestamp, token] = [secondsOf(atMs), 'a'.repeat(50)];
  const signature = createHmac('sha256', KEYS.mailgun).update(timestamp + token);
  const signed = { timestamp, token, signature: signature.digest('hex') };
  return { headers: JSON_TYPE, body: JSON.stringify({ signature: signed, 'event-data': event }) };
}

export function vonageReport(fields: Readonly<Record<string, string>>, atMs = Date.now()): Report {
  const all: Record<string, string> = { ...fields, timestamp: secondsOf(atMs), nonce: 'n-1' };
  const text = Object.keys(all)
    .toSorted()
    .map((name) => `&${name}=${all[name]?.replaceAll(/[&=]/g, '_')}`);
  const sig = createHmac('sha256', KEYS.vonage).update(text.join('')).digest('hex').toUpperCase();
  return { headers: JSON_TYPE, body: JSON.stringify({ ...all, sig }) };
}

export function postReport(address: string, { headers, body, search = '' }: Report): Promise<Response> {
  return fetch(address + search, { method: 'POST', headers, body });
}
