import type { MessageFormat } from '../codec.ts';
import type { HeaderValue, MessageHeaders } from '../message.ts';

/** What our own messages say of themselves in header content-type. */
export const CONTENT_TYPE = {
  avro: 'application/vnd.apache.avro',
  json: 'application/json',
} as const satisfies Record<MessageFormat, string>;

/** Says nothing of the format; some producers write it on all that they send. */
const NEUTRAL = 'application/octet-stream';
const AVRO_TYPES: ReadonlySet<string> = new Set([CONTENT_TYPE.avro, 'application/avro', 'avro/binary']);

/** The last value of a header as text; a repeated header is an array, of which the last wins. */
export function lastText(headers: MessageHeaders, name: string): string | undefined {
  const value = headers[name];
  const last = isRepeated(value) ? value.at(-1) : value;
  return Buffer.isBuffer(last) ? last.toString('utf8') : last;
}

/** The format that a content type names; undefined when it names neither. Parameters and case do not count. */
export function formatOfContentType(contentType: string | undefined): MessageFormat | undefined {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined) return undefined;
  if (AVRO_TYPES.has(mediaType)) return 'avro';
  return mediaType === CONTENT_TYPE.json || mediaType.endsWith('+json') ? 'json' : undefined;
}

/** True when a content type is given that is not the one of the format. */
export function contradicts(contentType: string | undefined, format: MessageFormat): boolean {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || mediaType === '' || mediaType === NEUTRAL) return false;
  return formatOfContentType(mediaType) !== format;
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}

function isRepeated(value: MessageHeaders[string]): value is readonly HeaderValue[] {
  return Array.isArray(value);
}
