/** The one media type of the interface (section 4), with parameters (RFC 9110 section 8.3.1). */
const JSON_TYPE =
  /^application\/json[ \t]*((?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*")[ \t]*)?)*)$/i;
const CHARSET = /;[ \t]*charset=("?)([^";\s]*)\1/gi;

/** Whether a body of this content type and encoding can be read: JSON in UTF-8, not compressed. */
export function isReadableContent(
  contentType: string | undefined,
  contentEncoding: string | undefined,
): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  if (contentType === undefined || contentType === 'application/json') return contentType !== undefined;
  const parameters = JSON_TYPE.exec(contentType)?.[1];
  return parameters !== undefined && [...parameters.matchAll(CHARSET)].every(([, , name]) => isUtf8(name));
}

/** `utf8` is no registered name, and common all the same. */
function isUtf8(charset = ''): boolean {
  return charset.toLowerCase() === 'utf-8' || charset.toLowerCase() === 'utf8';
}
