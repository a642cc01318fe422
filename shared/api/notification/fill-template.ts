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

/** The texts of a template that is filled in, or its faults. */
export function fillTemplate(
  channel: Channel,
  use: TemplateUse,
  find: FindTemplate,
): { readonly texts: Texts; readonly faults: readonly Fault[] } {
  const record = find(use.name);
  if (record === undefined)
    return { texts: {}, faults: [shapeFault('template.name', 'unknown-value', UNKNOWN)] };
  const rules = new NotificationRules();
  const text = textOf(record, use, channel === 'email' ? 'Email' : 'Sms', rules);
  const inSubject = namesIn(text?.Subject ?? '');
  const values = new Map<string, unknown>(Object.entries(use.fields));
  const textIn = (name: string): string => {
    const value = values.get(name);
    return typeof value === 'string' ? value : '';
  };
  for (const { Name, IsOptional } of record.Fields) {
    const [path, value] = [`template.fields.${Name}`, values.get(Name)];
    if (typeof value === 'string') (inSubject.includes(Name) ? rules.subject : rules.text)(path, value);
    else if (!IsOptional && value === undefined)
      rules.faults.push(shapeFault(path, 'missing', 'is missing; must be text'));
  }
  const known = record.Fields.map(({ Name }) => Name);
  for (const name of values.keys())
    if (!known.includes(name))
      rules.faults.push(unknownFieldFault(`template.fields.${name.slice(0, MAX_SHOWN_NAME)}`, name, known));
  if (text === undefined || rules.faults.length > 0) return { texts: {}, faults: rules.faults };
  const texts = fillTexts(text, textIn);
  if (texts.subject === undefined) rules.smsText('template', texts.message);
  else {
    rules.subject('template', texts.subject);
    rules.text('template', texts.message);
  }
  return { texts, faults: rules.faults };
}

const UNKNOWN = 'must be the code of an Active template of the catalogue';

function textOf(
  record: NotificationTemplateRecord,
  { language }: TemplateUse,
  channel: 'Sms' | 'Email',
  { faults }: NotificationRules,
) {
  const texts: readonly Text[] = record[channel];
  const text = language === undefined ? texts[0] : texts.find((one) => isSameCode(one.Language, language));
  const languages = texts.map(({ Language }) => Language).join(', ');
  if (texts.length === 0)
    faults.push(
      shapeFault('template.name', 'unknown-value', 'must be a template with a text of this channel'),
    );
  else if (text === undefined)
    faults.push(shapeFault('template.language', 'unknown-value', `must be one of ${languages}`));
  return text;
}

type Text = NotificationTemplateRecord['Sms'][number] & Partial<NotificationTemplateRecord['Email'][number]>;

function fillTexts(text: Text, valueOf: (name: string) => string): Texts & { readonly message: string } {
  const { Subject, Message, ContentType: contentType } = text;
  if (Subject === undefined || contentType === undefined) return { message: fillNames(Message, valueOf) };
  const inMessage = contentType === 'text/html' ? (name: string) => escaped(valueOf(name)) : valueOf;
  return { subject: fillNames(Subject, valueOf), message: fillNames(Message, inMessage), contentType };
}

function escaped(value: string): string {
  return value.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
