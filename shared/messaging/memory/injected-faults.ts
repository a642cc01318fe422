import { MessagingError } from '../../platform/errors.ts';

/** A client's call of the broker; `ping` only tests whether it can be reached. */
export type MemoryCall = 'publish' | 'fetch' | 'group' | 'admin' | 'ping';

/** The fault of one call of one client. */
export type MemoryFault =
  /** The broker does not accept the connection: the log is unchanged. */
  | { readonly kind: 'refuse' }
  /** The call takes effect after `ms` milliseconds (publish only). */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The call takes effect and its answer is lost (publish only): the publisher repeats it. */
  | { readonly kind: 'lose-reply' };

/** Called before each call of the broker, for tests only; undefined lets the call pass. */
export type FaultPlan = (call: MemoryCall, clientId: string) => MemoryFault | undefined;

/** Whether a client's calls of a kind are refused at this moment. */
export function isRefused(plan: FaultPlan | undefined, call: MemoryCall, clientId: string): boolean {
  return plan !== undefined && plan(call, clientId)?.kind === 'refuse';
}

/** The error of a call that could not reach the broker. */
export function unreachable(what: string): MessagingError {
  return new MessagingError('broker-unavailable', `${what}: the broker cannot be reached`, {
    canRetry: true,
  });
}

/** The error of a call that names a topic or partition that does not exist. */
export function unknownTopic(name: string): MessagingError {
  return new MessagingError('topic-unknown', `there is no topic ${name}`, { canRetry: false });
}
