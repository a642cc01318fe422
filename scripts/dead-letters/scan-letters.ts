import type { LogMessage, OffsetRange } from '../../shared/messaging/message.ts';
import { MessagingError, SystemError } from '../../shared/platform/errors.ts';
import { LetterStates, readAudit } from './audit.ts';
import { type CommandContext, createProgress } from './command-context.ts';
import { type Letter, type LogPlace, readLetter } from './letter.ts';
import { namesNotifications, selects, type Selection } from './selection.ts';

/** About 500 bytes each are kept of a letter. */
const MAX_LETTERS = 1_000_000;

export interface Scan {
  /** The letters of the selection, the oldest first within each partition. */
  readonly letters: readonly Letter[];
  readonly states: LetterStates;
  /** Records of the audit topic that could not be read. */
  readonly unreadable: number;
  /** Of all topics. */
  readonly prefix: string;
}

/**
 * Reads all dead letters and the audit, keeping only the provenance of each letter. Rejects with MessagingError where
 * topics are missing or the log cannot be read, and when more letters are selected than can be kept.
 */
export async function scanLetters(context: CommandContext, selection: Selection): Promise<Scan> {
  const { deadLetters, audit } = context.topics;
  const ranges = await context.log.ranges([...deadLetters, audit]);
  if (!ranges.some(({ topic }) => topic === audit)) throw noTopic(audit);
  const letterRanges = ranges.filter(({ topic }) => topic !== audit);
  const states = new LetterStates();
  const unreadable = await readAudit(context, (record) => {
    if (letterRanges.some((range) => isIn(record.letter, range))) states.add(record);
  });
  const total = letterRanges.reduce((sum, { from, to }) => sum + to - from, 0);
  const progress = createProgress(context, total, 'letters read');
  const letters: Letter[] = [];
  await context.log.read(letterRanges, async (message) => {
    const letter = await readNamed(context, message, selection);
    progress.step();
    if (selects(selection, letter, message.key, context.topics.prefix)) letters.push(letter);
    if (letters.length > MAX_LETTERS) throw tooMany();
    return context.signal.aborted ? 'stop' : 'more';
  });
  return { letters, states, unreadable, prefix: context.topics.prefix };
}

/** Records about letters that retention has removed are ignored. */
function isIn(place: LogPlace, { topic, partition, from, to }: OffsetRange): boolean {
  return place.topic === topic && place.partition === partition && place.offset >= from && place.offset < to;
}

/** The letter; where notifications are selected by id, with the id that only its command holds. */
async function readNamed(
  context: CommandContext,
  message: LogMessage,
  selection: Selection,
): Promise<Letter> {
  const letter = readLetter(message);
  const isCommand = context.topics.destinations.commands.has(letter.original?.topic ?? '');
  if (letter.notificationId !== undefined || !isCommand || !namesNotifications(selection)) return letter;
  const decoded = await context.codec.decode(message);
  if (decoded.kind !== 'decoded') return letter;
  const { payload } = decoded;
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'notificationId') : undefined;
  return typeof id === 'string' ? { ...letter, notificationId: id } : letter;
}

function noTopic(topic: string): MessagingError {
  const text = `there is no topic ${topic}; make it by: npm run topics -- create`;
  return new MessagingError('topic-unknown', text, { canRetry: false });
}

function tooMany(): SystemError {
  const text = `more than ${MAX_LETTERS} letters are selected; take fewer by --since and --until`;
  return new SystemError('too-many-letters', text, { canRetry: false });
}
