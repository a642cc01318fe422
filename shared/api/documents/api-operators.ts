/** The addresses for operators: notifications, dead letters, outbox, catalogue, system, health and metrics. */

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
  aboutOperation,
  answer,
  apiPart,
  pathParameters,
  problemReferences,
  reading,
  requestBody,
  type OperationId,
  type PathItem,
} from './api-operation.ts';
import {
  listedSuppression,
  suppressionBody,
  suppressionPage,
  suppressionQuery,
} from '../operations/suppression-calls.ts';
import TEXTS from './operation-texts.json' with { type: 'json' };
import { namedObject } from '../json/field-kinds.ts';

const BASE = '/api/operations/v1';
const LETTERS = `${BASE}/dead-letters`;
const OUTBOX = `${BASE}/outbox`;
const HTML = `${OUTBOX}/{messageId}/html`;
const SUPPRESSIONS = `${BASE}/suppressions`;
const ACTION_PROBLEMS = [400, 401, 403, 405, 408, 413, 415, 422, 429, 431, 500, 503];

export const operationsPart = apiPart('Operations', {
  ...reading(`${BASE}/notifications`, 'findNotifications', foundNotifications, { query: notificationQuery }),
  ...reading(`${BASE}/notifications/{notificationId}`, 'getNotificationTimeline', notificationTimeline, {
    problems: [404],
  }),
  ...reading(LETTERS, 'listDeadLetters', letterPage, { problems: [500], query: letterQuery }),
  ...reading(`${LETTERS}/{topic}/{partition}/{offset}`, 'getDeadLetter', shownLetter, {
    problems: [404, 500],
  }),
  [`${LETTERS}/redrive`]: letterAction('redriveDeadLetters', redriveBody, examples.redrive),
  [`${LETTERS}/edit`]: letterAction('editDeadLetters', editBody, examples.edit),
  [`${LETTERS}/discard`]: letterAction('discardDeadLetters', discardBody, examples.discard),
  [`${LETTERS}/mark-sent`]: letterAction('markDeadLettersSent', markSentBody, examples.markSent),
  ...reading(OUTBOX, 'listOutbox', outboxList, { problems: [404, 500] }),
  ...reading(`${OUTBOX}/{messageId}`, 'getOutboxMessage', outboxMessage, { problems: [404, 500] }),
  [HTML]: {
    get: {
      ...aboutOperation('getOutboxHtml'),
      parameters: [...pathParameters(HTML), TEXTS.ticket],
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
  ...reading(SUPPRESSIONS, 'listSuppressions', suppressionPage, { query: suppressionQuery }),
  [`${SUPPRESSIONS}/add`]: suppressionChange('addSuppression', []),
  [`${SUPPRESSIONS}/remove`]: suppressionChange('removeSuppression', [404]),
});

function suppressionChange(id: 'addSuppression' | 'removeSuppression', problems: number[]): PathItem {
  return operatorAction(id, suppressionBody, examples[id], {
    200: answer('The entry.', { headers: ['X-Correlation-Id'], schema: listedSuppression }),
    ...problemReferences([400, 401, 403, 405, 408, 413, 415, 429, 431, 503, ...problems]),
  });
}

function letterAction(id: OperationId, schema: z.ZodType, example: object): PathItem {
  return operatorAction(id, schema, example, {
    200: answer('What was done with each dead letter, or would be.', {
      headers: ['X-Correlation-Id'],
      schema: actionReply,
      ...(id === 'redriveDeadLetters' ? { examples: { dryRun: { value: examples.results } } } : {}),
    }),
    ...problemReferences(ACTION_PROBLEMS),
  });
}

function operatorAction(
  id: OperationId,
  schema: z.ZodType,
  value: object,
  responses: Readonly<Record<string, object>>,
): PathItem {
  const about = aboutOperation(id);
  const { summary } = about;
  return { post: { ...about, requestBody: requestBody(schema, { [id]: { summary, value } }), responses } };
}

export const cataloguePart = apiPart('Catalogue', {
  ...reading(PRODUCTS_PATH, 'listProducts', productPage, {
    query: productQuery,
    hasTag: true,
    problems: [500],
  }),
  ...reading(`${PRODUCTS_PATH}/{code}`, 'getCatalogueProduct', catalogueProduct, {
    hasTag: true,
    problems: [404, 500],
  }),
  ...reading(`${PRODUCTS_PATH}/{code}/versions/{version}`, 'getProductVersion', catalogueVersion, {
    hasTag: true,
    problems: [404, 500],
  }),
});

export const systemPart = apiPart('System', {
  ...reading(SYSTEM_PATH, 'getSystem', systemReply, { examples: { waiting: { value: examples.system } } }),
  ...reading(SYSTEM_SETTINGS_PATH, 'getSystemSettings', systemSettingsReply, {
    examples: { settings: { value: examples.settings } },
  }),
});

const partFields = {
  status: z.enum(['ready', 'starting', 'degraded', 'unhealthy']),
  reason: z.string().describe('Reason for an operator.').optional(),
};
const partHealth = z.object(partFields).meta({ id: 'PartHealth' });
const parts = (description: string) => z.record(z.string(), partHealth).describe(description);

const health = namedObject('Health', {
  ...partFields,
  parts: parts('The parts of the ingress by name; they determine readiness.'),
  workers: parts('The other workers of the process by name; an unhealthy one fails liveness.'),
});

export const healthPart = apiPart('Operation', {
  '/health/live': openReading('getLiveness', {
    200: healthAnswer('The process is alive.'),
    503: healthAnswer('The process needs a restart.'),
  }),
  '/health/ready': openReading('getReadiness', {
    200: healthAnswer('It accepts traffic.'),
    503: healthAnswer('It does not accept traffic; see reason.'),
  }),
  '/metrics': openReading('getMetrics', {
    200: answer('The metrics.', {
      headers: ['X-Correlation-Id'],
      mediaType: 'text/plain',
      schema: { type: 'string' },
    }),
  }),
});

function healthAnswer(description: string): object {
  return answer(description, { headers: ['X-Correlation-Id'], schema: health });
}

function openReading(id: OperationId, answers: Readonly<Record<number, object>>): PathItem {
  const responses = { ...answers, ...problemReferences([403]) };
  return { get: { ...aboutOperation(id), responses, security: [{}] } };
}
