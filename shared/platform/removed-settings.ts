/** Settings that have no effect any more, each with what takes its place: a start with one of them is refused. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  ASYNC_TIMEOUT_MS: 'a request with Prefer: respond-async may take a minute',
  HOLIDAY_COUNTRIES: 'the calendar of a country is read when it is first used',
  NOTIFICATION_LANES: 'a notification worker serves normal and urgent notifications',
  CLOCK_OFFSET_LIMIT_MS: 'processes use the clock of their machine: synchronise it by NTP',
  BLOCKED_LOOP_LIMIT_MS: 'let the supervisor restart a process that does not answer /health/live',
};
