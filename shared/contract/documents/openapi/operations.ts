/** The addresses for operators: notifications, dead letters and the local outbox (/api/operations/v1). */

import type { z } from 'zod';
import { toJsonSchema } from '../../json/json-schema.ts';
import {
  actionReply,
  discardBody,
  editBody,
  letterPage,
  letterQuery,
  markSentBody,
  redriveBody,
  shownLetter,
} from '../../operations/dead-letters.ts';
import {
  foundNotifications,
  notificationQuery,
  notificationTimeline,
} from '../../operations/notifications.ts';
import { outboxList, outboxMessage } from '../../operations/outbox.ts';
import examples from '../../operations/examples.json' with { type: 'json' };
import { pathParameter, requestBody, type ApiPart, type Operation } from './part.ts';
import { answer, problemReferences, readOperation } from './responses.ts';

const BASE = '/api/operations/v1';
const ACTION_PROBLEMS = [400, 401, 403, 405, 408, 413, 415, 422, 429, 431, 500, 503];
const READ_SCOPE = 'Requires the scope `operations:read`.';
const WRITE_SCOPE = 'Requires the scope `operations:write`.';
const UUID = { type: 'string', format: 'uuid' };

export function operationsPart(): ApiPart {
  return {
    tag: {
      name: 'Operations',
      description: 'For operators: what happened to a notification, dead letters, and the local outbox.',
    },
    paths: { ...notificationPaths(), ...letterPaths(), ...outboxPaths() },
  };
}

function notificationPaths(): ApiPart['paths'] {
  const scope = 'A caller sees its own notifications; the scope `operations:read` shows those of all.';
  return {
    [`${BASE}/notifications`]: {
      get: readOperation('findNotifications', 'Finds notifications by Idempotency-Key', foundNotifications, {
        description: `At most one of each channel. ${scope}`,
        parameters: queryParameters(notificationQuery),
      }),
    },
    [`${BASE}/notifications/{notificationId}`]: {
      get: readOperation(
        'getNotificationTimeline',
        'Returns the timeline of a notification',
        notificationTimeline,
        {
          description: `Acceptance, attempts, when the next round is due, and how it ended. ${scope}`,
          otherProblems: [404],
          parameters: [pathParameter('notificationId', 'Id of the notification.', UUID)],
        },
      ),
    },
  };
}

function letterPaths(): ApiPart['paths'] {
  const place = [
    pathParameter('topic', 'The dead-letter topic.', { type: 'string', maxLength: 249 }),
    pathParameter('partition', 'Its partition.', { type: 'integer', minimum: 0, maximum: 999_999 }),
    pathParameter('offset', 'Its offset.', {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      maximum: 999_999_999_999_999,
    }),
  ];
  return {
    [`${BASE}/dead-letters`]: {
      get: readOperation('listDeadLetters', 'Lists dead letters', letterPage, {
        description: `The newest first, in pages. ${READ_SCOPE}`,
        otherProblems: [500],
        parameters: queryParameters(letterQuery),
      }),
    },
    [`${BASE}/dead-letters/{topic}/{partition}/{offset}`]: {
      get: readOperation('getDeadLetter', 'Returns a dead letter', shownLetter, {
        description: `With its payload, masked, and its audit. ${READ_SCOPE}`,
        otherProblems: [404, 500],
        parameters: place,
      }),
    },
    [`${BASE}/dead-letters/redrive`]: {
      post: action('redriveDeadLetters', 'Sends dead letters again', redriveBody, examples.redrive),
    },
    [`${BASE}/dead-letters/edit`]: {
      post: action('editDeadLetters', 'Sends edited copies of dead letters', editBody, examples.edit),
    },
    [`${BASE}/dead-letters/discard`]: {
      post: action('discardDeadLetters', 'Marks dead letters as closed', discardBody, examples.discard),
    },
    [`${BASE}/dead-letters/mark-sent`]: {
      post: action(
        'markDeadLettersSent',
        'Marks notifications with an unknown outcome as sent',
        markSentBody,
        examples.markSent,
      ),
    },
  };
}

function outboxPaths(): ApiPart['paths'] {
  const onlyLocal = 'Only on the embedded broker without a provider configuration.';
  const id = pathParameter('messageId', 'Id of the notification.', UUID);
  return {
    [`${BASE}/outbox`]: {
      get: readOperation('listOutbox', 'Lists the newest messages of the local outbox', outboxList, {
        description: `${onlyLocal} ${READ_SCOPE}`,
        otherProblems: [404, 500],
      }),
    },
    [`${BASE}/outbox/{messageId}`]: {
      get: readOperation('getOutboxMessage', 'Returns a message of the local outbox', outboxMessage, {
        description: `${onlyLocal} ${READ_SCOPE}`,
        otherProblems: [404, 500],
        parameters: [id],
      }),
    },
    [`${BASE}/outbox/{messageId}/html`]: {
      get: {
        operationId: 'getOutboxHtml',
        summary: 'Returns the HTML of an e-mail of the local outbox',
        description:
          'For a frame; `htmlAddress` of the message has the ticket. It loads nothing and runs no scripts.',
        parameters: [
          id,
          {
            name: 'ticket',
            in: 'query',
            required: true,
            description: 'Valid for five minutes, instead of a token.',
            schema: { type: 'string', maxLength: 100 },
          },
        ],
        security: [{}],
        responses: {
          200: {
            ...answer('The HTML.', {
              headers: ['X-Correlation-Id', 'Content-Security-Policy', 'Referrer-Policy'],
              schema: {},
            }),
            content: { 'text/html': { schema: { type: 'string' } } },
          },
          ...problemReferences([400, 403, 404, 405, 408, 429, 431, 500]),
        },
      },
    },
  };
}

function action(operationId: string, summary: string, schema: z.ZodType, example: object): Operation {
  return {
    operationId,
    summary,
    description: `${WRITE_SCOPE} With \`dryRun\` it writes nothing. Every action is recorded with caller, time, reason and result.`,
    requestBody: requestBody(schema, { [operationId]: { summary, value: example } }),
    responses: {
      200: answer('What was done with each dead letter, or would be.', {
        headers: ['X-Correlation-Id'],
        schema: actionReply,
        ...(operationId === 'redriveDeadLetters'
          ? { examples: { dryRun: { value: examples.results } } }
          : {}),
      }),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

/** The parameters of a query string; a list is sent as a repeated parameter. */
export function queryParameters(query: z.ZodObject): object[] {
  const { properties = {}, required = [] } = toJsonSchema(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    ...(schema.items === undefined ? {} : { explode: true }),
    schema,
  }));
}
