/**
 * The commands to send notifications: read from HTTP bodies and JSON messages (normalised, all faults at once, unknown
 * fields reported: E3), checked by the same rules where they came in Avro, and written as JSON.
 */

import { z } from 'zod';
import type { Attachment, EmailCommand, SmsCommand } from '../../notification/command.ts';
import type { Fault } from '../../platform/problem.ts';
import { contentFaults } from './attachments.ts';
import { withoutRepeated } from './email-address.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { toFaults, isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import { NOT_A_GUID } from '../json/field-kinds.ts';
import { invalid, type Fields, type InvalidRequest, type ReadRequest } from '../json/request-contract.ts';
import { fieldTree, surveyFields, tooManyItems } from '../json/unknown-fields.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { emailCommandFields, emailFields, smsCommandFields, smsFields } from './request-fields.ts';
import { NotificationRules } from './field-rules.ts';

export interface NotificationReading {
  /** ISO 3166 country of telephone numbers without a country code; absent: they are refused (N4). */
  readonly country?: string | undefined;
  /** False when no provider has a default sender, so that each message needs its own (N3). */
  readonly hasDefaultSender: boolean;
}

/** Reads one kind of notification. Never throws, whatever the body is. */
export interface NotificationReader<Command> {
  /** Without the content of files. */
  parse(body: unknown, reading: NotificationReading): ReadRequest<Command>;
  /** With the content of files: synchronous without files, else by a promise that never rejects. */
  read(body: unknown, reading: NotificationReading): ReadRequest<Command> | Promise<ReadRequest<Command>>;
}

/** Field of a command's id. */
const ID = 'notificationId';

/** The bodies of the HTTP calls. */
export const smsReader = createReader(smsFields, takeSms);
export const emailReader = createReader(emailFields, takeEmail);
/** The commands as JSON messages. */
export const smsCommandReader = createReader(smsCommandFields, takeSms);
export const emailCommandReader = createReader(emailCommandFields, takeEmail);

/** Takes a body apart; `notificationId` is that of a command. */
type Take<Command> = (
  fields: Fields,
  rules: NotificationRules,
  notificationId: string | undefined,
) => Taken<Command>;

/** A body taken apart: the command counts only without faults. */
interface Taken<Command> {
  readonly command: Command;
  readonly files: readonly (Attachment | undefined)[];
}

const NO_SENDER = 'is missing; must be sent, since no provider of this channel has a default sender';

function createReader<Command>(definition: z.ZodObject, take: Take<Command>): NotificationReader<Command> {
  const compiled = z.compile(definition);
  const known = fieldTree(toJsonSchema(definition));
  const hasId = known.fields.has(ID);
  const open = (body: unknown, reading: NotificationReading) => {
    const { warnings, overlong, faults: unknown } = surveyFields(known, body);
    const fields = overlong.length === 0 ? body : withoutMembers(body, overlong);
    const shape = compiled.safeParse(fields);
    const rules = new NotificationRules(reading.country);
    const sent = isRecord(fields) ? fields : {};
    const taken = take(sent, rules, hasId ? readId(sent) : undefined);
    const needsSender = !reading.hasDefaultSender && isRecord(body) && isAbsent(sent['sender']);
    const faults = [
      ...overlong,
      ...(shape.success ? [] : toFaults(shape.error.issues, fields)),
      ...(needsSender ? [shapeFault('sender', 'missing', NO_SENDER)] : []),
      ...rules.faults,
    ];
    const close = (further: readonly Fault[]): ReadRequest<Command> =>
      faults.length + further.length === 0
        ? { kind: 'valid', payload: taken.command, warnings }
        : invalid([...faults, ...further], unknown());
    return { files: taken.files, close };
  };
  return {
    parse: (body, reading) => open(body, reading).close([]),
    read: (body, reading) => {
      const { files, close } = open(body, reading);
      return files.length === 0 ? close([]) : contentFaults(files).then(close);
    },
  };
}

/** The body without its overlong lists, whose items are not read. */
function withoutMembers(body: unknown, overlong: readonly Fault[]): unknown {
  const paths = new Set(overlong.map(({ path }) => path));
  return isRecord(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !paths.has(name)))
    : body;
}

/** Applies the rule of a text field; a value of another type is a fault of the definition. */
function rule<Cleaned>(
  fields: Fields,
  name: string,
  clean: (path: string, value: string) => Cleaned,
): Cleaned | undefined {
  const value = fields[name];
  return typeof value === 'string' ? clean(name, value) : undefined;
}

function readId(fields: Fields): string | undefined {
  const id = fields[ID];
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

function takeSms(
  fields: Fields,
  rules: NotificationRules,
  notificationId: string | undefined,
): Taken<SmsCommand> {
  const command = {
    notificationId,
    sender: rule(fields, 'sender', (path, value) => rules.smsSender(path, value)),
    message: rule(fields, 'message', (path, value) => rules.smsText(path, value)) ?? '',
    receiver: rule(fields, 'receiver', (path, value) => rules.phone(path, value)) ?? '',
  };
  return { command, files: [] };
}

function takeEmail(
  fields: Fields,
  rules: NotificationRules,
  notificationId: string | undefined,
): Taken<EmailCommand> {
  const sender = rule(fields, 'sender', (path, value) => rules.address(path, value));
  const message = rule(fields, 'message', (path, value) => rules.text(path, value)) ?? '';
  const receiver = rule(fields, 'receiver', (path, value) => rules.address(path, value)) ?? '';
  const subject = rule(fields, 'subject', (path, value) => rules.subject(path, value)) ?? '';
  const seen = new Set([receiver.toLowerCase()]);
  const cc = withoutRepeated(rule(fields, 'cc', (path, value) => rules.addresses(path, value)) ?? [], seen);
  for (const address of cc) seen.add(address.toLowerCase());
  const bcc = withoutRepeated(rule(fields, 'bcc', (path, value) => rules.addresses(path, value)) ?? [], seen);
  rules.recipients(cc.length, bcc.length);
  const contentType =
    rule(fields, 'contentType', (path, value) => rules.contentType(path, value)) ?? 'text/plain';
  const files = takeFiles(fields['attachmentList'], rules);
  const attachments = files.filter((file) => file !== undefined);
  const command = { sender, message, receiver, subject, cc, bcc, contentType, attachments };
  return { command: { notificationId, ...command }, files };
}

function takeFiles(list: unknown, rules: NotificationRules): readonly (Attachment | undefined)[] {
  if (!Array.isArray(list)) return [];
  const files = list.map((item: unknown, index) => takeFile(item, `attachmentList[${index}]`, rules));
  rules.totalSize(files);
  return files;
}

function takeFile(item: unknown, path: string, rules: NotificationRules): Attachment | undefined {
  if (!isRecord(item)) return undefined;
  const name = rule(item, 'name', (_, value) => rules.fileName(`${path}.name`, value));
  const content = rule(item, 'content', (_, value) => rules.base64(`${path}.content`, value));
  return content === undefined ? undefined : { name: name ?? '', content };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** All that is wrong with an SMS command, or undefined. */
export function checkSmsCommand(command: SmsCommand): InvalidRequest | undefined {
  const rules = new NotificationRules();
  checkId(command, rules);
  if (command.sender !== undefined)
    checkNormalised(rules, 'sender', command.sender, rules.smsSender('sender', command.sender));
  rules.smsText('message', command.message);
  checkNormalised(rules, 'receiver', command.receiver, rules.phone('receiver', command.receiver));
  return toOutcome(rules);
}

/**
 * All that is wrong with an e-mail command but for the content of its files, or undefined; see
 * {@link checkAttachments}.
 */
export function checkEmailCommand(command: EmailCommand): InvalidRequest | undefined {
  const { sender, receiver, cc, bcc, attachments } = command;
  const rules = new NotificationRules();
  checkId(command, rules);
  if (sender !== undefined) checkAddress(rules, 'sender', sender);
  checkAddress(rules, 'receiver', receiver);
  checkList(rules, 'cc', cc);
  checkList(rules, 'bcc', bcc);
  rules.recipients(cc.length, bcc.length);
  rules.subject('subject', command.subject);
  rules.text('message', command.message);
  rules.contentType('contentType', command.contentType);
  if (attachments.length > NOTIFICATION_LIMITS.attachments)
    rules.faults.push(tooManyItems('attachmentList', NOTIFICATION_LIMITS.attachments));
  else {
    for (const [index, { name, content }] of attachments.entries()) {
      rules.fileName(`attachmentList[${index}].name`, name);
      if (content.length === 0) rules.base64(`attachmentList[${index}].content`, '');
    }
  }
  rules.totalSize(attachments);
  return toOutcome(rules);
}

/**
 * What is wrong with the content of an e-mail's files, or undefined: programs, and files that are not what their names
 * say. At once without files, else by a promise that never rejects.
 */
export function checkAttachments({
  attachments,
}: EmailCommand): undefined | Promise<InvalidRequest | undefined> {
  if (attachments.length === 0) return undefined;
  return contentFaults(attachments).then((faults) => (faults.length === 0 ? undefined : invalid(faults)));
}

function checkId({ notificationId }: SmsCommand | EmailCommand, rules: NotificationRules): void {
  if (notificationId === undefined || UUID.test(notificationId)) return;
  rules.faults.push(shapeFault('notificationId', 'wrong-type', `${NOT_A_GUID}, in lower case`));
}

function checkList(rules: NotificationRules, name: string, addresses: readonly string[]): void {
  // More than all recipients together is one fault, reported for their sum.
  if (addresses.length > NOTIFICATION_LIMITS.recipients) return;
  for (const [index, address] of addresses.entries()) checkAddress(rules, `${name}[${index}]`, address);
}

function checkAddress(rules: NotificationRules, path: string, address: string): void {
  checkNormalised(rules, path, address, rules.address(path, address));
}

/** A command has to be normalised already; `cleaned` is undefined where a fault was reported. */
function checkNormalised(
  rules: NotificationRules,
  path: string,
  sent: string,
  cleaned: string | undefined,
): void {
  if (cleaned === undefined || cleaned === sent) return;
  const message = 'must be written as it is sent: a number as E.164, an address without blanks and in ASCII';
  rules.faults.push(shapeFault(path, 'unclean', message));
}

function toOutcome({ faults }: NotificationRules): InvalidRequest | undefined {
  return faults.length === 0 ? undefined : invalid(faults);
}

/** Writes an SMS command. */
export function renderSmsCommand({ notificationId, sender, message, receiver }: SmsCommand): string {
  return JSON.stringify({ notificationId, sender, message, receiver });
}

/** Writes an e-mail command; its files in base64. */
export function renderEmailCommand(command: EmailCommand): string {
  const { attachments, cc, bcc, ...fields } = command;
  const files = attachments.map(({ name, content }) => ({ name, content: content.toString('base64') }));
  return JSON.stringify({
    ...fields,
    cc: joinAddresses(cc),
    bcc: joinAddresses(bcc),
    attachmentList: files.length === 0 ? undefined : files,
  });
}

function joinAddresses(addresses: readonly string[]): string | undefined {
  return addresses.length === 0 ? undefined : addresses.join('; ');
}
