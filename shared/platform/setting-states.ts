import { environment, SECRETS } from './settings.ts';

/** Whether a setting was set, and its value if operators may see it. */
export interface SettingState {
  readonly name: string;
  /** `file`: the variable `<NAME>_FILE` names a file that contains it. */
  readonly source: 'default' | 'set' | 'file';
  /** The value in effect; absent if it was set and is not shown, or if there is none. */
  readonly value?: string;
}

/**
 * The settings whose values operators see; a new one is hidden until it is listed. Secrets, users, addresses of other systems and
 * paths are not: who attacks the installation needs them more than who operates it. Defaults are documented.
 */
const SHOWN: ReadonlySet<string> = new Set([
  'HOST',
  'PORT',
  'HEALTH_PORT',
  'LOG_LEVEL',
  'KAFKA_CLIENT',
  'KAFKA_TOPIC_PREFIX',
  'KAFKA_SSL',
  'KAFKA_SASL_MECHANISM',
  'BODY_LIMIT_BYTES',
  'RATE_LIMIT_PER_SECOND',
  'REPLY_TIMEOUT_MS',
  'DEFAULT_HOLIDAY_CALENDAR',
  'NOTIFICATION_DEFAULT_COUNTRY',
  'NOTIFICATION_RETRY_TIERS',
  'NOTIFICATION_TIME_LIMIT',
  'NOTIFICATION_UNKNOWN',
  'NOTIFICATION_SEND_TIMEOUT_MS',
  'NOTIFICATION_COUNTRIES',
  'NOTIFICATION_QUOTA_CALLER',
  'NOTIFICATION_QUOTA_RECEIVER',
  'NOTIFICATION_QUOTA_COUNTRY',
]);

/** Settings whose value is a duration as text, but whose default is a number of milliseconds. */
const DURATIONS = /^(?:NOTIFICATION_RETRY_TIERS|NOTIFICATION_TIME_LIMIT)$/;
const UNITS = [
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/**
 * The states of all settings in their order. `given`: the variables that are set and valid, those of `<NAME>_FILE` included.
 */
export function settingStates(given: Readonly<Record<string, string | undefined>>): readonly SettingState[] {
  return Object.entries(environment.shape).map(([name, kind]) => {
    const isFile = SECRETS.some((secret) => secret === name) && given[`${name}_FILE`] !== undefined;
    if (isFile) return { name, source: 'file' };
    const text = given[name];
    if (text !== undefined) return { name, source: 'set', ...(SHOWN.has(name) ? { value: text } : {}) };
    const value = defaultText(name, kind.parse(undefined));
    return { name, source: 'default', ...(value === undefined ? {} : { value }) };
  });
}

/** A default value as it would be set; undefined if there is none. */
function defaultText(name: string, value: unknown): string | undefined {
  const values = (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    if (typeof one === 'number' && DURATIONS.test(name)) return [durationText(one)];
    return typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [String(one)]
      : [];
  });
  return values.length === 0 || values.join('') === '' ? undefined : values.join(',');
}

function durationText(ms: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => ms % size === 0) ?? [1, 'ms'];
  return `${ms / unitMs}${unit}`;
}
