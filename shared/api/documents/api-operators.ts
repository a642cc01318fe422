/** The addresses for operators and their tools: notifications, dead letters, the outbox, the catalogue, the system, health. */

import { z } from 'zod';
import {
  actionReply,
  discardBody,
  editBody,
  letterPage,
  letterQuery,
  markSentBody,
  redriveBody,
  shownLetter,
} from '../operations/dead-letter-calls.ts';
import examples from '../operations/examples.json' with { type: 'json' };
import {
  foundNotifications,
  notificationQuery,
  notificationTimeline,
  outboxList,
  outboxMessage,
} from '../operations/notification-lists.ts';
import {
  catalogueProduct,
  catalogueVersion,
  productPage,
  PRODUCTS_PATH,
  productQuery,
} from '../operations/product-lists.ts';
import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  systemReply,
  systemSettingsReply,
} from '../operations/system-state.ts';
import {
  answer,
  pathParameter,
  problemReferences,
  reading,
  requestBody,
  type ApiPart,
  type Operation,
} from './api-operation.ts';

const BASE = '/api/operations/v1';
const LETTERS = `${BASE}/dead-letters`;
const OUTBOX = `${BASE}/outbox`;
const ACTION_PROBLEMS = [400, 401, 403, 405, 408, 413, 415, 422, 429, 431, 500, 503];
const READ_SCOPE = 'Requires the scope `operations:read`.';
const OWN_OR_ALL = 'A caller sees its own notifications; the scope `operations:read` shows those of all.';
const ONLY_LOCAL = `Only on the embedded broker without a provider configuration. ${READ_SCOPE}`;
const MESSAGE_ID = pathParameter('messageId', 'Id of the notification.', { type: 'string', format: 'uuid' });
const CODE = pathParameter('code', 'Code of the product; case does not matter.', {
  type: 'string',
  maxLength: 64,
});
const VERSION = pathParameter('version', 'Number of the version.', {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: 9_999_999_999,
});

export const operationsPart: ApiPart = {
  tag: {
    name: 'Operations',
    description: 'For operators: what happened to a notification, dead letters, and the local outbox.',
  },
  paths: {
    [`${BASE}/notifications`]: reading(
      'findNotifications',
      'Finds notifications by Idempotency-Key',
      foundNotifications,
      { description: `At most one of each channel. ${OWN_OR_ALL}`, query: notificationQuery },
    ),
    [`${BASE}/notifications/{notificationId}`]: reading(
      'getNotificationTimeline',
      'Returns the timeline of a notification',
      notificationTimeline,
      {
        description: `Acceptance, attempts, when the next round is due, and how it ended. ${OWN_OR_ALL}`,
        problems: [404],
        parameters: [
          pathParameter('notificationId', 'Id of the notification.', { type: 'string', format: 'uuid' }),
        ],
      },
    ),
    [LETTERS]: reading('listDeadLetters', 'Lists dead letters', letterPage, {
      description: `The newest first, in pages. ${READ_SCOPE}`,
      problems: [500],
      query: letterQuery,
    }),
    [`${LETTERS}/{topic}/{partition}/{offset}`]: reading(
      'getDeadLetter',
      'Returns a dead letter',
      shownLetter,
      {
        description: `With its payload, masked, and its audit. ${READ_SCOPE}`,
        problems: [404, 500],
        parameters: [
          pathParameter('topic', 'The dead-letter topic.', { type: 'string', maxLength: 249 }),
          pathParameter('partition', 'Its partition.', { type: 'integer', minimum: 0, maximum: 999_999 }),
          pathParameter('offset', 'Its offset.', {
            type: 'integer',
            format: 'int64',
            minimum: 0,
            maximum: 999_999_999_999_999,
          }),
        ],
      },
    ),
    [`${LETTERS}/redrive`]: {
      post: letterAction('redriveDeadLetters', 'Sends dead letters again', redriveBody, examples.redrive),
    },
    [`${LETTERS}/edit`]: {
      post: letterAction('editDeadLetters', 'Sends edited copies of dead letters', editBody, examples.edit),
    },
    [`${LETTERS}/discard`]: {
      post: letterAction('discardDeadLetters', 'Marks dead letters as closed', discardBody, examples.discard),
    },
    [`${LETTERS}/mark-sent`]: {
      post: letterAction(
        'markDeadLettersSent',
        'Marks notifications with an unknown outcome as sent',
        markSentBody,
        examples.markSent,
      ),
    },
    [OUTBOX]: reading('listOutbox', 'Lists the newest messages of the local outbox', outboxList, {
      description: ONLY_LOCAL,
      problems: [404, 500],
    }),
    [`${OUTBOX}/{messageId}`]: reading(
      'getOutboxMessage',
      'Returns a message of the local outbox',
      outboxMessage,
      { description: ONLY_LOCAL, problems: [404, 500], parameters: [MESSAGE_ID] },
    ),
    [`${OUTBOX}/{messageId}/html`]: {
      get: {
        operationId: 'getOutboxHtml',
        summary: 'Returns the HTML of an e-mail of the local outbox',
        description:
          'For a frame; `htmlAddress` of the message has the ticket. It loads nothing and runs no scripts.',
        parameters: [
          MESSAGE_ID,
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
          200: answer('The HTML.', {
            headers: ['X-Correlation-Id', 'Content-Security-Policy', 'Referrer-Policy'],
            mediaType: 'text/html',
            schema: { type: 'string' },
          }),
          ...problemReferences([400, 403, 404, 405, 408, 429, 431, 500]),
        },
      },
    },
  },
};

function letterAction(operationId: string, summary: string, schema: z.ZodType, example: object): Operation {
  const isRedrive = operationId === 'redriveDeadLetters';
  return {
    operationId,
    summary,
    description:
      'Requires the scope `operations:write`. With `dryRun` it writes nothing. Every action is recorded with caller, ' +
      'time, reason and result.',
    requestBody: requestBody(schema, { [operationId]: { summary, value: example } }),
    responses: {
      200: answer('What was done with each dead letter, or would be.', {
        headers: ['X-Correlation-Id'],
        schema: actionReply,
        ...(isRedrive ? { examples: { dryRun: { value: examples.results } } } : {}),
      }),
      ...problemReferences(ACTION_PROBLEMS),
    },
  };
}

export const cataloguePart: ApiPart = {
  tag: {
    name: 'Catalogue',
    description:
      'The products of the catalogue with all of their versions, for callers with the scope `operations:read`.',
  },
  paths: {
    [PRODUCTS_PATH]: reading('listProducts', 'Lists the products of the catalogue', productPage, {
      description: 'By code, in pages, each with its versions. Also drafts and closed ones.',
      query: productQuery,
      hasTag: true,
      problems: [500],
    }),
    [`${PRODUCTS_PATH}/{code}`]: reading(
      'getCatalogueProduct',
      'Returns the versions of a product',
      catalogueProduct,
      {
        description: 'All versions, also drafts and closed ones.',
        parameters: [CODE],
        hasTag: true,
        problems: [404, 500],
      },
    ),
    [`${PRODUCTS_PATH}/{code}/versions/{version}`]: reading(
      'getProductVersion',
      'Returns a version of a product',
      catalogueVersion,
      {
        description:
          'The whole record, and the lists to which it refers. Lists have versions of their own: a product uses those in ' +
          'force, whichever of its own versions is valid.',
        parameters: [CODE, VERSION],
        hasTag: true,
        problems: [404, 500],
      },
    ),
  },
};

export const systemPart: ApiPart = {
  tag: {
    name: 'System',
    description: 'Whether everything is well, for callers with the scope `operations:read`.',
  },
  paths: {
    [SYSTEM_PATH]: reading('getSystem', 'Returns the state of the system', systemReply, {
      description:
        'Findings, workers, lag by topic and partition, breakers and catalogue version, as this instance observes them; ' +
        'at most a second old.',
      examples: { waiting: { value: examples.system } },
    }),
    [SYSTEM_SETTINGS_PATH]: reading(
      'getSystemSettings',
      'Returns the settings of the instance',
      systemSettingsReply,
      {
        description: 'Whether each was set, and the values of harmless ones; never secrets.',
        examples: { settings: { value: examples.settings } },
      },
    ),
  },
};

const partFields = {
  status: z.enum(['ready', 'starting', 'degraded', 'unhealthy']),
  reason: z.string().describe('Reason for an operator.').optional(),
};
const partHealth = z.object(partFields).meta({ id: 'PartHealth' });
const parts = (description: string) => z.record(z.string(), partHealth).describe(description);

const health = z
  .object({
    ...partFields,
    parts: parts('The parts of the ingress by name; they determine readiness.'),
    workers: parts('The other workers of the process by name; an unhealthy one fails liveness.'),
  })
  .meta({ id: 'Health' });

export const healthPart: ApiPart = {
  tag: { name: 'Operation', description: 'Health and metrics of an instance.' },
  paths: {
    '/health/live': {
      get: withoutAccess({
        operationId: 'getLiveness',
        summary: 'Reports whether the process is alive',
        description: 'A supervisor restarts a process that is not.',
        responses: {
          200: healthAnswer('The process is alive.'),
          503: healthAnswer('The process needs a restart.'),
        },
      }),
    },
    '/health/ready': {
      get: withoutAccess({
        operationId: 'getReadiness',
        summary: 'Reports whether this ingress accepts traffic',
        description: 'A load balancer sends traffic only to an ingress that accepts it.',
        responses: {
          200: healthAnswer('It accepts traffic.'),
          503: healthAnswer('It does not accept traffic; see reason.'),
        },
      }),
    },
    '/metrics': {
      get: withoutAccess({
        operationId: 'getMetrics',
        summary: 'Metrics in the Prometheus text format',
        description: 'Requests, handlers, lag and the process itself.',
        responses: {
          200: answer('The metrics.', {
            headers: ['X-Correlation-Id'],
            mediaType: 'text/plain',
            schema: { type: 'string' },
          }),
        },
      }),
    },
  },
};

function healthAnswer(description: string): object {
  return answer(description, { headers: ['X-Correlation-Id'], schema: health });
}

function withoutAccess(operation: Operation): Operation {
  return {
    ...operation,
    security: [{}],
    responses: { ...operation.responses, ...problemReferences([403]) },
  };
}
