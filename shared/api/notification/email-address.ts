/** E-mail addresses of notifications. Only plain addresses are accepted, which prevents header injection (N4). */

import { domainToASCII } from 'node:url';
import { cleanText, nameCharacter } from './clean-text.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';

/** Maximum number of characters before the `@` (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART = 64;
/** A dot-atom of RFC 5322; quoted local parts and comments are not supported. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** At least two labels of letters, digits and inner dashes. The last has two characters or more and is not a number. */
const DOMAIN =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?!\d+$)[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;
const INTERNATIONAL = /^[\p{L}\p{M}\p{N}.-]+$/u;
const ASCII = /^[\x21-\x7e]*$/;
const SEPARATORS = /[;,]/;

/** One plain address with its domain in ASCII; undefined for other texts, such as an address with a display name. */
export function cleanEmailAddress(text: string): string | undefined {
  const trimmed = cleanText(text);
  if (trimmed.length > NOTIFICATION_LIMITS.addressCharacters) return undefined;
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  if (local.length > MAX_LOCAL_PART || !LOCAL_PART.test(local)) return undefined;
  const domain = asciiDomain(trimmed.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== undefined && address.length <= NOTIFICATION_LIMITS.addressCharacters
    ? address
    : undefined;
}

/** Parses addresses separated by `;` or `,` (N4), ignoring blank items. `wrong`: positions of invalid ones, from 1. */
export function readAddressList(text: string) {
  const items = text.split(SEPARATORS).filter((item) => cleanText(item) !== '');
  const read = items.map(cleanEmailAddress);
  return {
    addresses: read.filter((address) => address !== undefined),
    wrong: read.flatMap((address, index) => (address === undefined ? [index + 1] : [])),
  };
}

/** Characters that no domain may have. Unlike a local part, a domain may have letters and digits beyond ASCII. */
const NOT_IN_DOMAIN = /[^\x20-\x7e\p{L}\p{M}\p{N}]/u;

/** Names the first character that no address may contain, as nameCharacter does; '' if there is none. */
export function nameAddressCharacter(text: string): string {
  for (const item of text.split(SEPARATORS)) {
    const domain = item.lastIndexOf('@') + 1;
    const named = nameCharacter(item.slice(0, domain)) || nameCharacter(item.slice(domain), NOT_IN_DOMAIN);
    if (named !== '') return named;
  }
  return '';
}

/** Removes repeated addresses and those in `others` (lower case). Ignores case, as mail servers do in practice. */
export function withoutRepeated(addresses: readonly string[], others: ReadonlySet<string>): string[] {
  const seen = new Set(others);
  return addresses.filter((address) => {
    const mailbox = address.toLowerCase();
    if (seen.has(mailbox)) return false;
    seen.add(mailbox);
    return true;
  });
}

function asciiDomain(domain: string): string | undefined {
  if (ASCII.test(domain)) return DOMAIN.test(domain) ? domain : undefined;
  if (!INTERNATIONAL.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return DOMAIN.test(ascii) ? ascii : undefined;
}
