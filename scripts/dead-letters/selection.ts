import { parsePlace, type Letter } from './letter.ts';

/** The dead letters that a command applies to; absent criteria do not restrict them. */
export interface Selection {
  /** Worker (`notification`), dead-letter topic or original topic, with or without the prefix. */
  readonly topics: readonly string[];
  /** Codes; a trailing `*` matches any suffix. */
  readonly codes: readonly string[];
  /** The whole key as text, or its bytes in hexadecimal. */
  readonly key: string | undefined;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Places of letters, and ids of notifications. */
  readonly ids: readonly string[];
}

/** Whether there is any criterion, so that no action applies to all letters by mistake. */
export function isRestricted({ topics, codes, key, sinceMs, untilMs, ids }: Selection): boolean {
  const isTimed = sinceMs !== undefined || untilMs !== undefined;
  return topics.length + codes.length + ids.length > 0 || key !== undefined || isTimed;
}

/** Whether some ids are not places, so that letters must be matched by notification id. */
export function namesNotifications({ ids }: Selection): boolean {
  return ids.some((id) => parsePlace(id) === undefined);
}

/** Whether a letter with this message key is one of the selection. `prefix` is the one of all topics. */
export function selects(selection: Selection, letter: Letter, key: Buffer | null, prefix: string): boolean {
  const { sinceMs = -Infinity, untilMs = Infinity } = selection;
  if (letter.atMs < sinceMs || letter.atMs >= untilMs) return false;
  return (
    isOneOf(selection.topics, (topic) => isOfTopic(letter, topic, prefix)) &&
    isOneOf(selection.codes, (code) => isOfCode(letter.code, code)) &&
    (selection.key === undefined || isKey(selection.key, key)) &&
    isOneOf(
      selection.ids,
      (id) => id === letter.id || prefix + id === letter.id || isNotification(letter, id),
    )
  );
}

/** An empty list restricts nothing. */
function isOneOf(asked: readonly string[], fits: (one: string) => boolean): boolean {
  return asked.length === 0 || asked.some(fits);
}

function isOfTopic({ topic, original }: Letter, asked: string, prefix: string): boolean {
  const isName = (name: string): boolean => topic === name || original?.topic === name;
  return isName(asked) || isName(prefix + asked) || topic.startsWith(`${prefix}plat.${asked}.dead-letters.`);
}

function isOfCode(code: string, asked: string): boolean {
  return asked.endsWith('*') ? code.startsWith(asked.slice(0, -1)) : code === asked;
}

function isKey(asked: string, key: Buffer | null): boolean {
  return key !== null && (key.toString('utf8') === asked || key.toString('hex') === asked.toLowerCase());
}

function isNotification({ notificationId }: Letter, id: string): boolean {
  return notificationId?.toLowerCase() === id.toLowerCase();
}
