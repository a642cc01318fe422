/** The fields of notifications (interface 4.8); field-rules.ts checks their values. */

import { z } from 'zod';
import { CATEGORIES } from '../../notification/notification-command.ts';
import { anyText, mustBe } from '../../platform/json-kinds.ts';
import { guid, objectOf, optional, optionalList } from '../json/field-kinds.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './notification-limits.ts';

const A_NOTIFICATION = 'an object with the fields of the notification';
const MIB = 1_024 * 1_024;
/** The limits of an address, for documents only: field-rules.ts checks them, and the form of the address. */
const ADDRESS = { minLength: 1, maxLength: LIMIT.addressCharacters };

const notificationId = () =>
  optional(guid()).describe(
    'UUID of the notification; a command with a known id is not sent again. Absent: derived from the offset of the record.',
  );

const template = objectOf({
  name: anyText().meta({ minLength: 1 }).describe('Code of the template in the catalogue.'),
  language: optional(anyText()).describe('Language of the text, such as `ro`. Absent: the first one.'),
  fields: optional(z.record(z.string(), anyText(), { error: mustBe('an object of texts') })).describe(
    'The text of each field that the template names; an optional one may be left out.',
  ),
}).meta({ id: 'TemplateUse' });

export const templateField = () =>
  optional(template).describe('The template from which the text is made, in its place (N9).');

const options = {
  category: optional(anyText().meta({ enum: CATEGORIES })).describe(
    '`transactional` (default), or `campaign` for messages from which a receiver can unsubscribe (N8).',
  ),
  sendAt: optional(anyText('a date-time as text').meta({ format: 'date-time' })).describe(
    'When it is sent at the earliest: a date-time with its offset from UTC, at most 7 days ahead. Absent or past: at once (N11).',
  ),
  template: templateField(),
};

export const smsFields = objectOf(
  {
    sender: optional(anyText()).describe(
      `A name of at most ${LIMIT.smsSenderCharacters} GSM characters, a telephone number or a short code. Absent: the defaultSender of the provider (N3).`,
    ),
    message: optional(anyText().meta({ minLength: 1, maxLength: LIMIT.smsCharacters })).describe(
      `The text, at most ${LIMIT.smsCharacters} characters (N3). Mandatory without a template.`,
    ),
    receiver: anyText('a telephone number as text')
      .meta({ minLength: 1, maxLength: LIMIT.phoneCharacters })
      .describe(
        'Telephone number with its country code, such as +40722123456; blanks, brackets, dashes, dots and invisible characters are ignored, full-width characters are read as the others, and 00 means + (N4).',
      ),
    ...options,
  },
  A_NOTIFICATION,
);

const attachment = objectOf({
  name: anyText()
    .meta({ minLength: 1, maxLength: LIMIT.attachmentNameCharacters })
    .describe(
      `Name of the file without a path, at most ${LIMIT.attachmentNameCharacters} characters: a PDF, an image, an Office file without macros, a text, an archive or a signed file.`,
    ),
  content: anyText('base64 text')
    .meta({ minLength: 1 })
    .describe('The bytes of the file in base64 (RFC 4648, section 4).'),
}).meta({ id: 'Attachment' });

const addressList = () =>
  optional(anyText('e-mail addresses as text').meta({ maxLength: LIMIT.addressListCharacters })).describe(
    'Addresses separated by `;` or `,` (N4); none for a campaign (N8).',
  );

export const emailFields = objectOf(
  {
    sender: optional(anyText('an e-mail address as text').meta(ADDRESS)).describe(
      'One plain e-mail address. Absent: the defaultSender of the provider (N3).',
    ),
    message: optional(anyText().meta({ minLength: 1 })).describe(
      'The body of the e-mail (N3). Mandatory without a template.',
    ),
    receiver: anyText('an e-mail address as text').meta(ADDRESS).describe('One plain e-mail address (N4).'),
    subject: optional(anyText().meta({ minLength: 1, maxLength: LIMIT.subjectBytes })).describe(
      `One line of at most ${LIMIT.subjectBytes} bytes (N3). Mandatory without a template.`,
    ),
    cc: addressList(),
    bcc: addressList(),
    contentType: optional(anyText().meta({ enum: ['text/plain', 'text/html'] })).describe(
      '`text/plain` (default) or `text/html`; a `charset` of UTF-8 changes nothing (N3).',
    ),
    attachmentList: optionalList(attachment, LIMIT.attachments).describe(
      `Files, at most ${LIMIT.attachmentBytes / MIB} MiB decoded in all (N3, E6).`,
    ),
    ...options,
  },
  A_NOTIFICATION,
);

export const smsCommandFields = smsFields.extend({ notificationId: notificationId() });
export const emailCommandFields = emailFields.extend({ notificationId: notificationId() });
