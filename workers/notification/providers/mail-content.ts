import type { SendMailOptions } from 'nodemailer';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import {
  type MailAddress,
  isSingleAddress,
  readMailSender,
} from '../../../shared/notification/sender-address.ts';

export type OutboundEmail = Extract<Outbound, { readonly channel: 'email' }>;

type MailContent =
  | { readonly kind: 'mail'; readonly options: SendMailOptions }
  | { readonly kind: 'permanent' | 'misconfigured'; readonly code: string };

/** The body that a mail program posts to the link (RFC 8058). */
export const ONE_CLICK = 'List-Unsubscribe=One-Click';
const LINE_END = /\r\n|[\r\n]/g;

/**
 * The Message-ID derives from the id, so that receivers recognise duplicates. Only the envelope has bcc. Files and URLs
 * that the message names are never read. Refuses bad addresses again, to block header injection.
 */
export async function mailContent(
  message: OutboundEmail,
  from: { readonly defaultSender?: string | undefined },
  sentAt: Date,
): Promise<MailContent> {
  const given = message.sender ?? from.defaultSender;
  const sender = given === undefined ? undefined : readMailSender(given);
  if (sender === undefined) {
    return message.sender === undefined && given !== undefined
      ? { kind: 'misconfigured', code: 'default-sender-invalid' }
      : { kind: 'permanent', code: 'sender-invalid' };
  }
  const all = [message.receiver, ...message.cc, ...message.bcc];
  if (!all.every(isSingleAddress)) return { kind: 'permanent', code: 'receiver-invalid' };
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1);
  const text = message.message.replaceAll(LINE_END, '\r\n');
  const options: SendMailOptions = {
    from: sender,
    to: plain([message.receiver]),
    ...(message.cc.length > 0 ? { cc: plain(message.cc) } : {}),
    envelope: { from: plain([sender.address]), to: plain(all) },
    subject: message.subject.replaceAll(LINE_END, ' '),
    ...(message.contentType === 'text/html' ? { html: text } : { text }),
    attachments: await Promise.all(
      message.attachments.map(async ({ name, content }) => ({
        filename: name,
        content,
        contentType: await detectAttachmentType(content),
      })),
    ),
    messageId: `<${message.id}@${domain}>`,
    date: sentAt,
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...listHeaders(message.unsubscribeUrl),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return { kind: 'mail', options };
}

/** Headers of one-click unsubscription (RFC 8058), each on one line, because unfolding can break DKIM signatures. */
function listHeaders(url: string | undefined): Record<string, { prepared: true; value: string }> {
  if (url === undefined) return {};
  return {
    'List-Unsubscribe': { prepared: true, value: `<${url}>` },
    'List-Unsubscribe-Post': { prepared: true, value: ONE_CLICK },
  };
}

/** Makes objects, which nodemailer does not parse, so that a text that looks like a list remains one address. */
function plain(addresses: readonly string[]): MailAddress[] {
  return addresses.map((address) => ({ name: '', address }));
}

/** The media type by the first bytes: a program named `invoice.pdf` is declared a program. Undefined if unknown. */
export async function detectAttachmentType(content: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(content))?.mime;
}
