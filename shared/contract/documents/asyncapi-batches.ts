/** Several requests in one message, and their answers, in the AsyncAPI document. */

import { HEADER } from '../../messaging/header-names.ts';
import {
  MAX_BATCH_ITEMS,
  MAX_ID_CHARACTERS,
  REPLY_BATCH,
  REQUEST_BATCH,
} from '../../messaging/codec/request-batch.ts';
import { createProblem } from '../../platform/problem.ts';
import { PAYMENT_VALUE_EXAMPLES } from '../payment-value/calculate-pmt.ts';
import type { MessageKind } from './asyncapi-messages.ts';
import { replyMessageHeaders, REQUEST_MESSAGE_HEADERS } from './headers.ts';

const [{ request, reply }] = PAYMENT_VALUE_EXAMPLES;

const ID = {
  anyOf: [
    { type: 'string', minLength: 1, maxLength: MAX_ID_CHARACTERS },
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  ],
};

const REQUESTS: MessageKind = {
  type: REQUEST_BATCH,
  summary:
    `1 to ${MAX_BATCH_ITEMS} requests in one message. In JSON it is an array, and header ${HEADER.messageType} names the ` +
    'type of its items; in Avro each item is a message value of its own, of whatever request.',
  headers: REQUEST_MESSAGE_HEADERS,
  jsonSchema: {
    type: 'array',
    minItems: 1,
    maxItems: MAX_BATCH_ITEMS,
    items: {
      type: 'object',
      properties: {
        id: { ...ID, description: 'Your own id of the request, echoed with its answer.' },
        jsonParam: { type: 'object', description: 'The input, as in a message of one request.' },
      },
      required: ['jsonParam'],
    },
  },
  example: [{ id: 'c-1', ...(request as object) }],
};

const REPLIES: MessageKind = {
  type: REPLY_BATCH,
  summary: 'The answers to the requests of one message: one for each, in their order.',
  headers: replyMessageHeaders().filter(({ name }) => name !== HEADER.warnings),
  jsonSchema: {
    type: 'array',
    maxItems: MAX_BATCH_ITEMS,
    items: {
      type: 'object',
      properties: {
        id: { ...ID, description: 'The id of the request; absent where it had none.' },
        status: { type: 'integer', description: '200, or the status of the problem.' },
        headers: {
          type: 'object',
          description: `What a single answer has in its headers ${HEADER.warnings} and ${HEADER.holidayCalendar}; absent where there is nothing to tell.`,
          properties: {
            [HEADER.warnings]: { type: 'string' },
            [HEADER.holidayCalendar]: { type: 'string' },
          },
        },
        body: { description: 'The answer to the request, or its problem document.' },
      },
      required: ['status', 'body'],
    },
  },
  example: [
    { id: 'c-1', status: 200, body: reply },
    { id: 'c-2', status: 422, body: createProblem('not-computable') },
  ],
};

/** The messages of batches. */
export const BATCH_KINDS: readonly MessageKind[] = [REQUESTS, REPLIES];
