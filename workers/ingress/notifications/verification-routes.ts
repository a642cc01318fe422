import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../shared/api/json/faults.ts';
import {
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
import type { IngressContext } from '../server/context.ts';
import { readJsonBody, requireJson } from '../server/json-body.ts';
import { refuse, sendJson, sendProblem } from '../server/send-answer.ts';
import { labelMetrics, requireOpen } from '../server/traffic.ts';
import type { NotificationKeys } from './notification-keys.ts';
import { readIdempotencyKey } from './send-route.ts';
import { UUID } from './status-route.ts';

type VerificationContext = IngressContext & { readonly keys: NotificationKeys };
type Sent = NonNullable<ReturnType<typeof readCall>>;

/** Registers the routes of verifications (N10). The notification worker handles their requests. */
export function registerVerifications(app: FastifyInstance, deps: VerificationContext): void {
  const { options, admission, traffic } = deps;
  const limitBytes = options.bodyLimitBytes;
  for (const operation of VERIFICATIONS) {
    const { method, path, name, bodyShape } = operation;
    const hasBody = bodyShape !== undefined;
    app.route({
      method,
      url: path.replace('{verificationId}', ':verificationId'),
      preHandler: [
        labelMetrics(name),
        requireOpen(traffic),
        ...(hasBody ? [requireJson(limitBytes)] : []),
        authenticate(deps),
        admission.requirePermit(() => operation.topic, {
          limitBytes: hasBody ? limitBytes : 0,
          bytesPerUnit: NOTIFICATION_BYTES_PER_UNIT,
        }),
      ],
      handler: async (request, reply) => {
        if (hasBody) {
          await readJsonBody(request, reply, { limitBytes });
          admission.spend(request, request.bodyCost);
          if (reply.sent) return;
        }
        const sent = readCall(deps, request, reply, operation);
        if (sent !== undefined) await forward(deps, reply, operation, sent);
      },
    });
  }
}

/** Returns the request, or undefined after it responded with all faults. */
function readCall(
  { keys, options }: VerificationContext,
  { body, params, raw, subject }: FastifyRequest,
  reply: FastifyReply,
  { path, request }: VerificationOperation,
) {
  const isStart = path === VERIFICATIONS_PATH;
  const { verificationId: sentId } = params as { readonly verificationId?: string };
  const { key, fault } = isStart ? readIdempotencyKey(raw) : {};
  if (sentId !== undefined && !UUID.test(sentId)) {
    refuse(reply, 'unknown-verification');
    return undefined;
  }
  const owner = { subject, channel: 'verification', idempotencyKey: key ?? '' } as const;
  const ownId = key === undefined ? keys.newId() : keys.idOf(owner);
  const verificationId = sentId?.toLowerCase() ?? ownId;
  const own = { verificationId, caller: hashSubject(subject) };
  const whole = body === undefined ? own : isRecord(body) ? { ...body, ...own } : body;
  const given = isStart ? readStart(whole, options.defaultCountry) : request.read(whole);
  if (given.kind === 'valid' && fault === undefined) return { ...given, verificationId };
  const faults = given.kind === 'invalid' ? given.faults : [];
  const errors = fault === undefined ? faults : [fault, ...faults];
  sendProblem(reply, createProblem('invalid-request', { errors }));
  return undefined;
}

/** Keyed by the verification, so that its requests are handled in their order. */
async function forward(
  deps: VerificationContext,
  reply: FastifyReply,
  operation: VerificationOperation,
  { payload, warnings, verificationId }: Sent,
): Promise<void> {
  const { options, admission, requester, newId } = deps;
  const { requestType: type, status, topic } = operation;
  const { request } = reply;
  const permit = await admission.admitWork(request, reply, 0);
  if (permit === undefined) return;
  permit.hold();
  try {
    const answer = await requester.request({
      topic: topicName(options.topicPrefix, topic),
      type,
      payload,
      key: verificationId,
      timeoutMs: options.replyTimeoutMs,
      correlationId: createLogCorrelationId(request.headers, request.id, newId),
      ...readTraceContext(request.headers),
    });
    if (reply.raw.destroyed) return;
    if (answer.kind === 'problem') return sendProblem(reply, answer.problem);
    const list = warningsList(warnings, undefined);
    if (list !== undefined) reply.header('warnings', list);
    if (status === 202) reply.header('location', `${VERIFICATIONS_PATH}/${verificationId}`);
    sendJson(reply, status, operation.render(answer.payload));
  } finally {
    permit.release();
  }
}
