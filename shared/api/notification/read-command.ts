/** Reads notifications (HTTP bodies, JSON messages), finding all faults (E3). Checks commands by the same rules. */

import { z } from 'zod';
import type {
  Attachment,
  Channel,
  CommandOptions,
  EmailCommand,
  SmsCommand,
  TemplateUse,
} from '../../notification/notification-command.ts';
import { lazy } from '../../platform/lazy.ts';
import type { SyncOrAsync } from '../../platform/sync-or-async.ts';
import { type Fault, joinPath } from '../../platform/problem.ts';
import { isoText } from './answers.ts';
import { contentFaults } from './attachments.ts';
import { fillTemplate, type FindTemplate } from './fill-template.ts';
import { codePointOf } from './clean-text.ts';
import { withoutRepeated } from './email-address.ts';
import { toJsonSchema, type JsonSchema } from '../json/json-schema.ts';
import { toFaults, isAbsent, isRecord, shapeFault, topField } from '../json/faults.ts';
import { GUID, NOT_A_GUID } from '../json/field-kinds.ts';
import { invalid, type Fields, type InvalidRequest, type ReadRequest } from '../json/request-reader.ts';
import { knownFields, surveyFields, tooManyItems, withoutFields } from '../json/unknown-fields.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';
import { emailCommandFields, emailFields, smsCommandFields, smsFields } from './notification-fields.ts';
import { NotificationRules } from './field-rules.ts';

export interface NotificationReading {
  /** The country (ISO 3166) of telephone numbers without a country code. If absent, such numbers are refused (N4). */
  readonly country?: string | undefined;
  /** If false, no provider of the channel has a default sender, and a notification without a sender is refused (N3). */
  readonly hasDefaultSender: boolean;
  /** Time of the request in epoch milliseconds, for the limit of sendAt; absent if it is checked later. */
  readonly nowMs?: number;
  /** Finds templates, which are then filled in; absent if this is done later. */
  readonly findTemplate?: FindTemplate | undefined;
}

/** Reads one kind of notification from parsed JSON. Never throws. */
export interface NotificationReader<Command> {
  parse(body: unknown, reading: NotificationReading): ReadRequest<Command>;
  /** Also checks the content of files. Returns a promise only if there are files; it never rejects. */
  read(body: unknown, reading: NotificationReading): ReadRequest<Command> | Promise<ReadRequest<Command>>;
}

const ID = 'notificationId';
/** Longer member names are not compared with the known names: a caller may send a name of megabytes. */
const MAX_KNOWN_NAME = 60;

export type Normalise<Command> = (
  fields: Fields,
  rules: NotificationRules,
  notificationId: string | undefined,
  findTemplate: FindTemplate | undefined,
) => {
  readonly command: Command;
  readonly files: readonly (Attachment | undefined)[];
};

const NO_SENDER = 'is missing; must be sent, since no provider of this channel has a default sender';

/** Makes a reader of objects with the fields of the definition, whose values `normalise` checks by the rules. */
export function createReader<Command extends CommandOptions>(
  definition: z.ZodObject,
  normalise: Normalise<Command>,
): NotificationReader<Command> {
  const reader = lazy(() => ({ compiled: z.compile(definition), known: toJsonSchema(definition) }));
  const names = Object.keys(definition.shape);
  const placeOf = ({ path }: Fault): number => names.indexOf(topField(path));
  const hasId = Object.hasOwn(definition.shape, ID);
  const readFields = (body: unknown, reading: NotificationReading) => {
    const { compiled, known } = reader();
    const { warnings, overlong, faults: unknown } = surveyFields(known, body);
    const fields = withoutFields(body, new Set(overlong.map(({ path }) => path)));
    const shape = compiled.safeParse(fields);
    const rules = new NotificationRules(reading.country);
    const sent = isRecord(fields) ? fields : {};
    const { command, files } = normalise(sent, rules, hasId ? readId(sent) : undefined, reading.findTemplate);
    const variants = caseVariants(known, fields);
    const refused = new Set(variants.map(({ path }) => path));
    if (reading.nowMs !== undefined) rules.sendAt(command.sendAt, reading.nowMs);
    const needsSender = !reading.hasDefaultSender && isRecord(body) && isAbsent(sent['sender']);
    const faults = [
      ...overlong,
      ...variants,
      ...[
        ...(shape.success ? [] : toFaults(shape.error.issues, fields)),
        ...(isRecord(body) ? textFaults(sent, definition.shape) : []),
      ].toSorted((one, other) => placeOf(one) - placeOf(other)),
      ...(needsSender ? [shapeFault('sender', 'missing', NO_SENDER)] : []),
      ...rules.faults,
    ];
    const finish = (further: readonly Fault[]): ReadRequest<Command> =>
      faults.length + further.length === 0
        ? { kind: 'valid', payload: command, warnings }
        : invalid(
            [...faults, ...further],
            unknown().filter(({ path }) => !refused.has(path)),
          );
    return { files, finish };
  };
  return {
    parse: (body, reading) => readFields(body, reading).finish([]),
    read: (body, reading) => {
      const { files, finish } = readFields(body, reading);
      return files.length === 0 ? finish([]) : contentFaults(files).then(finish);
    },
  };
}

/** Finds names that differ from known names only in case: ignoring `NotificationId` could send a message twice. */
function caseVariants(schema: JsonSchema, value: unknown, path = ''): Fault[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => caseVariants(schema, item, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  const fields = knownFields(schema);
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known !== undefined) return caseVariants(known, inner, joinPath(path, name));
    const meant = name.length > MAX_KNOWN_NAME ? undefined : names.get(name.toLowerCase());
    return meant === undefined
      ? []
      : [shapeFault(joinPath(path, name), 'unknown-member', `must be written ${meant}`)];
  });
}

/** Applies a rule to a field if it is text; otherwise the definition has a fault, or the field is absent. */
export function applyRule<Cleaned>(
  fields: Fields,
  name: string,
  clean: (path: string, value: string) => Cleaned,
): Cleaned | undefined {
  const value = fields[name];
  return typeof value === 'string' ? clean(name, value) : undefined;
}

function readId(fields: Fields): string | undefined {
  const id = fields[ID];
  return typeof id === 'string' && GUID.test(id) ? id.toLowerCase() : undefined;
}

/** The faults of texts that a template replaces. */
export function besideTemplate(sent: Fields): readonly Fault[] {
  const names = ['message', 'subject', 'contentType'].filter((name) => (sent[name] ?? '') !== '');
  return names.map((name) => shapeFault(name, 'mutually-exclusive', 'must not be sent with a template'));
}

function textFaults(sent: Fields, known: z.ZodRawShape): readonly Fault[] {
  if (!Object.hasOwn(known, 'template')) return [];
  if (hasTemplate(sent)) return besideTemplate(sent);
  const names = ['message', 'subject'].filter((name) => Object.hasOwn(known, name) && isAbsent(sent[name]));
  return names.map((name) => shapeFault(name, 'missing', 'is missing; must be text'));
}

function readOptions(fields: Fields, rules: NotificationRules): CommandOptions {
  const category = applyRule(fields, 'category', rules.category);
  const sendAt = applyRule(fields, 'sendAt', rules.time);
  return { category, sendAt, template: readTemplate(fields['template']) };
}

/** True if a notification names a template. */
export function hasTemplate(body: unknown): boolean {
  return isRecord(body) && !isAbsent(body['template']);
}

/** The texts of a template that is filled in for a channel; its faults go to the rules. */
export function textsOf(
  channel: Channel,
  template: TemplateUse | undefined,
  find: FindTemplate | undefined,
  rules: NotificationRules,
) {
  if (find === undefined || template === undefined || template.name === '') return {};
  const { texts, faults } = fillTemplate(channel, template, find);
  rules.faults.push(...faults);
  return texts;
}

export function readTemplate(sent: unknown): TemplateUse | undefined {
  if (!isRecord(sent)) return undefined;
  const { name, language, fields } = sent;
  return {
    name: typeof name === 'string' ? name : '',
    language: typeof language === 'string' ? language : undefined,
    fields: isRecord(fields) ? (fields as TemplateUse['fields']) : {},
  };
}

const normaliseSms: Normalise<SmsCommand> = (fields, rules, notificationId, find) => {
  const options = readOptions(fields, rules);
  const command = {
    ...options,
    notificationId,
    sender: applyRule(fields, 'sender', rules.smsSender),
    message: applyRule(fields, 'message', rules.smsText) ?? '',
    receiver: applyRule(fields, 'receiver', rules.phone) ?? '',
  };
  return { command: { ...command, ...textsOf('sms', options.template, find, rules) }, files: [] };
};

const normaliseEmail: Normalise<EmailCommand> = (fields, rules, notificationId, find) => {
  const sender = applyRule(fields, 'sender', rules.address);
  const message = applyRule(fields, 'message', rules.text) ?? '';
  const receiver = applyRule(fields, 'receiver', rules.address) ?? '';
  const subject = applyRule(fields, 'subject', rules.subject) ?? '';
  const seen = new Set([receiver.toLowerCase()]);
  const cc = withoutRepeated(applyRule(fields, 'cc', rules.addresses) ?? [], seen);
  for (const address of cc) seen.add(address.toLowerCase());
  const bcc = withoutRepeated(applyRule(fields, 'bcc', rules.addresses) ?? [], seen);
  const options = readOptions(fields, rules);
  rules.recipients(cc.length, bcc.length, options.category);
  const contentType = applyRule(fields, 'contentType', rules.contentType) ?? 'text/plain';
  const files = decodeFiles(fields['attachmentList'], rules);
  const attachments = files.filter((file) => file !== undefined);
  const texts = textsOf('email', options.template, find, rules);
  const sent = { sender, message, receiver, subject, cc, bcc, contentType, attachments };
  return { command: { ...options, notificationId, ...sent, ...texts }, files };
};

function decodeFiles(list: unknown, rules: NotificationRules): readonly (Attachment | undefined)[] {
  if (!Array.isArray(list)) return [];
  const files = list.map((item: unknown, index) => decodeFile(item, `attachmentList[${index}]`, rules));
  rules.totalSize(files);
  return files;
}

function decodeFile(item: unknown, path: string, rules: NotificationRules): Attachment | undefined {
  if (!isRecord(item)) return undefined;
  const name = applyRule(item, 'name', (_, value) => rules.fileName(`${path}.name`, value));
  const content = applyRule(item, 'content', (_, value) => rules.base64(`${path}.content`, value));
  return content === undefined ? undefined : { name: name ?? '', content };
}

export const smsReader = createReader(smsFields, normaliseSms);
export const emailReader = createReader(emailFields, normaliseEmail);
export const smsCommandReader = createReader(smsCommandFields, normaliseSms);
export const emailCommandReader = createReader(emailCommandFields, normaliseEmail);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the faults of a command whose template, if any, is filled in; undefined if it is valid. A promise only if the
 * content of files is checked. `writtenAtMs`: when it was written, in epoch milliseconds.
 */
export function checkCommand(
  command: SmsCommand | EmailCommand,
  writtenAtMs?: number,
): SyncOrAsync<InvalidRequest | undefined> {
  const { notificationId, sender, receiver, message, category, sendAt } = command;
  const rules = new NotificationRules();
  const isEmail = 'subject' in command;
  if (notificationId !== undefined && !UUID.test(notificationId))
    rules.faults.push(shapeFault(ID, 'wrong-type', `${NOT_A_GUID}, in lower case`));
  if (category !== undefined) rules.category('category', category);
  if (writtenAtMs !== undefined) rules.sendAt(sendAt, writtenAtMs);
  checkNormalised(rules, 'sender', sender, isEmail ? rules.address : rules.smsSender);
  checkNormalised(rules, 'receiver', receiver, isEmail ? rules.address : rules.phone);
  if (isEmail) checkMail(command, rules);
  else rules.smsText('message', message);
  if (rules.faults.length > 0 || !isEmail || command.attachments.length === 0) return invalidIf(rules.faults);
  return contentFaults(command.attachments).then(invalidIf);
}

function invalidIf(faults: readonly Fault[]): InvalidRequest | undefined {
  return faults.length === 0 ? undefined : invalid(faults);
}

function checkMail(command: EmailCommand, rules: NotificationRules): void {
  const { cc, bcc, attachments } = command;
  for (const [name, list] of Object.entries({ cc, bcc })) {
    // Too many addresses are not checked one by one: rules.recipients refuses the list.
    if (list.length > NOTIFICATION_LIMITS.recipients) continue;
    for (const [index, one] of list.entries())
      checkNormalised(rules, `${name}[${index}]`, one, rules.address);
  }
  rules.recipients(cc.length, bcc.length, command.category);
  rules.subject('subject', command.subject);
  rules.text('message', command.message);
  checkNormalised(rules, 'contentType', command.contentType, rules.contentType);
  if (attachments.length > NOTIFICATION_LIMITS.attachments)
    rules.faults.push(tooManyItems('attachmentList', NOTIFICATION_LIMITS.attachments));
  else {
    for (const [index, { name, content }] of attachments.entries()) {
      checkNormalised(rules, `attachmentList[${index}].name`, name, rules.fileName);
      if (content.length === 0) rules.base64(`attachmentList[${index}].content`, '');
    }
  }
  rules.totalSize(attachments);
}

function checkNormalised(
  { faults }: NotificationRules,
  path: string,
  sent: string | undefined,
  rule: (path: string, value: string) => string | undefined,
): void {
  const cleaned = sent === undefined ? undefined : rule(path, sent);
  if (cleaned === undefined || cleaned === sent) return;
  const kept = Array.from(cleaned);
  const other = Array.from(sent ?? '').find((character, index) => character !== kept[index]) ?? '';
  const message =
    'must be normalised: a number as E.164, an address in ASCII, without blanks and invisible characters; ' +
    `differs at ${codePointOf(other)}`;
  faults.push(shapeFault(path, 'unclean', message));
}

export function renderSmsCommand({ message, sendAt, ...fields }: SmsCommand): string {
  return JSON.stringify({ ...fields, message: message || undefined, sendAt: sendAt && isoText(sendAt) });
}

export function renderEmailCommand(command: EmailCommand): string {
  const { attachments, cc, bcc, sendAt, ...fields } = command;
  const { message, subject, contentType, template } = command;
  const files = attachments.map(({ name, content }) => ({ name, content: content.toString('base64') }));
  return JSON.stringify({
    ...fields,
    message: message || undefined,
    subject: subject || undefined,
    contentType: template === undefined || message !== '' ? contentType : undefined,
    cc: cc.join('; ') || undefined,
    bcc: bcc.join('; ') || undefined,
    attachmentList: files.length === 0 ? undefined : files,
    sendAt: sendAt && isoText(sendAt),
  });
}
