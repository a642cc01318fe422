import { createHash } from 'node:crypto';
import type { EmailCommand } from '../../../shared/notification/command.ts';

const DOMAIN = 'bank.example';
/** The sender, in the form that a configuration has. */
export const SENDER = { name: 'Your Bank', address: `no-reply@${DOMAIN}` } as const;
const LINES = [
  'Your statement for January is ready. Open it in the app under Documents.',
  'It lists all movements of the month, the fees, and the interest of your deposits.',
  'If you do not expect this message, call us at the number on the back of your card.',
];
/** Text of about a kilobyte, as customers get it. */
const MESSAGE = Array.from({ length: 4 }, () => LINES.join('\n')).join('\n\n');

/** One of an unlimited number of e-mails that differ in receiver and id. */
export function sampleMail(index: number): EmailCommand & { readonly notificationId: string } {
  return {
    notificationId: sampleId(index),
    sender: undefined,
    receiver: `customer-${index}@mail.example`,
    cc: [],
    bcc: [],
    subject: `Your statement ${index}`,
    message: MESSAGE,
    contentType: 'text/plain',
    attachments: [],
  };
}

/** The Message-ID that the system derives from the id of a notification. */
export function messageIdOf({ notificationId }: { readonly notificationId: string }): string {
  return `<${notificationId}@${DOMAIN}>`;
}

/** A UUID that is unique for each index and run. */
export function sampleId(index: number): string {
  const hex = createHash('sha256').update(`${process.pid}/${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
