/**
 * The notifications on the wire (interface 4.8): fields, kinds and what they mean. The rules of their values are in
 * field-rules.ts.
 */

import { z } from 'zod';
import { guid, optional, optionalList, wanted } from '../json/field-kinds.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './limits.ts';

const A_NOTIFICATION = { error: wanted('an object with the fields of the notification') };
const MIB = 1_024 * 1_024;

const text = (what = 'text') => z.string({ error: wanted(what) });

const notificationId = () =>
  optional(guid()).describe(
    'UUID by which the notification is known; the same one again is not sent a second time. Absent: its place in the log.',
  );

/** The body of sms/send. */
export const smsFields = z.object(
  {
    sender: optional(text()).describe(
      `A name of at most ${LIMIT.smsSenderCharacters} GSM characters, a telephone number or a short code. Absent: the defaultSender of the provider.`,
    ),
    message: text().describe(`The text, at most ${LIMIT.smsCharacters} characters.`),
    receiver: text('a telephone number as text').describe(
      'Telephone number with its country code, such as +40722123456; blanks, brackets, dashes and dots do not count, 00 is the same as +.',
    ),
  },
  A_NOTIFICATION,
);

const attachment = z.object(
  {
    name: text().describe(
      `Name of the file without a path, at most ${LIMIT.attachmentNameCharacters} characters. Programs and scripts are refused.`,
    ),
    content: text('base64 text').describe('The bytes of the file in base64 (RFC 4648, section 4).'),
  },
  { error: wanted('an object') },
);

const addressList = () =>
  optional(text('e-mail addresses as text')).describe('Addresses separated by `;` or `,`.');

/** The body of email/send. */
export const emailFields = z.object(
  {
    sender: optional(text('an e-mail address as text')).describe(
      'One plain e-mail address. Absent: the defaultSender of the provider.',
    ),
    message: text().describe('The body of the e-mail.'),
    receiver: text('an e-mail address as text').describe('One plain e-mail address.'),
    subject: text().describe(`One line of at most ${LIMIT.subjectBytes} bytes.`),
    cc: addressList(),
    bcc: addressList(),
    contentType: optional(text()).describe('`text/plain` (default) or `text/html`.'),
    attachmentList: optionalList(attachment, LIMIT.attachments).describe(
      `Files, at most ${LIMIT.attachmentBytes / MIB} MiB decoded in all.`,
    ),
  },
  A_NOTIFICATION,
);

/** The commands as JSON messages: the same fields and the id. */
export const smsCommandFields = smsFields.extend({ notificationId: notificationId() });
export const emailCommandFields = emailFields.extend({ notificationId: notificationId() });
