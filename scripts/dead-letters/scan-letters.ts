import type { LogMessage, OffsetRange } from '../../shared/messaging/message.ts';
import { MessagingError, SystemError } from '../../shared/platform/errors.ts';
import { LetterStates, readAudit } from './audit.ts';
import { type CommandContext, createProgress } from './command-context.ts';
import { type Letter, type LogPlace, readLetter } from './letter.ts';
import { namesNotifications, selects, type Selection } from './selection.ts';

/** A letter takes about 500 bytes of memory. */
const MAX_LETTERS = 1_000_000;

export interface Scan {
  /** The selected letters in the order of their offsets within each partition. */
  readonly letters: readonly Letter[];
  readonly states: LetterStates;
  /** Number of invalid records on the audit topic. */
  readonly unreadable: number;
  /** The prefix of all topics. */
  readonly prefix: string;
}

/**
 * Reads all dead letters, without keeping their values, and the audit. Rejects with MessagingError if a topic is missing or
 * cannot be read, and with SystemError if more letters are selected than fit into memory.
 */
export async function scanLetters(context: CommandContext, selection: Selection): Promise<Scan> {
  const { deadLetters, audit } = context.topics;
  const ranges = await context.log.ranges([...deadLetters, audit]);
  if (!ranges.some(({ topic }) => topic === audit)) {
    const text = `the topic ${audit} does not exist; create it with: npm run topics -- create`;
    throw new MessagingError('topic-unknown', text, { canRetry: false });
  }
  const letterRanges = ranges.filter(({ topic }) => topic !== audit);
  const states = new LetterStates();
  const unreadable = await readAudit(context, (record) => {
    if (letterRanges.some((range) => isIn(record.letter, range))) states.add(record);
  });
  const total = letterRanges.reduce((sum, { from, to }) => sum + to - from, 0);
  const progress = createProgress(context, total, 'letters read');
  const letters: Letter[] = [];
  await context.log.read(letterRanges, async (message) => {
    const letter = await readWithId(context, message, selection);
    progress.step();
    if (selects(selection, letter, message.key, context.topics.prefix)) letters.push(letter);
    if (letters.length > MAX_LETTERS) {
      const text = `more than ${MAX_LETTERS} letters are selected; select fewer with --since and --until`;
      throw new SystemError('too-many-letters', text, { canRetry: false });
    }
    return context.signal.aborted ? 'stop' : 'more';
  });
  return { letters, states, unreadable, prefix: context.topics.prefix };
}

/** Whether a letter is still retained; audit records of others are ignored. */
function isIn(place: LogPlace, { topic, partition, from, to }: OffsetRange): boolean {
  return place.topic === topic && place.partition === partition && place.offset >= from && place.offset < to;
}

/** The letter. If notifications are selected by id, a missing id is read from the payload of the command. */
async function readWithId(
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
