import { createHash } from 'node:crypto';

/** A personal or secret value that a test puts in, and searches for where it must not appear. */
export interface Planted {
  /** A description without the value, such as `number of the receiver`. */
  readonly what: string;
  readonly value: string;
}

/** A planted value that was found, and the form in which it was found. */
export interface Leak {
  readonly what: string;
  readonly form: string;
}

/** The forms in which a value may leak: unchanged, encoded, or as an unkeyed hash. */
interface Form {
  readonly form: string;
  readonly text: string;
  readonly ignoresCase: boolean;
}

const HASHES = ['md5', 'sha1', 'sha256', 'sha512'] as const;
const BYTES_OF_A_GROUP = 3;
const BITS_PER_BYTE = 8;
const BITS_PER_CHARACTER = 6;

/** Creates a search for planted values; its result names them without repeating them. */
export function createLeakSearch(planted: readonly Planted[]): (text: string | Buffer) => readonly Leak[] {
  const forms = planted.flatMap(({ what, value }) => formsOf(value).map((form) => ({ what, ...form })));
  return (text) => {
    const exact = typeof text === 'string' ? text : text.toString('latin1');
    const lower = exact.toLowerCase();
    return forms
      .filter((form) =>
        form.ignoresCase ? lower.includes(form.text.toLowerCase()) : exact.includes(form.text),
      )
      .map(({ what, form }) => ({ what, form }));
  };
}

function formsOf(value: string): readonly Form[] {
  const bytes = Buffer.from(value);
  const plain = new Map([
    ['text', value],
    ['URL', encodeURIComponent(value)],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['hex', bytes.toString('hex')],
  ]);
  const forms: Form[] = [...plain].map(([form, text]) => ({ form, text, ignoresCase: true }));
  for (let before = 0; before < BYTES_OF_A_GROUP; before += 1) {
    forms.push({ form: 'base64', text: base64Within(bytes, before, 'base64'), ignoresCase: false });
    forms.push({ form: 'base64url', text: base64Within(bytes, before, 'base64url'), ignoresCase: false });
  }
  for (const name of HASHES) {
    const hash = createHash(name).update(bytes).digest();
    forms.push({ form: name, text: hash.toString('hex'), ignoresCase: true });
    forms.push({ form: name, text: hash.toString('base64url').slice(0, 20), ignoresCase: false });
    forms.push({ form: name, text: hash.toString('base64').slice(0, 20), ignoresCase: false });
  }
  return forms;
}

/** The base64 characters that depend only on these bytes if that many other bytes precede them. */
function base64Within(bytes: Buffer, before: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding);
  const first = Math.ceil((before * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  const end = Math.floor(((before + bytes.length) * BITS_PER_BYTE) / BITS_PER_CHARACTER);
  return text.slice(first, end);
}
