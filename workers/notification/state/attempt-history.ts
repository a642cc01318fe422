import type { AttemptRecord } from '../../../shared/notification/notification-state.ts';
import type { CommandCopy } from './command-copy.ts';
import type { LedgerEntry } from './delivery-state.ts';

/** Enough to see what happened; a day of hourly rounds would not say more. */
const MAX_ATTEMPTS = 20;
const RESULTS: ReadonlySet<string> = new Set(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']);

/**
 * Former and new tries, the newest last, 20 at most. Tries of unknown outcome are kept before others: the providers that
 * may be asked depend on them, and what may be said of the end.
 */
export function addAttempts(
  former: readonly AttemptRecord[],
  added: readonly AttemptRecord[],
): readonly AttemptRecord[] {
  const all = [...former, ...added];
  if (all.length <= MAX_ATTEMPTS) return all;
  const unknown = all.filter(isUnknown).slice(0, MAX_ATTEMPTS);
  const others = all.filter((attempt) => !isUnknown(attempt));
  const kept = new Set([...unknown, ...others.slice(others.length - (MAX_ATTEMPTS - unknown.length))]);
  return all.filter((attempt) => kept.has(attempt));
}

/** Whether it was handed to a provider since its time limit began: when it entered the log, or was sent again. */
export function wasTried({
  history,
  timeLimitFromMs,
}: Pick<CommandCopy, 'history' | 'timeLimitFromMs'>): boolean {
  return history.some(({ at }) => at >= timeLimitFromMs);
}

export function isUnknown({ result }: Pick<AttemptRecord, 'result'>): boolean {
  return result === 'unknown';
}

/**
 * What is known to have been tried before: by the copy's own history, and by the ledger where a copy does not tell of a
 * sending whose outcome is unknown.
 */
export function knownAttempts(
  history: readonly AttemptRecord[],
  known: LedgerEntry | undefined,
  nowMs: number,
): readonly AttemptRecord[] {
  const untold = (known?.attempts ?? []).filter(
    (one) => isUnknown(one) && !history.some((told) => isUnknown(told) && told.attempt === one.attempt),
  );
  if (known?.status === 'parked' && !history.some(isUnknown)) {
    const { attempt, code } = known;
    untold.push({ attempt, at: nowMs, provider: '-', result: 'unknown', code });
  }
  return untold.length === 0 ? history : addAttempts(untold, history);
}

/** Reads the header; anything that is no list of tries counts as none. */
export function readAttempts(text: string | undefined): readonly AttemptRecord[] {
  if (text === undefined) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.slice(-MAX_ATTEMPTS).flatMap(attemptOf) : [];
  } catch {
    return [];
  }
}

function attemptOf(value: unknown): AttemptRecord[] {
  if (typeof value !== 'object' || value === null) return [];
  const { attempt, at, provider, result, code, repeatableBy } = value as Partial<AttemptRecord>;
  const isWhole = Number.isSafeInteger(attempt) && Number.isSafeInteger(at);
  if (!isWhole || attempt === undefined || at === undefined || typeof provider !== 'string') return [];
  if (result === undefined || !RESULTS.has(result)) return [];
  const told = { attempt, at, provider, result, code: typeof code === 'string' ? code : undefined };
  return [typeof repeatableBy === 'string' ? { ...told, repeatableBy } : told];
}
