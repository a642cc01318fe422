import type { Channel } from './notification-command.ts';

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** One address without list, route, quoting, or characters that end a header or an SMTP command. */
const SINGLE_ADDRESS = /^[^\s<>,;:"\\()[\]@\p{Cc}]+@[^\s<>,;:"\\()@\p{Cc}]+$/u;
const NAMED_ADDRESS = /^([^<>\p{Cc}]*)<([^<>]+)>$/u;
/** Longer than any mailbox (RFC 5321, 4.5.3.1). */
const MAX_ADDRESS = 320;

const PHONE_NUMBER = /^\+[1-9]\d{5,14}$/;
const DIGITS = /^\d{3,15}$/;
/** A name as sender (3GPP TS 23.040, 9.1.2.5), restricted to characters of every SMS alphabet. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 !"#%&'()*+,./:;<=>?-]{1,11}$/;
/** A messaging service of Twilio, which chooses the sending number. */
export const MESSAGING_SERVICE_SID = /^MG[0-9a-zA-Z]{32}$/;

export function isSingleAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS && SINGLE_ADDRESS.test(text);
}

/** Reads `name <address>`, or `address` with an empty name. Returns undefined for any other text. */
export function readMailSender(sender: string): MailAddress | undefined {
  const named = NAMED_ADDRESS.exec(sender.trim());
  const address = (named?.[2] ?? sender).trim();
  if (!isSingleAddress(address)) return undefined;
  return { name: (named?.[1] ?? '').trim().replaceAll(/^"|"$/g, ''), address };
}

/** True for an e-mail address, with or without a name; for SMS, a number, a name or a Twilio messaging service. */
export function isSenderOf(channel: Channel, sender: string): boolean {
  if (channel === 'email') return readMailSender(sender) !== undefined;
  return [PHONE_NUMBER, DIGITS, NAME, MESSAGING_SERVICE_SID].some((form) => form.test(sender.trim()));
}
