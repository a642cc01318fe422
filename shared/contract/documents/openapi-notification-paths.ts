/** The paths of the notifications in the OpenAPI document (interface 4.8, N3). */

import { jsonSchemaOf } from '../json/json-schema.ts';
import { acceptedReply, notificationReply } from '../notification/answers.ts';
import { ACCEPTED_EXAMPLE, NOTIFICATION_EXAMPLE } from '../notification/examples.ts';
import {
  NOTIFICATION_PATH,
  NOTIFICATIONS,
  type NotificationContract,
} from '../notification/notifications.ts';
import { NOTIFICATION_LIMITS } from '../notification/limits.ts';
import { headerReferences, problemReferences, schemaReference } from './openapi-responses.ts';

const SEND_PROBLEMS = [400, 401, 403, 405, 408, 409, 413, 415, 429, 431, 500, 503, 504];
const STATUS_PROBLEMS = [400, 401, 403, 404, 405, 408, 410, 429, 431, 503];

/** The addresses to send to, and that of what was sent. */
export function notificationPaths(): Record<string, object> {
  const sends = NOTIFICATIONS.map(
    (notification) => [notification.path, { post: send(notification) }] as const,
  );
  return { ...Object.fromEntries(sends), [NOTIFICATION_PATH]: { get: status() } };
}

/** Schemas of the bodies and of their answers. */
export function notificationSchemas(): Record<string, unknown> {
  return {
    ...Object.fromEntries(NOTIFICATIONS.map(({ name, bodyShape }) => [name, jsonSchemaOf(bodyShape)])),
    AcceptedNotification: jsonSchemaOf(acceptedReply),
    Notification: jsonSchemaOf(notificationReply),
  };
}

function send({ name, summary, description, channelNumber, example }: NotificationContract): object {
  const accepted = schemaReference('AcceptedNotification');
  return {
    operationId: name,
    tags: ['Notifications'],
    summary,
    description,
    parameters: [
      constantHeader('X-Communication-Channel', channelNumber),
      constantHeader('X-Sender-Id', 'platrealm'),
      IDEMPOTENCY_KEY,
      ...['X-Correlation-Id', 'traceparent'].map((header) => ({
        $ref: `#/components/parameters/${header}`,
      })),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schemaReference(name),
          examples: { [name]: { summary, value: example } },
        },
      },
    },
    responses: {
      202: {
        description:
          'The notification is on the log and will be handed to a provider. On Kafka all in-sync replicas have it; the ' +
          'embedded broker holds it in memory only, and loses it when its process ends.',
        headers: headerReferences(['X-Correlation-Id', 'Location', 'Warnings']),
        content: {
          'application/json': { schema: accepted, examples: { accepted: { value: ACCEPTED_EXAMPLE } } },
        },
      },
      ...problemReferences(SEND_PROBLEMS),
    },
  };
}

function constantHeader(name: string, value: string): object {
  return {
    name,
    in: 'header',
    required: true,
    description: `\`${value}\` at this address.`,
    schema: { type: 'string', enum: [value] },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: within 24 hours the same key of the same caller gets the first answer, and with ' +
    'another body 409. Printable ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: NOTIFICATION_LIMITS.idempotencyKeyCharacters },
};

function status(): object {
  return {
    operationId: 'getNotification',
    tags: ['Notifications'],
    summary: 'Tells what has become of a notification',
    description: 'Any instance answers, to the caller who sent it only.',
    parameters: [
      {
        name: 'notificationId',
        in: 'path',
        required: true,
        description: 'The notificationId of the 202 answer.',
        schema: { type: 'string', format: 'uuid' },
      },
    ],
    responses: {
      200: {
        description: 'What is known of it.',
        headers: headerReferences(['X-Correlation-Id']),
        content: {
          'application/json': {
            schema: schemaReference('Notification'),
            examples: { sent: { value: NOTIFICATION_EXAMPLE } },
          },
        },
      },
      ...problemReferences(STATUS_PROBLEMS),
    },
  };
}
