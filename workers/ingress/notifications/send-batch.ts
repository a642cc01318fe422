import type { FastifyReply, FastifyRequest } from 'fastify';
import { renderBatch, type BatchResult } from '../../../shared/api/notification/answers.ts';
import { isAbsent, isRecord, shapeFault } from '../../../shared/api/json/faults.ts';
import { unknownField } from '../../../shared/api/json/unknown-fields.ts';
import { NOTIFICATION_LIMITS } from '../../../shared/api/notification/notification-limits.ts';
import type { NotificationReading } from '../../../shared/api/notification/read-command.ts';
import type { NotificationDefinition } from '../../../shared/api/notification/send-operations.ts';
import { warningsList } from '../../../shared/messaging/header-text.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { joinPath, type Warning } from '../../../shared/platform/problem.ts';
import type { IngressContext } from '../server/context.ts';
import { refuse, sendJson } from '../server/send-answer.ts';
import type { Accept, ValidNotification } from './accept-notification.ts';

/** A call whose headers are valid and whose body is parsed. */
export interface SendCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly definition: NotificationDefinition;
  readonly reading: NotificationReading;
  readonly idempotencyKey: string | undefined;
  /** What its notifications have in common. */
  readonly common: Omit<ValidNotification, 'command' | 'idempotencyKey'>;
}

type BatchDeps = Pick<IngressContext, 'admission' | 'log'> & { readonly accept: Accept };

const { batchMessages, batchErrors } = NOTIFICATION_LIMITS;

/** The notifications of a batch; none if the body has no list of them. */
export function messagesOf(body: unknown): readonly unknown[] {
  return isRecord(body) && Array.isArray(body['messages']) ? body['messages'] : [];
}

/**
 * Accepts each notification of a list by itself (N12). All are in progress together, so that the publisher sends many
 * commands at once.
 */
export async function sendBatch({ accept, admission, log }: BatchDeps, call: SendCall): Promise<void> {
  const { request, reply, definition, reading, common, idempotencyKey: key } = call;
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
    const read = await definition.reader.read(item, reading);
    if (read.kind === 'invalid')
      return { status: 'refused', problem: read.problem, errors: read.faults.slice(0, batchErrors) };
    const place = `messages[${index}]`;
    warnings.push(...read.warnings.map(({ code, path }) => ({ code, path: joinPath(place, path) })));
    // A key of a single notification has no line break.
    const idempotencyKey = key === undefined ? undefined : `${key}\n${index}`;
    const answer = await accept({ ...common, idempotencyKey, command: read.payload });
    if (answer === undefined) return { status: 'refused' };
    if (answer.kind === 'accepted') return { notificationId: answer.notificationId, status: 'accepted' };
    const { code: problem, extras } = answer;
    return { status: problem === 'accept-unknown' ? 'unknown' : 'refused', problem, ...extras };
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
