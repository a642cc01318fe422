import type { KnownNotification } from '../../../shared/contract/operations/notification-lists.ts';
import { earliestTime } from '../../../shared/notification/notification-state.ts';
import { ACCEPTANCE_RETENTION_MS } from '../../../shared/platform/retention.ts';
import type { NotificationFeed } from './notification-feed.ts';

/** The longest time from the acceptance of a notification to its first attempt by default. */
const LATE_ATTEMPT_MS = 25 * 3_600_000;

/** What is known of the notification with this id. Rejects or throws as the feed does. */
export async function findNotification(
  feed: Pick<NotificationFeed, 'acceptance' | 'state'>,
  notificationId: string,
): Promise<KnownNotification | undefined> {
  const acceptance = await feed.acceptance(notificationId);
  const state = await feed.state(notificationId);
  // After a later use of the Idempotency-Key the acceptance is that of the later notification, and shows only the caller.
  const isAccepted = acceptance?.notificationId === notificationId;
  return isAccepted || state !== undefined ? { notificationId, acceptance, state } : undefined;
}

/**
 * Whether a caller, given by the hash of its subject, may query a notification: its own, or that of an upstream system, which
 * wrote the command itself. A state without an acceptance belongs to an upstream system only as long as an acceptance would still
 * be known.
 */
export function mayQuery(
  { acceptance, state }: KnownNotification,
  { owner, nowMs }: { readonly owner: string; readonly nowMs: number },
): boolean {
  if (acceptance !== undefined) return acceptance.owner === owner;
  return state !== undefined && nowMs - earliestTime(state) < ACCEPTANCE_RETENTION_MS - LATE_ATTEMPT_MS;
}
