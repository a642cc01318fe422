/**
 * The JSON form of every message type that may travel as JSON. A JSON message's body equals the HTTP body: a request is
 * `{jsonParam: {...}}` and nothing else where the action has it so (a bare record would leave a misspelt `jsonParam`
 * unnoticed), a reply is the answer as HTTP callers get it, an error reply is the problem document.
 */

import { writeJsonReplyBatch } from '../../messaging/codec/json-batch.ts';
import type { ReplyBatch } from '../../messaging/codec/request-batch.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { EmailCommand, SmsCommand } from '../../notification/command.ts';
import type { CatalogueMessage } from '../catalogue-files/catalogue-message.ts';
import { readCatalogueRecordForm, renderCatalogueRecord } from '../catalogue-files/json-form.ts';
import type { Action } from '../json/action.ts';
import { shapeFault } from '../json/faults.ts';
import { readProblem } from '../json/problem.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';
import { emailCommandReader, smsCommandReader, type NotificationReading } from '../notification/commands.ts';
import { readAcceptance, readState } from '../notification/record-forms.ts';
import { renderEmailCommand, renderSmsCommand } from '../notification/commands.ts';
import { restoreSchedule, toScheduleRecord } from '../schedule/schedule-record.ts';
import { ACTIONS } from './actions.ts';

/** How one message type is read and written as JSON. */
interface MessageForm {
  /** Reads the value of `JSON.parse`. Never throws. */
  parse(value: unknown): ReadRequest<unknown>;
  /** Writes a payload of the type; throws on one that is not of the type. */
  render(payload: unknown): string;
  /** The Avro record of a payload, where it differs from the payload. */
  toRecord?(payload: unknown): unknown;
  /** Makes a decoded Avro record the payload, in place. */
  fromRecord?(record: unknown): void;
}

/** The messages whose Avro record differs from their payload. */
const RECORD_FORMS: Readonly<Record<string, Pick<MessageForm, 'toRecord' | 'fromRecord'>>> = {
  CalculateRepaymentScheduleReply: {
    toRecord: (payload) => toScheduleRecord(payload as RepaymentSchedule),
    fromRecord: (record) => restoreSchedule(record as RepaymentSchedule),
  },
};

/** On the log a number carries its country code, and the worker knows the default sender. */
const OF_MESSAGES: NotificationReading = { hasDefaultSender: true };

/** The JSON forms by message type, the record name in the list of messages. */
export const MESSAGE_FORMS: Readonly<Record<string, MessageForm>> = {
  ...Object.fromEntries(ACTIONS.flatMap(actionForms)),
  SendSmsCommand: {
    parse: (body) => smsCommandReader.parse(body, OF_MESSAGES),
    render: (payload) => renderSmsCommand(payload as SmsCommand),
  },
  SendEmailCommand: {
    parse: (body) => emailCommandReader.parse(body, OF_MESSAGES),
    render: (payload) => renderEmailCommand(payload as EmailCommand),
  },
  NotificationAcceptance: { parse: readAcceptance, render: (payload) => JSON.stringify(payload) },
  NotificationState: { parse: readState, render: (payload) => JSON.stringify(payload) },
  CatalogueRecord: {
    parse: readCatalogueRecordForm,
    render: (payload) => renderCatalogueRecord(payload as CatalogueMessage),
  },
  ProblemReply: { parse: readProblem, render: (payload) => JSON.stringify(payload) },
  RequestBatch: { parse: refuseToReadBatch, render: refuseToRenderBatch },
  ReplyBatch: {
    parse: refuseToRead,
    render: (payload) => writeJsonReplyBatch(payload as ReplyBatch).toString('utf8'),
  },
};

function actionForms(action: Action): [string, MessageForm][] {
  const { requestType, replyType, request } = action;
  return [
    [requestType, { parse: (body) => request.read(body), render: (payload) => request.render(payload) }],
    [
      replyType,
      { parse: refuseToRead, render: (payload) => action.render(payload), ...RECORD_FORMS[replyType] },
    ],
  ];
}

/** An array of requests in JSON travels under the type of its items. */
function refuseToReadBatch(): ReadRequest<never> {
  const message = 'must come under the type of the requests in it, as header plat-message-type names it';
  return invalid([shapeFault('body', 'wrong-type', message)]);
}

function refuseToRenderBatch(): never {
  throw new Error('an array of requests in JSON has the type of its items');
}

/** JSON makes exact figures binary numbers, and that of a schedule lacks its start: requesters that calculate on use Avro. */
function refuseToRead(): ReadRequest<never> {
  const message = 'an answer in JSON is for display only; request it in Avro to process it further';
  return invalid([shapeFault('body', 'wrong-type', message)]);
}
