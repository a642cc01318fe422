import type { Attachment, Outbound } from '../../../shared/notification/notification-command.ts';
import type { Placeholder } from '../../../shared/notification/payload-template.ts';
import { detectAttachmentType } from './mail-content.ts';

export interface FilePart {
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

export interface MessageValues {
  /** A placeholder without a value is absent. */
  readonly texts: ReadonlyMap<Placeholder, string>;
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly files: readonly FilePart[];
}

export interface ValueOptions {
  readonly defaultSender: string | undefined;
  readonly phoneFormat: 'plus' | 'digits';
  readonly listSeparator: string;
}

/** A sender with a name. Unlike readMailSender, it keeps blanks within the brackets and allows no quotes in the name. */
const NAMED_SENDER = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/;
const ANY_TYPE = 'application/octet-stream';
const PHONE_NUMBER = /^\+\d+$/;

/** The values of a message. Lone surrogates, which cannot be encoded, become U+FFFD. */
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
      options.phoneFormat === 'digits' && PHONE_NUMBER.test(number ?? '') ? number?.slice(1) : number;
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
  set('CONTENT_TYPE', message.contentType);
  texts.set(message.contentType === 'text/html' ? 'HTML' : 'TEXT', message.message.toWellFormed());
  const cc = message.cc.map((address) => address.toWellFormed());
  const bcc = message.bcc.map((address) => address.toWellFormed());
  set('CC', cc.join(options.listSeparator));
  set('BCC', bcc.join(options.listSeparator));
  const files = await Promise.all(message.attachments.map(filePart));
  return { texts, cc, bcc, files };
}

async function filePart({ name, content }: Attachment): Promise<FilePart> {
  const mediaType = (await detectAttachmentType(content)) ?? typeFromName(name);
  return { fileName: name.toWellFormed(), mediaType, content };
}

/** Types of text files, which their first bytes do not identify. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  xml: 'application/xml',
  ics: 'text/calendar',
};

function typeFromName(name: string): string {
  return TEXT_TYPES[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? ANY_TYPE;
}

/** The default alphabet of SMS (3GPP TS 23.038, 6.2.1). */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';
const ALPHABET: ReadonlySet<string> = new Set(BASIC + EXTENDED);

/** Whether the default alphabet has all characters; otherwise an SMS has room for less than half as many. */
function isGsmText(text: string): boolean {
  for (const character of text) if (!ALPHABET.has(character)) return false;
  return true;
}
