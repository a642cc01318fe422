import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import {
  NOTIFICATIONS,
  type NotificationDefinition,
} from '../../../shared/api/notification/send-operations.ts';
import type { Priority } from '../../../shared/notification/notification-command.ts';
import { createProblem, type Fault, type Problem } from '../../../shared/platform/problem.ts';
import { NOTIFICATION_BYTES_PER_UNIT, type AdmissionQueue } from '../server/admission.ts';
import { authenticate } from '../server/authentication.ts';
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendProblem } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { ValidNotification } from './accept-notification.ts';
import type { Suppressions } from '../../../shared/suppressions/suppressions.ts';
import type { ChannelProfiles } from './channels.ts';
import type { Reporter } from './receipt-route.ts';

export type NotificationContext = IngressContext & {
  readonly channelProfiles: ChannelProfiles;
  readonly reporters: readonly Reporter[];
  readonly suppressions: Suppressions;
};

const SENDER_ID = 'platrealm';
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${NOTIFICATION_LIMITS.idempotencyKeyCharacters}}$`);
const KEY_RULE = `must have 1 to ${NOTIFICATION_LIMITS.idempotencyKeyCharacters} printable ASCII characters`;
/** The urgencies of RFC 8030 section 5.3. There are only two priorities, so the lower urgencies are normal (N5). */
const URGENCIES: ReadonlyMap<string, Priority> = new Map([
  ['very-low', 'normal'],
  ['low', 'normal'],
  ['normal', 'normal'],
  ['high', 'urgent'],
]);

type NotificationHeaders = Pick<ValidNotification, 'idempotencyKey' | 'priority'>;

/** POST of a notification (interface 4.8), the cheapest checks first. The token is accepted in the header only (E2). */
export function registerSending(
  app: FastifyInstance,
  deps: NotificationContext & { readonly accept: (notification: ValidNotification) => Promise<void> },
): void {
  const { options, admission, traffic, channelProfiles } = deps;
  const limits = { sms: options.bodyLimitBytes, email: options.emailBodyLimitBytes };
  for (const definition of NOTIFICATIONS) {
    const { channel, path } = definition;
    const limitBytes = limits[channel];
    app.post(path, {
      preHandler: [
        labelMetrics(`send-${channel}`),
        requireOpen(traffic),
        requireJson(limitBytes),
        authenticate(deps),
        admission.requirePermit((request) => queueOf(request.headers), {
          limitBytes,
          bytesPerUnit: NOTIFICATION_BYTES_PER_UNIT,
        }),
      ],
      handler: async (request, reply) => {
        const headers = readNotificationHeaders(request.raw, definition);
        if ('code' in headers) return sendProblem(reply, headers);
        const profile = channelProfiles(channel);
        if (profile === undefined) return refuse(reply, 'no-provider');
        await readJsonBody(request, reply, { limitBytes });
        admission.spend(request, request.bodyCost);
        if (reply.sent) return;
        const reading = { country: options.defaultCountry, ...profile };
        const read = await definition.reader.read(request.body, reading);
        // The command holds the attachments now; this frees their second copy.
        request.body = undefined;
        if (read.kind === 'invalid') {
          return sendProblem(reply, createProblem(read.problem, { errors: read.faults }));
        }
        const { payload: command, warnings } = read;
        await deps.accept({ ...headers, request, reply, definition, command, warnings });
      },
    });
  }
}

/** Urgent notifications have a limit of their own, so that they are admitted while too many normal ones arrive. */
function queueOf({ urgency }: IncomingHttpHeaders): AdmissionQueue {
  const isUrgent = URGENCIES.get(String(urgency).toLowerCase()) === 'urgent';
  return isUrgent ? 'urgentNotifications' : 'notifications';
}

/** All faults are reported together; the status is 403 if X-Sender-Id has one, otherwise 400. */
function readNotificationHeaders(
  { headers, headersDistinct }: Pick<IncomingMessage, 'headers' | 'headersDistinct'>,
  { channel, channelNumber: number }: NotificationDefinition,
): NotificationHeaders | Problem {
  const sender = headers['x-sender-id'];
  const sent = headers['x-communication-channel'];
  const faults: Fault[] = [];
  if (sender !== SENDER_ID) faults.push(createValueFault('X-Sender-Id', sender, `\`${SENDER_ID}\``));
  if (sent !== number) {
    const wanted = `\`${number}\` at this address, which accepts ${channel}`;
    faults.push(createValueFault('X-Communication-Channel', sent, wanted));
  }
  const key = headers['idempotency-key'];
  // Node joins repeated headers with commas, and a key may contain commas.
  const isRepeated = (headersDistinct['idempotency-key']?.length ?? 0) > 1;
  if (isRepeated || (key !== undefined && !KEY.test(String(key)))) {
    faults.push({
      path: 'Idempotency-Key',
      code: 'wrong-type',
      message: isRepeated ? 'must be sent once' : KEY_RULE,
    });
  }
  const urgency = headers['urgency'];
  const priority = urgency === undefined ? 'normal' : URGENCIES.get(String(urgency).toLowerCase());
  if (priority === undefined)
    faults.push(createValueFault('Urgency', urgency, `one of ${[...URGENCIES.keys()].join(', ')}`));
  if (faults.length === 0 && priority !== undefined)
    return { idempotencyKey: key === undefined ? undefined : String(key), priority };
  const detail = faults.map(({ path, message }) => `The header ${path} ${message}.`).join(' ');
  const code = sender === SENDER_ID ? 'invalid-request' : 'forbidden';
  return createProblem(code, { detail, errors: faults });
}

function createValueFault(path: string, sent: unknown, wanted: string): Fault {
  return sent === undefined
    ? { path, code: 'missing', message: `is missing; must be ${wanted}` }
    : { path, code: 'unknown-value', message: `must be ${wanted}` };
}
