/** The OpenAPI 3.1 document of the HTTP side, made from the same definitions that requests are read with. */

import { ACTIONS } from '../actions/actions.ts';
import { answerHttpHeaders, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.ts';
import { jsonSchemaOf } from '../json/json-schema.ts';
import {
  headerReferences,
  pendingResponse,
  problemReferences,
  problemResponses,
  schemaReference,
} from './openapi-responses.ts';
import { HEALTH, operationPaths, PENDING_RESULT, resultPath } from './openapi-other-paths.ts';
import { notificationPaths, notificationSchemas } from './openapi-notification-paths.ts';
import { problemSchema } from '../json/problem.ts';
import type { Action } from '../json/action.ts';

export interface OpenApiOptions {
  /** Version of the release. */
  readonly version: string;
  /** What stands before `/platapi`, such as `/bank`; empty by default. */
  readonly basePath: string;
}

const ACTION_PROBLEMS = [400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 503, 504];

/** The document as a plain object; made once at start. */
export function openApiDocument({ version, basePath }: OpenApiOptions): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Banking product engine',
      version,
      description:
        'Every action is a POST with a JSON body. Calculations are stateless: the same request gets the same answer. ' +
        'Notifications are stored first and sent then.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ bearer: [] }, {}],
    tags: [{ name: 'Actions' }, { name: 'Results' }, { name: 'Notifications' }, { name: 'Operation' }],
    paths: { ...actionPaths(), ...resultPath(), ...notificationPaths(), ...operationPaths() },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: RESPONSE_HEADERS,
      parameters: Object.fromEntries(Object.entries(REQUEST_HEADERS).map(headerParameter)),
      responses: problemResponses(),
      schemas: {
        Problem: problemSchema(),
        PendingResult: PENDING_RESULT,
        Health: HEALTH,
        ...actionSchemas(),
        ...notificationSchemas(),
      },
    },
  };
}

function actionSchemas(): Record<string, unknown> {
  return Object.fromEntries(
    ACTIONS.flatMap((action) => [
      [action.requestType, jsonSchemaOf(action.requestShape)],
      [action.replyType, jsonSchemaOf(action.replyShape)],
      [`${action.requestType}Generic`, genericForm(action)],
    ]),
  );
}

/** The generic form of an action's body (E2). */
function genericForm(action: Action): object {
  const input = schemaReference(action.requestType);
  return {
    type: 'object',
    description: 'The generic form: the input in Data, beside the access parameters.',
    properties: {
      access_token: {
        type: 'string',
        description: 'Access token; used when there is no Authorization header.',
      },
      user_name: { type: 'string', description: 'Name of the user that the token was issued to.' },
      Data: { description: 'The input, or its JSON text.', anyOf: [input, { type: 'string' }] },
    },
    required: ['Data'],
  };
}

function headerParameter([name, header]: [string, object]): [string, object] {
  return [name, { name, in: 'header', required: false, ...header }];
}

function actionPaths(): Record<string, object> {
  return Object.fromEntries(
    ACTIONS.map((action) => [
      `/platapi/automation-processors/actions/${action.name}`,
      { post: post(action) },
    ]),
  );
}

function post(action: Action): object {
  const { name, summary, description, requestType, replyType, examples } = action;
  const answers = Object.fromEntries(examples.map(({ key, reply }) => [key, { value: reply }]));
  return {
    operationId: name,
    tags: ['Actions'],
    summary,
    description: `${description} The name of the action matches in any case.`,
    parameters: Object.keys(REQUEST_HEADERS).map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { anyOf: [schemaReference(requestType), schemaReference(`${requestType}Generic`)] },
          examples: requestExamples(action),
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, without a wrapper.',
        headers: headerReferences(answerHttpHeaders(action.answerHeaders)),
        content: { 'application/json': { schema: schemaReference(replyType), examples: answers } },
      },
      202: pendingResponse(
        '`Prefer: respond-async`: the request is stored; the result can be fetched later.',
      ),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

function requestExamples({ examples }: Action): object {
  const direct = examples.map(({ key, summary, request }) => [key, { summary, value: request }] as const);
  const [first] = examples;
  const value = { access_token: '<token>', user_name: '<user>', Data: JSON.stringify(first.request) };
  return { ...Object.fromEntries(direct), generic: { summary: `Generic form: ${first.summary}`, value } };
}
