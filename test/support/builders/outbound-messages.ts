import { randomUUID } from 'node:crypto';
import type { Outbound } from '../../../shared/notification/command.ts';

type OutboundEmail = Extract<Outbound, { readonly channel: 'email' }>;
type OutboundSms = Extract<Outbound, { readonly channel: 'sms' }>;

/** An e-mail as a provider is given it, with an id of its own. */
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
    message: 'The statement of May is ready.\n',
    contentType: 'text/plain',
    attachments: [],
    ...changes,
  };
}

/** An SMS as a provider is given it, with an id of its own. */
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

/** A signal that never ends a call. */
export const NEVER = new AbortController().signal;
