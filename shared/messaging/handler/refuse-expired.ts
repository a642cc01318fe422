import type { Clock } from '../../platform/clock.ts';
import { createProblem } from '../../platform/problem.ts';
import { refused } from '../outcome.ts';
import type { Policy } from './policy.ts';

/** Clocks of requester and worker may differ by so much before a live request would be refused. */
export const DEADLINE_SKEW_MS = 2_000;

/** Answers a request that nobody waits for any more without computing it: after an outage the queue is worked off fast. */
export function refuseExpired(clock: Clock): Policy {
  return ({ deadlineMs }) =>
    isExpired(deadlineMs, clock) ? refused(createProblem('deadline-exceeded')) : undefined;
}

/** Whether nobody waits any more for what had to be answered by then (epoch milliseconds). */
export function isExpired(deadlineMs: number | undefined, clock: Clock): boolean {
  return deadlineMs !== undefined && clock.now() > deadlineMs + DEADLINE_SKEW_MS;
}
