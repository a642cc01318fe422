/** Payload templates of providers (N1). Values are inserted before encoding, so they cannot change the structure. */

import { BINARY_DIGITS, parseJson } from '../platform/parse-json.ts';

/** Written in a template as `<NAME>_PLACEHOLDER`. */
export const PLACEHOLDERS = [
  'SENDER',
  /** SENDER_NAME and SENDER_ADDRESS are the parts of a sender such as `Bank <info@bank.example>`. */
  'SENDER_NAME',
  'SENDER_ADDRESS',
  'RECEIVER',
  'SUBJECT',
  'MESSAGE',
  /** `TEXT` has the message if it is plain text, `HTML` if it is HTML. */
  'TEXT',
  'HTML',
  'CONTENT_TYPE',
  /** For an SMS: `text` if the GSM alphabet has all its characters, otherwise `unicode`. */
  'SMS_TYPE',
  'CC',
  'BCC',
  'ID',
  /** The two headers of a campaign mail (RFC 8058, N8). Other messages have no value for them. */
  'LIST_UNSUBSCRIBE',
  'LIST_UNSUBSCRIBE_POST',
  'ATTACHMENT_NAME',
  /** Base64. */
  'ATTACHMENT_CONTENT',
  'ATTACHMENT_TYPE',
  /** A file part of a multipart body. */
  'ATTACHMENT',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Kinds of placeholders with several values. A list item that contains one is repeated for each value. */
export type Repeated = 'CC' | 'BCC' | 'ATTACHMENT';

export type Template = string | number | boolean | null | Template[] | TemplateObject;
export interface TemplateObject {
  readonly [name: string]: Template;
}

/** How the fields are sent: `query` puts them into the query of the URL, the others encode a body. */
export type Encoding = 'json' | 'form' | 'multipart' | 'query';

/** Reports a fault: its path below the checked value, and the rule that the value breaks. */
export type FaultReporter = (path: readonly PropertyKey[], message: string) => void;

const TOKEN = /([A-Z][A-Z_]*?)_PLACEHOLDER/g;
const ONE_TOKEN = /^([A-Z][A-Z_]*?)_PLACEHOLDER$/;
const JSON_TEXT_OR_TOKEN = /"(?:[^"\\]|\\.)*"|[A-Z][A-Z_]*?_PLACEHOLDER/gs;
/** Limit of the recursion. No known provider needs a deeper template. */
const MAX_DEPTH = 16;
const KNOWN: ReadonlySet<string> = new Set(PLACEHOLDERS);

/** Returns the known placeholders of a text. Reports unknown ones. */
export function placeholdersOfText(
  text: string,
  path: readonly PropertyKey[] = [],
  report: FaultReporter = () => undefined,
): readonly Placeholder[] {
  return [...text.matchAll(TOKEN)].flatMap(([, name = '']) => {
    if (isPlaceholder(name)) return [name];
    report(path, `contains an unknown placeholder; known: ${PLACEHOLDERS.join(', ')}`);
    return [];
  });
}

function isPlaceholder(name: string): name is Placeholder {
  return KNOWN.has(name);
}

/** Returns the placeholder if the text consists of nothing else, otherwise undefined. */
export function onlyPlaceholder(text: string): Placeholder | undefined {
  const name = ONE_TOKEN.exec(text)?.[1] ?? '';
  return isPlaceholder(name) ? name : undefined;
}

/** Replaces placeholders by their values, undefined ones by nothing. Inserted values are not searched again. */
export function fillText(text: string, valueOf: (name: Placeholder) => string | undefined): string {
  return text.replaceAll(TOKEN, (_, name: Placeholder) => valueOf(name) ?? '');
}

export function placeholdersOf(template: Template): readonly Placeholder[] {
  if (typeof template === 'string') return placeholdersOfText(template);
  return typeof template === 'object' && template !== null
    ? Object.values(template).flatMap((part: Template) => placeholdersOf(part))
    : [];
}

/** Returns the kinds for which a list item is repeated: at most one in a valid template. Ignores inner lists. */
export function repeatedFor(item: Template): readonly Repeated[] {
  const texts = (part: Template): readonly Placeholder[] => {
    if (typeof part === 'string') return placeholdersOfText(part);
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return [];
    return Object.values(part).flatMap(texts);
  };
  const repeated = texts(item).flatMap((name): Repeated[] => {
    if (name === 'CC' || name === 'BCC') return [name];
    return name.startsWith('ATTACHMENT') ? ['ATTACHMENT'] : [];
  });
  return [...new Set(repeated)];
}

/** Reads an object, JSON whose placeholders may lack quotes, or `name=value&…`. Undefined if it reported a fault. */
export function readTemplate(
  template: unknown,
  encoding: Encoding,
  report: FaultReporter,
): TemplateObject | undefined {
  let isValid = true;
  const reportFault: FaultReporter = (path, message) => {
    isValid = false;
    report(path, message);
  };
  const read = typeof template === 'string' ? parseText(template, encoding, reportFault) : template;
  if (isObject(read)) {
    checkPart(read, { encoding, report: reportFault, path: [], isInList: false });
    if (encoding !== 'json') reportNested(read, reportFault);
  } else if (isValid) {
    reportFault([], 'must be an object with fields');
  }
  return isValid && isObject(read) ? read : undefined;
}

function isObject(value: unknown): value is TemplateObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseText(text: string, encoding: Encoding, report: FaultReporter): unknown {
  if (encoding !== 'json' && !/^\s*\{/.test(text)) return Object.fromEntries(new URLSearchParams(text));
  const quoted = text.replaceAll(JSON_TEXT_OR_TOKEN, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );
  const parsed = parseJson(quoted, { whole: '' });
  if (parsed.kind === 'parsed') return parsed.value;
  const notJson =
    encoding === 'json'
      ? 'must be JSON (or set connector.encoding for another kind of body)'
      : 'must be JSON or name=value&…';
  for (const { path, code, message } of parsed.faults)
    report(path === '' ? [] : [path], code === 'malformed-json' ? notJson : message);
  return undefined;
}

interface Checking {
  readonly encoding: Encoding;
  readonly report: FaultReporter;
  readonly path: readonly PropertyKey[];
  readonly isInList: boolean;
}

function checkPart(value: unknown, checking: Checking): void {
  const { path, report } = checking;
  if (path.length > MAX_DEPTH) report(path, `must have at most ${MAX_DEPTH} levels`);
  else if (JSON.isRawJSON(value) || value === Infinity || value === -Infinity) {
    report(path, `must be text or a number with at most ${BINARY_DIGITS} significant digits`);
  } else if (typeof value === 'string') checkText(value, checking);
  else if (Array.isArray(value)) {
    for (const [at, item] of (value as Template[]).entries()) {
      checkPart(item, { ...checking, path: [...path, at], isInList: true });
      if (repeatedFor(item).length > 1)
        report([...path, at], 'may be repeated for only one of CC, BCC and ATTACHMENT');
    }
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value))
      checkPart(field, { ...checking, path: [...path, name] });
  }
}

/** Attachments must be in a list, because a message may have none. ATTACHMENT becomes a file part and must be alone. */
function checkText(text: string, { encoding, report, path, isInList }: Checking): void {
  const files = placeholdersOfText(text, path, report).filter((name) => name.startsWith('ATTACHMENT'));
  if (files.length > 0 && !isInList) report(path, 'must contain attachments in a list');
  const isAlone = onlyPlaceholder(text) === 'ATTACHMENT';
  if (files.includes('ATTACHMENT') && (encoding !== 'multipart' || !isAlone)) {
    report(path, 'may contain ATTACHMENT only alone, and only in a multipart body');
  }
}

function reportNested(template: TemplateObject, report: FaultReporter): void {
  for (const [name, field] of Object.entries(template)) {
    const parts = Array.isArray(field) ? field : [field];
    const isFlat = parts.every((part) => typeof part !== 'object' || part === null);
    if (!isFlat) report([name], 'must be a string or a list of strings; fields cannot be nested');
  }
}

/** Placeholders that the URL of any HTTP provider may have, such as `{sender}`, besides the connector's parameters. */
export const URL_VALUES = ['sender', 'receiver', 'id', 'username'] as const;

const URL_PLACEHOLDER = /\{([^{}]*)\}/g;
/** Encoded path segments that a server may resolve to the same folder or its parent. */
const DOTS = /^(?:\.|%2e){0,2}$/i;

export function urlPlaceholders(url: string): readonly string[] {
  return [...url.matchAll(URL_PLACEHOLDER)].map(([, name = '']) => name);
}

/** Returns undefined if values make a path segment empty, `.` or `..`, which some servers resolve even if encoded. */
export function fillUrl(url: string, values: Readonly<NodeJS.Dict<string>>): string | undefined {
  const filled = url.replaceAll(URL_PLACEHOLDER, (_, name: string) =>
    encodeURIComponent((values[name] ?? '').toWellFormed()),
  );
  const segments = pathSegments(filled);
  const isUnchanged = pathSegments(url).every(
    (template, at) => !template.includes('{') || !DOTS.test(segments[at] ?? ''),
  );
  return isUnchanged ? filled : undefined;
}

function pathSegments(url: string): readonly string[] {
  return url.replace(/\?.*$/s, '').split('/');
}

/** Returns the URL with `x` for each placeholder, or undefined if that is not a valid URL. */
export function sampleUrl(url: string): URL | undefined {
  const sample = url.replaceAll(URL_PLACEHOLDER, 'x');
  return URL.canParse(sample) ? new URL(sample) : undefined;
}

/** True if the scheme and the host have no placeholder. */
export function hasFixedOrigin(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#{}]+(?:[/?#]|$)/i.test(url);
}
