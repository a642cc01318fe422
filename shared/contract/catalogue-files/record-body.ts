/** The body of a catalogue message: a record as JSON text, packed for the log. */

import { isUtf8 } from 'node:buffer';
import { gunzipSync, gzipSync } from 'node:zlib';
import { exceedsJsonDepth } from '../../platform/json-depth.ts';

/** How a body is written; other encodings are refused. */
export const BODY_ENCODINGS = ['json', 'json+gzip'] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/** Largest record as JSON text, the same as of a file: a few packed bytes cannot unfold to more. */
export const LARGEST_RECORD_BYTES = 4 * 1_024 * 1_024;

/** Packs a record, in memory of its own beside the pool that small buffers share. Throws when it is larger than {@link LARGEST_RECORD_BYTES}. */
export function packBody(record: object): Buffer {
  const json = JSON.stringify(record);
  const text = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  text.write(json);
  if (text.length > LARGEST_RECORD_BYTES)
    throw new RangeError(`a record has at most ${LARGEST_RECORD_BYTES} bytes`);
  return gzipSync(text);
}

/** A body as the value of its JSON text, and the size of that text. Throws, without any of its content, on a bad one. */
export function unpackBody(
  encoding: string,
  body: Buffer,
): { readonly value: unknown; readonly bytes: number } {
  const text = textOf(encoding, body);
  if (text.length > LARGEST_RECORD_BYTES) throw tooLarge();
  if (!isUtf8(text)) throw new Error('its body is not valid UTF-8');
  if (exceedsJsonDepth(text)) throw new Error('its body is nested too deeply');
  try {
    return { value: JSON.parse(text.toString('utf8')), bytes: text.length };
  } catch {
    throw new Error('its body is not valid JSON');
  }
}

function textOf(encoding: string, body: Buffer): Buffer {
  if (encoding === 'json') return body;
  if (encoding !== 'json+gzip') throw new Error(`its encoding must be one of ${BODY_ENCODINGS.join(', ')}`);
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST_RECORD_BYTES });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new Error('its body cannot be unpacked');
  }
}

function tooLarge(): Error {
  return new Error(`its body has more than ${LARGEST_RECORD_BYTES} bytes`);
}
