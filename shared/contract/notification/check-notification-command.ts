/**
 * Holds notification commands of upstream systems against the rules of the HTTP bodies: in Avro nothing has read them
 * before. They have to be clean already: what is in a command is what is sent.
 */

import type { EmailCommand, SmsCommand } from '../../notification/command.ts';
import { contentFaults } from './attachments.ts';
import { NOT_A_GUID } from '../json/field-kinds.ts';
import { tooManyItems } from '../json/unknown-fields.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { NotificationRules } from './rules.ts';
import { shapeFault } from '../json/faults.ts';
import { invalid, type InvalidRequest } from '../json/request-contract.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** All that is wrong with an SMS command, or undefined. */
export function checkSmsCommand(command: SmsCommand): InvalidRequest | undefined {
  const rules = new NotificationRules();
  checkId(command, rules);
  if (command.sender !== undefined)
    checkClean(rules, 'sender', command.sender, rules.smsSender('sender', command.sender));
  rules.smsText('message', command.message);
  checkClean(rules, 'receiver', command.receiver, rules.phone('receiver', command.receiver));
  return outcomeOf(rules);
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
  return outcomeOf(rules);
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
  // More than all recipients together is one fault, told by the sum of them.
  if (addresses.length > NOTIFICATION_LIMITS.recipients) return;
  for (const [index, address] of addresses.entries()) checkAddress(rules, `${name}[${index}]`, address);
}

function checkAddress(rules: NotificationRules, path: string, address: string): void {
  checkClean(rules, path, address, rules.address(path, address));
}

/** `cleaned` is undefined where a fault has told it already. */
function checkClean(rules: NotificationRules, path: string, sent: string, cleaned: string | undefined): void {
  if (cleaned === undefined || cleaned === sent) return;
  const message = 'must be written as it is sent: a number as E.164, an address without blanks and in ASCII';
  rules.faults.push(shapeFault(path, 'unclean', message));
}

function outcomeOf({ faults }: NotificationRules): InvalidRequest | undefined {
  return faults.length === 0 ? undefined : invalid(faults);
}
