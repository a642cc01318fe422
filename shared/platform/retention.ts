/** Retention of the notification topics, and the limits of settings that depend on it. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Retention of commands, copies on retry tiers and held messages, so that a command outlives its retries. */
export const COMMAND_RETENTION_MS = 7 * DAY_MS;
/** Retention of outcomes. A command that is repeated within this time is not sent again. */
export const OUTCOME_RETENTION_MS = 3 * DAY_MS;
/** An ingress must know a notification as long as a worker does. The hour allows for clocks of suspended machines. */
export const ACCEPTANCE_RETENTION_MS = OUTCOME_RETENTION_MS + HOUR_MS;

/** Allowance for different clocks, waits for a provider, and waits for a lost copy. */
const MARGIN_MS = DAY_MS;

/** The longest time limit: a waiting command must still exist when its time is over. */
export const MAX_TIME_LIMIT_MS = COMMAND_RETENTION_MS - MARGIN_MS;
/** The longest delay of a retry tier: the outcome of a notification must still exist at its next attempt. */
export const MAX_RETRY_TIER_MS = OUTCOME_RETENTION_MS - MARGIN_MS;
