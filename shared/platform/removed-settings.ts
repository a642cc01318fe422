/** Removed settings, each with what replaces it. A start with one of them is refused. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  ASYNC_TIMEOUT_MS: 'a request with Prefer: respond-async may take a minute',
  HOLIDAY_COUNTRIES: 'the calendar of a country is read when it is first used',
  NOTIFICATION_LANES: 'a notification worker serves normal and urgent notifications',
  CLOCK_OFFSET_LIMIT_MS: 'processes use the clock of their machine: synchronise it by NTP',
  BLOCKED_LOOP_LIMIT_MS: 'let the supervisor restart a process that does not answer /health/live',
  NOTIFICATION_ALLOW_LOSS:
    'providers need a DATA_DIR or KAFKA_BROKERS, so that no accepted notification is lost',
  NOTIFICATION_COSTS: 'NOTIFICATION_QUOTA_CALLER, _RECEIVER and _COUNTRY limit the number of notifications',
  NOTIFICATION_SPEND_LIMIT:
    'NOTIFICATION_QUOTA_CALLER, _RECEIVER and _COUNTRY limit the number of notifications',
  NOTIFICATION_QUOTA_URGENT: 'NOTIFICATION_QUOTA_CALLER counts urgent notifications like any other',
  NOTIFICATION_TIME_LIMIT_SMS: 'NOTIFICATION_TIME_LIMIT holds for both channels',
  NOTIFICATION_TIME_LIMIT_EMAIL: 'NOTIFICATION_TIME_LIMIT holds for both channels',
  NOTIFICATION_UNKNOWN_SMS: 'NOTIFICATION_UNKNOWN holds for both channels',
  NOTIFICATION_UNKNOWN_EMAIL: 'NOTIFICATION_UNKNOWN holds for both channels',
  EMAIL_BODY_LIMIT_BYTES: 'the body of an e-mail may have 10 MiB, as much as a message on a topic can hold',
  OUTBOX_FOLDER: 'the local outbox is the folder outbox in DATA_DIR',
  ADMIN_FILE: 'npm run dead-letters calls the ingress at HOST and PORT, or that of --url',
  START_TIMEOUT_MS:
    'a start waits two minutes for Kafka and the schema registry; a supervisor starts it again',
  DRAIN_TIMEOUT_MS: 'a stopping process has ten seconds to finish its work',
  AUTH_JWKS_FILE: 'set AUTH_JWKS_URL, whose keys are read again when they change, or AUTH_JWT_SECRET',
  AUTH_MAX_LIFETIME: 'an access token may be valid for 24 hours',
  AUTH_USER_CLAIM: 'user_name must equal preferred_username, or sub if there is none',
  LANES: 'a consumer handles 64 messages concurrently, and what is in progress is limited by its work',
  SCHEDULE_LANES: 'each schedule worker serves live and bulk requests, and bulk work yields to live requests',
  BASE_PATH: 'give the engine a host name of its own in the reverse proxy',
};
