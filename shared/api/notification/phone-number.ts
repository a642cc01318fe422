/** Cleans the telephone numbers of notifications: receivers and senders of SMS (N4). */

import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js';
import { cleanText } from './clean-text.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';

/** What is ignored in a number: blanks, brackets, dashes, dots and slashes. */
const PUNCTUATION = /[\s()[\]./\u2010-\u2015\u2212-]/g;
const WIDE = /[\uff01-\uff5e\ufe62]/g;
const DIGITS = /^\+?\d{3,17}$/;
const DIALLED_PREFIX = /^00/;

const load = createRequire(import.meta.url);

/** Loads the numbering plans of all countries on first use, since loading takes 0.1 s and about 8 MiB. */
function phoneNumbers(): typeof PhoneNumbers {
  return load('libphonenumber-js') as typeof PhoneNumbers;
}

/** The number in E.164; undefined if it cannot exist. A number without `+` or `00` is one of `country` (ISO 3166). */
export function cleanPhoneNumber(text: string, country?: string): string | undefined {
  const plain = cleanNumber(text);
  if (plain.length > NOTIFICATION_LIMITS.phoneCharacters) return undefined;
  const digits = plain.replaceAll(PUNCTUATION, '').replace(DIALLED_PREFIX, '+');
  if (!DIGITS.test(digits)) return undefined;
  const options = country === undefined ? {} : { defaultCountry: country as PhoneNumbers.CountryCode };
  const number = phoneNumbers().parsePhoneNumberFromString(digits, { extract: false, ...options });
  return number?.isValid() === true ? number.number : undefined;
}

/** The text without invisible characters and outer blanks, and with ASCII in place of full-width characters. */
export function cleanNumber(text: string): string {
  return cleanText(text).replaceAll(WIDE, (wide) => wide.normalize('NFKC'));
}

/** The country (ISO 3166) of an E.164 number; undefined if it belongs to none, such as a satellite number. */
export function countryOfNumber(number: string): string | undefined {
  return phoneNumbers().parsePhoneNumberFromString(number, { extract: false })?.country;
}

const SHORT_CODE = /^\d{3,8}$/;
const LETTER = /\p{L}/u;
/** Characters outside the GSM 7-bit default alphabet (3GPP TS 23.038, 6.2.1), and the control characters in it. */
export const NOT_GSM = /[^A-Za-z0-9 @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]/u;

/** A name of at most 11 GSM characters, a short code of 3 to 8 digits, or an E.164 number; otherwise undefined. */
export function cleanSmsSender(text: string, country?: string): string | undefined {
  const trimmed = cleanText(text);
  const code = cleanNumber(text);
  if (SHORT_CODE.test(code)) return code;
  const isName = LETTER.test(trimmed) && !NOT_GSM.test(trimmed);
  if (isName && trimmed.length <= NOTIFICATION_LIMITS.smsSenderCharacters) return trimmed;
  return cleanPhoneNumber(trimmed, country);
}
