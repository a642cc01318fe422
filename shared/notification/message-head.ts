/** Sender, receiver and subject from the header of an e-mail (or of an SMS in the outbox). */
export interface MessageHead {
  readonly sender: string;
  readonly receiver: string;
  readonly subject: string;
}

const ENCODED_WORD = /=\?utf-8\?([qb])\?([^?]*)\?=/gi;
const BETWEEN_ENCODED_WORDS = /(\?=)\s+(=\?)/g;

const END = /\r?\n\r?\n/;

/** Whether these first bytes of a message contain its whole header. */
export function containsHead(start: Buffer): boolean {
  return END.test(start.toString('latin1'));
}

/** Reads From, To and Subject from the first bytes of a message; missing fields are empty. */
export function readMessageHead(start: Buffer): MessageHead {
  const text = start.toString('utf8').replaceAll('\r\n', '\n');
  const end = text.indexOf('\n\n');
  const unfolded = (end === -1 ? text : text.slice(0, end)).replaceAll(/\n[ \t]+/g, ' ');
  const headers = new Map<string, string>();
  for (const line of unfolded.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const value = (name: string): string => decodeWords(headers.get(name) ?? '');
  return { sender: value('from'), receiver: value('to'), subject: value('subject') };
}

/** Decodes RFC 2047 encoded words in UTF-8, the only character set of the outbox. */
function decodeWords(value: string): string {
  return value
    .replaceAll(BETWEEN_ENCODED_WORDS, '$1$2')
    .replaceAll(ENCODED_WORD, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString('utf8') : decodeQ(text),
    );
}

function decodeQ(text: string): string {
  const binary = text
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(binary, 'latin1').toString('utf8');
}
