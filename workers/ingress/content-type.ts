/** `application/json`, if need be with `charset=utf-8`: the one media type of the interface (interface section 4). */
const JSON_UTF8 = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i;

/** Whether a body of this content type and encoding can be read: JSON in UTF-8, not compressed. */
export function isReadableContent(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  return contentType === 'application/json' || (contentType !== undefined && JSON_UTF8.test(contentType));
}
