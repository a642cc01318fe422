/** The body of an HTTP call: the payload-template with the values of a message, in one of four encodings. */

import {
  fillText,
  onlyPlaceholder,
  repeatedFor,
  type Encoding,
  type Placeholder,
  type Repeated,
  type Template,
  type TemplateObject,
} from '../../../shared/notification/payload-template.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { FilePart, MessageValues } from './message-values.ts';

export type Rendered =
  | string
  | number
  | boolean
  | null
  | FilePart
  | readonly Rendered[]
  | { readonly [name: string]: Rendered };

/** The values of the placeholders in one part of the template: strings, and the file of a repeated item. */
interface Scope {
  readonly texts: ReadonlyMap<Placeholder, string>;
  readonly file: FilePart | undefined;
}

/**
 * Inserts values into a template. A field or item that consists of one placeholder without a value is omitted, as is a list
 * or object that becomes empty.
 */
export function renderPayload(template: TemplateObject, values: MessageValues): Rendered | undefined {
  return render(template, values, { texts: values.texts, file: undefined });
}

function render(part: Template, values: MessageValues, scope: Scope): Rendered | undefined {
  if (typeof part === 'string') return renderText(part, scope);
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) {
    const items = part.flatMap((item) =>
      scopesOf(repeatedFor(item)[0], values, scope).map((inner) => render(item, values, inner)),
    );
    const kept = items.filter((item) => item !== undefined);
    return kept.length === 0 && part.length > 0 ? undefined : kept;
  }
  const given = Object.entries(part);
  const fields = given.flatMap(([name, field]) => {
    const value = render(field, values, scope);
    return value === undefined ? [] : [[name, value] as const];
  });
  return fields.length === 0 && given.length > 0 ? undefined : Object.fromEntries(fields);
}

function renderText(text: string, { texts, file }: Scope): Rendered | undefined {
  const only = onlyPlaceholder(text);
  if (only === 'ATTACHMENT') return file;
  return only === undefined ? fillText(text, (name) => texts.get(name)) : texts.get(only);
}

/** The scopes of an item, one for each of its repetitions. */
function scopesOf(repeated: Repeated | undefined, values: MessageValues, scope: Scope): readonly Scope[] {
  switch (repeated) {
    case undefined:
      return [scope];
    case 'CC':
      return values.cc.map((address) => ({ ...scope, texts: new Map(scope.texts).set('CC', address) }));
    case 'BCC':
      return values.bcc.map((address) => ({ ...scope, texts: new Map(scope.texts).set('BCC', address) }));
    case 'ATTACHMENT':
      return values.files.map((file) => ({
        file,
        texts: new Map(scope.texts)
          .set('ATTACHMENT_NAME', file.fileName)
          .set('ATTACHMENT_TYPE', file.mediaType)
          .set('ATTACHMENT_CONTENT', file.content.toString('base64')),
      }));
    default:
      return assertNever(repeated);
  }
}

export interface EncodedPayload {
  readonly contentType: string | undefined;
  readonly body: Buffer | undefined;
  /** Without a question mark; may be empty. */
  readonly query: string;
}

type Payload = { readonly [name: string]: Rendered };
type Field = readonly [name: string, value: string | FilePart];

/** FormData encodes quotes in names; control characters have no meaning in one. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

export async function encodePayload(payload: Payload, encoding: Encoding): Promise<EncodedPayload> {
  switch (encoding) {
    case 'json': {
      const body = Buffer.from(JSON.stringify(payload));
      return { contentType: 'application/json', body, query: '' };
    }
    case 'form': {
      const body = Buffer.from(urlEncoded(fieldsOf(payload)));
      return { contentType: 'application/x-www-form-urlencoded', body, query: '' };
    }
    case 'query':
      return { contentType: undefined, body: undefined, query: urlEncoded(fieldsOf(payload)) };
    case 'multipart': {
      const form = new FormData();
      for (const [name, value] of fieldsOf(payload)) {
        if (typeof value === 'string') form.append(name, value);
        else
          form.append(
            name,
            new Blob([Uint8Array.from(value.content)], { type: value.mediaType }),
            value.fileName.replaceAll(CONTROL, ' '),
          );
      }
      const encoded = new Response(form);
      const contentType = encoded.headers.get('content-type') ?? undefined;
      return { contentType, body: Buffer.from(await encoded.arrayBuffer()), query: '' };
    }
    default:
      return assertNever(encoding);
  }
}

/** A list becomes a repeated field. Templates of fields do not nest, which the configuration check ensures. */
function fieldsOf(payload: Payload): readonly Field[] {
  return Object.entries(payload).flatMap(([name, value]) =>
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
