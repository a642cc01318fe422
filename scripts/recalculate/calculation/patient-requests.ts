/** Asks again and again for what may succeed later, until nobody has answered anything for too long. */

import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../../shared/messaging/backoff.ts';
import type { OutgoingRequest } from '../../../shared/messaging/requester/requester.ts';
import type { Reply } from '../../../shared/messaging/reply.ts';
import { isRetryable } from '../../../shared/platform/problem.ts';

export interface PatientRequestsOptions {
  readonly request: (request: OutgoingRequest) => Promise<Reply>;
  /** Whether a reply that asking again would not change shows that somebody calculates. Default: any but a problem. */
  readonly isUsable?: (request: OutgoingRequest, reply: Reply) => boolean;
  /** So long nothing usable may be answered while something waits, before all that waits is given up. */
  readonly patienceMs: number;
  /** Aborted when the run ends: whoever waits to ask again then rejects with the reason. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export interface PatientRequests {
  /** As {@link OutgoingRequest} says, but never answers a problem that asking again may mend: rejects with NoAnswerError. */
  request(request: OutgoingRequest): Promise<Reply>;
  /** For how long something has waited without a usable answer, in milliseconds; time in which nothing waits is none. */
  silentMs(): number;
  /** Whether anything was ever answered, usable or not. */
  hasAnswered(): boolean;
}

/** Nobody has answered for as long as was allowed. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** A broker restart or a rebalance is over within seconds; asking every few of them is no load. */
const BACKOFF = { minMs: 200, maxMs: 5_000 };
/** What a message takes through an idle system is far below; less would only ask twice. */
const LEAST_TIMEOUT_MS = 1_000;

/** One patience for all requests of a run: as long as any of them is answered, the others wait on. */
export function createPatientRequests(options: PatientRequestsOptions): PatientRequests {
  const { patienceMs, signal } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? ((ms, ended) => sleep(ms, undefined, { signal: ended }));
  const random = options.random ?? Math.random;
  let waiting = 0;
  let hasAnswered = false;
  let answeredAtMs = now();
  let idleSinceMs = answeredAtMs;
  const isUsable = options.isUsable ?? ((_, reply) => reply.kind === 'reply' || isTooLarge(reply));
  const leftMs = (): number => answeredAtMs + patienceMs - now();

  const ask = async (request: OutgoingRequest): Promise<Reply> => {
    let timeoutMs = request.timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const limitMs = Math.max(Math.min(timeoutMs, leftMs()), LEAST_TIMEOUT_MS);
      const reply = await options.request({ ...request, timeoutMs: Math.ceil(limitMs) });
      if (reply.kind === 'reply' || !isRetryable(reply.problem)) {
        hasAnswered = true;
        if (isUsable(request, reply)) answeredAtMs = now();
        else if (leftMs() <= 0) throw new NoAnswerError(noAnswer(codeOf(reply), patienceMs));
        return reply;
      }
      if (leftMs() <= 0) throw new NoAnswerError(noAnswer(reply.problem.code, patienceMs));
      // Other mass traffic may stand before ours for longer than that: waiting longer costs less than asking more often.
      if (reply.problem.status === GATEWAY_TIMEOUT) timeoutMs *= 2;
      await wait(Math.min(backoffMs(BACKOFF, attempt, random), Math.max(leftMs(), 0)), signal);
    }
  };

  return {
    request: async (request) => {
      if (waiting === 0) answeredAtMs += now() - idleSinceMs;
      waiting += 1;
      try {
        return await ask(request);
      } finally {
        waiting -= 1;
        if (waiting === 0) idleSinceMs = now();
      }
    },
    silentMs: () => (waiting === 0 ? idleSinceMs : now()) - answeredAtMs,
    hasAnswered: () => hasAnswered,
  };
}

/** Status of reply-timeout and deadline-exceeded. */
const GATEWAY_TIMEOUT = 504;

/** Somebody has calculated, and the batch is halved. */
function isTooLarge(reply: Reply): boolean {
  return reply.kind === 'problem' && reply.problem.code === 'reply-too-large';
}

function codeOf(reply: Reply): string {
  return reply.kind === 'problem' ? reply.problem.code : 'an answer to something else';
}

function noAnswer(code: string, patienceMs: number): string {
  return `no request was answered for ${Math.round(patienceMs / 1_000)} s; the last attempt ended as ${code}`;
}
