import { jsonOf } from '../platform/json-pointer.ts';
import type { AttemptRecord } from './notification-state.ts';

/** Maximum number of attempts in a record or header: enough for diagnosis, and few enough for a header. */
const MAX_ATTEMPTS = 20;
/** Largest round that is read from a header. The round after it still fits the Avro int of the delivery log. */
export const MAX_ROUND = 2 ** 31 - 2;
/** Longest provider, code or identity that is read, in UTF-16 code units. Workers write shorter ones. */
const MAX_TEXT = 128;
const RESULTS: ReadonlySet<string> = new Set(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']);

/** Keeps at most 20 attempts. Drops those with an unknown outcome last: they decide which provider may be called. */
export function addAttempts(
  earlier: readonly AttemptRecord[],
  added: readonly AttemptRecord[],
): readonly AttemptRecord[] {
  const all = [...earlier, ...added];
  if (all.length <= MAX_ATTEMPTS) return all;
  const unknown = all.filter(isUnknown).slice(0, MAX_ATTEMPTS);
  const others = all.filter((attempt) => !isUnknown(attempt));
  const kept = new Set([...unknown, ...others.slice(others.length - (MAX_ATTEMPTS - unknown.length))]);
  return all.filter((attempt) => kept.has(attempt));
}

/** True if it is not known whether the attempt sent the message. */
export function isUnknown({ result }: Pick<AttemptRecord, 'result'>): boolean {
  return result === 'unknown';
}

/** Reads the last 20 attempts of a header. Leaves out invalid ones and any that the delivery log cannot store. */
export function readAttempts(text: string | undefined): readonly AttemptRecord[] {
  const list = jsonOf(text ?? '');
  return Array.isArray(list) ? list.slice(-MAX_ATTEMPTS).flatMap(readAttempt) : [];
}

function readAttempt(value: unknown): AttemptRecord[] {
  if (typeof value !== 'object' || value === null) return [];
  const { attempt, at, provider, result, code, repeatableBy } = value as Partial<AttemptRecord>;
  const isWhole = Number.isSafeInteger(attempt) && Number.isSafeInteger(at);
  if (!isWhole || attempt === undefined || at === undefined || attempt < 1 || attempt > MAX_ROUND) return [];
  if (result === undefined || !RESULTS.has(result)) return [];
  if (typeof provider !== 'string' || ![provider, code, repeatableBy].every(isFitting)) return [];
  const read = { attempt, at, provider, result, code: typeof code === 'string' ? code : undefined };
  return [typeof repeatableBy === 'string' ? { ...read, repeatableBy } : read];
}

function isFitting(value: unknown): boolean {
  return typeof value !== 'string' || (value.length <= MAX_TEXT && value.isWellFormed());
}
