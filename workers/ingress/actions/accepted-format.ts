/** Chooses the media type of an answer from the header `Accept` (RFC 9110, 12.5.1; T6). */

import { JSON_TYPE } from '../../../shared/api/json/action-definition.ts';

/** Text after a `q` that is not a number from 0 to 1 counts as 1. Ranges beyond these are not read. */
const MAX_RANGES = 32;

/**
 * The best of JSON and `others`. Of equal qualities the range that names a type more exactly decides, then the order,
 * JSON first. What no range allows is answered as JSON too.
 */
export function chooseFormat(accept: string | undefined, others: readonly string[]): string {
  if (accept === undefined || others.length === 0) return JSON_TYPE;
  const ranges = accept.toLowerCase().split(',', MAX_RANGES).map(readRange);
  const ranked = [JSON_TYPE, ...others]
    .map((type) => ({ type, ...rank(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality || other.exactness - one.exactness);
  return ranked[0]?.type ?? JSON_TYPE;
}

function readRange(text: string) {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  const quality = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 1;
  return { type, quality };
}

/** The most exact range that covers a type has its quality: the type itself, `text/*`, or `*` of both. */
function rank(type: string, ranges: readonly ReturnType<typeof readRange>[]) {
  const [main = ''] = type.split('/');
  const covering = [type, `${main}/*`, '*/*'];
  for (const [at, name] of covering.entries()) {
    const range = ranges.find((one) => one.type === name);
    if (range !== undefined) return { quality: range.quality, exactness: covering.length - at };
  }
  return { quality: 0, exactness: 0 };
}
