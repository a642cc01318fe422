import type { LogMessage, OffsetRange, PartitionOffset } from '../messaging/message.ts';
import { MessagingError } from '../platform/errors.ts';
import { COMMAND_TOPICS, topicName } from '../messaging/topics/topic-list.ts';
import type { Channel } from '../notification/notification-command.ts';
import { DeadLetterStates, readAudit } from './audit.ts';
import { createBreaks, type DeadLetterContext, countOffsets, newestOf } from './dead-letter-log.ts';
import { type DeadLetter, parsePlace, readDeadLetter } from './read-dead-letter.ts';

export type Scan = Awaited<ReturnType<typeof scanDeadLetters>>;

/** Reads the audit and the newest `maxRecords` dead letters. Rejects with `topic-unknown` if the audit has no topic. */
export async function scanDeadLetters(context: DeadLetterContext, selection: Selection, maxRecords: number) {
  const { deadLetters, audit: auditTopic, prefix } = context.topics;
  const all = await context.log.ranges([...deadLetters, auditTopic]);
  if (!all.some(({ topic }) => topic === auditTopic)) {
    const text = `the topic ${auditTopic} does not exist; create it with: npm run topics -- create`;
    throw new MessagingError('topic-unknown', text, { canRetry: false });
  }
  const retained = all.filter(({ topic }) => topic !== auditTopic);
  const states = new DeadLetterStates();
  const audit = await readAudit(context, (record) => {
    if (retained.some((range) => isIn(record.letter, range))) states.add(record);
  });
  const possible = retained.map((range) => narrow(range, selection, prefix));
  const ranges = newestOf(possible, maxRecords);
  const pause = createBreaks(context);
  const isSelected = createSelector(selection, prefix);
  const letters: DeadLetter[] = [];
  await context.log.read(ranges, async (message) => {
    await pause();
    const letter = await readWithId(context, message, selection);
    if (isSelected(letter, message.key)) letters.push(letter);
    return context.signal.aborted ? 'stop' : 'more';
  });
  const read = countOffsets(ranges);
  return {
    letters,
    states,
    /** How far the audit was read. A letter that was handled counts as open if its records were left out. */
    audit,
    /** False if the limit or the signal cut the scan short, so there may be further letters. */
    isComplete: !context.signal.aborted && read === countOffsets(possible),
    read,
    prefix,
  };
}

/** Criteria for dead letters; absent criteria and empty lists do not restrict the selection. */
export interface Selection {
  /** Worker (`notification`), dead-letter topic or original topic, with or without the prefix. */
  readonly topics?: readonly string[] | undefined;
  /** Codes; a trailing `*` matches any suffix. */
  readonly codes?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly channel?: Channel | undefined;
  readonly key?: string | undefined;
  /** From `since` (inclusive) to `until` (exclusive), in epoch milliseconds. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Letters as topic/partition/offset, and ids of notifications. */
  readonly ids?: readonly string[] | undefined;
}

/** Whether there is a criterion. Actions require one, so that they do not apply to all letters by mistake. */
export function isRestricted(selection: Selection): boolean {
  return Object.values(selection).some((criterion) =>
    Array.isArray(criterion) ? criterion.length > 0 : criterion !== undefined,
  );
}

/** The channel of a notification; undefined for other letters. */
export function channelOf({ original }: DeadLetter, prefix: string): Channel | undefined {
  const key = COMMAND_TOPICS.find((one) => topicName(prefix, one) === original?.topic);
  if (key === undefined) return undefined;
  return topicName('', key).includes('.sms.') ? 'sms' : 'email';
}

/** Returns a function that tells whether a letter with this key is selected. More ids do not make it slower. */
export function createSelector(selection: Selection, prefix: string) {
  const { since = -Infinity, until = Infinity, ids = [] } = selection;
  const places = new Set(ids.flatMap((id) => [id, prefix + id]));
  const notifications = new Set(ids.map((id) => id.toLowerCase()));
  const isNamed = ({ id, notificationId }: DeadLetter): boolean =>
    places.size === 0 || places.has(id) || notifications.has(notificationId?.toLowerCase() ?? '');
  return (letter: DeadLetter, key: Buffer | null): boolean =>
    letter.atMs >= since &&
    letter.atMs < until &&
    isNamed(letter) &&
    isOneOf(selection.topics, (topic) => isOfTopic(letter, topic, prefix)) &&
    isOneOf(selection.codes, (code) =>
      code.endsWith('*') ? letter.code.startsWith(code.slice(0, -1)) : letter.code === code,
    ) &&
    isOneOf(selection.types, (type) => type === letter.type) &&
    (selection.channel === undefined || selection.channel === channelOf(letter, prefix)) &&
    (selection.key === undefined ||
      key?.toString('utf8') === selection.key ||
      key?.toString('hex') === selection.key.toLowerCase());
}

function isIn(place: PartitionOffset, { topic, partition, from, to }: OffsetRange): boolean {
  return place.topic === topic && place.partition === partition && place.offset >= from && place.offset < to;
}

/** From the first to the last place in `ids`; the whole range if there are no ids, or one names a notification. */
function narrow(range: OffsetRange, { ids = [] }: Selection, prefix: string): OffsetRange {
  const places = ids.map(parsePlace).filter((place) => place !== undefined);
  if (ids.length === 0 || places.length < ids.length) return range;
  const offsets = places
    .flatMap((place) => [place, { ...place, topic: prefix + place.topic }])
    .filter((place) => isIn(place, range))
    .map(({ offset }) => offset);
  if (offsets.length === 0) return { ...range, to: range.from };
  return { ...range, from: Math.min(...offsets), to: Math.max(...offsets) + 1 };
}

/** The letter with its type. If ids of notifications are selected, a missing id is read from the command's payload. */
async function readWithId(
  context: DeadLetterContext,
  message: LogMessage,
  selection: Selection,
): Promise<DeadLetter> {
  const letter = { ...readDeadLetter(message), type: await context.codec.typeOf(message) };
  const isCommand = context.topics.destinations.commands.has(letter.original?.topic ?? '');
  // An id that is not a place is the id of a notification.
  const namesNotifications = selection.ids?.some((id) => parsePlace(id) === undefined) === true;
  if (letter.notificationId !== undefined || !isCommand || !namesNotifications) return letter;
  const decoded = await context.codec.decode(message);
  if (decoded.kind !== 'decoded') return letter;
  const { notificationId: id } = (decoded.payload ?? {}) as { readonly notificationId?: unknown };
  return typeof id === 'string' ? { ...letter, notificationId: id } : letter;
}

function isOneOf(wanted: readonly string[] | undefined, matches: (one: string) => boolean): boolean {
  return wanted === undefined || wanted.length === 0 || wanted.some(matches);
}

function isOfTopic({ topic, original }: DeadLetter, asked: string, prefix: string): boolean {
  const isName = (name: string): boolean => topic === name || original?.topic === name;
  return isName(asked) || isName(prefix + asked) || topic.startsWith(`${prefix}plat.${asked}.dead-letters.`);
}
