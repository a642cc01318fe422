/** Retries requests until no request has had a usable reply for `patienceMs`. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isUsableReply } from './calculate-chunk.ts';
import { RunError } from './interruption.ts';
import { backoffMs } from '../../shared/messaging/backoff.ts';
import type { Reply } from '../../shared/messaging/outcome.ts';
import type { OutgoingRequest } from '../../shared/messaging/requester/requester.ts';
import { isRetryable } from '../../shared/platform/problem.ts';

interface PatientRequestsOptions {
  readonly request: (request: OutgoingRequest) => Promise<Reply>;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export type PatientRequests = ReturnType<typeof createPatientRequests>;

/** A broker restart or a rebalance takes seconds, and a retry every few seconds causes little load. */
const BACKOFF = { minMs: 200, maxMs: 5_000 };
/** An idle system replies much sooner; a shorter timeout would only send messages twice. */
const MIN_TIMEOUT_MS = 1_000;

/** All requests of a run share the time limit: a usable reply to any of them restarts it. */
export function createPatientRequests(options: PatientRequestsOptions) {
  const { patienceMs, signal } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? ((ms, ended) => sleep(ms, undefined, { signal: ended }));
  const random = options.random ?? Math.random;
  let waiting = 0;
  let answeredAtMs = now();
  let idleSinceMs = answeredAtMs;
  const leftMs = (): number => answeredAtMs + patienceMs - now();

  const noAnswer = (code: string): RunError =>
    new RunError(`no reply for ${Math.round(patienceMs / 1_000)} s; the last attempt ended with ${code}`);

  const ask = async (request: OutgoingRequest): Promise<Reply> => {
    let timeoutMs = request.timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const limitMs = Math.max(Math.min(timeoutMs, leftMs()), MIN_TIMEOUT_MS);
      const reply = await options.request({ ...request, timeoutMs: Math.ceil(limitMs) });
      if (reply.kind === 'reply' || !isRetryable(reply.problem)) {
        if (isUsableReply(request, reply)) answeredAtMs = now();
        else if (leftMs() <= 0)
          throw noAnswer(reply.kind === 'problem' ? reply.problem.code : 'a reply to a different request');
        return reply;
      }
      if (leftMs() <= 0) throw noAnswer(reply.problem.code);
      // The request may be queued behind other bulk traffic; a longer wait costs less than more retries.
      if (reply.problem.status === GATEWAY_TIMEOUT) timeoutMs *= 2;
      await wait(Math.min(backoffMs(BACKOFF, attempt, random), Math.max(leftMs(), 0)), signal);
    }
  };

  return {
    /** Retries transient problems until the time limit, then rejects with RunError. */
    request: async (request: OutgoingRequest): Promise<Reply> => {
      if (waiting === 0) answeredAtMs += now() - idleSinceMs;
      waiting += 1;
      try {
        return await ask(request);
      } finally {
        waiting -= 1;
        if (waiting === 0) idleSinceMs = now();
      }
    },
    /** Milliseconds since the last usable reply, without the time in which no request was waiting. */
    silentMs: (): number => (waiting === 0 ? idleSinceMs : now()) - answeredAtMs,
  };
}

/** The status of reply-timeout and deadline-exceeded. */
const GATEWAY_TIMEOUT = 504;
