import { MessagingError } from '../../platform/errors.ts';

/** The kind of a client's call; `ping` only checks whether the broker can be reached. */
export type MemoryCall = 'publish' | 'fetch' | 'group' | 'admin' | 'ping';

/** The fault of one call of one client. */
export type MemoryFault =
  /** The broker does not accept the connection: the log is unchanged. */
  | { readonly kind: 'refuse' }
  /** The call takes effect after `ms` milliseconds (publish only). */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The call takes effect and its response is lost (publish only): the publisher repeats it. */
  | { readonly kind: 'lose-reply' };

/** Called before each call of the broker, for tests only; undefined: no fault. */
export type FaultPlan = (call: MemoryCall, clientId: string) => MemoryFault | undefined;

/** Whether a client's calls of this kind are refused now. */
export function isRefused(plan: FaultPlan | undefined, call: MemoryCall, clientId: string): boolean {
  return plan !== undefined && plan(call, clientId)?.kind === 'refuse';
}

/** The error of a call that could not reach the broker. */
export function unreachable(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the broker cannot be reached`, {
    canRetry: true,
  });
}
