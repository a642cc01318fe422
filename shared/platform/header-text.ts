/** The longest text that a header of an answer gets from a worker, in characters. */
export const HEADER_TEXT_CHARACTERS = 1_024;

/** Whatever is neither visible ASCII nor a blank would break a header. */
const NOT_IN_HEADER = /[^\x20-\x7e]/gu;
/** Half of a percent-encoded byte, at the end of a text that was cut. */
const CUT_BYTE = /%[0-9A-F]?$/;

/** The text as it can stand in a header: other characters percent-encoded as UTF-8, cut at 1,024 characters. */
export function safeHeaderText(text: string): string {
  // Encoding only lengthens: what is beyond the limit need not be encoded.
  const encoded = text
    .slice(0, HEADER_TEXT_CHARACTERS)
    .toWellFormed()
    .replaceAll(NOT_IN_HEADER, encodeURIComponent);
  if (encoded.length <= HEADER_TEXT_CHARACTERS) return encoded;
  return encoded.slice(0, HEADER_TEXT_CHARACTERS).replace(CUT_BYTE, '');
}
