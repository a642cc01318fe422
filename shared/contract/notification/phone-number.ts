/** Telephone numbers of notifications: receivers and numeric senders of SMS (N4). */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js';
import { NOTIFICATION_LIMITS } from './limits.ts';

/** What people write between digits: blanks of all kinds, brackets, dashes, dots and slashes. */
const PUNCTUATION = /[\s()[\]./\u2010-\u2015\u2212-]/g;
const DIGITS = /^\+?\d{3,17}$/;
/** What the rest of the world dials before a country code. */
const DIALLED_PREFIX = /^00/;

const load = createRequire(import.meta.url);

/** The numbering plans of all countries cost a process a tenth of a second and some 8 MiB: only those that meet numbers load them. */
function phoneNumbers(): typeof PhoneNumbers {
  return load('libphonenumber-js') as typeof PhoneNumbers;
}

/** Loads the numbering plans, so that not the first request waits for them. */
export function preparePhoneNumbers(): void {
  phoneNumbers();
}

/**
 * A number as E.164, such as +40722123456, or undefined when no such number can exist. `00` before the country code is
 * the same as `+`. A number without either is one of `country` (ISO 3166), and none without a country.
 */
export function cleanPhoneNumber(text: string, country?: string): string | undefined {
  if (text.length > NOTIFICATION_LIMITS.phoneCharacters) return undefined;
  const digits = text.replaceAll(PUNCTUATION, '').replace(DIALLED_PREFIX, '+');
  if (!DIGITS.test(digits)) return undefined;
  const options = country === undefined ? {} : { defaultCountry: country as PhoneNumbers.CountryCode };
  const number = phoneNumbers().parsePhoneNumberFromString(digits, { extract: false, ...options });
  return number?.isValid() === true ? number.number : undefined;
}

/** Digits of a short code, such as 1717. */
const SHORT_CODE = /^\d{3,8}$/;
/** The GSM 7-bit default alphabet without its control characters (3GPP TS 23.038, 6.2.1); a letter is among them. */
const ALPHANUMERIC =
  /^(?=.*\p{L})[A-Za-z0-9 @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]+$/u;

/**
 * The sender of an SMS as providers take it: a name of at most 11 GSM characters, a short code of 3 to 8 digits, or a
 * number as E.164. Undefined for any other text.
 */
export function cleanSmsSender(text: string, country?: string): string | undefined {
  const trimmed = text.trim();
  if (SHORT_CODE.test(trimmed)) return trimmed;
  if (trimmed.length <= NOTIFICATION_LIMITS.smsSenderCharacters && ALPHANUMERIC.test(trimmed)) return trimmed;
  return cleanPhoneNumber(trimmed, country);
}
