import type { Outbound } from '../../../shared/notification/notification-command.ts';

/** Texts that must not occur in a code or an id, because these are logged, counted, stored and displayed. */
export interface SensitiveTexts {
  readonly message: Outbound;
  /** Credentials. Some providers repeat a key that they reject. */
  readonly secrets: readonly string[];
}

/** Longer numbers may be a one-time password, an account or a telephone number. */
const NUMERIC_CODE = /^\d{1,5}$/;
const SAFE_ID = /^[A-Za-z0-9._:@<>+=/~-]{1,64}$/;
/** Shorter names and secrets occur in many ids by chance. */
const MIN_NAME = 4;
const LONG_WORDS = /\p{L}{5,}/gu;

/** True for a number of at most five digits that is not a credential and does not occur in the message. */
export function isSafeNumber(code: string, { message, secrets }: SensitiveTexts): boolean {
  return NUMERIC_CODE.test(code) && !secrets.includes(code) && !occursIn(message, code);
}

/** Returns the id if it has at most 64 safe characters and no receiver, secret, long word or number of the message. */
export function sanitiseId(id: string | undefined, { message, secrets }: SensitiveTexts): string | undefined {
  if (id === undefined || !SAFE_ID.test(id)) return undefined;
  const copies = message.channel === 'email' ? [...message.cc, ...message.bcc] : [];
  const names = [message.receiver, ...copies].flatMap((receiver) => [
    receiver,
    receiver.split('@', 1)[0] ?? '',
  ]);
  const lower = id.toLowerCase();
  const words = message.message.match(LONG_WORDS) ?? [];
  const isNamed = [...names, ...words, ...secrets].some(
    (text) => text.length >= MIN_NAME && (lower.includes(text.toLowerCase()) || text === id),
  );
  return isNamed || fiveDigitsOf(id).some((digits) => occursIn(message, digits)) ? undefined : id;
}

function fiveDigitsOf(text: string): readonly string[] {
  return [...digitsOf(text).matchAll(/(?=(\d{5}))/g)].map(([, digits = '']) => digits);
}

/** Joins grouped digits such as `493 817` or `0722-123-456`. */
function digitsOf(text: string): string {
  return text.replaceAll(/(?<=\d)[ \u00A0-](?=\d)/g, '');
}

function occursIn(message: Outbound, digits: string): boolean {
  const { sender = '', receiver, message: text } = message;
  const texts = [sender, receiver, text];
  if (message.channel === 'email') {
    texts.push(
      ...message.cc,
      ...message.bcc,
      message.subject,
      ...message.attachments.map(({ name }) => name),
    );
    if (message.attachments.some(({ content }) => content.includes(digits))) return true;
  }
  return texts.some((one) => one.includes(digits) || digitsOf(one).includes(digits));
}

const MAX_CODE_CHARS = 64;
const NOT_ALLOWED = /[^A-Za-z0-9._-]+/g;

/** Replaces runs of characters outside [A-Za-z0-9._-] by a dash; keeps 64. `unnamed` if no letter or digit is left. */
export function sanitiseCode(code: string): string {
  const cleaned = code.replaceAll(NOT_ALLOWED, '-').slice(0, MAX_CODE_CHARS);
  return /[A-Za-z0-9]/.test(cleaned) ? cleaned : 'unnamed';
}
