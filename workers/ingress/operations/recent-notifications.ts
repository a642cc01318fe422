import type { z } from 'zod';
import {
  describeFound,
  type notificationQuery,
  type FoundNotifications,
  type KnownNotification,
} from '../../../shared/api/operations/notification-lists.ts';
import { createBreaks } from '../../../shared/dead-letters/dead-letter-log.ts';
import { OPERATIONS_LIMITS as LIMITS } from '../../../shared/api/operations/operation-fields.ts';
import type { Timers } from '../../../shared/platform/system-ports.ts';
import type { NotificationFeed, RecentRecord } from '../notifications/notification-feed.ts';
import { findNotification } from '../notifications/status-route.ts';

interface ListDeps {
  readonly feed: Pick<NotificationFeed, 'acceptance' | 'state' | 'receipt' | 'recent'>;
  readonly timers: Timers;
}

/** Records that a call reads, which takes 0.1 to 0.3 s. A page of a rare status may have fewer notifications, or none. */
const MAX_READ = 5_000;
const BATCH = 250;

/** Lists notifications by the time of their last record, the newest first (N14). */
export async function listRecent(
  { feed, timers }: ListDeps,
  { status, channel, limit = LIMITS.defaultPageNotifications, cursor }: z.output<typeof notificationQuery>,
): Promise<FoundNotifications> {
  const notifications: FoundNotifications['notifications'] = [];
  const pause = createBreaks({ timers });
  let place = cursor;
  for (let read = 0; read < MAX_READ; read += BATCH) {
    const records = await feed.recent(BATCH, place);
    for (const record of records) {
      await pause();
      place = record.place;
      const { kind, record: found } = record;
      if (found === undefined || (channel !== undefined && found.channel !== channel)) continue;
      if (status !== undefined && (found.status ?? 'accepted') !== status) continue;
      const known = await findNotification(feed, found.notificationId);
      // Each notification is listed where its last record is.
      if (known === undefined || lastKind(known) !== kind) continue;
      notifications.push(describeFound(known));
      if (notifications.length === limit) return { notifications, nextCursor: `${place.atMs}.${place.row}` };
    }
    if (records.length === 0) return { notifications };
  }
  return { notifications, ...(place !== undefined && { nextCursor: `${place.atMs}.${place.row}` }) };
}

function lastKind({ state, receipt }: KnownNotification): RecentRecord['kind'] {
  if (receipt !== undefined) return 'receipt';
  return state === undefined ? 'acceptance' : 'state';
}
