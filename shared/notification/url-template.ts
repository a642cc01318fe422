/** The URL of a provider with {placeholders}, whose values are encoded. */

/** Placeholders of a URL in addition to the connector's parameters. */
export const URL_VALUES = ['sender', 'receiver', 'id', 'username'] as const;

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Segments that a server resolves to the same folder or to its parent. */
const DOTS = /^(?:\.|%2e){0,2}$/i;

/** The names within braces. */
export function urlPlaceholders(url: string): readonly string[] {
  return [...url.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/**
 * The URL with its values; undefined when a value would change the path (an empty one, `.` or `..`), since some servers
 * resolve these even when they are encoded.
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

/** The URL with sample values; undefined when it is not a URL. */
export function sampleUrl(url: string): URL | undefined {
  const sample = url.replaceAll(PLACEHOLDER, 'x');
  return URL.canParse(sample) ? new URL(sample) : undefined;
}

/** Whether placeholders occur after the host only. */
export function hasFixedOrigin(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#{}]+(?:[/?#]|$)/i.test(url);
}
