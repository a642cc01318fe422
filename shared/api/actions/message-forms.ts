/**
 * The JSON form of every message type. A JSON message equals the body of an HTTP call: a request keeps its wrapper
 * `jsonParam` (in a message without the wrapper, a misspelt `jsonParam` would go unnoticed), a reply equals the answer, and
 * an error reply is the problem document.
 */

import { writeJsonReplyBatch } from '../../messaging/codec/json-message.ts';
import type { ReplyBatch } from '../../messaging/codec/request-batch.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { EmailCommand, SmsCommand } from '../../notification/notification-command.ts';
import type { CatalogueMessage } from '../../product/storage/catalogue-message.ts';
import { readCatalogueRecordForm, renderCatalogueRecord } from './catalogue-record-form.ts';
import type { Action } from '../json/action-definition.ts';
import { shapeFault } from '../json/faults.ts';
import { readProblem } from '../json/problem-document.ts';
import { invalid, type ReadRequest } from '../json/request-reader.ts';
import {
  emailCommandReader,
  type NotificationReading,
  renderEmailCommand,
  renderSmsCommand,
  smsCommandReader,
} from '../notification/read-command.ts';
import { restoreSchedule, toScheduleRecord } from './schedule-record.ts';
import { ACTIONS } from './actions.ts';
import { CALCULATE_REPAYMENT_SCHEDULE } from './schedule-action.ts';

interface MessageForm {
  parse(value: unknown): ReadRequest<unknown>;
  render(payload: unknown): string;
  toRecord?(payload: unknown): unknown;
  /** Converts a decoded Avro record into the payload, in place. */
  fromRecord?(record: unknown): void;
}

/** Telephone numbers in messages need their country code; the notification worker checks for a default sender. */
const MESSAGE_READING: NotificationReading = { hasDefaultSender: true };

export const MESSAGE_FORMS: Readonly<Record<string, MessageForm>> = {
  ...Object.fromEntries(ACTIONS.flatMap(actionForms)),
  SendSmsCommand: {
    parse: (body) => smsCommandReader.parse(body, MESSAGE_READING),
    render: (payload) => renderSmsCommand(payload as SmsCommand),
  },
  SendEmailCommand: {
    parse: (body) => emailCommandReader.parse(body, MESSAGE_READING),
    render: (payload) => renderEmailCommand(payload as EmailCommand),
  },
  // Only the engine writes these, in Avro.
  NotificationAcceptance: { parse: refuseToRead, render: (payload) => JSON.stringify(payload) },
  NotificationState: { parse: refuseToRead, render: (payload) => JSON.stringify(payload) },
  CatalogueRecord: {
    parse: readCatalogueRecordForm,
    render: (payload) => renderCatalogueRecord(payload as CatalogueMessage),
  },
  ProblemReply: { parse: readProblem, render: (payload) => JSON.stringify(payload) },
  RequestBatch: {
    parse: () => refuse('must be sent with the type of its requests in header plat-message-type'),
    render: () => {
      throw new Error('an array of requests in JSON has the type of its items');
    },
  },
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
      {
        parse: refuseToRead,
        render: (payload) => action.render(payload),
        ...(action === CALCULATE_REPAYMENT_SCHEDULE && {
          toRecord: (payload) => toScheduleRecord(payload as RepaymentSchedule),
          fromRecord: (record) => restoreSchedule(record as RepaymentSchedule),
        }),
      },
    ],
  ];
}

/** JSON readers convert exact figures to binary numbers, and the JSON of a schedule lacks its start date. */
function refuseToRead(): ReadRequest<never> {
  return refuse('must be in Avro: what the engine writes in JSON is for display only');
}

function refuse(message: string): ReadRequest<never> {
  return invalid([shapeFault('body', 'wrong-type', message)]);
}
