/** Recognises repetitions of a request with an Idempotency-Key, for 24 hours (N3). */

import { LRUCache } from 'lru-cache';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { EmailCommand, SmsCommand } from '../../../shared/notification/notification-command.ts';
import { earliestTime } from '../../../shared/notification/notification-state.ts';
import type { Clock } from '../../../shared/platform/system-ports.ts';
import type { ErrorCode, ProblemExtras } from '../../../shared/platform/problem.ts';
import { KEY_LIFETIME_MS, type NotificationFeed } from './notification-feed.ts';
import type { KeyOwner, NotificationKeys } from './notification-keys.ts';

/** The ids under which a notification is published and its acceptance recorded. */
export interface NotificationIds {
  readonly notificationId: string;
  /** Hash of the command if it has an Idempotency-Key, otherwise empty. */
  readonly bodyHash: string;
  /** The id under which a repeat finds the acceptance: that of the notification, unless the key was used before. */
  readonly keyId: string;
}

export interface Refusal extends ProblemExtras {
  readonly code: ErrorCode;
  readonly retryAfterMs?: number;
}

export type AcceptAnswer = Refusal | { readonly notificationId: string; readonly isRepeat?: true };

type AcceptNow = (ids: NotificationIds) => Promise<AcceptAnswer>;

export interface IdempotencyDeps {
  readonly keys: NotificationKeys;
  readonly feed: NotificationFeed;
  readonly clock: Clock;
}

const KEYS_UNKNOWN =
  'Keys of the last 24 hours were lost, so that a repetition cannot be recognised: send requests with an Idempotency-Key again later.';
const CONFLICT: Refusal = {
  code: 'idempotency-conflict',
  detail: 'Send a different notification under a different Idempotency-Key.',
};

/** Takes requests with the same key in turn. After an accepted one, equal ones get its response and others get 409. */
export function createAcceptOnce(deps: IdempotencyDeps) {
  const runInOrder = createKeyedQueue();
  const unknown: UnknownRequests = new LRUCache(atMost(MAX_UNKNOWN));
  return (owner: KeyOwner, command: SmsCommand | EmailCommand, accept: AcceptNow): Promise<AcceptAnswer> => {
    const keyId = deps.keys.idOf(owner);
    const bodyHash = deps.keys.commands.hash(command);
    return runInOrder(keyId, () => acceptInTurn({ ...deps, unknown }, owner, { keyId, bodyHash, accept }));
  };
}

/** The last requests that may be stored without an acceptance, by key id. A different one under the key conflicts. */
type UnknownRequests = LRUCache<string, { readonly bodyHash: string; readonly atMs: number }>;

const MAX_UNKNOWN = 10_000;

/** Runs the tasks of one key in sequence. Each waiting task has an open connection, so their limit bounds the queue. */
function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, task: () => Promise<Result>): Promise<Result> => {
    const former = last.get(key);
    const own = former === undefined ? task() : former.then(task, task);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}

async function acceptInTurn(
  deps: IdempotencyDeps & { readonly unknown: UnknownRequests },
  owner: KeyOwner,
  given: Omit<NotificationIds, 'notificationId'> & { readonly accept: AcceptNow },
): Promise<AcceptAnswer> {
  const { keyId, bodyHash, accept } = given;
  const { unknown, feed, clock } = deps;
  const hasExpired = (sinceMs: number): boolean => clock.now() - sinceMs >= KEY_LIFETIME_MS;
  const former = await feed.acceptance(keyId);
  if (former !== undefined && !hasExpired(former.acceptedAt))
    return former.bodyHash === bodyHash
      ? { notificationId: former.notificationId, isRepeat: true }
      : CONFLICT;
  const uncertain = unknown.get(keyId);
  if (uncertain !== undefined && uncertain.bodyHash !== bodyHash && !hasExpired(uncertain.atMs))
    return CONFLICT;
  const retryAfterMs = former === undefined ? feed.incompleteForMs() : 0;
  if (retryAfterMs > 0) return { code: 'not-ready', detail: KEYS_UNKNOWN, retryAfterMs };
  const notificationId = await chooseId(deps, owner, former?.notificationId);
  const answer = await accept({ notificationId, bodyHash, keyId });
  if (!('code' in answer)) unknown.delete(keyId);
  else if (answer.code === 'accept-unknown') unknown.set(keyId, { bodyHash, atMs: clock.now() });
  return answer;
}

/**
 * Returns an id for a new use of a key, because the worker would not send again under the former id. All instances
 * derive the same one. A state younger than the lifetime of the key means that this request repeats one whose
 * acceptance was not recorded.
 */
async function chooseId(
  { keys, feed, clock }: IdempotencyDeps,
  owner: KeyOwner,
  formerId: string | undefined,
): Promise<string> {
  let id = keys.idOf(owner, formerId);
  for (;;) {
    const state = await feed.state(id);
    if (state === undefined || clock.now() - earliestTime(state) < KEY_LIFETIME_MS) return id;
    id = keys.idOf(owner, id);
  }
}
