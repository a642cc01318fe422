import { MessagingError } from '../../platform/errors.ts';

/** The kind of a client's call; `ping` only checks whether the broker can be reached. */
export type EmbeddedCall = 'publish' | 'fetch' | 'group' | 'admin' | 'ping';

/** Called before each call of the broker, for tests only; true: the broker refuses it, and the log is unchanged. */
export type FaultPlan = (call: EmbeddedCall, clientId: string) => boolean;

/** Whether a client's calls of this kind are refused now. */
export function isRefused(plan: FaultPlan | undefined, call: EmbeddedCall, clientId: string): boolean {
  return plan?.(call, clientId) === true;
}

/** The error of a call that could not reach the broker. */
export function unreachable(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the broker cannot be reached`, {
    canRetry: true,
  });
}
