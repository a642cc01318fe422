/**
 * The payload-template of a provider (N1): a string or an object with placeholders, compiled once into a tree. Values
 * are inserted into the tree before it is encoded, so that a value cannot change the structure.
 */

import { assertNever } from '../platform/errors.ts';
import { BINARY_DIGITS, parseJson } from '../platform/json.ts';

/** Written in a template as `<NAME>_PLACEHOLDER`. */
export const PLACEHOLDERS = [
  'SENDER',
  /** Name and address of a sender such as `Bank <info@bank.example>`. */
  'SENDER_NAME',
  'SENDER_ADDRESS',
  'RECEIVER',
  'SUBJECT',
  'MESSAGE',
  /** The message, if it is plain text. */
  'TEXT',
  /** The message, if it is HTML. */
  'HTML',
  'CONTENT_TYPE',
  /** For an SMS: `text` if the GSM alphabet has all its characters, otherwise `unicode`. */
  'SMS_TYPE',
  'CC',
  'BCC',
  /** The notificationId. */
  'ID',
  'ATTACHMENT_NAME',
  /** Base64. */
  'ATTACHMENT_CONTENT',
  /** Media type. */
  'ATTACHMENT_TYPE',
  /** A file part of a multipart body. */
  'ATTACHMENT',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** Placeholders with several values: a list item that contains one is repeated for each value. */
export type Repeated = 'CC' | 'BCC' | 'ATTACHMENT';

export type TemplatePart = string | { readonly placeholder: Placeholder };

export type TemplateNode =
  | { readonly kind: 'constant'; readonly value: number | boolean | null }
  | { readonly kind: 'text'; readonly parts: readonly TemplatePart[] }
  | { readonly kind: 'list'; readonly items: readonly TemplateItem[] }
  | { readonly kind: 'object'; readonly fields: readonly TemplateField[] };

export interface TemplateItem {
  readonly node: TemplateNode;
  readonly repeatedFor: Repeated | undefined;
}

export interface TemplateField {
  readonly name: string;
  readonly node: TemplateNode;
}

/** The encoding of a body; `query` puts the fields into the query of the URL. */
export type Encoding = 'json' | 'form' | 'multipart' | 'query';

/** Reports a fault: the path below the checked value, and the rule that it breaks. */
export type FaultReporter = (path: readonly PropertyKey[], message: string) => void;

const TOKEN = /[A-Z][A-Z_]*?_PLACEHOLDER/g;
const SUFFIX = '_PLACEHOLDER';
const JSON_TEXT_OR_TOKEN = /"(?:[^"\\]|\\.)*"|[A-Z][A-Z_]*?_PLACEHOLDER/gs;
/** Limits the recursion; no provider needs deeper templates. */
const MAX_DEPTH = 16;
const KNOWN: ReadonlySet<string> = new Set(PLACEHOLDERS);
const REPEATED_FOR: Readonly<Partial<Record<Placeholder, Repeated>>> = {
  CC: 'CC',
  BCC: 'BCC',
  ATTACHMENT: 'ATTACHMENT',
  ATTACHMENT_NAME: 'ATTACHMENT',
  ATTACHMENT_CONTENT: 'ATTACHMENT',
  ATTACHMENT_TYPE: 'ATTACHMENT',
};

/** Compiles a string with placeholders; unknown ones are faults. */
export function compileText(
  text: string,
  path: readonly PropertyKey[],
  report: FaultReporter,
): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const name = token.slice(0, -SUFFIX.length);
    if (index > from) parts.push(text.slice(from, index));
    if (isPlaceholder(name)) parts.push({ placeholder: name });
    else report(path, `contains an unknown placeholder; known: ${PLACEHOLDERS.join(', ')}`);
    from = index + token.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function isPlaceholder(name: string): name is Placeholder {
  return KNOWN.has(name);
}

/**
 * Compiles a template. A string contains JSON, or `name=value&name=value` for a form, a multipart body or a query; a
 * placeholder in JSON may be unquoted. Undefined, with at least one reported fault, when it is invalid.
 */
export function compileTemplate(
  template: unknown,
  encoding: Encoding,
  report: FaultReporter,
): TemplateNode | undefined {
  let isValid = true;
  const reportFault: FaultReporter = (path, message) => {
    isValid = false;
    report(path, message);
  };
  const node =
    typeof template === 'string'
      ? compileFromText(template, encoding, reportFault)
      : compileNode(template, [], reportFault);
  if (node?.kind === 'object') {
    if (encoding !== 'json') reportNested(node, reportFault);
    reportMisplacedFiles(node, encoding, reportFault);
  } else if (isValid) {
    reportFault([], 'must be an object with fields');
  }
  return isValid ? node : undefined;
}

function compileFromText(text: string, encoding: Encoding, report: FaultReporter): TemplateNode | undefined {
  if (encoding !== 'json' && !/^\s*\{/.test(text)) {
    const fields = [...new URLSearchParams(text)].map(([name, value]) => ({
      name,
      node: compileNode(value, [name], report),
    }));
    return { kind: 'object', fields };
  }
  const quoted = text.replaceAll(JSON_TEXT_OR_TOKEN, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );
  const parsed = parseJson(quoted, { whole: '' });
  if (parsed.kind === 'parsed') return compileNode(parsed.value, [], report);
  const notJson =
    encoding === 'json'
      ? 'must be JSON (or set connector.encoding for another kind of body)'
      : 'must be JSON or name=value&…';
  for (const { path, code, message } of parsed.faults)
    report(path === '' ? [] : [path], code === 'malformed-json' ? notJson : message);
  return undefined;
}

function compileNode(value: unknown, path: readonly PropertyKey[], report: FaultReporter): TemplateNode {
  if (path.length > MAX_DEPTH) {
    report(path, `must not nest deeper than ${MAX_DEPTH}`);
    return { kind: 'constant', value: null };
  }
  if (JSON.isRawJSON(value) || value === Infinity || value === -Infinity) {
    report(path, `must be text or a number with at most ${BINARY_DIGITS} significant digits`);
    return { kind: 'constant', value: null };
  }
  if (typeof value === 'string') return { kind: 'text', parts: compileText(value, path, report) };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at) =>
      compileItem(compileNode(item, [...path, at], report), [...path, at], report),
    );
    return { kind: 'list', items };
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => ({
      name,
      node: compileNode(field, [...path, name], report),
    }));
    return { kind: 'object', fields };
  }
  return { kind: 'constant', value: value as number | boolean | null };
}

function compileItem(node: TemplateNode, path: readonly PropertyKey[], report: FaultReporter): TemplateItem {
  const [repeatedFor, ...others] = new Set(
    [...placesOutsideLists(node)].flatMap((name) => REPEATED_FOR[name] ?? []),
  );
  if (others.length > 0) report(path, 'may be repeated for only one of CC, BCC and ATTACHMENT');
  return { node, repeatedFor };
}

/** The placeholders of a node outside of its inner lists. */
function* placesOutsideLists(node: TemplateNode): Generator<Placeholder> {
  if (node.kind === 'text') yield* placesOfParts(node.parts);
  if (node.kind === 'object') for (const field of node.fields) yield* placesOutsideLists(field.node);
}

export function placesOfParts(parts: readonly TemplatePart[]): Placeholder[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.placeholder]));
}

/** Every placeholder of a template. */
export function placesOf(node: TemplateNode): ReadonlySet<Placeholder> {
  switch (node.kind) {
    case 'constant':
      return new Set();
    case 'text':
      return new Set(placesOfParts(node.parts));
    case 'list':
      return new Set(node.items.flatMap((item) => [...placesOf(item.node)]));
    case 'object':
      return new Set(node.fields.flatMap((field) => [...placesOf(field.node)]));
    default:
      return assertNever(node);
  }
}

/** Reports nested fields: each must be a string or a list of strings. */
function reportNested(node: TemplateNode & { readonly kind: 'object' }, report: FaultReporter): void {
  for (const { name, node: field } of node.fields) {
    const parts = field.kind === 'list' ? field.items.map((item) => item.node) : [field];
    const isFlat = parts.every((part) => part.kind === 'text' || part.kind === 'constant');
    if (!isFlat) report([name], 'must be a string or a list of strings; fields cannot be nested');
  }
}

/** Reports attachments outside lists, since a message may have no attachments, and file parts that share their item. */
function reportMisplacedFiles(
  node: TemplateNode & { readonly kind: 'object' },
  encoding: Encoding,
  report: FaultReporter,
): void {
  const visit = (inner: TemplateNode, path: readonly PropertyKey[], inItem: boolean): void => {
    if (inner.kind === 'text') {
      const files = placesOfParts(inner.parts).filter((name) => REPEATED_FOR[name] === 'ATTACHMENT');
      if (files.length > 0 && !inItem) report(path, 'must contain attachments in a list');
      if (files.includes('ATTACHMENT') && (encoding !== 'multipart' || inner.parts.length > 1)) {
        report(path, 'may contain ATTACHMENT only alone, and only in a multipart body');
      }
    }
    if (inner.kind === 'list')
      for (const [at, item] of inner.items.entries()) visit(item.node, [...path, at], true);
    if (inner.kind === 'object')
      for (const { name, node: field } of inner.fields) visit(field, [...path, name], inItem);
  };
  visit(node, [], false);
}
