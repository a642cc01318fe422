import { REMOVED_SETTINGS } from './removed-settings.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from './errors.ts';
import { isLoopback } from './host-names.ts';
import { nearestName } from './nearest-name.ts';
import { QUEUE_LIMITS } from './queue-limits.ts';
import { environment, SECRETS, type Environment } from './settings.ts';

/** Time limit for requests with `Prefer: respond-async`. Calculations take seconds at most, but may wait in a queue. */
const ASYNC_TIMEOUT_MS: number = 60_000;
/** A message on a topic holds 8 MiB of text and decoded files. In JSON, files are a third longer. */
const EMAIL_BODY_LIMIT_BYTES: number = 10 * 1_024 * 1_024;

type Given = Readonly<Record<string, string | undefined>>;

export interface Config extends ReturnType<typeof toConfig> {
  readonly settings: readonly SettingState[];
}

/** Quotas of notifications for one UTC day (N6). An undefined quota sets no limit. */
export interface QuotaSettings {
  readonly countries: readonly string[] | undefined;
  readonly perCaller: number | undefined;
  readonly perReceiver: number | undefined;
  /** By country of SMS receivers; `*`: each country that is not listed. */
  readonly perCountry: ReadonlyMap<string, number>;
}

/** Parses an environment such as `process.env`. Throws ConfigError, which names all invalid settings but no secrets. */
export function loadConfig(env: Given): Config {
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
  const issues = parsed.success ? [] : parsed.error.issues;
  const wrong = issues.map(({ path: field, message }) => `${field.join('.')}: ${message}`);
  const faults = [...findUnknownNames(given), ...unreadable, ...wrong, ...findContradictions(given)];
  if (faults.length > 0 || !parsed.success) {
    throw new ConfigError(`the configuration is invalid:\n  ${faults.join('\n  ')}`);
  }
  return { ...toConfig(parsed.data), settings: settingStates(given) };
}

/** Whether a setting was set, and its value if operators may see it. */
export interface SettingState {
  readonly name: string;
  /** `file`: the variable `<NAME>_FILE` names a file that contains it. */
  readonly source: 'default' | 'set' | 'file';
  /** The value in effect; absent if it was set and is not shown, or if there is none. */
  readonly value?: string;
}

/** `given`: the variables that are set and valid, those of `<NAME>_FILE` included. */
function settingStates(given: Given): readonly SettingState[] {
  return Object.entries(environment.shape).map(([name, kind]) => {
    if (SECRETS.some((secret) => secret === name) && given[`${name}_FILE`] !== undefined)
      return { name, source: 'file' };
    const text = given[name];
    if (text !== undefined)
      return { name, source: 'set', ...(kind.meta()?.['isShown'] === true ? { value: text } : {}) };
    const value = 'defaultValue' in kind.def ? String(kind.def.defaultValue) : '';
    return { name, source: 'default', ...(value === '' ? {} : { value }) };
  });
}

const CONCURRENCY = 64;
/** Prefixes of our settings: an unknown name with one of them is refused as a misspelling. */
const OWN_PREFIX = /^(?:AUTH|KAFKA|LENDER|NOTIFICATION)_/;
/** Variables of Kafka scripts (KAFKA_HEAP_OPTS), `npm run kafka`, Docker Compose, Kubernetes (KAFKA_SERVICE_HOST). */
const FOREIGN_NAME =
  /^KAFKA_(?:HOME|DEBUG|CACHE_DIR|(?:\w+_)?OPTS)$|_SERVICE_HOST$|_SERVICE_PORT(?:_\w+)?$|_PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/;

function findUnknownNames(given: Given): string[] {
  const settings = [...Object.keys(environment.shape), ...SECRETS.map((name) => `${name}_FILE`)];
  const removed = Object.entries(REMOVED_SETTINGS)
    .filter(([name]) => given[name] !== undefined)
    .map(([name, instead]) => `${name}: this setting has been removed: ${instead}`);
  const known = new Set([...settings, ...Object.keys(REMOVED_SETTINGS)]);
  const unknown = Object.keys(given)
    .filter((name) => OWN_PREFIX.test(name) && !FOREIGN_NAME.test(name) && !known.has(name))
    .map((name) => {
      const nearest = nearestName(name, settings);
      return `${name}: there is no such setting${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    });
  return [...removed, ...unknown];
}

const NEEDS_DISK =
  'NOTIFICATION_CONFIG_FILE needs a DATA_DIR or KAFKA_BROKERS: with DATA_DIR=memory a restart or crash loses notifications ' +
  'that were accepted but not sent, and repeated Idempotency-Keys may send notifications again';
const NEEDS_SECRET =
  'NOTIFICATION_QUOTA_RECEIVER on Kafka needs RESULT_ID_SECRET, the same for all ingress and notification processes: ' +
  'it is the key for the hashes of receivers';

/** Compares only valid settings. Invalid ones are reported separately. */
function findContradictions(given: Given): string[] {
  const readable = Object.entries(environment.shape).flatMap(([name, kind]) => {
    const read = kind.safeParse(given[name]);
    return read.success ? [[name, read.data]] : [];
  });
  const env = Object.fromEntries(readable) as Partial<Environment>;
  const isOnKafka = given['KAFKA_BROKERS'] !== undefined;
  const rules: Rules = {
    ...kafkaRules(env),
    'SCHEMA_REGISTRY_PASSWORD needs a SCHEMA_REGISTRY_URL that is https or on loopback':
      env.SCHEMA_REGISTRY_PASSWORD !== undefined && isPlainText(env.SCHEMA_REGISTRY_URL),
    'KAFKA_SASL_OAUTH_TOKEN_URL must be https or on loopback: it receives the client secret': isPlainText(
      env.KAFKA_SASL_OAUTH_TOKEN_URL,
    ),
    'AUTH_JWKS_URL must be https or on loopback: its keys verify access tokens': isPlainText(
      env.AUTH_JWKS_URL,
    ),
    'PUBLIC_URL must be https or on loopback: receipts and unsubscriptions arrive there': isPlainText(
      env.PUBLIC_URL,
    ),
    [NEEDS_DISK]: env.NOTIFICATION_CONFIG_FILE !== undefined && !isOnKafka && env.DATA_DIR === 'memory',
    [NEEDS_SECRET]:
      env.NOTIFICATION_QUOTA_RECEIVER !== undefined && isOnKafka && env.RESULT_ID_SECRET === undefined,
    'set only one of AUTH_JWT_SECRET and AUTH_JWKS_URL':
      env.AUTH_JWT_SECRET !== undefined && env.AUTH_JWKS_URL !== undefined,
  };
  return Object.keys(rules).filter((rule) => rules[rule]);
}

/** Whether each rule is broken, by the text of the rule. */
type Rules = Readonly<Record<string, boolean>>;

function kafkaRules(env: Partial<Environment>): Rules {
  const mechanism = env.KAFKA_SASL_MECHANISM;
  const lacksUser = env.KAFKA_SASL_USERNAME === undefined || env.KAFKA_SASL_PASSWORD === undefined;
  const sendsSecret = mechanism === 'plain' || mechanism === 'oauthbearer';
  const isRemote = (env.KAFKA_BROKERS ?? []).some((broker) => !isLoopback(broker.replace(/:\d*$/, '')));
  const files = ['KAFKA_SSL_CA_FILE', 'KAFKA_SSL_CERT_FILE', 'KAFKA_SSL_KEY_FILE'] as const;
  const isUnencrypted = env.KAFKA_SSL === false;
  return {
    [`KAFKA_SASL_MECHANISM ${mechanism} needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD`]:
      mechanism !== undefined && lacksUser,
    'KAFKA_SASL_MECHANISM oauthbearer needs KAFKA_SASL_OAUTH_TOKEN_URL':
      mechanism === 'oauthbearer' && env.KAFKA_SASL_OAUTH_TOKEN_URL === undefined,
    'KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE must be set together':
      (env.KAFKA_SSL_CERT_FILE === undefined) !== (env.KAFKA_SSL_KEY_FILE === undefined),
    ...Object.fromEntries(
      files.map((file) => [
        `${file} has no effect without KAFKA_SSL=true`,
        isUnencrypted && env[file] !== undefined,
      ]),
    ),
    [`KAFKA_SASL_MECHANISM ${mechanism} needs KAFKA_SSL=true for brokers beyond loopback: it sends its secret in plain text`]:
      sendsSecret && isRemote && isUnencrypted,
  };
}

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
      bodyLimitBytes: env.BODY_LIMIT_BYTES,
      rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND,
    },
    logLevel: env.LOG_LEVEL,
    topicPrefix: env.KAFKA_TOPIC_PREFIX,
    replyTopics: env.REPLY_TOPICS,
    kafka: env.KAFKA_BROKERS === undefined ? undefined : kafkaSettings(env, env.KAFKA_BROKERS),
    schemaRegistry: {
      url: env.SCHEMA_REGISTRY_URL,
      username: env.SCHEMA_REGISTRY_USERNAME,
      password: env.SCHEMA_REGISTRY_PASSWORD,
    },
    replyTimeoutMs: env.REPLY_TIMEOUT_MS,
    asyncTimeoutMs: ASYNC_TIMEOUT_MS,
    resultIdSecret: env.RESULT_ID_SECRET,
    auth: {
      jwtSecret: env.AUTH_JWT_SECRET,
      jwksUrl: env.AUTH_JWKS_URL,
      issuer: env.AUTH_ISSUER,
      audience: env.AUTH_AUDIENCE,
    },
    lending: {
      defaultHolidayCalendar: env.DEFAULT_HOLIDAY_CALENDAR,
      catalogueFolder: env.CATALOGUE_FOLDER,
    },
    lender: {
      name: env.LENDER_NAME,
      address: env.LENDER_ADDRESS,
      contact: env.LENDER_CONTACT,
      logoFile: env.LENDER_LOGO_FILE,
    },
    notification: {
      configFile: env.NOTIFICATION_CONFIG_FILE,
      publicUrl: env.PUBLIC_URL ?? localUrl(env),
      callbacks: env.NOTIFICATION_CALLBACKS ?? [],
      outboxFolder: path.join(env.DATA_DIR === 'memory' ? 'var' : env.DATA_DIR, 'outbox'),
      defaultCountry: env.NOTIFICATION_DEFAULT_COUNTRY,
      retryTiersMs: env.NOTIFICATION_RETRY_TIERS,
      timeLimitMs: env.NOTIFICATION_TIME_LIMIT,
      unknownPolicy: env.NOTIFICATION_UNKNOWN,
      sendTimeoutMs: env.NOTIFICATION_SEND_TIMEOUT_MS,
      emailBodyLimitBytes: EMAIL_BODY_LIMIT_BYTES,
      quotas: quotaSettings(env),
    },
    dataFolder: env.DATA_DIR === 'memory' ? undefined : env.DATA_DIR,
    systemProcessUrls: env.SYSTEM_PROCESS_URLS,
    /** Messages that a consumer handles at once. Tests and the simulation reduce it and `limits`; no setting does. */
    concurrency: CONCURRENCY as number,
    limits: QUEUE_LIMITS,
  } as const;
}

/** With the local outbox, links of its mails lead to the ingress of this machine. */
function localUrl({ NOTIFICATION_CONFIG_FILE, HOST, PORT }: Environment): string | undefined {
  const isLocal = NOTIFICATION_CONFIG_FILE === undefined && isLoopback(HOST);
  return isLocal ? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}` : undefined;
}

function quotaSettings(env: Environment): QuotaSettings | undefined {
  const quotas = {
    countries: env.NOTIFICATION_COUNTRIES,
    perCaller: env.NOTIFICATION_QUOTA_CALLER,
    perReceiver: env.NOTIFICATION_QUOTA_RECEIVER,
    perCountry: env.NOTIFICATION_QUOTA_COUNTRY,
  };
  if (Object.values(quotas).every((value) => value === undefined)) return undefined;
  return { ...quotas, perCountry: quotas.perCountry ?? new Map() };
}

function kafkaSettings(env: Environment, brokers: readonly string[]) {
  return {
    client: env.KAFKA_CLIENT,
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
