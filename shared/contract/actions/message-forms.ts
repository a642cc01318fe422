/**
 * The JSON form of every message type that may travel as JSON. A JSON message's body equals the HTTP body: a request is
 * `{jsonParam: {...}}` and nothing else where the action has it so (a bare record would leave a misspelt `jsonParam`
 * unnoticed), a reply is the answer as HTTP callers get it, an error reply is the problem document.
 */

import type { PaymentValue } from '../../lending/request/payment-value-request.ts';
import type { ProvenRate } from '../../lending/request/rate-request.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../lending/request/repayment-schedule.ts';
import type { ProductDetails } from '../../product/look-up/product-details.ts';
import { renderPaymentValue } from '../payment-value/payment-value-reply.ts';
import { paymentValueMembers } from '../payment-value/calculate-pmt.ts';
import type { CatalogueMessage } from '../catalogue-files/catalogue-message.ts';
import { readCatalogueRecordForm, renderCatalogueRecord } from '../catalogue-files/json-form.ts';
import type { EmailCommand, SmsCommand } from '../../notification/command.ts';
import { readAcceptance, readState } from '../notification/record-forms.ts';
import { writeJsonReplyBatch } from '../../messaging/codec/reply-batch-json.ts';
import type { ReplyBatch } from '../../messaging/codec/request-batch.ts';
import { readProblem } from '../json/problem.ts';
import {
  emailCommandReader,
  smsCommandReader,
  type NotificationReading,
} from '../notification/read-notifications.ts';
import { renderEmailCommand, renderSmsCommand } from '../notification/render-notification-command.ts';
import {
  renderInsuranceList,
  renderProductByCode,
  renderProductDetails,
  renderProductDocuments,
  type InsuranceListPayload,
  type ProductByCodePayload,
  type ProductDocumentsPayload,
} from '../product/replies.ts';
import {
  insuranceListMembers,
  productByCodeMembers,
  productDetailsMembers,
  productDocumentsMembers,
} from '../product/requests.ts';
import {
  insuranceListInput,
  productByCodeInput,
  productDetailsInput,
  productDocumentsInput,
} from '../product/read-product-requests.ts';
import { paymentValueInput } from '../payment-value/read-payment-value-request.ts';
import { renderRate } from '../rate/rate-reply.ts';
import { rateMembers } from '../rate/calculate-rate.ts';
import { rateInput } from '../rate/read-rate-request.ts';
import { readRepaymentScheduleRequest } from '../schedule/calculate-repayment-schedule.ts';
import { renderRepaymentScheduleRequest } from '../schedule/render-repayment-schedule-request.ts';
import { bodyRenderer, requestRenderer } from '../json/render-request.ts';
import { renderRepaymentSchedule } from '../schedule/render-schedule.ts';
import { renderSimulation, type SimulatePayload } from '../simulate/reply.ts';
import { simulateInput } from '../simulate/read-simulate-request.ts';
import { simulateMembers } from '../simulate/request.ts';
import { shapeFault } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';

/** How one message type is read and written as JSON. */
interface JsonForm {
  /** Reads the value of `JSON.parse`. Never throws. */
  parse(value: unknown): ReadRequest<unknown>;
  /** Writes a payload of the type; throws on one that is not of the type. */
  render(payload: unknown): string;
}

/** The JSON forms by message type, the record name in the catalogue of messages. */
export const JSON_SHAPES: Readonly<Record<string, JsonForm>> = {
  CalculateRepaymentScheduleRequest: {
    parse: readRepaymentScheduleRequest,
    render: (payload) => renderRepaymentScheduleRequest(payload as RepaymentScheduleRequest),
  },
  CalculateRepaymentScheduleReply: {
    parse: refuseToRead,
    render: (payload) => renderRepaymentSchedule(payload as RepaymentSchedule),
  },
  CalculatePMTRequest: {
    parse: paymentValueInput.read,
    render: requestRenderer(paymentValueMembers),
  },
  CalculatePMTReply: {
    parse: refuseToRead,
    render: (payload) => renderPaymentValue(payload as PaymentValue),
  },
  CalculateRateRequest: { parse: rateInput.read, render: requestRenderer(rateMembers) },
  CalculateRateReply: { parse: refuseToRead, render: (payload) => renderRate(payload as ProvenRate) },
  GetBankingProductByCodeRequest: {
    parse: productByCodeInput.read,
    render: bodyRenderer(productByCodeMembers),
  },
  GetBankingProductByCodeReply: {
    parse: refuseToRead,
    render: (payload) => renderProductByCode(payload as ProductByCodePayload),
  },
  GetBankingProductDetailsRequest: {
    parse: productDetailsInput.read,
    render: bodyRenderer(productDetailsMembers),
  },
  GetBankingProductDetailsReply: {
    parse: refuseToRead,
    render: (payload) => renderProductDetails(payload as ProductDetails),
  },
  GetProductInsuranceListRequest: {
    parse: insuranceListInput.read,
    render: bodyRenderer(insuranceListMembers),
  },
  GetProductInsuranceListReply: {
    parse: refuseToRead,
    render: (payload) => renderInsuranceList(payload as InsuranceListPayload),
  },
  GetProductDocumentsRequest: {
    parse: productDocumentsInput.read,
    render: bodyRenderer(productDocumentsMembers),
  },
  GetProductDocumentsReply: {
    parse: refuseToRead,
    render: (payload) => renderProductDocuments(payload as ProductDocumentsPayload),
  },
  SimulateRequest: { parse: simulateInput.read, render: bodyRenderer(simulateMembers) },
  SimulateReply: {
    parse: refuseToRead,
    render: (payload) => renderSimulation(payload as SimulatePayload),
  },
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

/** An array of requests in JSON travels under the type of its items. */
function refuseToReadBatch(): ReadRequest<never> {
  const message = 'must come under the type of the requests in it, as header plat-message-type names it';
  return invalid([shapeFault('body', 'wrong-type', message)]);
}

function refuseToRenderBatch(): never {
  throw new Error('an array of requests in JSON has the type of its items');
}

/** On the log a number carries its country code, and the worker knows the default sender. */
const OF_MESSAGES: NotificationReading = { hasDefaultSender: true };

/** JSON turns exact figures into binary numbers, and that of a schedule lacks its start: requesters that calculate on take Avro. */
function refuseToRead(): ReadRequest<never> {
  const message =
    'an answer in JSON is meant for its reader only; request it in Avro to go on working with it';
  return invalid([shapeFault('body', 'wrong-type', message)]);
}
