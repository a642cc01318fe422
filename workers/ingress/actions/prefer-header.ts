export interface Preferences {
  /** Whether to respond with 202 and a result address (RFC 7240 section 4.1). */
  readonly respondAsync: boolean;
  /** How long the caller waits for a reply, in whole seconds (RFC 7240 section 4.3). */
  readonly waitSeconds: number | undefined;
}

/**
 * Quoted values, in which separators are ignored; one that is not closed extends to the end. If it were no match, each quote in it
 * would be tried anew up to the end.
 */
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;
const SEPARATORS = /[,;=]/g;
const NONE: Preferences = { respondAsync: false, waitSeconds: undefined };

/**
 * Reads `Prefer` (RFC 7240): `respond-async` and `wait=<seconds>`; other preferences are ignored, as the standard
 * requires. The first of repeated preferences applies. A wait that is not a positive integer is ignored.
 */
export function readPreferences(header: string | readonly string[] | undefined): Preferences {
  if (header === undefined) return NONE;
  let respondAsync = false;
  let waitSeconds: number | undefined;
  const text = String(header).replaceAll(QUOTED, (quoted) => quoted.replaceAll(SEPARATORS, ' '));
  for (const preference of text.split(',')) {
    const [token = ''] = preference.split(';', 1);
    const [name = '', value] = token.split('=', 2).map((part) => part.trim());
    if (name.toLowerCase() === 'respond-async') respondAsync = true;
    if (name.toLowerCase() === 'wait') waitSeconds ??= wholeSeconds(value);
  }
  return { respondAsync, waitSeconds };
}

function wholeSeconds(value: string | undefined): number | undefined {
  const digits = value?.replaceAll('"', '');
  return digits !== undefined && /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}
