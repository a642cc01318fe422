import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { ErrorCode, ProblemExtras } from '../../../shared/platform/problem.ts';
import type { Quota, Quotas } from '../../../shared/quotas/quotas.ts';
import type { CountedMessage } from '../../../shared/quotas/usage-record.ts';
import { hashSubject } from '../access/access.ts';
import { refuse, setRetryAfter } from '../server/send-answer.ts';

/** A notification before it is accepted. */
interface Admission extends Omit<CountedMessage, 'caller'> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly id: string;
  readonly nowMs: number;
}

const STATE_UNKNOWN = 'The quotas cannot be read at the moment.';

/** What each quota refuses, and the field that causes it; an empty path is the request as a whole. */
const TEXTS: Readonly<Record<Quota, { readonly path: string; readonly text: string }>> = {
  'country-not-allowed': { path: 'receiver', text: 'belongs to a country to which no messages are sent' },
  'quota-caller': { path: '', text: 'the caller has sent the notifications of its day' },
  'quota-receiver': { path: 'receiver', text: 'has received the notifications of its day' },
  'quota-country': {
    path: 'receiver',
    text: 'belongs to a country that has received the messages of its day',
  },
};

/**
 * Counts a notification for the quotas (N6). Returns the records to be published with its command, or undefined after a
 * response: 422 for a country that is not allowed, 429 with the time until the end of the UTC day for the others, and 503
 * while the counts cannot be read.
 */
export function admitByQuotas(
  quotas: Quotas,
  { request, reply, id, nowMs, channel, command }: Admission,
): readonly OutgoingMessage[] | undefined {
  const caller = hashSubject(request.subject);
  const decision = quotas.admit(id, { caller, channel, command });
  const respond = (code: ErrorCode, extras: ProblemExtras): undefined => {
    if (!reply.raw.destroyed) refuse(reply, code, extras);
  };
  if (decision.kind === 'unknown') return respond('not-ready', { detail: STATE_UNKNOWN });
  if (decision.kind === 'admitted') return decision.record === undefined ? [] : [decision.record];
  const { quota, resetsAtMs } = decision;
  const { path, text } = TEXTS[quota];
  const errors = [{ path, code: quota, message: text }];
  if (quota === 'country-not-allowed') return respond(quota, { errors });
  setRetryAfter(reply, resetsAtMs - nowMs);
  const detail = `${path === '' ? '' : `${path} `}${text}; it begins again at ${new Date(resetsAtMs).toISOString()}.`;
  return respond('quota-exceeded', { detail, errors });
}
