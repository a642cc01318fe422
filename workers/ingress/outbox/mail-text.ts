/** The readable text of a message in the local outbox. Supports the MIME that this system writes. */
export interface MailText {
  /** Header lines, unfolded. */
  readonly head: readonly string[];
  /** The first text part of the message; HTML is not rendered. */
  readonly text: string;
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
  const text = leaves.find((part) => readFileName(part) === undefined) ?? message;
  return { head: message.head, text: decodeBody(text), files };
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

function decodeQuotedPrintable(source: string): string {
  return source
    .replaceAll(/[ \t]*=\r?\n/g, '')
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
