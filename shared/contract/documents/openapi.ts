/** The OpenAPI 3.1 document of the HTTP interface, generated from the definitions that also validate requests. */

import { ACTIONS } from '../actions/actions.ts';
import type { Action } from '../json/action-definition.ts';
import { toJsonSchema } from '../json/json-schema.ts';
import { problemSchema } from '../json/problem.ts';
import { acceptedReply, notificationReply } from '../notification/answers.ts';
import { ACCEPTED_EXAMPLE, NOTIFICATION_EXAMPLE } from '../notification/examples.ts';
import { NOTIFICATION_LIMITS } from '../notification/limits.ts';
import {
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationContract,
} from '../notification/notifications.ts';
import { answerHttpHeaders, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts';
import {
  answer,
  pendingResponse,
  problemReferences,
  problemResponses,
  schemaReference,
} from './openapi-responses.ts';

export interface OpenApiOptions {
  /** Version of the release. */
  readonly version: string;
  /** Path before `/platapi`, such as `/bank`; empty by default. */
  readonly basePath: string;
}

const ACTION_PROBLEMS = [400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503, 504];
const RESULT_PROBLEMS = [400, 401, 403, 404, 405, 408, 410, 422, 429, 431, 500, 503, 504];
const SEND_PROBLEMS = [400, 401, 403, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503, 504];
const STATUS_PROBLEMS = [400, 401, 403, 404, 405, 408, 429, 431, 503];

/** Creates the document as a plain object. */
export function openApiDocument({ version, basePath }: OpenApiOptions): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banking product engine',
      version,
      description:
        'Every action is a POST with a JSON body. Calculations are stateless: the same request gets the same answer. ' +
        'Notifications are stored before they are sent.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }, {}],
    tags: [{ name: 'Actions' }, { name: 'Results' }, { name: 'Notifications' }, { name: 'Operation' }],
    paths: {
      ...Object.fromEntries(
        ACTIONS.map((action) => [
          `/platapi/automation-processors/actions/${action.name}`,
          { post: actionPost(action) },
        ]),
      ),
      '/platapi/results/{resultId}': { get: resultGet() },
      ...Object.fromEntries(NOTIFICATIONS.map((one) => [one.path, { post: notificationPost(one) }])),
      [NOTIFICATION_PATH]: { get: notificationGet() },
      ...operationPaths(),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: RESPONSE_HEADERS,
      parameters: Object.fromEntries(
        Object.entries(REQUEST_HEADERS).map(([name, header]) => [
          name,
          { name, in: 'header', required: false, ...header },
        ]),
      ),
      responses: problemResponses(),
      schemas: schemas(),
    },
  };
}

function schemas(): Record<string, unknown> {
  return {
    Problem: problemSchema(),
    PendingResult: PENDING_RESULT,
    Health: HEALTH,
    ...Object.fromEntries(
      ACTIONS.flatMap(({ requestType, request, replyType, replyShape }) => [
        [requestType, toJsonSchema(request.body)],
        [replyType, toJsonSchema(replyShape)],
        [`${requestType}Generic`, genericForm(requestType)],
      ]),
    ),
    ...Object.fromEntries(NOTIFICATIONS.map(({ name, bodyShape }) => [name, toJsonSchema(bodyShape)])),
    AcceptedNotification: toJsonSchema(acceptedReply),
    Notification: toJsonSchema(notificationReply),
  };
}

/** The generic form of an action's body (E2). */
function genericForm(requestType: string): object {
  return {
    type: 'object',
    description: 'The generic form: the input in Data, next to the access parameters.',
    properties: {
      access_token: {
        type: 'string',
        description: 'Access token; used if there is no Authorization header.',
      },
      user_name: { type: 'string', description: 'Name of the user that the token was issued to.' },
      Data: {
        description: 'The input, or a string with its JSON.',
        anyOf: [schemaReference(requestType), { type: 'string' }],
      },
    },
    required: ['Data'],
  };
}

/** The answer for a result that is not available yet. */
const PENDING_RESULT = {
  type: 'object',
  properties: {
    resultId: { type: 'string', description: 'Id of the result.' },
    status: { const: 'pending' },
    href: { type: 'string', description: 'Address of the result.' },
  },
  required: ['resultId', 'status', 'href'],
};

/** The health of one part. */
const PART = {
  type: 'object',
  properties: {
    status: { enum: ['ready', 'starting', 'degraded', 'unhealthy'] },
    reason: { type: 'string', description: 'Reason for an operator.' },
  },
  required: ['status'],
};

/** A health answer. */
const HEALTH = {
  type: 'object',
  properties: {
    ...PART.properties,
    parts: {
      type: 'object',
      description: 'The parts of the ingress by name; they determine readiness.',
      additionalProperties: PART,
    },
    workers: {
      type: 'object',
      description: 'The other workers of the process by name; an unhealthy one fails liveness.',
      additionalProperties: PART,
    },
  },
  required: ['status', 'parts', 'workers'],
};

function actionPost(action: Action): object {
  const { name, summary, description, requestType, replyType, examples } = action;
  const replies = Object.fromEntries(examples.map(({ key, reply }) => [key, { value: reply }]));
  return {
    operationId: name,
    tags: ['Actions'],
    summary,
    description: `${description} The name of the action is not case-sensitive.`,
    parameters: Object.keys(REQUEST_HEADERS).map(parameterReference),
    requestBody: requestBody(
      { anyOf: [schemaReference(requestType), schemaReference(`${requestType}Generic`)] },
      actionExamples(action),
    ),
    responses: {
      200: answer('The answer, without a wrapper.', {
        headers: answerHttpHeaders(action.answerHeaders),
        schema: schemaReference(replyType),
        examples: replies,
      }),
      202: pendingResponse(
        'With `Prefer: respond-async`: the request is stored, and the result can be fetched later.',
      ),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

function actionExamples({ examples }: Action): object {
  const direct = examples.map(({ key, summary, request }) => [key, { summary, value: request }] as const);
  const [first] = examples;
  const value = { access_token: '<token>', user_name: '<user>', Data: JSON.stringify(first.request) };
  return { ...Object.fromEntries(direct), generic: { summary: `Generic form: ${first.summary}`, value } };
}

/** The endpoint of results, for all actions. */
function resultGet(): object {
  const reported = [...new Set(ACTIONS.flatMap(({ answerHeaders = [] }) => answerHeaders))];
  return {
    operationId: 'getResult',
    tags: ['Results'],
    summary: 'Returns the result of a request with `Prefer: respond-async`',
    description:
      'Any instance returns it, to the caller of the request only. A problem is returned as by the action itself.',
    parameters: [
      pathParameter('resultId', 'The resultId of the 202 answer.', { type: 'string', maxLength: 512 }),
    ],
    responses: {
      200: answer('The answer of the action.', {
        headers: answerHttpHeaders(reported),
        schema: { anyOf: ACTIONS.map(({ replyType }) => schemaReference(replyType)) },
      }),
      202: pendingResponse('The request is still being processed.'),
      ...problemReferences(RESULT_PROBLEMS),
    },
  };
}

/** The endpoint that accepts notifications (interface 4.8, N3). */
function notificationPost({
  name,
  summary,
  description,
  channelNumber,
  example,
}: NotificationContract): object {
  return {
    operationId: name,
    tags: ['Notifications'],
    summary,
    description,
    parameters: [
      constantHeader('X-Communication-Channel', channelNumber),
      constantHeader('X-Sender-Id', 'platrealm'),
      IDEMPOTENCY_KEY,
      URGENCY,
      ...['X-Correlation-Id', 'traceparent'].map(parameterReference),
    ],
    requestBody: requestBody(schemaReference(name), { [name]: { summary, value: example } }),
    responses: {
      202: answer(
        'The notification is stored and will be sent to a provider. With Kafka, all in-sync replicas have it; the ' +
          'embedded broker has it on its disk, or with DATA_DIR=memory loses it when its process ends.',
        {
          headers: ['X-Correlation-Id', 'Location', 'Warnings'],
          schema: schemaReference('AcceptedNotification'),
          examples: { accepted: { value: ACCEPTED_EXAMPLE } },
        },
      ),
      ...problemReferences(SEND_PROBLEMS),
    },
  };
}

function notificationGet(): object {
  return {
    operationId: 'getNotification',
    tags: ['Notifications'],
    summary: 'Returns the status of a notification',
    description: 'Any instance returns it, to the caller who sent the notification only.',
    parameters: [
      pathParameter('notificationId', 'The notificationId of the 202 answer.', {
        type: 'string',
        format: 'uuid',
      }),
    ],
    responses: {
      200: answer('Its status and attempts.', {
        headers: ['X-Correlation-Id'],
        schema: schemaReference('Notification'),
        examples: { sent: { value: NOTIFICATION_EXAMPLE } },
      }),
      ...problemReferences(STATUS_PROBLEMS),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes retries safe: for 24 hours, the same key of the same caller gets the first answer, and 409 with another ' +
    'body. Printable ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: NOTIFICATION_LIMITS.idempotencyKeyCharacters },
};

const URGENCY = {
  name: 'Urgency',
  in: 'header',
  required: false,
  description:
    'As in RFC 8030: `high` for one-time passwords and other messages that must not wait behind others; all other ' +
    'values are treated as `normal`.',
  schema: { type: 'string', enum: ['very-low', 'low', 'normal', 'high'], default: 'normal' },
};

/** The endpoints for operators and their tools. */
function operationPaths(): Record<string, object> {
  const metrics = {
    ...healthAnswer('The metrics.'),
    content: { 'text/plain': { schema: { type: 'string' } } },
  };
  return {
    '/health/live': operationPath('getLiveness', 'Reports whether the process is alive', {
      200: healthAnswer('The process is alive.'),
      503: healthAnswer('The process needs a restart.'),
    }),
    '/health/ready': operationPath('getReadiness', 'Reports whether this ingress accepts traffic', {
      200: healthAnswer('It accepts traffic.'),
      503: healthAnswer('It does not accept traffic; see reason.'),
    }),
    '/metrics': operationPath('getMetrics', 'Metrics in the Prometheus text format', { 200: metrics }),
  };
}

function healthAnswer(description: string): object {
  return answer(description, { headers: ['X-Correlation-Id'], schema: schemaReference('Health') });
}

function operationPath(operationId: string, summary: string, responses: object): object {
  return {
    get: {
      operationId,
      tags: ['Operation'],
      summary,
      security: [{}],
      responses: { ...responses, ...problemReferences([403]) },
    },
  };
}

function requestBody(schema: object, examples: object): object {
  return { required: true, content: { 'application/json': { schema, examples } } };
}

function parameterReference(header: string): { $ref: string } {
  return { $ref: `#/components/parameters/${header}` };
}

function pathParameter(name: string, description: string, schema: object): object {
  return { name, in: 'path', required: true, description, schema };
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
