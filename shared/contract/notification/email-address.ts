/** E-mail addresses of notifications: one plain address each, so that nothing can be smuggled into a header (N4). */

import { domainToASCII } from 'node:url';
import { NOTIFICATION_LIMITS } from './limits.ts';

/** RFC 5321, 4.5.3.1.1. */
const LONGEST_LOCAL_PART = 64;
/** RFC 5322 dot-atom; quoted local parts and comments are not written by people. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Labels of letters, digits and inner dashes; at least two, and the last one is no number. */
const DOMAIN =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?!\d+$)[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;
/** Anything else would have to be rewritten before it is a domain. */
const INTERNATIONAL = /^[\p{L}\p{M}\p{N}.-]+$/u;
const ASCII = /^[\x21-\x7e]*$/;
const SEPARATORS = /[;,]/;

/**
 * An address as it goes to a provider: without blanks around it, an international domain in its ASCII form. Undefined
 * for what is not one plain address: display names, brackets, comments, several addresses, control characters.
 */
export function cleanEmailAddress(text: string): string | undefined {
  if (text.length > NOTIFICATION_LIMITS.addressCharacters) return undefined;
  const trimmed = trimBlanks(text);
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  if (local.length > LONGEST_LOCAL_PART || !LOCAL_PART.test(local)) return undefined;
  const domain = asciiDomain(trimmed.slice(at + 1));
  const address = `${local}@${domain}`;
  return domain !== undefined && address.length <= NOTIFICATION_LIMITS.addressCharacters
    ? address
    : undefined;
}

/** What a list of addresses was read as. */
export interface AddressList {
  readonly addresses: readonly string[];
  /** Places, from 1, of items that are no address. */
  readonly wrong: readonly number[];
}

/** Addresses separated by `;` or `,` (N4); empty items are skipped. */
export function readAddressList(text: string): AddressList {
  const addresses: string[] = [];
  const wrong: number[] = [];
  const items = text.split(SEPARATORS).filter((item) => trimBlanks(item) !== '');
  for (const [index, item] of items.entries()) {
    const address = cleanEmailAddress(item);
    if (address === undefined) wrong.push(index + 1);
    else addresses.push(address);
  }
  return { addresses, wrong };
}

/** The addresses that are not among the others, each once. Upper and lower case are the same mailbox in practice. */
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

/** Blanks and tabs only: a line break is never removed silently. */
function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');
}
