/**
 * The payload-template of a provider (N1): text or an object with placeholders, compiled once into a tree. Values are
 * inserted into the tree before it is encoded, so that none of them can break out of its place.
 */

import { assertNever } from '../platform/errors.ts';

/** Written in a template as `<NAME>_PLACEHOLDER`. */
export const PLACEHOLDERS = [
  'SENDER',
  /** The name, if any, and the address of a sender such as `Bank <info@bank.example>`. */
  'SENDER_NAME',
  'SENDER_ADDRESS',
  'RECEIVER',
  'SUBJECT',
  'MESSAGE',
  /** The message if it is plain text. */
  'TEXT',
  /** The message if it is HTML. */
  'HTML',
  'CONTENT_TYPE',
  /** Of an SMS: `text` when all its characters are of the GSM alphabet, else `unicode`. */
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

/** Values that may occur several times: a list item with such a placeholder is repeated for each of them. */
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

/** The encoding of a body. `query`: fields in the query of the URL. */
export type Encoding = 'json' | 'form' | 'multipart' | 'query';

/** A fault of a template; `path` below it, as keys. */
export interface TemplateFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

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

/** Compiles a text with placeholders; unknown ones are faults. */
export function compileText(
  text: string,
  path: readonly PropertyKey[],
  faults: TemplateFault[],
): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const name = token.slice(0, -SUFFIX.length);
    if (index > from) parts.push(text.slice(from, index));
    if (isPlaceholder(name)) parts.push({ placeholder: name });
    else faults.push({ path, message: `holds an unknown placeholder; known are ${PLACEHOLDERS.join(', ')}` });
    from = index + token.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

function isPlaceholder(name: string): name is Placeholder {
  return KNOWN.has(name);
}

/**
 * Compiles a template. Text is JSON, or `name=value&name=value` for a form, a multipart body or a query; a placeholder in
 * JSON may be unquoted. Undefined, with at least one fault, when it cannot be compiled.
 */
export function compileTemplate(
  template: unknown,
  encoding: Encoding,
  faults: TemplateFault[],
): TemplateNode | undefined {
  const before = faults.length;
  const node =
    typeof template === 'string'
      ? compileFromText(template, encoding, faults)
      : compileNode(template, [], faults);
  if (node?.kind === 'object') {
    if (encoding !== 'json') faults.push(...findNested(node));
    faults.push(...findMisplacedFiles(node, encoding));
  } else if (faults.length === before) {
    faults.push({ path: [], message: 'must be an object with fields' });
  }
  return faults.length === before ? node : undefined;
}

function compileFromText(
  text: string,
  encoding: Encoding,
  faults: TemplateFault[],
): TemplateNode | undefined {
  if (encoding !== 'json' && !/^\s*\{/.test(text)) {
    const fields = [...new URLSearchParams(text)].map(([name, value]) => ({
      name,
      node: compileNode(value, [name], faults),
    }));
    return { kind: 'object', fields };
  }
  const quoted = text.replaceAll(JSON_TEXT_OR_TOKEN, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );
  try {
    return compileNode(JSON.parse(quoted), [], faults);
  } catch {
    const message =
      encoding === 'json'
        ? 'must be JSON (or set connector.encoding for another kind of body)'
        : 'must be JSON or name=value&…';
    faults.push({ path: [], message });
    return undefined;
  }
}

function compileNode(value: unknown, path: readonly PropertyKey[], faults: TemplateFault[]): TemplateNode {
  if (path.length > MAX_DEPTH) {
    faults.push({ path, message: `must not nest deeper than ${MAX_DEPTH}` });
    return { kind: 'constant', value: null };
  }
  if (typeof value === 'string') return { kind: 'text', parts: compileText(value, path, faults) };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at) =>
      compileItem(compileNode(item, [...path, at], faults), [...path, at], faults),
    );
    return { kind: 'list', items };
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => ({
      name,
      node: compileNode(field, [...path, name], faults),
    }));
    return { kind: 'object', fields };
  }
  return { kind: 'constant', value: value as number | boolean | null };
}

function compileItem(
  node: TemplateNode,
  path: readonly PropertyKey[],
  faults: TemplateFault[],
): TemplateItem {
  const found = new Set([...placesOutsideLists(node)].flatMap((name) => REPEATED_FOR[name] ?? []));
  if (found.size > 1)
    faults.push({ path, message: 'may be repeated for one of CC, BCC and ATTACHMENT only' });
  const [repeatedFor] = found;
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

/** Fields have a name and a text; they do not nest. */
function findNested(node: TemplateNode & { readonly kind: 'object' }): TemplateFault[] {
  return node.fields.flatMap(({ name, node: field }) => {
    const parts = field.kind === 'list' ? field.items.map((item) => item.node) : [field];
    const isFlat = parts.every((part) => part.kind === 'text' || part.kind === 'constant');
    return isFlat ? [] : [{ path: [name], message: 'must be a text or a list of texts, as fields are' }];
  });
}

/** Attachments occur in lists only, as a message may have none; a file part is the only content of its item. */
function findMisplacedFiles(
  node: TemplateNode & { readonly kind: 'object' },
  encoding: Encoding,
): TemplateFault[] {
  const faults: TemplateFault[] = [];
  const visit = (inner: TemplateNode, path: readonly PropertyKey[], inItem: boolean): void => {
    if (inner.kind === 'text') {
      const files = placesOfParts(inner.parts).filter((name) => REPEATED_FOR[name] === 'ATTACHMENT');
      if (files.length > 0 && !inItem) faults.push({ path, message: 'must hold attachments in a list' });
      if (files.includes('ATTACHMENT') && (encoding !== 'multipart' || inner.parts.length > 1)) {
        faults.push({ path, message: 'may hold ATTACHMENT alone, and in a multipart body only' });
      }
    }
    if (inner.kind === 'list')
      for (const [at, item] of inner.items.entries()) visit(item.node, [...path, at], true);
    if (inner.kind === 'object')
      for (const { name, node: field } of inner.fields) visit(field, [...path, name], inItem);
  };
  visit(node, [], false);
  return faults;
}
