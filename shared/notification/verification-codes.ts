/** Codes of verifications (N10). They are derived from the secret whenever they are needed, and never stored. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { ingressId, keyFor } from './command-proof.ts';

const PLACEHOLDER = '{{code}}';
const DIGITS = /^\d{1,2}$/;

export type VerificationCodes = ReturnType<typeof createVerificationCodes>;

/** How often the placeholder of the code occurs in a text. */
export function countPlaceholders(text: string): number {
  return text.split(PLACEHOLDER).length - 1;
}

export function createVerificationCodes(secret: string) {
  const [ids, codes, macs] = ['id', 'code', 'check'].map((use) => keyFor(secret, `plat verification ${use}`));
  /** 256 bits modulo at most 10^10: no code is more frequent than another by more than 2^-222. */
  const code = (notificationId: string, length: number): string =>
    (BigInt(`0x${hash(codes, notificationId).digest('hex')}`) % 10n ** BigInt(length))
      .toString()
      .padStart(length, '0');
  return {
    code,
    /** The id of the notification with the last message. A repeated request derives the same one, so it is sent once. */
    notificationId: (known: { readonly id: string; readonly createdAt: number; readonly sends: number }) =>
      ingressId(hash(ids, known.id, known.createdAt, known.sends).digest('hex')),
    /** A keyed hash of what a person typed. */
    mac: (id: string, typed: string): string => hash(macs, id, typed).digest('base64url'),
    /** A UUID that is the same for the same parts. */
    idOf: (...parts: readonly string[]): string => ingressId(hash(ids, ...parts).digest('hex')),
    /** Compares keyed hashes in constant time, whatever their lengths. */
    isEqual: (one: string, other: string): boolean =>
      timingSafeEqual(hash(macs, one).digest(), hash(macs, other).digest()),
    /** Puts the code into the text of a notification whose header says how many digits it has. */
    withCode: <Message extends { readonly id: string; readonly message: string }>(
      message: Message,
      digits: string | undefined,
    ): Message => {
      if (digits === undefined || !DIGITS.test(digits)) return message;
      return { ...message, message: message.message.replace(PLACEHOLDER, code(message.id, Number(digits))) };
    },
  };
}

function hash(key: Buffer | undefined, ...parts: readonly (string | number)[]) {
  return createHmac('sha256', key ?? '').update(parts.join('\n'));
}
