import type { AttemptRecord, NotificationState } from '../../../shared/notification/notification-state.ts';
import {
  nextDestination,
  type Destination,
  type RetryPlan,
} from '../../../shared/notification/retry-plan.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { LedgerEntry } from '../state/delivery-state.ts';
import type { RoundEnd } from './provider-round.ts';

/** How a notification goes on after a round that did not send it. */
export type NextStep = Pick<NotificationState, 'status' | 'code' | 'nextAttemptAt'> & {
  /** Delay of the tier that its next copy waits on, in milliseconds; absent: there is none. */
  readonly tierMs?: number;
};

export interface ConcludeOptions {
  readonly plan: RetryPlan;
  readonly attempt: number;
  /** The unknown is tried again: by policy, or because an operator accepts it. */
  readonly acceptsTwice: boolean;
  readonly times: { readonly firstSeenMs: number; readonly nowMs: number };
}

/** Code of notifications that may or may not have been sent. */
export const OUTCOME_UNKNOWN = 'outcome-unknown';

/** Decides what comes after a failed round. Pure. */
export function nextStep(
  { failure, isRepeatable }: Pick<Extract<RoundEnd, { kind: 'not-sent' }>, 'failure' | 'isRepeatable'>,
  { plan, attempt, acceptsTwice, times }: ConcludeOptions,
): NextStep {
  const isTriedAgain = failure.kind === 'unknown' && (acceptsTwice || isRepeatable);
  const destination = nextDestination(
    plan,
    attempt,
    isTriedAgain ? { kind: 'transient', code: failure.code } : failure,
    times,
  );
  // Out of time, but it may have been sent: that is no failure.
  const end: Destination =
    isTriedAgain && destination.kind === 'dead' ? { kind: 'park', code: failure.code } : destination;
  return stepOf(end, failure.code, plan, times.nowMs);
}

function stepOf(destination: Destination, failureCode: string, plan: RetryPlan, nowMs: number): NextStep {
  switch (destination.kind) {
    case 'retry': {
      const nextAttemptAt = nowMs + destination.delayMs;
      return {
        status: 'retrying',
        code: failureCode,
        nextAttemptAt,
        tierMs: tierFor(plan, destination.delayMs),
      };
    }
    case 'dead':
      return { status: 'failed', code: destination.code, nextAttemptAt: undefined };
    case 'park':
      return { status: 'parked', code: OUTCOME_UNKNOWN, nextAttemptAt: undefined };
    default:
      return assertNever(destination);
  }
}

/** The first tier that is long enough for a wait, else the last: what comes back is never early, by its own due time. */
export function tierFor(plan: RetryPlan, waitMs: number): number {
  return plan.tiersMs.find((delayMs) => delayMs >= waitMs) ?? plan.tiersMs.at(-1) ?? 0;
}

/**
 * A try whose end nobody told, by its intent: the process that made it is gone. Its provider is known only where no other
 * one could have been asked.
 */
export function lostAttempt(
  attempt: number,
  atMs: number,
  { providers, repeatableBy }: Pick<LedgerEntry, 'providers' | 'repeatableBy'>,
): AttemptRecord {
  const provider = providers?.length === 1 ? providers[0] : undefined;
  const lost = {
    attempt,
    at: atMs,
    provider: provider ?? '-',
    result: 'unknown',
    code: 'lease-over',
  } as const;
  return provider === undefined || repeatableBy === undefined ? lost : { ...lost, repeatableBy };
}
