import type { Clock } from '../../platform/system-ports.ts';

/** Tolerance for the clocks of requester and worker: a request is refused only this long after its deadline. */
export const DEADLINE_SKEW_MS = 2_000;

/** Whether the deadline passed more than DEADLINE_SKEW_MS ago; false without a deadline. */
export function isExpired(deadlineMs: number | undefined, clock: Clock): boolean {
  return deadlineMs !== undefined && clock.now() > deadlineMs + DEADLINE_SKEW_MS;
}
