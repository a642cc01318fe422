import { z } from 'zod';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The kinds of settings in the environment. */

/** `1`, `true`, `yes`, `on` and their opposites. */
export const flag = z.stringbool({ error: 'must be one of true, false, 1, 0, yes, no, on and off' });
/** A whole number within bounds; one that is not is told of once, whatever is wrong with it. */
export const count = (max: number, min = 0) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce
    .number({ error })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error);
};
export const port = count(65_535);
export const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });
export const secret = (least: number) => z.string().min(least, `must have at least ${least} characters`);
/** An address that can be fetched; others would only fail at the first request. */
/** An address stands in logs and errors, credentials must not: they have settings of their own. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    (text) => !hasCredentials(text),
    'must not hold a user or password: give them by their own settings',
  );
export const list = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )
  .refine((items) => items.length > 0, 'must name at least one');
/** A comma list of host names and addresses without ports, in lower case. */
export const hosts = list
  .transform((items) => items.map((item) => item.toLowerCase()))
  .refine(
    (items) => items.every((item) => HOST_NAME.test(item)),
    'must hold host names or addresses without scheme and port, such as bank.example or [fd00::1]',
  );
/** A comma list of such names, none twice. */
export const listOf = <const Name extends string>(names: readonly Name[]) =>
  list.pipe(
    z
      .array(oneOf(names), { error: `must hold some of ${names.join(', ')}` })
      .refine((items) => new Set(items).size === items.length, 'must not name one twice'),
  );

const HOST_NAME = /^(?:[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[\da-f:.]+\])$/;

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR };
const DURATION = /^([1-9]\d{0,5})([smh])$/;
const MAX_RETRY_TIERS = 8;
/** `10s`, `5m`, `1h` as milliseconds. */
const duration = z
  .string()
  .regex(DURATION, 'must be a duration such as 10s, 5m or 1h')
  .transform((text) => durationMs(text));
/** A duration up to a largest one in milliseconds; `why` says what would be lost beyond it. */
export const durationUpTo = (maxMs: number, why: string) =>
  duration.refine((ms) => ms <= maxMs, `must be ${maxMs / HOUR}h at most: ${why}`);
/** A comma list of durations that grow. */
export const durations = list
  .refine((items) => items.every((item) => DURATION.test(item)), 'must hold durations such as 10s,1m,10m,1h')
  .transform((items) => items.map((item) => durationMs(item)))
  .refine(
    (items) =>
      items.length <= MAX_RETRY_TIERS && items.every((item, at) => at === 0 || item > (items[at - 1] ?? 0)),
    `must hold ${MAX_RETRY_TIERS} durations at most, each longer than the one before`,
  );

function durationMs(text: string): number {
  const [, amount = '0', unit = ''] = DURATION.exec(text) ?? [];
  return Number(amount) * (UNIT_MS[unit] ?? 0);
}

function hasCredentials(text: string): boolean {
  const { username, password } = URL.parse(text) ?? { username: '', password: '' };
  return username !== '' || password !== '';
}
