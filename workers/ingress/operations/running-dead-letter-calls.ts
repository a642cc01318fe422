import type { FastifyReply } from 'fastify';
import { OPERATIONS_LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import {
  type DeadLetterContext,
  deadLetterTopics,
  type DeadLetterLog,
} from '../../../shared/dead-letters/dead-letter-log.ts';
import type { CommandProofs } from '../../../shared/notification/command-proof.ts';
import { callerOf } from '../server/admission.ts';
import type { IngressContext } from '../server/context.ts';

/**
 * `stopMs`: longest time of a call; what was not read until then is left out, and no other dead letter is begun. 500 of them take
 * seconds; the rest allows for reading them and for a slow broker. `answerMs`: then the caller is answered although a
 * call of the broker has not ended; a publish may take 15 s.
 */
const LIMITS = {
  read: { stopMs: 10_000, answerMs: 15_000 },
  action: { stopMs: 30_000, answerMs: 50_000 },
} as const;
/** Scans of all callers that may run at the same time: each takes a share of the event loop. */
const MAX_RUNNING = 6;
/** Of one caller: a page reads lists and dead letters at once. */
const MAX_OF_CALLER = 3;
/** Operator in the audit where access control is off. */
const ANONYMOUS = 'anonymous';

export interface DeadLetterCallsDeps extends Omit<IngressContext, 'log'> {
  readonly letters: DeadLetterLog;
  readonly proofs: CommandProofs;
}

/** One call that works on dead letters. */
export interface DeadLetterCall {
  readonly reply: FastifyReply;
  readonly kind: 'read' | 'action';
  readonly reason: string | undefined;
}

/** Runs calls on dead letters within limits. */
export interface DeadLetterCalls {
  /**
   * Runs `work` with a context whose signal is aborted at the end of the call's time, or when the caller disconnects. Returns
   * `busy` if the caller has three calls in progress, or another action, so that none acts twice; `full` if too many run; and `late` if the
   * broker does not answer: then the call keeps its place until it does.
   */
  run<Result>(
    call: DeadLetterCall,
    work: (context: DeadLetterContext) => Promise<Result>,
  ): Promise<Result | 'busy' | 'full' | 'late'>;
}

export function createDeadLetterCalls(deps: DeadLetterCallsDeps): DeadLetterCalls {
  const { options, codec, clock, timers, newId, letters, proofs } = deps;
  const running = new Set<{ readonly caller: string; readonly kind: DeadLetterCall['kind'] }>();
  const refusalOf = (caller: string, kind: DeadLetterCall['kind']): 'busy' | 'full' | undefined => {
    const own = [...running].filter((one) => one.caller === caller);
    const isActing = kind === 'action' && own.some((one) => one.kind === 'action');
    if (isActing || own.length >= MAX_OF_CALLER) return 'busy';
    return running.size >= MAX_RUNNING ? 'full' : undefined;
  };
  return {
    run: async ({ reply, kind, reason }, work) => {
      const { request } = reply;
      const call = { caller: callerOf(request), kind };
      const refusal = refusalOf(call.caller, kind);
      if (refusal !== undefined) return refusal;
      const end = new AbortController();
      reply.raw.once('close', () => end.abort());
      const late = Promise.withResolvers<'late'>();
      const { stopMs, answerMs } = LIMITS[kind];
      const cancelStop = timers.schedule(() => end.abort(), stopMs, 'background');
      const cancelAnswer = timers.schedule(() => late.resolve('late'), answerMs, 'background');
      running.add(call);
      const ended = work({
        codec,
        proofs,
        clock,
        timers,
        topics: deadLetterTopics(options.topicPrefix),
        maxAuditRecords: OPERATIONS_LIMITS.auditRecords,
        log: letters,
        actor: { operator: request.subject === '' ? ANONYMOUS : request.subject, run: newId(), reason },
        signal: end.signal,
      }).finally(() => {
        running.delete(call);
        cancelStop();
        cancelAnswer();
      });
      ended.catch(() => undefined);
      return Promise.race([ended, late.promise]);
    },
  };
}
