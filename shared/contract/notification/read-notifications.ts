/**
 * Reads notifications from HTTP bodies and JSON messages (cleaned, all faults at once, unknown members reported: E3),
 * and holds commands that came in Avro against the same rules.
 */

import { z } from 'zod';
import type { Attachment, EmailCommand, SmsCommand } from '../../notification/command.ts';
import type { Fault } from '../../platform/problem.ts';
import { contentFaults } from './attachments.ts';
import { withoutRepeated } from './email-address.ts';
import { jsonSchemaOf } from '../json/json-schema.ts';
import { fieldTree, surveyFields } from '../json/unknown-fields.ts';
import { NotificationRules } from './rules.ts';
import { emailCommandMembers, emailMembers, smsCommandMembers, smsMembers } from './request-fields.ts';
import { faultsOfIssues, isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';

export interface NotificationReading {
  /** ISO 3166 country of telephone numbers without a country code; absent: they are refused (N4). */
  readonly country?: string | undefined;
  /** Where messages come from that name no sender: false when no provider has a default one (N3). */
  readonly hasDefaultSender: boolean;
}

/** Reads one kind of notification. Never throws, whatever the body is. */
export interface NotificationReader<Command> {
  /** What the text says; the content of files is not looked at. */
  parse(body: unknown, reading: NotificationReading): ReadRequest<Command>;
  /** The same with the files' content: at once without files, else by a promise that never rejects. */
  read(body: unknown, reading: NotificationReading): ReadRequest<Command> | Promise<ReadRequest<Command>>;
}

type Members = Readonly<Record<string, unknown>>;

/** Takes a body apart; `notificationId` is that of a command. */
type Take<Command> = (
  members: Members,
  rules: NotificationRules,
  notificationId: string | undefined,
) => Taken<Command>;

/** A body taken apart: the command counts only without faults. */
interface Taken<Command> {
  readonly command: Command;
  readonly files: readonly (Attachment | undefined)[];
}

const ID = 'notificationId';
const NO_SENDER = 'is missing; must be sent, since no provider of this channel has a default sender';

function createReader<Command>(definition: z.ZodObject, take: Take<Command>): NotificationReader<Command> {
  const compiled = z.compile(definition);
  const known = fieldTree(jsonSchemaOf(definition));
  const hasId = known.fields.has(ID);
  const open = (body: unknown, reading: NotificationReading) => {
    const { warnings, overlong, faults: unknown } = surveyFields(known, body);
    const members = overlong.length === 0 ? body : withoutMembers(body, overlong);
    const shape = compiled.safeParse(members);
    const rules = new NotificationRules(reading.country);
    const sent = isRecord(members) ? members : {};
    const taken = take(sent, rules, hasId ? idOf(sent) : undefined);
    const needsSender = !reading.hasDefaultSender && isRecord(body) && isAbsent(sent['sender']);
    const faults = [
      ...overlong,
      ...(shape.success ? [] : faultsOfIssues(shape.error.issues, members)),
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

/** The body without its overlong lists, whose items nobody reads. */
function withoutMembers(body: unknown, overlong: readonly Fault[]): unknown {
  const paths = new Set(overlong.map(({ path }) => path));
  return isRecord(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => !paths.has(name)))
    : body;
}

/** A member that is text goes through its rule; whatever else it is, the definition has told. */
function rule<Cleaned>(
  members: Members,
  name: string,
  clean: (path: string, value: string) => Cleaned,
): Cleaned | undefined {
  const value = members[name];
  return typeof value === 'string' ? clean(name, value) : undefined;
}

function idOf(members: Members): string | undefined {
  const id = members[ID];
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}

const takeSms: Take<SmsCommand> = (members, rules, notificationId) => {
  const command = {
    notificationId,
    sender: rule(members, 'sender', (path, value) => rules.smsSender(path, value)),
    message: rule(members, 'message', (path, value) => rules.smsText(path, value)) ?? '',
    receiver: rule(members, 'receiver', (path, value) => rules.phone(path, value)) ?? '',
  };
  return { command, files: [] };
};

const takeEmail: Take<EmailCommand> = (members, rules, notificationId) => {
  const sender = rule(members, 'sender', (path, value) => rules.address(path, value));
  const message = rule(members, 'message', (path, value) => rules.text(path, value)) ?? '';
  const receiver = rule(members, 'receiver', (path, value) => rules.address(path, value)) ?? '';
  const subject = rule(members, 'subject', (path, value) => rules.subject(path, value)) ?? '';
  const seen = new Set([receiver.toLowerCase()]);
  const cc = withoutRepeated(rule(members, 'cc', (path, value) => rules.addresses(path, value)) ?? [], seen);
  for (const address of cc) seen.add(address.toLowerCase());
  const bcc = withoutRepeated(
    rule(members, 'bcc', (path, value) => rules.addresses(path, value)) ?? [],
    seen,
  );
  rules.recipients(cc.length, bcc.length);
  const contentType =
    rule(members, 'contentType', (path, value) => rules.contentType(path, value)) ?? 'text/plain';
  const files = takeFiles(members['attachmentList'], rules);
  const attachments = files.filter((file) => file !== undefined);
  const command = { sender, message, receiver, subject, cc, bcc, contentType, attachments };
  return { command: { notificationId, ...command }, files };
};

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

/** The bodies of the HTTP calls. */
export const smsReader = createReader(smsMembers, takeSms);
export const emailReader = createReader(emailMembers, takeEmail);
/** The commands as JSON messages. */
export const smsCommandReader = createReader(smsCommandMembers, takeSms);
export const emailCommandReader = createReader(emailCommandMembers, takeEmail);
