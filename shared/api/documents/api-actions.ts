/** The addresses that callers use: actions, their results, and notifications (interface 4, N3). */

import { z } from 'zod';
import { ACTIONS } from '../actions/actions.ts';
import type { Action } from '../json/action-definition.ts';
import { answerHttpHeaders, type RequestHeader } from './documented-headers.ts';
import {
  aboutOperation,
  apiPart,
  methodName,
  parameterReference,
  pathParameters,
  requestBody,
  type Operation,
  type PathItem,
  answer,
  pendingResponse,
  problemReferences,
  reading,
} from './api-operation.ts';
import TEXTS from './operation-texts.json' with { type: 'json' };
import { acceptedReply, batchReply, notificationReply } from '../notification/answers.ts';
import notificationExamples from '../notification/examples.json' with { type: 'json' };
import { NOTIFICATION_LIMITS } from '../notification/notification-limits.ts';
import {
  batchPath,
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationDefinition,
} from '../notification/send-operations.ts';
import {
  VERIFICATIONS,
  VERIFICATIONS_PATH,
  type VerificationOperation,
} from '../notification/verification-operations.ts';

const ACTION_PROBLEMS = [400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503, 504];
const RESULT_PROBLEMS = [400, 401, 403, 404, 405, 408, 410, 422, 429, 431, 500, 503, 504];
const ACTION_PREFIX = '/platapi/automation-processors/actions';

const ACTION_HEADERS: readonly RequestHeader[] = ['Prefer', 'X-Correlation-Id', 'traceparent'];

const ANSWER_HEADERS = answerHttpHeaders([
  ...new Set(ACTIONS.flatMap(({ answerHeaders = [] }) => answerHeaders)),
]);

/** Without a schema: in a union of all answers, a generated client could not tell which type an empty list has. */
const ANY_REPLY = {
  description: 'The answer of the action that was called, with the schema of that action.',
};

const genericRequest = z
  .object({
    access_token: z.string().nullish().describe('Access token; used if there is no Authorization header.'),
    user_name: z.string().nullish().describe('Name of the user that the token was issued to.'),
    Data: z.string().meta({
      contentMediaType: 'application/json',
      pattern: String.raw`^\s*\{`,
      description: 'The input of the action as JSON text. An object with the input is accepted too.',
    }),
  })
  .meta({
    id: 'GenericRequest',
    description: 'The generic form: the input in Data, next to the access parameters.',
  });

const BATCH_PROBLEMS = [400, 401, 403, 405, 408, 413, 415, 429, 431, 503];
const SEND_PROBLEMS = [400, 401, 403, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503, 504];
const VERIFICATION_PROBLEMS = [400, 401, 403, 404, 405, 408, 410, 429, 431, 500, 503, 504];

const IDEMPOTENCY_KEY = {
  ...TEXTS.idempotencyKey,
  schema: { type: 'string', minLength: 1, maxLength: NOTIFICATION_LIMITS.idempotencyKeyCharacters },
};

const RESULT_PATH = '/platapi/results/{resultId}';
const GENERIC_PATH = `${ACTION_PREFIX}/{action}`;

export const actionPart = apiPart('Actions', {
  ...Object.fromEntries(
    ACTIONS.map((action) => [`${ACTION_PREFIX}/${action.name}`, { post: actionPost(action) }]),
  ),
  [GENERIC_PATH]: { post: genericPost() },
});

export const resultPart = apiPart('Results', {
  [RESULT_PATH]: {
    get: {
      ...aboutOperation('getResult'),
      parameters: pathParameters(RESULT_PATH),
      responses: {
        200: answer('The answer of the action.', { headers: ANSWER_HEADERS, schema: ANY_REPLY }),
        202: pendingResponse('The request is still being processed.'),
        ...problemReferences(RESULT_PROBLEMS),
      },
    },
  },
});

/** The bodies of single calls, which those of batches contain. */
const BODIES = new Map(NOTIFICATIONS.map(({ name, bodyShape }) => [name, bodyShape.meta({ id: name })]));
const [NOTIFICATION_ID] = pathParameters(NOTIFICATION_PATH);
const BY_ID = [{ ...NOTIFICATION_ID, description: 'The notificationId of the 202 answer.' }];

export const notificationPart = apiPart('Notifications', {
  ...Object.fromEntries(NOTIFICATIONS.map((one) => [one.path, { post: notificationPost(one) }])),
  ...Object.fromEntries(NOTIFICATIONS.map((one) => [batchPath(one.path), { post: batchPost(one) }])),
  [NOTIFICATION_PATH]: {
    ...reading(NOTIFICATION_PATH, 'getNotification', notificationReply, {
      parameters: BY_ID,
      examples: { sent: { value: notificationExamples.notification } },
      problems: [404],
    })[NOTIFICATION_PATH],
    delete: {
      ...aboutOperation('cancelNotification'),
      parameters: BY_ID,
      responses: {
        200: answer('It is cancelled.', { headers: ['X-Correlation-Id'], schema: notificationReply }),
        ...problemReferences([400, 401, 403, 404, 405, 408, 409, 429, 431, 503]),
      },
    },
  },
  ...verificationPaths(),
});

function verificationPaths(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const one of VERIFICATIONS)
    paths[one.path] = { ...paths[one.path], [one.method]: verificationCall(one) };
  return paths;
}

function verificationCall(operation: VerificationOperation): Operation {
  const { name, summary, description, path, status, bodyShape, examples, replyShape } = operation;
  const isStart = path === VERIFICATIONS_PATH;
  const { verificationId: _, ...value } = examples[0].request;
  const body = bodyShape?.meta({ id: name });
  const problems = body === undefined ? VERIFICATION_PROBLEMS : [...VERIFICATION_PROBLEMS, 413, 415];
  return {
    operationId: methodName(name),
    summary,
    description,
    parameters: [
      ...pathParameters(path),
      ...(isStart ? [IDEMPOTENCY_KEY] : []),
      ...(['X-Correlation-Id', 'traceparent'] as const).map(parameterReference),
    ],
    ...(body && { requestBody: requestBody(body, { [name]: { summary, value } }) }),
    responses: {
      [status]: answer('The state of the verification.', {
        headers: ['X-Correlation-Id', ...(status === 202 ? (['Location'] as const) : []), 'Warnings'],
        schema: replyShape,
        examples: { pending: { value: examples[0].reply } },
      }),
      ...problemReferences(isStart ? SEND_PROBLEMS : problems),
    },
  };
}

/**
 * Omits the 202 that {@link genericPost} documents: openapi-fetch would type each answer as a union with it. So it would
 * with further media types, which the description lists.
 */
function actionPost(action: Action): Operation {
  const { summary, description, requestType, request, replyType, replyShape, examples, formats } = action;
  const requests = examples.map((one) => [one.key, { summary: one.summary, value: one.request }]);
  const replies = examples.map(({ key, reply }) => [key, { value: reply }]);
  return {
    operationId: methodName(requestType),
    summary,
    description: `${description} The name of the action is not case-sensitive.${describeFormats(formats)}`,
    parameters: ACTION_HEADERS.map(parameterReference),
    requestBody: requestBody(request.body.meta({ id: requestType }), Object.fromEntries(requests)),
    responses: {
      200: answer('The answer, without a wrapper.', {
        headers: answerHttpHeaders(action.answerHeaders),
        schema: replyShape.meta({ id: replyType }),
        examples: Object.fromEntries(replies),
      }),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

function describeFormats(formats: Action['formats'] = {}): string {
  const types = Object.keys(formats).map((type) => `\`${type}\``);
  return types.length === 0 ? '' : ` \`Accept\` may ask for ${types.join(' or ')} in place of JSON (T6).`;
}

/** The endpoint for every action (E2): the path names the action, in any letter case, and `Data` holds its input. */
function genericPost(): Operation {
  const [{ examples }] = ACTIONS as readonly [Action, ...Action[]];
  const [{ summary, request }] = examples;
  const value = { access_token: '<token>', user_name: '<user>', Data: JSON.stringify(request) };
  return {
    ...aboutOperation('callAction'),
    parameters: [...pathParameters(GENERIC_PATH), ...ACTION_HEADERS.map(parameterReference)],
    requestBody: requestBody(genericRequest, { generic: { summary, value } }),
    responses: {
      200: answer('The answer of the action, without a wrapper.', {
        headers: ANSWER_HEADERS,
        schema: ANY_REPLY,
      }),
      202: pendingResponse(
        'With `Prefer: respond-async`: the request is stored, and the result can be fetched later.',
      ),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

function notificationPost(notification: NotificationDefinition): Operation {
  const { name, summary, description, channelNumber, bodyShape, example } = notification;
  return {
    operationId: methodName(name),
    summary,
    description,
    parameters: sendHeaders(channelNumber),
    requestBody: requestBody(BODIES.get(name) ?? bodyShape, { [name]: { summary, value: example } }),
    responses: {
      202: answer(
        'The notification is stored and will be sent to a provider. With Kafka, all in-sync replicas have it; the ' +
          'embedded broker has it on its disk, or with DATA_DIR=memory loses it when its process ends.',
        {
          headers: ['X-Correlation-Id', 'Location', 'Warnings'],
          schema: acceptedReply,
          examples: { accepted: { value: notificationExamples.accepted } },
        },
      ),
      ...problemReferences(SEND_PROBLEMS),
    },
  };
}

function batchPost({ name, summary, channelNumber, bodyShape, example }: NotificationDefinition): Operation {
  const messages = z
    .array(BODIES.get(name) ?? bodyShape)
    .min(1)
    .max(NOTIFICATION_LIMITS.batchMessages)
    .describe('Each as in the single call.');
  const body = z.object({ messages }).meta({ id: `${name}Batch` });
  return {
    operationId: methodName(`${name}Batch`),
    summary: `${summary} to each of many receivers`,
    description:
      'Each notification is accepted or refused by itself and counts as one call. A repeat with the same Idempotency-Key gets the same ids (N12).',
    parameters: sendHeaders(channelNumber),
    requestBody: requestBody(body, { [`${name}Batch`]: { summary, value: { messages: [example] } } }),
    responses: {
      202: answer('The result of each notification.', {
        headers: ['X-Correlation-Id', 'Warnings'],
        schema: batchReply,
        examples: { results: { value: { results: [notificationExamples.accepted] } } },
      }),
      ...problemReferences(BATCH_PROBLEMS),
    },
  };
}

function sendHeaders(channelNumber: string): readonly object[] {
  return [
    constantHeader('X-Communication-Channel', channelNumber),
    constantHeader('X-Sender-Id', 'platrealm'),
    IDEMPOTENCY_KEY,
    TEXTS.urgency,
    ...(['X-Correlation-Id', 'traceparent'] as const).map(parameterReference),
  ];
}

function constantHeader(name: string, value: string): object {
  return {
    name,
    in: 'header',
    required: true,
    description: `Always \`${value}\` at this path.`,
    schema: { type: 'string', enum: [value] },
  };
}
