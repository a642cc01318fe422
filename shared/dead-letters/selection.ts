import { COMMAND_TOPICS, topicName } from '../messaging/topics/topics.ts';
import type { Channel } from '../notification/command.ts';
import { parsePlace, type Letter } from './letter.ts';

/** Criteria for dead letters; absent criteria do not restrict the selection. */
export interface Selection {
  /** Worker (`notification`), dead-letter topic or original topic, with or without the prefix. */
  readonly topics: readonly string[];
  /** Codes; a trailing `*` matches any suffix. */
  readonly codes: readonly string[];
  /** Message types, such as `SendSmsCommand`. */
  readonly types: readonly string[];
  /** Of notifications; those of other messages are excluded then. */
  readonly channel: Channel | undefined;
  /** The complete key as a string or in hexadecimal. */
  readonly key: string | undefined;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Letters as topic/partition/offset, and ids of notifications. */
  readonly ids: readonly string[];
}

/** Whether there is a criterion. Actions require one, so that they do not apply to all letters by mistake. */
export function isRestricted(selection: Selection): boolean {
  const { topics, codes, types, ids, channel, key, sinceMs, untilMs } = selection;
  const isNarrowed = [channel, key, sinceMs, untilMs].some((criterion) => criterion !== undefined);
  return isNarrowed || topics.length + codes.length + types.length + ids.length > 0;
}

/** The channel of a notification by the topic that it came from; undefined for other messages. */
export function channelOf({ original }: Letter, prefix: string): Channel | undefined {
  const key = COMMAND_TOPICS.find((one) => topicName(prefix, one) === original?.topic);
  if (key === undefined) return undefined;
  return topicName('', key).includes('.sms.') ? 'sms' : 'email';
}

/** Whether any of the ids is a notification id, because it does not have the form topic/partition/offset. */
export function namesNotifications({ ids }: Selection): boolean {
  return ids.some((id) => parsePlace(id) === undefined);
}

/**
 * Returns a function that says whether a letter with this message key is selected. It takes no longer for more ids, of which a
 * call may name hundreds. `prefix` is the common topic prefix.
 */
export function createSelector(
  selection: Selection,
  prefix: string,
): (letter: Letter, key: Buffer | null) => boolean {
  const { sinceMs = -Infinity, untilMs = Infinity } = selection;
  const places = new Set(selection.ids.flatMap((id) => [id, prefix + id]));
  const notifications = new Set(selection.ids.map((id) => id.toLowerCase()));
  const isNamed = ({ id, notificationId }: Letter): boolean =>
    places.size === 0 || places.has(id) || notifications.has(notificationId?.toLowerCase() ?? '');
  return (letter, key) =>
    letter.atMs >= sinceMs &&
    letter.atMs < untilMs &&
    isNamed(letter) &&
    isOneOf(selection.topics, (topic) => isOfTopic(letter, topic, prefix)) &&
    isOneOf(selection.codes, (code) => isOfCode(letter.code, code)) &&
    isOneOf(selection.types, (type) => type === letter.type) &&
    (selection.channel === undefined || selection.channel === channelOf(letter, prefix)) &&
    (selection.key === undefined || isKey(selection.key, key));
}

/** An empty list matches every letter. */
function isOneOf(wanted: readonly string[], matches: (one: string) => boolean): boolean {
  return wanted.length === 0 || wanted.some(matches);
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
