/** The URL of a provider with {placeholders}, whose values are encoded. */

/** Placeholders that every URL may have, in addition to the connector's parameters. */
export const URL_VALUES = ['sender', 'receiver', 'id', 'username'] as const;

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Path segments that a server resolves to the same folder or its parent. */
const DOTS = /^(?:\.|%2e){0,2}$/i;

/** The names within braces. */
export function urlPlaceholders(url: string): readonly string[] {
  return [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * Inserts the values into the URL. Undefined when a value would change the path (empty, `.` or `..`), since some servers
 * resolve these even if they are encoded.
 */
export function fillUrl(url: string, values: ReadonlyMap<string, string>): string | undefined {
  const filled = url.replaceAll(PLACEHOLDER, (_, name: string) =>
    encodeURIComponent((values.get(name) ?? '').toWellFormed()),
  );
  const segments = pathSegments(filled);
  const isUnchanged = pathSegments(url).every(
    (template, at) => !template.includes('{') || !DOTS.test(segments[at] ?? ''),
  );
  return isUnchanged ? filled : undefined;
}

function pathSegments(url: string): readonly string[] {
  return (url.split('?', 1)[0] ?? '').split('/');
}

/** The URL with sample values; undefined if it is invalid. */
export function sampleUrl(url: string): URL | undefined {
  const sample = url.replaceAll(PLACEHOLDER, 'x');
  return URL.canParse(sample) ? new URL(sample) : undefined;
}

/** Whether no placeholder occurs in scheme, host or port. */
export function hasFixedOrigin(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#{}]+(?:[/?#]|$)/i.test(url);
}
