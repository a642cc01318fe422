import type { FastifyRequest } from 'fastify';
import { OPERATIONS_LIMITS } from '../../../shared/contract/operations/limits.ts';
import type { LetterContext } from '../../../shared/dead-letters/letter-context.ts';
import { letterTopics } from '../../../shared/dead-letters/letter-context.ts';
import type { LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import type { CommandProofs } from '../../../shared/notification/command-proof.ts';
import { callerOf } from '../server/caller.ts';
import type { IngressContext } from '../server/context.ts';
import { onAbandoned } from '../server/traffic.ts';

/**
 * `stopMs`: longest time of a call; what was not read until then is left out, and no other dead letter is begun. 500 of them at 50 a
 * second take 10 s; the rest allows for reading them and for a slow broker. `answerMs`: then the caller is answered although a
 * call of the broker has not ended; a publish may take 15 s.
 */
const LIMITS = {
  read: { stopMs: 10_000, answerMs: 15_000 },
  action: { stopMs: 30_000, answerMs: 50_000 },
} as const;
/** A call waits so long for the earlier ones of its caller, each of which has been answered by then. */
const WAIT_MS = 50_000;
/** Scans of all callers that may run at the same time: each takes a share of the event loop. */
const MAX_RUNNING = 4;
/** Calls of one caller that wait for its running one, as a page may send two at once. */
const MAX_WAITING = 3;
/** Operator in the audit where access control is off. */
const ANONYMOUS = 'anonymous';

export interface LetterCallsDeps extends Omit<IngressContext, 'log'> {
  readonly letters: LetterLog;
  readonly proofs: CommandProofs;
}

/** One call that works on dead letters. */
export interface LetterCall {
  readonly request: FastifyRequest;
  readonly kind: 'read' | 'action';
  readonly reason: string | undefined;
}

/** Runs calls on dead letters within limits. */
export interface LetterCalls {
  /**
   * Runs `work` with a context whose signal is aborted at the end of the call's time, or when the caller disconnects. The
   * calls of one caller run one after the other; one whose caller disconnects while it waits does not run (`left`). Returns
   * `busy` if too many of them wait, or this one for 50 s, `full` if too many run, and `late` if the broker does not answer: then the call keeps its
   * place until it does.
   */
  run<Result>(
    call: LetterCall,
    work: (context: LetterContext) => Promise<Result>,
  ): Promise<Result | 'busy' | 'full' | 'left' | 'late'>;
}

export function createLetterCalls(deps: LetterCallsDeps): LetterCalls {
  const { options, codec, clock, monotonic, timers, newId, letters, proofs } = deps;
  const queues = createQueues();
  let running = 0;
  const runNow = async <Result>(
    { request, kind, reason }: LetterCall,
    { end, onLate }: { readonly end: AbortController; readonly onLate: () => void },
    work: (context: LetterContext) => Promise<Result>,
  ): Promise<Result | 'full' | 'left'> => {
    if (end.signal.aborted) return 'left';
    if (running >= MAX_RUNNING) return 'full';
    const { stopMs, answerMs } = LIMITS[kind];
    const cancelStop = timers.schedule(() => end.abort(), stopMs, 'background');
    const cancelAnswer = timers.schedule(onLate, answerMs, 'background');
    running += 1;
    try {
      const operator = request.subject === '' ? ANONYMOUS : request.subject;
      return await work({
        codec,
        proofs,
        clock,
        monotonic,
        timers,
        topics: letterTopics(options.topicPrefix),
        maxAuditRecords: OPERATIONS_LIMITS.auditRecords,
        log: letters,
        actor: { operator, run: newId(), reason },
        onProgress: () => undefined,
        signal: end.signal,
      });
    } finally {
      running -= 1;
      cancelStop();
      cancelAnswer();
    }
  };
  return {
    run: async (call, work) => {
      const end = new AbortController();
      const turn = queues.join(callerOf(call.request));
      if (turn === undefined) return 'busy';
      onAbandoned(call.request, () => {
        end.abort();
        turn.leave();
      });
      const early = Promise.withResolvers<'late' | 'busy'>();
      const giveUp = (): void => {
        end.abort();
        turn.leave();
        early.resolve('busy');
      };
      const cancelWait = turn.isFirst ? undefined : timers.schedule(giveUp, WAIT_MS, 'background');
      const ended = turn.take(() => {
        cancelWait?.();
        return runNow(call, { end, onLate: () => early.resolve('late') }, work);
      });
      return Promise.race([ended, early.promise]);
    },
  };
}

/** The place of a call in the queue of its caller. */
interface Turn {
  /** No earlier call of the caller is running or waiting. */
  readonly isFirst: boolean;
  /** Runs the work after the earlier calls. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes room for another call at once; one that is running keeps its place until it has ended. */
  leave(): void;
}

/** Queues of the calls of each caller. */
function createQueues(): { join(caller: string): Turn | undefined } {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();
  return {
    join: (caller) => {
      const queue = queues.get(caller) ?? { last: Promise.resolve(), length: 0 };
      if (queue.length > MAX_WAITING) return undefined;
      queues.set(caller, queue);
      const isFirst = queue.length === 0;
      queue.length += 1;
      let state: 'waiting' | 'running' | 'left' = 'waiting';
      const end = (): void => {
        if (state === 'left') return;
        state = 'left';
        queue.length -= 1;
        if (queue.length === 0) queues.delete(caller);
      };
      return {
        isFirst,
        leave: () => {
          if (state === 'waiting') end();
        },
        take: async (work) => {
          const own = queue.last.then(() => {
            if (state === 'waiting') state = 'running';
            return work();
          });
          queue.last = own.catch(() => undefined);
          return own.finally(end);
        },
      };
    },
  };
}
