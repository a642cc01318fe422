import type { LogMessage, OffsetRange } from '../messaging/message.ts';
import { MessagingError } from '../platform/errors.ts';
import { type AuditReading, LetterStates, readAudit } from './audit.ts';
import { createBreaks, type LetterContext } from './letter-context.ts';
import { countOffsets, newestOf } from './letter-log.ts';
import { type Letter, type LogPlace, parsePlace, readLetter } from './letter.ts';
import { createSelector, namesNotifications, type Selection } from './selection.ts';

export interface Scan {
  /** The selected letters in the order of their offsets within each partition. */
  readonly letters: readonly Letter[];
  readonly states: LetterStates;
  /** How far the audit was read; of what was left out, a letter that was handled counts as open. */
  readonly audit: AuditReading;
  /** False if the limit or the signal ended the scan, so that there may be further letters. */
  readonly isComplete: boolean;
  /** Number of records that were to be read. */
  readonly read: number;
  /** The prefix of all topics. */
  readonly prefix: string;
}

/**
 * Reads the dead letters, without keeping their values, and the audit: of each partition at most its share of `maxRecords`,
 * the newest ones. Rejects with MessagingError if a topic is missing or cannot be read.
 */
export async function scanLetters(
  context: LetterContext,
  selection: Selection,
  maxRecords: number,
): Promise<Scan> {
  const { deadLetters, audit } = context.topics;
  const ranges = await context.log.ranges([...deadLetters, audit]);
  if (!ranges.some(({ topic }) => topic === audit)) {
    const text = `the topic ${audit} does not exist; create it with: npm run topics -- create`;
    throw new MessagingError('topic-unknown', text, { canRetry: false });
  }
  const retained = ranges.filter(({ topic }) => topic !== audit);
  const states = new LetterStates();
  const auditReading = await readAudit(context, (record) => {
    if (retained.some((range) => isIn(record.letter, range))) states.add(record);
  });
  const possible = retained.map((range) => narrow(range, selection, context.topics.prefix));
  const read = newestOf(possible, maxRecords);
  const letters = await readLetters(context, selection, read);
  const isComplete = !context.signal.aborted && countOffsets(read) === countOffsets(possible);
  return {
    letters,
    states,
    audit: auditReading,
    isComplete,
    read: countOffsets(read),
    prefix: context.topics.prefix,
  };
}

async function readLetters(
  context: LetterContext,
  selection: Selection,
  ranges: readonly OffsetRange[],
): Promise<readonly Letter[]> {
  const pause = createBreaks(context);
  const isSelected = createSelector(selection, context.topics.prefix);
  const letters: Letter[] = [];
  await context.log.read(ranges, async (message) => {
    await pause();
    const letter = await readWithId(context, message, selection);
    if (isSelected(letter, message.key)) letters.push(letter);
    return context.signal.aborted ? 'stop' : 'more';
  });
  return letters;
}

/** Whether a letter is still retained; audit records of others are ignored. */
function isIn(place: LogPlace, { topic, partition, from, to }: OffsetRange): boolean {
  return place.topic === topic && place.partition === partition && place.offset >= from && place.offset < to;
}

/** The part of a partition from the first to the last selected letter; the whole one unless all ids are places. */
function narrow(range: OffsetRange, { ids }: Selection, prefix: string): OffsetRange {
  const places = ids.map(parsePlace).filter((place) => place !== undefined);
  if (ids.length === 0 || places.length < ids.length) return range;
  const offsets = places
    .flatMap((place) => [place, { ...place, topic: prefix + place.topic }])
    .filter((place) => isIn(place, range))
    .map(({ offset }) => offset);
  if (offsets.length === 0) return { ...range, to: range.from };
  return { ...range, from: Math.min(...offsets), to: Math.max(...offsets) + 1 };
}

/** The letter with its type. If notifications are selected by id, a missing id is read from the payload of the command. */
async function readWithId(
  context: LetterContext,
  message: LogMessage,
  selection: Selection,
): Promise<Letter> {
  const letter = { ...readLetter(message), type: await context.codec.typeOf(message) };
  const isCommand = context.topics.destinations.commands.has(letter.original?.topic ?? '');
  if (letter.notificationId !== undefined || !isCommand || !namesNotifications(selection)) return letter;
  const decoded = await context.codec.decode(message);
  if (decoded.kind !== 'decoded') return letter;
  const { payload } = decoded;
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'notificationId') : undefined;
  return typeof id === 'string' ? { ...letter, notificationId: id } : letter;
}
