/**
 * Ids of currencies. An id is made of a fixed beginning and the ASCII codes of the three ISO 4217 letters as its last
 * six digits, so that anyone can tell it without a table: EUR is 45 55 52.
 */

const BEGINNING = '2e9b7d10-4c86-4f35-a1d0-000000';
const HEXADECIMAL = 16;

/** The id of a currency by its ISO 4217 code in any case. */
export function currencyId(code: string): string {
  const letters = code.trim().toUpperCase().split('');
  return BEGINNING + letters.map((letter) => letter.charCodeAt(0).toString(HEXADECIMAL)).join('');
}
