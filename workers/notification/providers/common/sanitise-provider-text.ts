import type { Outbound } from '../../../../shared/notification/command.ts';

/** Strings that must not occur in a code or an id, since these are logged, counted, stored and displayed. */
export interface SensitiveTexts {
  readonly message: Outbound;
  /** Credentials; some providers repeat a key that they reject. */
  readonly secrets: readonly string[];
  /** Strings of the configuration, which may occur even if the message also contains them. */
  readonly configured: readonly string[];
}

/** Longer numbers may be a one-time password, an account or a telephone number. */
const NUMERIC_CODE = /^\d{1,5}$/;
const SAFE_ID = /^[A-Za-z0-9._:@<>+=/~-]{1,64}$/;
/** Shorter digit sequences occur in most ids. */
const MIN_REVEALING_DIGITS = 5;
/** Minimum length of a sensitive word as a token of an id, and within other letters. */
const MIN_WORD = 4;
const MIN_WORD_WITHIN = 5;
const MIN_NAME = 3;
const MIN_SECRET = 4;

/** Whether a code is a short number that does not occur in the message or the credentials. */
export function isSafeNumber(code: string, { message, secrets }: SensitiveTexts): boolean {
  if (!NUMERIC_CODE.test(code)) return false;
  const { people, texts } = contentOf(message);
  const all = [...people, ...texts];
  const files = message.channel === 'email' ? message.attachments : [];
  return (
    !all.some((text) => text.includes(code) || digitsOf(text).includes(code)) &&
    !files.some(({ content }) => content.includes(code)) &&
    !secrets.some((secret) => secret === code)
  );
}

/** The id, if it is short, consists of safe characters and contains no number or word of the message or its addresses. */
export function sanitiseId(id: string | undefined, sensitive: SensitiveTexts): string | undefined {
  if (id === undefined || !SAFE_ID.test(id)) return undefined;
  const { message, secrets, configured } = sensitive;
  const holdsSecret = secrets.some(
    (secret) => secret.length >= MIN_SECRET && (id.includes(secret) || secret.includes(id)),
  );
  if (holdsSecret) return undefined;
  let rest = id.toLowerCase();
  for (const text of configured) if (text !== '') rest = rest.replaceAll(text.toLowerCase(), ' ');
  const { people, texts } = contentOf(message);
  return holdsNumber(rest, [...people, ...texts]) || holdsWord(rest, people, texts) ? undefined : id;
}

function contentOf(message: Outbound): {
  readonly people: readonly string[];
  readonly texts: readonly string[];
} {
  const { sender = '', receiver, message: text } = message;
  if (message.channel === 'sms') return { people: [sender, receiver], texts: [text] };
  const names = message.attachments.map(({ name }) => name);
  return {
    people: [sender, receiver, ...message.cc, ...message.bcc],
    texts: [text, message.subject, ...names],
  };
}

/** Joins grouped digits such as `493 817` or `0722-123-456`. */
function digitsOf(text: string): string {
  return text.replaceAll(/(?<=\d)[ \u00A0-](?=\d)/g, '');
}

function holdsNumber(id: string, texts: readonly string[]): boolean {
  const runs = digitsOf(id).match(/\d{5,}/g) ?? [];
  const windows = runs.flatMap((run) =>
    Array.from({ length: run.length - MIN_REVEALING_DIGITS + 1 }, (_, at) =>
      run.slice(at, at + MIN_REVEALING_DIGITS),
    ),
  );
  if (windows.length === 0) return false;
  return texts.some((text) => {
    const joined = digitsOf(text);
    return windows.some((digits) => text.includes(digits) || joined.includes(digits));
  });
}

/** Compares the domain of an address as a whole, since parts such as `com` occur in many ids. */
function holdsWord(id: string, people: readonly string[], texts: readonly string[]): boolean {
  const tokens = new Set([...id.split(/[^a-z0-9]+/), ...(id.match(/[a-z]+/g) ?? [])]);
  const isNamed = people.some((person) => {
    const [name = '', domain = ''] = person.toLowerCase().split('@', 2);
    const host = domain.replace(/[>\s].*$/, '');
    return (host !== '' && id.includes(host)) || wordsOf(name).some((word) => has(word, MIN_NAME));
  });
  return isNamed || texts.some((text) => wordsOf(text.toLowerCase()).some((word) => has(word, MIN_WORD)));

  function has(word: string, shortest: number): boolean {
    if (word.length < shortest || /^\d+$/.test(word)) return false;
    return tokens.has(word) || (word.length >= MIN_WORD_WITHIN && id.includes(word));
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

const MAX_CODE_CHARS = 64;
const NOT_ALLOWED = /[^A-Za-z0-9._-]+/g;

/**
 * A code that may be logged, counted and stored: at most 64 characters, with each sequence of characters other than
 * [A-Za-z0-9._-] replaced by a dash; `unnamed` if no letter or digit is left.
 */
export function sanitiseCode(code: string): string {
  const cleaned = code.replaceAll(NOT_ALLOWED, '-').slice(0, MAX_CODE_CHARS);
  return /[A-Za-z0-9]/.test(cleaned) ? cleaned : 'unnamed';
}
