/** Verifies DKIM signatures (RFC 6376) as a receiver does: rsa-sha256 with relaxed canonicalization. */
import { createHash, createPublicKey, verify } from 'node:crypto';

export interface CheckedSignature {
  /** `fail` names the difference: the body or the signed header fields. */
  readonly result: 'pass' | 'fail: body' | 'fail: header';
  readonly keyName: string;
  /** Names of the signed header fields in lower case, in the order of the signature. */
  readonly signed: readonly string[];
}

interface HeaderField {
  readonly name: string;
  /** The whole field with its name, unchanged. */
  readonly text: string;
}

/**
 * Verifies all DKIM-Signature fields of a message with CRLF lines; `publicKey` is the base64 of the DER key, as in its
 * DNS record. Throws for other algorithms and canonicalizations, and for a signature that covers only part of the body.
 */
export function checkSignatures(raw: Buffer, publicKey: string): readonly CheckedSignature[] {
  const text = raw.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const fields = text
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((field): HeaderField => ({ name: /^[^:\s]*/.exec(field)?.[0].toLowerCase() ?? '', text: field }));
  const body = relaxedBody(text.slice(end + 4));
  return fields
    .filter(({ name }) => name === 'dkim-signature')
    .map((field) => checkSignature(field, { fields, body, publicKey }));
}

function checkSignature(
  signature: HeaderField,
  message: { readonly fields: readonly HeaderField[]; readonly body: string; readonly publicKey: string },
): CheckedSignature {
  const tags = tagsOf(signature.text.slice(signature.text.indexOf(':') + 1));
  const tag = (name: string): string => tags.get(name) ?? '';
  if (tag('a') !== 'rsa-sha256' || tag('c') !== 'relaxed/relaxed' || tags.has('l')) {
    throw new Error(`only rsa-sha256 and relaxed/relaxed are checked here: ${signature.text}`);
  }
  const signed = tag('h').toLowerCase().split(':');
  const keyName = `${tag('s')}._domainkey.${tag('d')}`;
  const bodyHash = createHash('sha256').update(message.body, 'latin1').digest('base64');
  if (bodyHash !== tag('bh')) return { result: 'fail: body', keyName, signed };
  const unsigned = { ...signature, text: signature.text.replace(/(;\s*b\s*=)[^;]*/, '$1') };
  const input = [...pickFields(message.fields, signed), unsigned].map(relaxedField).join('\r\n');
  const key = createPublicKey({ key: Buffer.from(message.publicKey, 'base64'), format: 'der', type: 'spki' });
  const isGenuine = verify('sha256', Buffer.from(input, 'latin1'), key, Buffer.from(tag('b'), 'base64'));
  return { result: isGenuine ? 'pass' : 'fail: header', keyName, signed };
}

/** The tag list of section 3.2; in the tags used here, white space is not significant. */
function tagsOf(list: string): ReadonlyMap<string, string> {
  return new Map(
    list.split(';').map((item) => {
      const [name = '', ...value] = item.replaceAll(/\s/g, '').split('=');
      return [name, value.join('=')];
    }),
  );
}

/** The signed fields. If several have the same name, the last one is taken first; a missing one is empty (5.4.2). */
function pickFields(fields: readonly HeaderField[], names: readonly string[]): readonly HeaderField[] {
  const left = fields.toReversed();
  return names.flatMap((name) => {
    const index = left.findIndex((field) => field.name === name);
    return index === -1 ? [] : left.splice(index, 1);
  });
}

function relaxedField({ name, text }: HeaderField): string {
  const value = text.slice(text.indexOf(':') + 1).replaceAll('\r\n', '');
  return `${name}:${value.replaceAll(/[ \t]+/g, ' ').trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.replaceAll(/[ \t]+(?=\r\n|$)/g, '').replaceAll(/[ \t]+/g, ' ');
  const trimmed = lines.replace(/(?:\r\n)+$/, '');
  return trimmed === '' ? '' : `${trimmed}\r\n`;
}
