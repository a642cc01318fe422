import type { Encoding } from '../../../../shared/notification/payload-template.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import type { FilePart } from './message-values.ts';
import type { Rendered } from './render-payload.ts';

/** A payload as it goes out. */
export interface EncodedPayload {
  readonly contentType: string | undefined;
  readonly body: Buffer | undefined;
  /** Without its question mark; empty: none. */
  readonly query: string;
}

type Members = { readonly [name: string]: Rendered };
type Field = readonly [name: string, value: string | FilePart];

/** Writes a payload out. `newBoundary` makes a delimiter of a multipart body that nobody can foresee. */
export function encodePayload(
  members: Members,
  encoding: Encoding,
  newBoundary: () => string,
): EncodedPayload {
  switch (encoding) {
    case 'json': {
      const body = Buffer.from(JSON.stringify(members));
      return { contentType: 'application/json', body, query: '' };
    }
    case 'form': {
      const body = Buffer.from(urlEncoded(fieldsOf(members)));
      return { contentType: 'application/x-www-form-urlencoded', body, query: '' };
    }
    case 'query':
      return { contentType: undefined, body: undefined, query: urlEncoded(fieldsOf(members)) };
    case 'multipart':
      return multipart(fieldsOf(members), newBoundary);
    default:
      return assertNever(encoding);
  }
}

/** A list is a field that is repeated. Templates of fields do not nest, which was checked when they were read. */
function fieldsOf(members: Members): readonly Field[] {
  return Object.entries(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly Rendered[]) : [value]).map((item): Field => [
      name,
      fieldValue(item),
    ]),
  );
}

function fieldValue(item: Rendered): string | FilePart {
  if (isFile(item)) return item;
  return typeof item === 'object' ? '' : String(item);
}

function isFile(value: Rendered): value is FilePart {
  return typeof value === 'object' && value !== null && 'content' in value && Buffer.isBuffer(value.content);
}

function urlEncoded(fields: readonly Field[]): string {
  const pairs = fields.flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  );
  return new URLSearchParams(pairs).toString();
}

/** multipart/form-data (RFC 7578): names as browsers write them, the delimiter in no part and no name. */
function multipart(fields: readonly Field[], newBoundary: () => string): EncodedPayload {
  const parts = fields.map(([name, value]) => ({ head: headOf(name, value), content: contentOf(value) }));
  let boundary = newBoundary();
  while (parts.some(({ head, content }) => head.includes(boundary) || content.includes(boundary))) {
    boundary = newBoundary();
  }
  const written = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  const body = Buffer.concat([...written, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body, query: '' };
}

function headOf(name: string, value: string | FilePart): string {
  const disposition = `content-disposition: form-data; name="${quoted(name)}"`;
  if (typeof value === 'string') return disposition;
  return `${disposition}; filename="${quoted(value.fileName)}"\r\ncontent-type: ${value.mediaType}`;
}

function contentOf(value: string | FilePart): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value.content;
}

const QUOTE_ENDS: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
/** What remains of control characters has no meaning in a name. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** A name within quotes (the URL standard's form of multipart: quotes and line breaks percent-encoded). */
function quoted(name: string): string {
  return name.replaceAll(/["\r\n]/g, (found) => QUOTE_ENDS[found] ?? '').replaceAll(CONTROL, ' ');
}
