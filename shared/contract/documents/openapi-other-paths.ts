/** The paths of the OpenAPI document beside the actions. */

import { ACTIONS } from '../actions/actions.ts';
import { answerHttpHeaders } from './headers.ts';
import {
  headerReferences,
  pendingResponse,
  problemReferences,
  schemaReference,
} from './openapi-responses.ts';

const RESULT_PROBLEMS = [400, 401, 403, 404, 405, 408, 410, 422, 429, 431, 500, 503, 504];

/** What the answers of some actions tell in headers of their own. */
const ANSWER_HEADERS = [...new Set(ACTIONS.flatMap(({ answerHeaders }) => answerHeaders ?? []))];

/** The address of results, which all actions share. */
export function resultPath(): Record<string, object> {
  const schema = { anyOf: ACTIONS.map(({ replyType }) => schemaReference(replyType)) };
  return {
    '/platapi/results/{resultId}': {
      get: {
        operationId: 'getResult',
        tags: ['Results'],
        summary: 'Answers the result of a request that was sent with `Prefer: respond-async`',
        description:
          'Any instance answers, to the caller of the request only. A problem is answered as by the action itself.',
        parameters: [
          {
            name: 'resultId',
            in: 'path',
            required: true,
            description: 'The resultId of the 202 answer.',
            schema: { type: 'string', maxLength: 512 },
          },
        ],
        responses: {
          200: {
            description: 'The answer of the action.',
            headers: headerReferences(answerHttpHeaders(ANSWER_HEADERS)),
            content: { 'application/json': { schema } },
          },
          202: pendingResponse('The request is still under way.'),
          ...problemReferences(RESULT_PROBLEMS),
        },
      },
    },
  };
}

/** What operators and their tools ask for. */
export function operationPaths(): Record<string, object> {
  const headers = headerReferences(['X-Correlation-Id']);
  const health = { headers, content: { 'application/json': { schema: schemaReference('Health') } } };
  const figures = { headers, content: { 'text/plain': { schema: { type: 'string' } } } };
  return {
    '/health/live': operationPath('getLiveness', 'Says whether the process is alive', {
      200: { description: 'It is.', ...health },
      503: { description: 'Only a restart helps.', ...health },
    }),
    '/health/ready': operationPath('getReadiness', 'Says whether this ingress takes traffic', {
      200: { description: 'It does.', ...health },
      503: { description: 'It does not, or not yet; reason says why.', ...health },
    }),
    '/metrics': operationPath('getMetrics', 'Figures in the Prometheus text format', {
      200: { description: 'The figures.', ...figures },
    }),
  };
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

/** Schema of a result that is not there yet. */
export const PENDING_RESULT = {
  type: 'object',
  properties: {
    resultId: { type: 'string', description: 'Id of the result.' },
    status: { const: 'pending' },
    href: { type: 'string', description: 'Address of the result.' },
  },
  required: ['resultId', 'status', 'href'],
};

/** Schema of what one part says of itself. */
const PART = {
  type: 'object',
  properties: {
    status: { enum: ['ready', 'starting', 'degraded', 'unhealthy'] },
    reason: { type: 'string', description: 'What an operator should look at.' },
  },
  required: ['status'],
};

/** Schema of a health answer. */
export const HEALTH = {
  type: 'object',
  properties: {
    ...PART.properties,
    parts: {
      type: 'object',
      description: 'The parts of the ingress by name; they decide over readiness.',
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
