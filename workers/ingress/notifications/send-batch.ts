import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderBatch, type BatchResult } from '../../../shared/api/notification/answers.ts';
import { isAbsent, isRecord, shapeFault } from '../../../shared/api/json/faults.ts';
import { unknownField } from '../../../shared/api/json/unknown-fields.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import type { ReadRequest } from '../../../shared/api/json/request-reader.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/notification-command.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { joinPath, type Warning } from '../../../shared/platform/problem.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import type { AcceptAnswer } from './idempotency.ts';

type Read = ReadRequest<SmsCommand | EmailCommand>;

/** A call whose headers are valid and whose body is parsed. */
export interface SendCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly idempotencyKey: string | undefined;
  readonly read: (body: unknown) => Read | Promise<Read>;
  /** Also answers for a notification with faults. */
  readonly accept: (read: Read, idempotencyKey: string | undefined) => Promise<AcceptAnswer>;
}

const { batchMessages, batchErrors } = NOTIFICATION_LIMITS;

/** The notifications of a batch; none if the body has no list of them. */
export function messagesOf(body: unknown): readonly unknown[] {
  return isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : [];
}

/**
 * Accepts each notification of a list by itself (N12). All are in progress together, so that the publisher sends many
 * commands at once.
 */
export async function sendBatch(
  { admission, log }: Pick<IngressContext, 'admission' | 'log'>,
  { request, reply, read, accept, idempotencyKey: key }: SendCall,
): Promise<void> {
  const { body } = request;
  const messages = messagesOf(body);
  if (messages.length === 0 || messages.length > batchMessages) {
    const isMissing = isRecord(body) && isAbsent(body['messages']);
    const code = messages.length > 0 ? 'too-many-items' : isMissing ? 'missing' : 'wrong-type';
    const fault = shapeFault('messages', code, `must be a list of 1 to ${batchMessages} notifications`);
    return refuse(reply, 'invalid-request', { errors: [fault] });
  }
  request.body = undefined;
  admission.spend(request, messages.length - 1);
  const unknown = Object.keys(body as object).filter((name) => name !== 'messages');
  const warnings: Warning[] = unknown.map((name) => unknownField(name));
  const sendItem = async (item: unknown, index: number): Promise<BatchResult> => {
    const found = await read(item);
    if (found.kind === 'valid') {
      const place = `messages[${index}]`;
      warnings.push(...found.warnings.map(({ code, path }) => ({ code, path: joinPath(place, path) })));
    }
    // A key of a single notification has no line break.
    const answer = await accept(found, key === undefined ? undefined : `${key}\n${index}`);
    if (!('code' in answer)) return { notificationId: answer.notificationId, status: 'accepted' };
    const { code: problem, detail, errors } = answer;
    const status = problem === 'accept-unknown' ? 'unknown' : 'refused';
    return { status, problem, detail, errors: errors?.slice(0, batchErrors) };
  };
  const results = await Promise.all(
    messages.map((item, index) =>
      sendItem(item, index).catch((error: unknown): BatchResult => {
        log.error({ reason: errorText(error) }, 'a notification of a batch failed unexpectedly');
        return { status: 'unknown', problem: 'unexpected' };
      }),
    ),
  );
  if (reply.raw.destroyed) return;
  const header = warningsList(warnings, undefined);
  if (header !== undefined) reply.header('warnings', header);
  sendJson(reply, 202, renderBatch(results));
}
