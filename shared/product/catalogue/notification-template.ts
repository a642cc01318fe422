/** Templates of notifications as data of the catalogue (N9). */

import { anyText } from '../../platform/json-kinds.ts';
import { listFields } from './list-records.ts';
import { flagOrFalse, items, orDefault, recordOf, type RecordOf, text, word } from './record-kinds.ts';

const MAX_MESSAGE_LENGTH = 100_000;
const MAX_SUBJECT_LENGTH = 998;
const NOT_A_FIELD = 'must have 1 to 60 letters, digits and underscores, and begin with a letter';
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;
const ONE_LINE = /^(?=.*\S)[^\p{Cc}\u2028\u2029]+$/u;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

const field = recordOf({
  Name: anyText().regex(/^[A-Za-z][A-Za-z0-9_]{0,59}$/, { error: NOT_A_FIELD }),
  IsOptional: flagOrFalse(),
});

const texts = {
  Language: anyText().regex(LANGUAGE, { error: 'must be a language such as ro or pt-BR' }),
  Message: text(MAX_MESSAGE_LENGTH).regex(/\S/, { error: 'must not be empty' }),
};
const mail = {
  Subject: text(MAX_SUBJECT_LENGTH).regex(ONE_LINE, { error: 'must be one line of text' }),
  ContentType: orDefault(word(['text/plain', 'text/html'])(), 'text/plain'),
};

/** The first text of a channel is that of requests without a language. */
export const NOTIFICATION_TEMPLATE_SHAPE = recordOf({
  ...listFields(),
  Fields: items(field),
  Sms: items(recordOf(texts)),
  Email: items(recordOf({ ...texts, ...mail })),
});
export type NotificationTemplateRecord = RecordOf<typeof NOTIFICATION_TEMPLATE_SHAPE>;

/** The names in `{{name}}` of a text, which may be no field. */
export function namesIn(template: string): readonly string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** Replaces each `{{name}}` by its value. Inserted values are not searched again. */
export function fillNames(template: string, valueOf: (name: string) => string): string {
  return template.replaceAll(PLACEHOLDER, (_, name: string) => valueOf(name));
}
