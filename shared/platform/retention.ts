/** How long the topics of notifications keep what is on them, and what may be configured within that. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Commands, copies on retry tiers and held messages, so that a command outlives its retries. */
export const COMMAND_RETENTION_MS = 7 * DAY_MS;
/** How long outcomes of notifications are kept: repeated commands within it are not sent again. */
export const OUTCOME_RETENTION_MS = 3 * DAY_MS;

/** Room for clocks that differ, for waiting in front of a provider and for the wait for a copy that is lost. */
const ROOM_MS = DAY_MS;

/** The longest time limit: a command that waits in its place, or behind another one, must be there at its end. */
export const MAX_TIME_LIMIT_MS = COMMAND_RETENTION_MS - ROOM_MS;
/** The longest delay of a retry tier: what is known of a notification must be there when its next copy comes. */
export const MAX_RETRY_TIER_MS = OUTCOME_RETENTION_MS - ROOM_MS;
