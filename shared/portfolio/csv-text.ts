/** A spreadsheet takes a text with such a first character for a formula, also in quotes. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
const PLAIN_NUMBER = /^[+-]\d+(?:\.\d+)?$/;

/** A text for a cell of CSV. An apostrophe before what could be a formula makes spreadsheets show it as it is. */
export function withoutFormula(text: string | number): string {
  const plain = String(text);
  return FORMULA.test(plain) && !PLAIN_NUMBER.test(plain) ? `'${plain}` : plain;
}
