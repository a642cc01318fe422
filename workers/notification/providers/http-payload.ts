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
import { NOT_GSM } from '../../../shared/api/notification/phone-number.ts';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import { detectAttachmentType, ONE_CLICK } from './mail-content.ts';

export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

export interface MessageValues {
  /** Placeholders without a value are absent. */
  readonly texts: ReadonlyMap<Placeholder, string>;
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly files: readonly FilePart[];
}

interface ValueOptions {
  readonly defaultSender: string | undefined;
  readonly phoneFormat: 'plus' | 'digits';
  readonly listSeparator: string;
}

/** A sender with a name. Unlike readMailSender it keeps blanks within the brackets and allows no quotes in the name. */
const NAMED_SENDER = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/;
const ANY_TYPE = 'application/octet-stream';
const PLUS_OF_NUMBER = /^\+(?=\d+$)/;

/** Collects the values of a message. Lone surrogates, which cannot be encoded, become U+FFFD. */
export async function messageValues(message: Outbound, options: ValueOptions): Promise<MessageValues> {
  const sender = message.sender ?? options.defaultSender;
  const texts = new Map<Placeholder, string>();
  const set = (name: Placeholder, value: string | undefined): void => {
    if (value !== undefined && value !== '') texts.set(name, value.toWellFormed());
  };
  set('ID', message.id);
  // An empty message has a value, so that its field is sent.
  texts.set('MESSAGE', message.message.toWellFormed());
  if (message.channel === 'sms') {
    const formatted = (number: string | undefined): string | undefined =>
      options.phoneFormat === 'digits' ? number?.replace(PLUS_OF_NUMBER, '') : number;
    set('SENDER', formatted(sender));
    set('SENDER_ADDRESS', formatted(sender));
    set('RECEIVER', formatted(message.receiver));
    texts.set('TEXT', message.message.toWellFormed());
    set('CONTENT_TYPE', 'text/plain');
    set('SMS_TYPE', isGsmText(message.message) ? 'text' : 'unicode');
    return { texts, cc: [], bcc: [], files: [] };
  }
  const named = NAMED_SENDER.exec(sender ?? '');
  set('SENDER', sender);
  set('SENDER_NAME', named?.[1]);
  set('SENDER_ADDRESS', named?.[2] ?? sender);
  set('RECEIVER', message.receiver);
  set('SUBJECT', message.subject);
  if (message.unsubscribeUrl !== undefined) {
    set('LIST_UNSUBSCRIBE', `<${message.unsubscribeUrl}>`);
    set('LIST_UNSUBSCRIBE_POST', ONE_CLICK);
  }
  set('CONTENT_TYPE', message.contentType);
  texts.set(message.contentType === 'text/html' ? 'HTML' : 'TEXT', message.message.toWellFormed());
  const cc = message.cc.map((address) => address.toWellFormed());
  const bcc = message.bcc.map((address) => address.toWellFormed());
  set('CC', cc.join(options.listSeparator));
  set('BCC', bcc.join(options.listSeparator));
  const files = await Promise.all(
    message.attachments.map(async ({ name, content }) => {
      const byName = TEXT_TYPES.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? ANY_TYPE;
      const mediaType = (await detectAttachmentType(content)) ?? byName;
      return { fileName: name.toWellFormed(), mediaType, content };
    }),
  );
  return { texts, cc, bcc, files };
}

/** Types of text files, which their first bytes do not identify. */
const TEXT_TYPES: ReadonlyMap<string, string> = new Map([
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['ics', 'text/calendar'],
]);

/** Characters of the alphabet of SMS (3GPP TS 23.038, 6.2.1) that a sender may not have: line ends and the extension. */
const ONLY_IN_TEXTS = /[\n\r\f^{}\\[~\]|€]/g;

function isGsmText(text: string): boolean {
  return !NOT_GSM.test(text.replaceAll(ONLY_IN_TEXTS, ''));
}

type Rendered =
  | string
  | number
  | boolean
  | null
  | FilePart
  | readonly Rendered[]
  | { readonly [name: string]: Rendered };

interface Scope {
  readonly texts: ReadonlyMap<Placeholder, string>;
  readonly file: FilePart | undefined;
}

/** Leaves out a field or item that is a placeholder without a value, and a list or object that becomes empty. */
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

function scopesOf(repeated: Repeated | undefined, values: MessageValues, scope: Scope): readonly Scope[] {
  if (repeated === undefined) return [scope];
  if (repeated !== 'ATTACHMENT') {
    const addresses = repeated === 'CC' ? values.cc : values.bcc;
    return addresses.map((address) => ({ ...scope, texts: new Map(scope.texts).set(repeated, address) }));
  }
  return values.files.map((file) => ({
    file,
    texts: new Map(scope.texts)
      .set('ATTACHMENT_NAME', file.fileName)
      .set('ATTACHMENT_TYPE', file.mediaType)
      .set('ATTACHMENT_CONTENT', file.content.toString('base64')),
  }));
}

type Payload = { readonly [name: string]: Rendered };
type Field = readonly [name: string, value: string | FilePart];

/** Control characters have no meaning in a file name. FormData encodes quotes itself. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Returns the body with its content type, or for the encoding `query` only the query, without a question mark. */
export async function encodePayload(payload: Payload, encoding: Encoding) {
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

/** A list becomes a repeated field. The check of the configuration has ensured that fields do not nest. */
function fieldsOf(payload: Payload): readonly Field[] {
  return Object.entries(payload).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly Rendered[]) : [value]).map((item): Field => {
      if (isFile(item)) return [name, item];
      return [name, typeof item === 'object' ? '' : String(item)];
    }),
  );
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
