import { randomUUID } from 'node:crypto';
import type { Outbound } from '../../../shared/notification/notification-command.ts';

type OutboundEmail = Extract<Outbound, { readonly channel: 'email' }>;
type OutboundSms = Extract<Outbound, { readonly channel: 'sms' }>;

export function outboundEmail(changes: Partial<OutboundEmail> = {}): OutboundEmail {
  return {
    channel: 'email',
    id: randomUUID(),
    notificationId: undefined,
    sender: 'bank@example.org',
    receiver: 'ana@example.net',
    cc: [],
    bcc: [],
    subject: 'Your statement',
    message: 'The statement for May is ready.\n',
    contentType: 'text/plain',
    attachments: [],
    ...changes,
  };
}

export function outboundSms(changes: Partial<OutboundSms> = {}): OutboundSms {
  return {
    channel: 'sms',
    id: randomUUID(),
    notificationId: undefined,
    sender: '+40311000000',
    receiver: '+40722123456',
    message: 'Your statement is ready.',
    ...changes,
  };
}

/** The notificationId of anSms() and anEmail(). */
export const ID = '5b1f6b1e-2f5c-4a8e-9a44-0d9f5f0c7a11';

export function anSms(changes: Partial<OutboundSms> = {}): OutboundSms {
  const message = 'Your card was used for 12.50 EUR.';
  return outboundSms({ id: ID, notificationId: ID, sender: undefined, message, ...changes });
}

export function anEmail(changes: Partial<OutboundEmail> = {}): OutboundEmail {
  return outboundEmail({
    id: ID,
    notificationId: ID,
    sender: undefined,
    receiver: 'customer@example.com',
    message: 'Please find it attached.',
    ...changes,
  });
}

export const NEVER = new AbortController().signal;
