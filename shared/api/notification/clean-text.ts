/** Removes invisible characters, which people copy from programs together with numbers, addresses and names (N4). */

/** Invisible characters, such as soft hyphens. Joiners between letters stay, because some scripts need them. */
const INVISIBLE = /(?![\u200c\u200d])\p{DI}|(?<![\p{L}\p{M}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}])/gu;
const OUTER_BLANKS = /^[\p{Zs}\t]+|(?<![\p{Zs}\t])[\p{Zs}\t]+$/gu;

/** The text without invisible characters and without blanks and tabs at its ends. Line breaks are kept. */
export function cleanText(text: string): string {
  return text.replaceAll(INVISIBLE, '').replaceAll(OUTER_BLANKS, '');
}

/** For the end of a message: the first refused character of the cleaned text, as `; U+0661 is not allowed`, else ''. */
export function nameCharacter(text: string, refused = /[^\x20-\x7e]/u): string {
  const found = refused.exec(cleanText(text))?.[0];
  return found === undefined ? '' : `; ${codePointOf(found)} is not allowed`;
}

/** Names the first character of a text, such as `U+0661`; `its end` for an empty text. */
export function codePointOf(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined ? 'its end' : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
