/** Fills in the template of a notification (N9). Faults name the field and never repeat a value. */

import type { Channel, EmailCommand, TemplateUse } from '../../notification/notification-command.ts';
import { isSameCode } from '../../product/catalogue/catalogue-record.ts';
import {
  fillNames,
  namesIn,
  type NotificationTemplateRecord,
} from '../../product/catalogue/notification-template.ts';
import type { Fault } from '../../platform/problem.ts';
import { shapeFault } from '../json/faults.ts';
import { MAX_SHOWN_NAME, unknownFieldFault } from '../json/unknown-fields.ts';
import { NotificationRules } from './field-rules.ts';

/** The template in force with a code; undefined if there is none. */
export type FindTemplate = (code: string) => NotificationTemplateRecord | undefined;

type Texts = Partial<Pick<EmailCommand, 'subject' | 'message' | 'contentType'>>;
type Text = NotificationTemplateRecord['Sms'][number] & Partial<NotificationTemplateRecord['Email'][number]>;

const UNKNOWN = 'must be the code of an Active template of the catalogue with a text of this channel';

/** The texts of a template that is filled in, or its faults. */
export function fillTemplate(
  channel: Channel,
  { name, language, fields }: TemplateUse,
  find: FindTemplate,
): { readonly texts: Texts; readonly faults: readonly Fault[] } {
  const { Fields, Sms, Email } = find(name) ?? { Fields: [], Sms: [], Email: [] };
  const all: readonly Text[] = channel === 'email' ? Email : Sms;
  const [first] = all;
  if (first === undefined)
    return { texts: {}, faults: [shapeFault('template.name', 'unknown-value', UNKNOWN)] };
  const { subject, text: body, smsText, faults } = new NotificationRules();
  const text = language === undefined ? first : all.find((one) => isSameCode(one.Language, language));
  if (text === undefined) {
    const known = `must be one of ${all.map(({ Language }) => Language).join(', ')}`;
    faults.push(shapeFault('template.language', 'unknown-value', known));
  }
  const inSubject = namesIn(text?.Subject ?? '');
  const values = new Map<string, unknown>(Object.entries(fields));
  for (const { Name, IsOptional } of Fields) {
    const [path, value] = [`template.fields.${Name}`, values.get(Name)];
    if (typeof value === 'string') (inSubject.includes(Name) ? subject : body)(path, value);
    else if (!IsOptional && value === undefined)
      faults.push(shapeFault(path, 'missing', 'is missing; must be text'));
  }
  const known = Fields.map(({ Name }) => Name);
  for (const sent of values.keys()) {
    const path = `template.fields.${sent.slice(0, MAX_SHOWN_NAME)}`;
    if (!known.includes(sent)) faults.push(unknownFieldFault(path, sent, known));
  }
  if (text === undefined || faults.length > 0) return { texts: {}, faults };
  const { Subject, Message, ContentType: contentType = 'text/plain' } = text;
  const valueOf = (field: string): string => {
    const value = values.get(field);
    return typeof value === 'string' ? value : '';
  };
  const message = fillNames(Message, contentType === 'text/html' ? (one) => escaped(valueOf(one)) : valueOf);
  if (Subject === undefined) {
    smsText('template', message);
    return { texts: { message }, faults };
  }
  const texts = { subject: fillNames(Subject, valueOf), message, contentType };
  subject('template', texts.subject);
  body('template', message);
  return { texts, faults };
}

function escaped(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
