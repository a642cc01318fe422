import type { Outbound } from '../../../../shared/notification/command.ts';

/** What must not come back in a code or an id that is logged, counted, stored and shown. */
export interface Untellable {
  readonly message: Outbound;
  /** Credentials; some providers repeat a key that they refuse. */
  readonly secrets: readonly string[];
  /** Texts of the configuration, which are not the message's even where it holds them too. */
  readonly configured: readonly string[];
}

/** Longer numbers may be a one-time password, an account or a telephone number. */
const NUMERIC_CODE = /^\d{1,5}$/;
const SAFE_ID = /^[A-Za-z0-9._:@<>+=/~-]{1,64}$/;
/** Shorter runs of digits occur in everything. */
const TELLING_DIGITS = 5;
/** Words of a text that count where an id has them alone, and where it has them within other letters. */
const WORD = 4;
const WORD_WITHIN = 5;
const SHORTEST_NAME = 3;
const SHORTEST_SECRET = 4;

/** Whether a code that the configuration does not name is a plain number, and none that the message holds. */
export function isTellableNumber(code: string, { message, secrets }: Untellable): boolean {
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

/** The id if it may be kept: short, of safe characters, without a number or a word of the message or its people. */
export function tellableId(id: string | undefined, untellable: Untellable): string | undefined {
  if (id === undefined || !SAFE_ID.test(id)) return undefined;
  const { message, secrets, configured } = untellable;
  const holdsSecret = secrets.some(
    (secret) => secret.length >= SHORTEST_SECRET && (id.includes(secret) || secret.includes(id)),
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

/** Numbers are also written in groups: `493 817`, `0722-123-456`. */
function digitsOf(text: string): string {
  return text.replaceAll(/(?<=\d)[ \u00A0-](?=\d)/g, '');
}

function holdsNumber(id: string, texts: readonly string[]): boolean {
  const runs = digitsOf(id).match(/\d{5,}/g) ?? [];
  const windows = runs.flatMap((run) =>
    Array.from({ length: run.length - TELLING_DIGITS + 1 }, (_, at) => run.slice(at, at + TELLING_DIGITS)),
  );
  if (windows.length === 0) return false;
  return texts.some((text) => {
    const joined = digitsOf(text);
    return windows.some((digits) => text.includes(digits) || joined.includes(digits));
  });
}

/** Of an address, its domain counts as a whole: parts such as `com` stand in many ids. */
function holdsWord(id: string, people: readonly string[], texts: readonly string[]): boolean {
  const tokens = new Set([...id.split(/[^a-z0-9]+/), ...(id.match(/[a-z]+/g) ?? [])]);
  const isNamed = people.some((person) => {
    const [name = '', domain = ''] = person.toLowerCase().split('@', 2);
    const host = domain.replace(/[>\s].*$/, '');
    return (host !== '' && id.includes(host)) || wordsOf(name).some((word) => has(word, SHORTEST_NAME));
  });
  return isNamed || texts.some((text) => wordsOf(text.toLowerCase()).some((word) => has(word, WORD)));

  function has(word: string, shortest: number): boolean {
    if (word.length < shortest || /^\d+$/.test(word)) return false;
    return tokens.has(word) || (word.length >= WORD_WITHIN && id.includes(word));
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}
