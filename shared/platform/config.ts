import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  COMMAND_RETENTION_MS,
  MAX_RETRY_TIER_MS,
  MAX_TIME_LIMIT_MS,
  OUTCOME_RETENTION_MS,
} from './retention.ts';
import { ConfigError } from './errors.ts';
import { isLoopback } from './host-names.ts';
import { LOG_LEVELS } from './log.ts';
import { nearestName } from './nearest-name.ts';
import {
  count,
  durations,
  durationUpTo,
  flag,
  hosts,
  list,
  listOf,
  oneOf,
  port,
  secret,
  webAddress,
} from './setting-kinds.ts';

/**
 * The configuration of a process: the only place that reads the environment. Every setting has a default that lets a
 * newcomer start without any; a wrong one is refused by name, all at once. A secret may be given as a file
 * (`NAME_FILE`), as mounted secrets are.
 */
const KIB = 1_024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A month, for batch systems whose issuer allows no shorter tokens. */
const MAX_TOKEN_LIFETIME_MS = 720 * HOUR;
const COMMANDS_KEPT = `commands are kept for ${COMMAND_RETENTION_MS / HOUR}h`;
const OUTCOMES_KEPT = `outcomes are kept for ${OUTCOME_RETENTION_MS / HOUR}h`;

/** The lanes of a schedule worker, which share nothing but the process where one serves both. */
const SCHEDULE_LANES = ['interactive', 'bulk'] as const;

const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8_080),
  /** Names beside those of loopback that callers may put into Host and Origin, as a reverse proxy passes them on. */
  ALLOWED_HOSTS: hosts.default([]),
  /** Health and metrics of processes without an ingress; absent: none. */
  HEALTH_PORT: port.optional(),
  LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
  BASE_PATH: z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'must be empty or a path such as /bank')
    .default(''),
  KAFKA_BROKERS: list.optional(),
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,64}$/, 'may hold letters, digits, dot, dash and underscore, 64 at most')
    .default(''),
  KAFKA_SSL: flag.default(false),
  KAFKA_SSL_CA_FILE: z.string().optional(),
  KAFKA_SSL_CERT_FILE: z.string().optional(),
  KAFKA_SSL_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: oneOf(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']).optional(),
  KAFKA_SASL_USERNAME: z.string().optional(),
  KAFKA_SASL_PASSWORD: z.string().optional(),
  /** Token endpoint for oauthbearer (client credentials). */
  KAFKA_SASL_OAUTH_TOKEN_URL: webAddress.optional(),
  SCHEMA_REGISTRY_URL: webAddress.optional(),
  SCHEMA_REGISTRY_USERNAME: z.string().optional(),
  SCHEMA_REGISTRY_PASSWORD: z.string().optional(),
  BODY_LIMIT_BYTES: count(64 * KIB * KIB, KIB).default(256 * KIB),
  RATE_LIMIT_PER_SECOND: count(1_000_000).default(100),
  REPLY_TIMEOUT_MS: count(10 * MINUTE, 1).default(10 * SECOND),
  ASYNC_TIMEOUT_MS: count(60 * MINUTE, 1).default(MINUTE),
  /** Signs result addresses; all ingress instances of one cluster share it. */
  RESULT_ID_SECRET: secret(16).optional(),
  AUTH_JWT_SECRET: secret(32).optional(),
  AUTH_JWKS_URL: webAddress.optional(),
  AUTH_JWKS_FILE: z.string().optional(),
  AUTH_ISSUER: z.string().optional(),
  /** Each token has to name it in `aud`: a token that was issued for another service opens nothing here. */
  AUTH_AUDIENCE: z.string().default('banking-product-engine'),
  /** The longest time that a token may be valid, since a stolen one opens until it expires. */
  AUTH_MAX_LIFETIME: durationUpTo(MAX_TOKEN_LIFETIME_MS, 'a stolen token opens until it expires').default(
    24 * HOUR,
  ),
  AUTH_USER_CLAIM: z.string().optional(),
  /** Name of the holiday calendar that serves requests which name none (H2). */
  DEFAULT_HOLIDAY_CALENDAR: z.string().optional(),
  /** Countries whose calendars are checked and read at start, so that no request waits for a file. */
  HOLIDAY_COUNTRIES: list.default([]),
  /** Folder of the product catalogue that is put onto the embedded broker. */
  CATALOGUE_FOLDER: z.string().optional(),
  /** Provider configuration of the notifications (interface 4.8), a mounted secret; absent: the local outbox. */
  NOTIFICATION_CONFIG_FILE: z.string().optional(),
  /** Lets a provider configuration work over the embedded broker, which loses what it holds with its process. */
  NOTIFICATION_ALLOW_LOSS: flag.default(false),
  /** Folder of the local outbox, which takes the messages where no provider is configured. */
  OUTBOX_FOLDER: z.string().default('var/outbox'),
  /** ISO 3166 country of telephone numbers without a country code; absent: they are refused (N4). */
  NOTIFICATION_DEFAULT_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be an ISO 3166 code such as RO')
    .optional(),
  /** Delays of the retry tiers in their order; the last is repeated until the time limit. */
  NOTIFICATION_RETRY_TIERS: durations
    .refine(
      (tiersMs) => tiersMs.every((delayMs) => delayMs <= MAX_RETRY_TIER_MS),
      `must hold durations of ${MAX_RETRY_TIER_MS / HOUR}h at most: ${OUTCOMES_KEPT}`,
    )
    .default([10_000, MINUTE, 10 * MINUTE, HOUR]),
  /** A notification that could not be sent within so long becomes a dead letter. */
  NOTIFICATION_TIME_LIMIT_SMS: durationUpTo(MAX_TIME_LIMIT_MS, COMMANDS_KEPT).default(6 * HOUR),
  NOTIFICATION_TIME_LIMIT_EMAIL: durationUpTo(MAX_TIME_LIMIT_MS, COMMANDS_KEPT).default(24 * HOUR),
  /** What becomes of a notification whose sending had an unknown outcome. */
  NOTIFICATION_UNKNOWN_SMS: oneOf(['park', 'resend']).default('park'),
  NOTIFICATION_UNKNOWN_EMAIL: oneOf(['park', 'resend']).default('park'),
  /** One call of a provider, from connecting to its answer. */
  NOTIFICATION_SEND_TIMEOUT_MS: count(10 * MINUTE, 100).default(30 * SECOND),
  EMAIL_BODY_LIMIT_BYTES: count(64 * KIB * KIB, KIB).default(10 * KIB * KIB),
  /** Over the embedded broker: takes address and token of the admin endpoint; `none`: there is no endpoint. */
  ADMIN_FILE: z.string().default('var/admin.json'),
  DRAIN_TIMEOUT_MS: count(10 * MINUTE).default(10 * SECOND),
  /** How long a start waits for Kafka and the schema registry; 0: not at all. */
  START_TIMEOUT_MS: count(HOUR).default(2 * MINUTE),
  /** A process whose event loop is blocked for so long ends; 0: it is not watched. */
  BLOCKED_LOOP_LIMIT_MS: count(10 * MINUTE).default(30 * SECOND),
  /** Lanes that a schedule worker serves: live requests, those of whole portfolios, or both. */
  SCHEDULE_LANES: listOf(SCHEDULE_LANES).default([...SCHEDULE_LANES]),
  /** Messages handled side by side by one consumer. */
  LANES: count(10_000, 1).default(64),
});

type Environment = z.infer<typeof environment>;
/** The variables that are set to something. */
type Given = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof toConfig>;

/** Settings that may come from a file named by `<NAME>_FILE`. */
const SECRETS = [
  'KAFKA_SASL_PASSWORD',
  'SCHEMA_REGISTRY_PASSWORD',
  'RESULT_ID_SECRET',
  'AUTH_JWT_SECRET',
] as const;

/**
 * Reads the settings from an environment, `process.env` in production.
 * Throws ConfigError naming every wrong setting and what is allowed; values are never repeated in it.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const unreadable: string[] = [];
  for (const name of SECRETS) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    try {
      given[name] = readFileSync(file, 'utf8').trim();
    } catch {
      unreadable.push(`${name}_FILE: the file cannot be read`);
    }
  }
  const parsed = environment.safeParse(given);
  const wrong = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const faults = [...unknownNames(given), ...unreadable, ...wrong, ...contradictions(given)];
  if (faults.length > 0 || !parsed.success) {
    throw new ConfigError(`the configuration is wrong:\n  ${faults.join('\n  ')}`);
  }
  return toConfig(parsed.data);
}

/** Names that begin so are ours, so that one which no setting has is a misspelling. */
const OWN_PREFIX = /^(?:AUTH|KAFKA|NOTIFICATION)_/;
/**
 * Variables of others that begin alike and may stand in a shell or a container: those of Kafka's own scripts
 * (KAFKA_HOME, KAFKA_HEAP_OPTS), the folder of `npm run kafka`, the port of docker-compose.yml, and the addresses that
 * Kubernetes gives every container of the services in its namespace (KAFKA_SERVICE_HOST, KAFKA_PORT_9092_TCP_ADDR).
 */
const FOREIGN_NAME =
  /^KAFKA_(?:HOME|DEBUG|CACHE_DIR|(?:\w+_)?OPTS)$|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/;

/** Names of no setting, each with the setting that it was probably meant to be. */
function unknownNames(given: Given): string[] {
  const settings = [...Object.keys(environment.shape), ...SECRETS.map((name) => `${name}_FILE`)];
  return Object.keys(given)
    .filter((name) => OWN_PREFIX.test(name) && !FOREIGN_NAME.test(name) && !settings.includes(name))
    .map((name) => {
      const nearest = nearestName(name, settings);
      return `${name}: there is no such setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    });
}

/**
 * Settings that contradict one another, as far as they can be read: a setting that is wrong by itself is left out, so
 * that everything is reported at once.
 */
function contradictions(given: Given): string[] {
  const readable = Object.entries(environment.shape).flatMap(([name, kind]) => {
    const read = kind.safeParse(given[name]);
    return read.success ? [[name, read.data]] : [];
  });
  const env = Object.fromEntries(readable) as Partial<Environment>;
  const keys = [env.AUTH_JWT_SECRET, env.AUTH_JWKS_URL, env.AUTH_JWKS_FILE].filter(
    (key) => key !== undefined,
  );
  return [
    ...kafkaContradictions(env),
    ...plainTextSecrets(env),
    ...providersWithoutDurableLog(given, env),
    ...(keys.length > 1 ? ['give one of AUTH_JWT_SECRET, AUTH_JWKS_URL and AUTH_JWKS_FILE'] : []),
  ];
}

function kafkaContradictions(env: Partial<Environment>): string[] {
  const faults: string[] = [];
  const sasl = env.KAFKA_SASL_MECHANISM;
  if (
    sasl !== undefined &&
    (env.KAFKA_SASL_USERNAME === undefined || env.KAFKA_SASL_PASSWORD === undefined)
  ) {
    faults.push(`KAFKA_SASL_MECHANISM ${sasl} needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD`);
  }
  if (sasl === 'oauthbearer' && env.KAFKA_SASL_OAUTH_TOKEN_URL === undefined) {
    faults.push('KAFKA_SASL_MECHANISM oauthbearer needs KAFKA_SASL_OAUTH_TOKEN_URL');
  }
  if ((env.KAFKA_SSL_CERT_FILE === undefined) !== (env.KAFKA_SSL_KEY_FILE === undefined)) {
    faults.push('KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE are given together');
  }
  if (env.KAFKA_SSL === false) {
    const files = ['KAFKA_SSL_CA_FILE', 'KAFKA_SSL_CERT_FILE', 'KAFKA_SSL_KEY_FILE'] as const;
    for (const file of files) {
      if (env[file] !== undefined) faults.push(`${file} has no effect without KAFKA_SSL=true`);
    }
  }
  return faults;
}

function providersWithoutDurableLog(given: Given, env: Partial<Environment>): string[] {
  const isDurable = given['KAFKA_BROKERS'] !== undefined;
  if (isDurable || env.NOTIFICATION_CONFIG_FILE === undefined || env.NOTIFICATION_ALLOW_LOSS === true)
    return [];
  return [
    'NOTIFICATION_CONFIG_FILE needs KAFKA_BROKERS: the embedded broker holds notifications in memory, so that a restart ' +
      'or crash loses those that were accepted and not sent yet, and may send again what a repeated Idempotency-Key ' +
      'names. NOTIFICATION_ALLOW_LOSS=true accepts this',
  ];
}

/** Passwords and keys that would cross a network in plain text. On loopback nobody else can read or change them. */
function plainTextSecrets(env: Partial<Environment>): string[] {
  const faults: string[] = [];
  const mechanism = env.KAFKA_SASL_MECHANISM;
  const sendsSecret = mechanism === 'plain' || mechanism === 'oauthbearer';
  const isRemote = (env.KAFKA_BROKERS ?? []).some((broker) => !isLoopback(broker.replace(/:\d*$/, '')));
  if (sendsSecret && isRemote && env.KAFKA_SSL === false) {
    faults.push(
      `KAFKA_SASL_MECHANISM ${mechanism} needs KAFKA_SSL=true for brokers beyond loopback: it sends its secret as it is`,
    );
  }
  const registry = env.SCHEMA_REGISTRY_URL;
  if (env.SCHEMA_REGISTRY_PASSWORD !== undefined && isPlainText(registry)) {
    faults.push('SCHEMA_REGISTRY_PASSWORD needs a SCHEMA_REGISTRY_URL that is https or on loopback');
  }
  if (isPlainText(env.KAFKA_SASL_OAUTH_TOKEN_URL)) {
    faults.push('KAFKA_SASL_OAUTH_TOKEN_URL must be https or on loopback: it takes the client secret');
  }
  if (isPlainText(env.AUTH_JWKS_URL)) {
    faults.push('AUTH_JWKS_URL must be https or on loopback: its keys decide who is let in');
  }
  return faults;
}

/** Whether an address leads beyond loopback without TLS. */
function isPlainText(address: string | undefined): boolean {
  if (address === undefined) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

function toConfig(env: Environment) {
  return {
    http: {
      host: env.HOST,
      port: env.PORT,
      allowedHosts: env.ALLOWED_HOSTS,
      healthPort: env.HEALTH_PORT,
      basePath: env.BASE_PATH,
      bodyLimitBytes: env.BODY_LIMIT_BYTES,
      rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND,
    },
    logLevel: env.LOG_LEVEL,
    topicPrefix: env.KAFKA_TOPIC_PREFIX,
    kafka: env.KAFKA_BROKERS === undefined ? undefined : kafkaSettings(env, env.KAFKA_BROKERS),
    schemaRegistry: {
      url: env.SCHEMA_REGISTRY_URL,
      username: env.SCHEMA_REGISTRY_USERNAME,
      password: env.SCHEMA_REGISTRY_PASSWORD,
    },
    replyTimeoutMs: env.REPLY_TIMEOUT_MS,
    asyncTimeoutMs: env.ASYNC_TIMEOUT_MS,
    resultIdSecret: env.RESULT_ID_SECRET,
    auth: {
      jwtSecret: env.AUTH_JWT_SECRET,
      jwksUrl: env.AUTH_JWKS_URL,
      jwksFile: env.AUTH_JWKS_FILE,
      issuer: env.AUTH_ISSUER,
      audience: env.AUTH_AUDIENCE,
      maxLifetimeMs: env.AUTH_MAX_LIFETIME,
      userClaim: env.AUTH_USER_CLAIM,
    },
    lending: {
      defaultHolidayCalendar: env.DEFAULT_HOLIDAY_CALENDAR,
      holidayCountries: env.HOLIDAY_COUNTRIES,
      catalogueFolder: env.CATALOGUE_FOLDER,
    },
    notification: {
      configFile: env.NOTIFICATION_CONFIG_FILE,
      outboxFolder: env.OUTBOX_FOLDER,
      defaultCountry: env.NOTIFICATION_DEFAULT_COUNTRY,
      retryTiersMs: env.NOTIFICATION_RETRY_TIERS,
      timeLimitMs: { sms: env.NOTIFICATION_TIME_LIMIT_SMS, email: env.NOTIFICATION_TIME_LIMIT_EMAIL },
      unknownPolicy: { sms: env.NOTIFICATION_UNKNOWN_SMS, email: env.NOTIFICATION_UNKNOWN_EMAIL },
      sendTimeoutMs: env.NOTIFICATION_SEND_TIMEOUT_MS,
      emailBodyLimitBytes: env.EMAIL_BODY_LIMIT_BYTES,
    },
    adminFile: env.ADMIN_FILE === 'none' ? undefined : env.ADMIN_FILE,
    drainTimeoutMs: env.DRAIN_TIMEOUT_MS,
    startTimeoutMs: env.START_TIMEOUT_MS,
    blockedLoopLimitMs: env.BLOCKED_LOOP_LIMIT_MS,
    lanes: env.LANES,
    scheduleLanes: env.SCHEDULE_LANES,
  } as const;
}

function kafkaSettings(env: Environment, brokers: readonly string[]) {
  return {
    brokers,
    ssl: env.KAFKA_SSL
      ? { caFile: env.KAFKA_SSL_CA_FILE, certFile: env.KAFKA_SSL_CERT_FILE, keyFile: env.KAFKA_SSL_KEY_FILE }
      : undefined,
    sasl:
      env.KAFKA_SASL_MECHANISM === undefined
        ? undefined
        : {
            mechanism: env.KAFKA_SASL_MECHANISM,
            username: env.KAFKA_SASL_USERNAME ?? '',
            password: env.KAFKA_SASL_PASSWORD ?? '',
            tokenUrl: env.KAFKA_SASL_OAUTH_TOKEN_URL,
          },
  };
}
