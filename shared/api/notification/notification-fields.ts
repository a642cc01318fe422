/** The fields of notifications (interface 4.8); field-rules.ts checks their values. */

import { z } from 'zod';
import { CATEGORIES } from '../../notification/notification-command.ts';
import { anyText, mustBe } from '../../platform/json-kinds.ts';
import { described, fieldsOf, guid, optional, optionalList, withFigures } from '../json/field-kinds.ts';
import { NOTIFICATION_LIMITS as LIMIT } from './notification-limits.ts';
import FIELD_TEXTS from './field-texts.json' with { type: 'json' };

const TEXTS = withFigures(FIELD_TEXTS, LIMIT);

const A_NOTIFICATION = 'an object with the fields of the notification';
const MIB = 1_024 * 1_024;
/** The limits of an address, for documents only: field-rules.ts checks them, and the form of the address. */
const ADDRESS = { minLength: 1, maxLength: LIMIT.addressCharacters };

const ofCommand = described(TEXTS.ofCommand, { notificationId: optional(guid()) });

const template = fieldsOf(TEXTS.template, {
  name: anyText().meta({ minLength: 1 }),
  language: optional(anyText()),
  fields: optional(z.record(z.string(), anyText(), { error: mustBe('an object of texts') })),
}).meta({ id: 'TemplateUse' });

export const templateField = () =>
  optional(template).describe('The template from which the text is made, in its place (N9).');

const options = described(TEXTS.options, {
  category: optional(anyText().meta({ enum: CATEGORIES })),
  sendAt: optional(anyText('a date-time as text').meta({ format: 'date-time' })),
  template: templateField(),
});

export const smsFields = fieldsOf(
  TEXTS.smsFields,
  {
    sender: optional(anyText()),
    message: optional(anyText().meta({ minLength: 1, maxLength: LIMIT.smsCharacters })),
    receiver: anyText('a telephone number as text').meta({ minLength: 1, maxLength: LIMIT.phoneCharacters }),
    ...options,
  },
  A_NOTIFICATION,
);

const attachment = fieldsOf(TEXTS.attachment, {
  name: anyText().meta({ minLength: 1, maxLength: LIMIT.attachmentNameCharacters }),
  content: anyText('base64 text').meta({ minLength: 1 }),
}).meta({ id: 'Attachment' });

const addressList = () =>
  optional(anyText('e-mail addresses as text').meta({ maxLength: LIMIT.addressListCharacters }));

export const emailFields = fieldsOf(
  TEXTS.emailFields,
  {
    sender: optional(anyText('an e-mail address as text').meta(ADDRESS)),
    message: optional(anyText().meta({ minLength: 1 })),
    receiver: anyText('an e-mail address as text').meta(ADDRESS),
    subject: optional(anyText().meta({ minLength: 1, maxLength: LIMIT.subjectBytes })),
    cc: addressList(),
    bcc: addressList(),
    contentType: optional(anyText().meta({ enum: ['text/plain', 'text/html'] })),
    attachmentList: optionalList(attachment, LIMIT.attachments).describe(
      `Files, at most ${LIMIT.attachmentBytes / MIB} MiB decoded in all (N3, E6).`,
    ),
    ...options,
  },
  A_NOTIFICATION,
);

export const smsCommandFields = smsFields.extend(ofCommand);
export const emailCommandFields = emailFields.extend(ofCommand);
