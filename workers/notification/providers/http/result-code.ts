const MAX_CODE_CHARS = 64;
const NOT_ALLOWED = /[^A-Za-z0-9._-]+/g;

/**
 * A code that may be logged, counted and stored: whatever is not of [A-Za-z0-9._-] becomes a dash, 64 characters are kept;
 * `fallback` when nothing is left.
 */
export function sanitiseCode(code: string, fallback = 'unnamed'): string {
  const cleaned = code.replaceAll(NOT_ALLOWED, '-').slice(0, MAX_CODE_CHARS);
  return /[A-Za-z0-9]/.test(cleaned) ? cleaned : fallback;
}
