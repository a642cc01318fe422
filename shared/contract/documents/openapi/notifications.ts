/** The addresses of notifications (interface 4.8, N3). */

import { acceptedReply, notificationReply } from '../../notification/answers.ts';
import examples from '../../notification/examples.json' with { type: 'json' };
import { NOTIFICATION_LIMITS } from '../../notification/limits.ts';
import {
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationContract,
} from '../../notification/notifications.ts';
import { methodName } from '../method-name.ts';
import { parameterReference, pathParameter, requestBody, type ApiPart, type Operation } from './part.ts';
import { answer, problemReferences, readOperation } from './responses.ts';

const SEND_PROBLEMS = [400, 401, 403, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503, 504];

export function notificationPart(): ApiPart {
  return {
    tag: { name: 'Notifications', description: 'SMS and e-mail: sending, and the status of what was sent.' },
    paths: {
      ...Object.fromEntries(NOTIFICATIONS.map((one) => [one.path, { post: notificationPost(one) }])),
      [NOTIFICATION_PATH]: { get: notificationGet() },
    },
  };
}

/** The endpoint that accepts notifications (interface 4.8, N3). */
function notificationPost({
  name,
  summary,
  description,
  channelNumber,
  bodyShape,
  example,
}: NotificationContract): Operation {
  return {
    operationId: methodName(name),
    summary,
    description,
    parameters: [
      constantHeader('X-Communication-Channel', channelNumber),
      constantHeader('X-Sender-Id', 'platrealm'),
      IDEMPOTENCY_KEY,
      URGENCY,
      ...(['X-Correlation-Id', 'traceparent'] as const).map(parameterReference),
    ],
    requestBody: requestBody(bodyShape.meta({ id: name }), { [name]: { summary, value: example } }),
    responses: {
      202: answer(
        'The notification is stored and will be sent to a provider. With Kafka, all in-sync replicas have it; the ' +
          'embedded broker has it on its disk, or with DATA_DIR=memory loses it when its process ends.',
        {
          headers: ['X-Correlation-Id', 'Location', 'Warnings'],
          schema: acceptedReply,
          examples: { accepted: { value: examples.accepted } },
        },
      ),
      ...problemReferences(SEND_PROBLEMS),
    },
  };
}

function notificationGet(): Operation {
  const id = { type: 'string', format: 'uuid' };
  return readOperation('getNotification', 'Returns the status of a notification', notificationReply, {
    description:
      'Any instance returns it, to the caller who sent the notification only, also after a restart (N2, N3).',
    parameters: [pathParameter('notificationId', 'The notificationId of the 202 answer.', id)],
    examples: { sent: { value: examples.notification } },
    otherProblems: [404],
  });
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

function constantHeader(name: string, value: string): object {
  return {
    name,
    in: 'header',
    required: true,
    description: `Always \`${value}\` at this path.`,
    schema: { type: 'string', enum: [value] },
  };
}
