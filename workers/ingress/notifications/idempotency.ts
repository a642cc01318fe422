/** Recognises repetitions of a request with an Idempotency-Key, for 24 hours (N3). */

import { LRUCache } from 'lru-cache';
import { atMost } from '../../../shared/platform/queue-limits.ts';
import type { Channel, EmailCommand, SmsCommand } from '../../../shared/notification/notification-command.ts';
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
  readonly keyId: string | undefined;
}

export type AcceptAnswer =
  | { readonly kind: 'accepted'; readonly notificationId: string }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly extras?: ProblemExtras;
      readonly retryAfterMs?: number;
    };

export interface AcceptResult {
  /** The broker has the command (`stored`), may have it (`unknown`), or does not have it (`refused`). */
  readonly storage: 'stored' | 'unknown' | 'refused';
  readonly answer: AcceptAnswer;
}

export function refusal(code: ErrorCode, extras: ProblemExtras = {}, retryAfterMs?: number): AcceptAnswer {
  return { kind: 'refused', code, extras, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

export interface IdempotencyDeps {
  readonly keys: NotificationKeys;
  readonly feed: NotificationFeed;
  readonly clock: Clock;
  readonly count: (channel: string, result: string) => void;
}

interface KeyedNotification {
  readonly owner: KeyOwner & { readonly channel: Channel };
  /** The notificationId is not set yet. */
  readonly command: SmsCommand | EmailCommand;
  /** True if the caller has disconnected. */
  readonly isGone: () => boolean;
  readonly accept: (ids: NotificationIds) => Promise<AcceptResult>;
  readonly repeatAnswer: (notificationId: string) => AcceptAnswer;
}

const KEYS_UNKNOWN =
  'Keys of the last 24 hours were lost, so that a repetition cannot be recognised: send requests with an Idempotency-Key again later.';

/** Takes requests with the same key in turn. After an accepted one, equal ones get its response and others get 409. */
export function createAcceptOnce(
  deps: IdempotencyDeps,
): (notification: KeyedNotification) => Promise<AcceptAnswer | undefined> {
  const runInOrder = createKeyedQueue();
  const unknown: UnknownRequests = new LRUCache(atMost(MAX_UNKNOWN));
  return (notification) => {
    const keyId = deps.keys.idOf(notification.owner);
    return runInOrder(keyId, () => acceptInTurn({ ...deps, unknown }, notification, keyId));
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
  notification: KeyedNotification,
  keyId: string,
): Promise<AcceptAnswer | undefined> {
  const { owner, command, isGone, accept } = notification;
  const { unknown } = deps;
  const hasExpired = (sinceMs: number): boolean => deps.clock.now() - sinceMs >= KEY_LIFETIME_MS;
  if (isGone()) return undefined;
  const bodyHash = deps.keys.commands.hash(command);
  const former = await deps.feed.acceptance(keyId);
  if (former !== undefined && !hasExpired(former.acceptedAt)) {
    if (former.bodyHash !== bodyHash) return refuseConflict(deps, notification);
    deps.count(former.channel, 'repeated');
    return notification.repeatAnswer(former.notificationId);
  }
  const uncertain = unknown.get(keyId);
  if (uncertain !== undefined && uncertain.bodyHash !== bodyHash && !hasExpired(uncertain.atMs))
    return refuseConflict(deps, notification);
  const incompleteForMs = former === undefined ? deps.feed.incompleteForMs() : 0;
  if (incompleteForMs > 0) {
    deps.count(owner.channel, 'refused');
    return refusal('not-ready', { detail: KEYS_UNKNOWN }, incompleteForMs);
  }
  const notificationId = await chooseId(deps, owner, former?.notificationId);
  const { storage, answer } = await accept({ notificationId, bodyHash, keyId });
  if (storage === 'refused') return answer;
  unknown.delete(keyId);
  if (storage === 'unknown') unknown.set(keyId, { bodyHash, atMs: deps.clock.now() });
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

function refuseConflict({ count }: IdempotencyDeps, { owner }: KeyedNotification): AcceptAnswer {
  count(owner.channel, 'conflict');
  return refusal('idempotency-conflict', {
    detail: 'Send a different notification under a different Idempotency-Key.',
  });
}
