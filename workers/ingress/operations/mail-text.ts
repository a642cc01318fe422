/** The readable text of a message in the local outbox. Supports the MIME that this system writes. */
export interface MailText {
  /** Header lines, unfolded. */
  readonly head: readonly string[];
  /** The first text part of the message: plain text, or the source of HTML if there is no other. */
  readonly text: string;
  /** The first HTML part. */
  readonly html: string | undefined;
  /** Names of the attached files. */
  readonly files: readonly string[];
}

interface Part {
  readonly head: readonly string[];
  readonly body: Buffer;
}

/** Our messages have fewer levels; the limit bounds the work for malicious files. */
const MAX_DEPTH = 5;
const MAX_PARTS = 50;
const LINE_BREAK = /\r?\n/;

/** Reads a message (RFC 5322, 2045, 2046). Parts in an unsupported encoding are returned undecoded. */
export function readMailText(content: Buffer): MailText {
  const message = splitPart(content);
  const leaves: Part[] = [];
  collectLeaves(message, leaves, 0);
  const files = leaves.map(readFileName).filter((name) => name !== undefined);
  const texts = leaves.filter((part) => readFileName(part) === undefined);
  const html = texts.find((part) => /^text\/html\b/i.test(readField(part, 'content-type')));
  return {
    head: message.head,
    text: decodeBody(texts[0] ?? message),
    html: html === undefined ? undefined : decodeBody(html),
    files,
  };
}

function splitPart(bytes: Buffer): Part {
  const source = bytes.toString('latin1');
  const end = /\r?\n\r?\n/.exec(source);
  const headEnd = end?.index ?? source.length;
  const head = bytes
    .subarray(0, headEnd)
    .toString('utf8')
    .replaceAll(/\r?\n(?=[ \t])/g, '');
  return { head: head.split(LINE_BREAK), body: bytes.subarray(headEnd + (end?.[0].length ?? 0)) };
}

function collectLeaves(part: Part, leaves: Part[], depth: number): void {
  const boundary = readParameter(readField(part, 'content-type'), 'boundary');
  if (boundary === undefined || depth >= MAX_DEPTH) {
    leaves.push(part);
    return;
  }
  const pieces = part.body
    .toString('latin1')
    .split(`--${boundary}`)
    .slice(1, MAX_PARTS + 1);
  for (const piece of pieces) {
    if (piece.startsWith('--')) return;
    collectLeaves(splitPart(Buffer.from(piece.replace(/^[ \t]*\r?\n/, ''), 'latin1')), leaves, depth + 1);
  }
}

function readField({ head }: Part, name: string): string {
  const line = head.find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() ?? '';
}

function readParameter(value: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}(\\*(?:0\\*?)?)?=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(value);
  const [, marks = '', quoted, bare] = found ?? [];
  const text = quoted ?? bare;
  return text === undefined || !marks.endsWith('*') ? text : decodeParameter(text);
}

/** RFC 2231: character set, language and percent-encoded bytes. */
function decodeParameter(text: string): string {
  try {
    return decodeURIComponent(text.replace(/^[\w-]*'[\w-]*'/, ''));
  } catch {
    return text;
  }
}

function readFileName(part: Part): string | undefined {
  const disposition = readField(part, 'content-disposition');
  if (!/^attachment/i.test(disposition)) return undefined;
  return (
    readParameter(disposition, 'filename') ?? readParameter(readField(part, 'content-type'), 'name') ?? 'file'
  );
}

function decodeBody(part: Part): string {
  const source = part.body.toString('latin1');
  switch (readField(part, 'content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return Buffer.from(source, 'base64').toString('utf8');
    case 'quoted-printable':
      return Buffer.from(decodeQuotedPrintable(source), 'latin1').toString('utf8');
    default:
      return part.body.toString('utf8');
  }
}

/** A soft line break is `=` at the end of a line; blanks before it belong to the text (RFC 2045 section 6.7). */
function decodeQuotedPrintable(source: string): string {
  return source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
