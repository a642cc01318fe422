/**
 * The JSON form of every message type that may travel as JSON. A JSON message's body equals the HTTP body: a request is
 * `{jsonParam: {...}}` and nothing else (a bare record would leave a misspelt `jsonParam` unnoticed), a reply is the
 * answer as HTTP callers get it, an error reply is the problem document.
 */

import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../lending/repayment-schedule.ts';
import { readProblem } from './problem-shape.ts';
import { readRepaymentScheduleRequest } from './read-repayment-schedule-request.ts';
import { renderRepaymentScheduleRequest } from './render-repayment-schedule-request.ts';
import { renderRepaymentSchedule } from './render-repayment-schedule.ts';
import { shapeFault } from './request-faults.ts';
import { invalid, type ReadRequest } from './request-reading.ts';

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
  ProblemReply: { parse: readProblem, render: (payload) => JSON.stringify(payload) },
};

/** The JSON of a schedule lacks its start and turns exact amounts into binary numbers: requesters that calculate on take Avro. */
function refuseToRead(): ReadRequest<never> {
  const message =
    'a schedule in JSON is meant for its reader only; request it in Avro to go on working with it';
  return invalid([shapeFault('body', 'wrong-type', message)]);
}
