import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../shared/api/json/faults.ts';
import { hasTemplate } from '../../../shared/api/notification/read-command.ts';
import {
  firstChannelOf,
  readStart,
  VERIFICATIONS,
  VERIFICATIONS_PATH,
  type VerificationOperation,
} from '../../../shared/api/notification/verification-operations.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { createProblem } from '../../../shared/platform/problem.ts';
import { hashSubject } from '../access/access.ts';
import { NOTIFICATION_BYTES_PER_UNIT } from '../server/admission.ts';
import { createLogCorrelationId, readTraceContext } from '../server/app.ts';
import { authenticate } from '../server/authentication.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson, sendProblem } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { NotificationKeys } from './notification-keys.ts';
import { readIdempotencyKey, type NotificationContext } from './send-route.ts';
import { UUID } from '../../../shared/notification/notification-id.ts';

type VerificationContext = NotificationContext & { readonly keys: NotificationKeys };

/** Registers the routes of verifications (N10). The notification worker handles their requests. */
export function registerVerifications(app: FastifyInstance, deps: VerificationContext): void {
  const { options, admission, traffic } = deps;
  for (const operation of VERIFICATIONS) {
    const { method, path, name, topic, bodyShape } = operation;
    const limitBytes = bodyShape === undefined ? 0 : options.bodyLimitBytes;
    app.route({
      method,
      url: path.replace('{verificationId}', ':verificationId'),
      preHandler: [
        labelMetrics(name),
        requireOpen(traffic),
        ...(bodyShape === undefined ? [] : [requireJson(limitBytes)]),
        authenticate(deps),
        admission.requirePermit(() => topic, { limitBytes, bytesPerUnit: NOTIFICATION_BYTES_PER_UNIT }),
      ],
      handler: async (request, reply) => {
        if (bodyShape !== undefined) {
          await readJsonBody(request, reply, { limitBytes });
          admission.spend(request, request.bodyCost);
          if (reply.sent) return;
        }
        await answerCall(deps, operation, request, reply);
      },
    });
  }
}

/** Requests are keyed by their verification, so that they are handled in their order. */
async function answerCall(
  deps: VerificationContext,
  operation: VerificationOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { options, admission, requester, keys } = deps;
  const { body, raw, subject, headers } = request;
  const { path, requestType: type, status } = operation;
  const isStart = path === VERIFICATIONS_PATH;
  const { verificationId: sentId } = request.params as { readonly verificationId?: string };
  if (sentId !== undefined && !UUID.test(sentId)) return refuse(reply, 'unknown-verification');
  const { key: idempotencyKey, fault } = isStart ? readIdempotencyKey(raw) : {};
  // An SMS with the same key has the same id, but is no verification.
  const ownId = (text: string) => keys.idOf({ subject, channel: 'sms', idempotencyKey: text });
  const key = sentId?.toLowerCase() ?? (idempotencyKey === undefined ? keys.newId() : ownId(idempotencyKey));
  const own = { verificationId: key, caller: hashSubject(subject) };
  const whole = body === undefined ? own : isRecord(body) ? { ...body, ...own } : body;
  const findTemplate = isStart && hasTemplate(body) ? await deps.templates() : undefined;
  if (typeof findTemplate === 'string') return refuse(reply, 'not-ready', { detail: findTemplate });
  const profile = isRecord(body) ? deps.channelProfiles(firstChannelOf(body)) : undefined;
  // Providers that make codes take no sender.
  const hasDefaultSender = profile?.hasDefaultSender !== false || profile.makesCodes === true;
  const reading = { country: options.defaultCountry, findTemplate, hasDefaultSender };
  const read = isStart ? readStart(whole, reading) : operation.request.read(whole);
  if (read.kind === 'invalid' || fault !== undefined) {
    const errors = [...(fault === undefined ? [] : [fault]), ...(read.kind === 'invalid' ? read.faults : [])];
    return sendProblem(reply, createProblem('invalid-request', { errors }));
  }
  const permit = await admission.admitWork(request, reply, 0);
  if (permit === undefined) return undefined;
  permit.hold();
  try {
    const answer = await requester.request({
      topic: topicName(options.topicPrefix, operation.topic),
      type,
      // The worker fills in the template itself.
      payload: { ...(read.payload as object), texts: undefined },
      key,
      timeoutMs: options.replyTimeoutMs,
      correlationId: createLogCorrelationId(headers, request.id, deps.newId),
      ...readTraceContext(headers),
    });
    if (reply.raw.destroyed) return undefined;
    if (answer.kind === 'problem') return sendProblem(reply, answer.problem);
    if (status === 202) reply.header('location', `${VERIFICATIONS_PATH}/${key}`);
    const list = warningsList(read.warnings, undefined);
    if (list !== undefined) reply.header('warnings', list);
    sendJson(reply, status, operation.render(answer.payload));
  } finally {
    permit.release();
  }
}
