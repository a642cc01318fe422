import { createHash } from 'node:crypto';

const ID_SPACE = '6f1d7f0c-2a4e-5d0b-9f39-5a3f8c1b7e52';

/** Derives the id of a notification (UUID version 5) from the position of a command that has no id. */
export function idOfPosition(position: {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}): string {
  return uuidV5(`${position.topic}/${position.partition}/${position.offset}`, ID_SPACE);
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns a UUID in lower case, or undefined if the text is not a UUID. */
export function readId(text: string | undefined): string | undefined {
  return text !== undefined && UUID.test(text) ? text.toLowerCase() : undefined;
}

const ENDS = [8, 12, 16, 20, 32] as const;
const VARIANT_AT = 16;
const VARIANT = 0b1000;
const OTHER_BITS = 0b0011;
const HEX = 16;

/** Returns the UUID of a name (RFC 9562, 5.5), the same in any process. The namespace is a UUID too. */
export function uuidV5(name: string, namespace: string): string {
  return formatUuid(
    createHash('sha1').update(namespace.replaceAll('-', ''), 'hex').update(name).digest('hex'),
    '5',
  );
}

/** Makes a UUID from the first 32 hexadecimal digits by setting version and variant (RFC 9562, 5.5 and 5.8). */
export function formatUuid(hash: string, version: '5' | '8'): string {
  const variant = ((Number.parseInt(hash.charAt(VARIANT_AT), HEX) & OTHER_BITS) | VARIANT).toString(HEX);
  const digits = `${hash.slice(0, ENDS[1])}${version}${hash.slice(ENDS[1] + 1, VARIANT_AT)}${variant}${hash.slice(VARIANT_AT + 1)}`;
  return ENDS.map((end, index) => digits.slice(ENDS[index - 1] ?? 0, end)).join('-');
}
