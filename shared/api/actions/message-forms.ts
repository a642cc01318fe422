/**
 * The JSON form of every message type. A request equals the body of the HTTP call, with `jsonParam` if the call has it.
 * A command may also have a `notificationId`. A reply equals the answer, and an error reply the problem document.
 */

import { type MessageForms, writeJsonReplyBatch } from '../../messaging/codec/json-message.ts';
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
import { readState } from '../notification/state-record.ts';
import { restoreSchedule, toScheduleRecord } from './schedule-record.ts';
import { REQUEST_ACTIONS as ACTIONS } from './actions.ts';
import { CALCULATE_REPAYMENT_SCHEDULE } from './schedule-action.ts';

/** No default country: numbers need a country code (N4). The provider decides whether a message needs a sender (N3). */
const MESSAGE_READING: NotificationReading = { hasDefaultSender: true };

/** The forms by message type. Only requests, commands, catalogue records and problems can be read from JSON. */
export const MESSAGE_FORMS: MessageForms = {
  ...Object.fromEntries(ACTIONS.flatMap(actionForms)),
  SendSmsCommand: {
    parse: (body) => smsCommandReader.parse(body, MESSAGE_READING),
    render: (payload) => renderSmsCommand(payload as SmsCommand),
  },
  SendEmailCommand: {
    parse: (body) => emailCommandReader.parse(body, MESSAGE_READING),
    render: (payload) => renderEmailCommand(payload as EmailCommand),
  },
  NotificationState: { parse: readState, render: (payload) => JSON.stringify(payload) },
  // Only the engine writes this type, and only in Avro.
  NotificationAcceptance: { parse: refuseToRead, render: (payload) => JSON.stringify(payload) },
  CatalogueRecord: {
    parse: readCatalogueRecordForm,
    render: (payload) => renderCatalogueRecord(payload as CatalogueMessage),
  },
  ProblemReply: { parse: readProblem, render: (payload) => JSON.stringify(payload) },
  RequestBatch: {
    parse: () =>
      refuse('cannot be a RequestBatch: set the header plat-message-type to the type of the requests'),
    render: () => {
      throw new Error('send a JSON array with the message type of its requests, not a RequestBatch');
    },
  },
  ReplyBatch: {
    parse: refuseToRead,
    render: (payload) => writeJsonReplyBatch(payload as ReplyBatch).toString('utf8'),
  },
};

function actionForms(action: Action): [string, MessageForms[string]][] {
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

/** For types whose JSON is for display only: that of a schedule, for example, omits the start date. */
function refuseToRead(): ReadRequest<never> {
  return refuse('must be in Avro: what the engine writes in JSON is for display only');
}

function refuse(message: string): ReadRequest<never> {
  return invalid([shapeFault('body', 'wrong-type', message)]);
}
