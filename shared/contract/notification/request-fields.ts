/** The fields of notifications (interface 4.8); field-rules.ts checks their values. */

import { anyText, guid, objectOf, optional, optionalList } from '../json/field-kinds.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './limits.ts';

const A_NOTIFICATION = 'an object with the fields of the notification';
const MIB = 1_024 * 1_024;

const notificationId = () =>
  optional(guid()).describe(
    'UUID of the notification; a command with a known id is not sent again. Absent: derived from the offset of the record.',
  );

/** The body of POST .../sms/send. */
export const smsFields = objectOf(
  {
    sender: optional(anyText()).describe(
      `A name of at most ${LIMIT.smsSenderCharacters} GSM characters, a telephone number or a short code. Absent: the defaultSender of the provider.`,
    ),
    message: anyText().describe(`The text, at most ${LIMIT.smsCharacters} characters.`),
    receiver: anyText('a telephone number as text').describe(
      'Telephone number with its country code, such as +40722123456; blanks, brackets, dashes and dots are ignored, and 00 means +.',
    ),
  },
  A_NOTIFICATION,
);

const attachment = objectOf({
  name: anyText().describe(
    `Name of the file without a path, at most ${LIMIT.attachmentNameCharacters} characters. Programs and scripts are refused.`,
  ),
  content: anyText('base64 text').describe('The bytes of the file in base64 (RFC 4648, section 4).'),
});

const addressList = () =>
  optional(anyText('e-mail addresses as text')).describe('Addresses separated by `;` or `,`.');

/** The body of POST .../email/send. */
export const emailFields = objectOf(
  {
    sender: optional(anyText('an e-mail address as text')).describe(
      'One plain e-mail address. Absent: the defaultSender of the provider.',
    ),
    message: anyText().describe('The body of the e-mail.'),
    receiver: anyText('an e-mail address as text').describe('One plain e-mail address.'),
    subject: anyText().describe(`One line of at most ${LIMIT.subjectBytes} bytes.`),
    cc: addressList(),
    bcc: addressList(),
    contentType: optional(anyText()).describe('`text/plain` (default) or `text/html`.'),
    attachmentList: optionalList(attachment, LIMIT.attachments).describe(
      `Files, at most ${LIMIT.attachmentBytes / MIB} MiB decoded in all.`,
    ),
  },
  A_NOTIFICATION,
);

/** The commands as JSON messages: the same fields and the id. */
export const smsCommandFields = smsFields.extend({ notificationId: notificationId() });
export const emailCommandFields = emailFields.extend({ notificationId: notificationId() });
