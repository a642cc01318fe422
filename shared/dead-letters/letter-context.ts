import type { MessageCodec } from '../messaging/codec/message-codec.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  topicNames,
  WORK_TOPICS,
  topicName,
} from '../messaging/topics/topics.ts';
import type { CommandProofs } from '../notification/command-proof.ts';
import type { SystemPorts } from '../platform/system-ports.ts';
import type { LetterLog } from './letter-log.ts';

/** The services and settings that work on dead letters needs. */
export interface LetterContext extends Pick<SystemPorts, 'clock' | 'timers'> {
  readonly log: LetterLog;
  readonly codec: MessageCodec;
  /** Proves notifications that are sent again. */
  readonly proofs: CommandProofs;
  readonly actor: Actor;
  readonly topics: LetterTopics;
  /** Records of the audit that are read at most, the newest ones. */
  readonly maxAuditRecords: number;
  /** Aborted by the operator or by a time limit; the letter in progress is completed, and no other one is started. */
  readonly signal: AbortSignal;
}

/** Who acts, for the audit; `run` identifies one command or call. */
export interface Actor {
  readonly operator: string;
  readonly run: string;
  readonly reason: string | undefined;
}

export interface LetterTopics {
  readonly prefix: string;
  readonly deadLetters: readonly string[];
  /** The one of notifications. */
  readonly notificationLetters: string;
  readonly audit: string;
  /** The states of notifications, where one is marked as sent. */
  readonly outcomes: string;
  readonly destinations: Destinations;
}

/** The only topics to which letters may be sent, since their headers may name any other. */
export interface Destinations {
  /** Requests and commands of this system. */
  readonly work: ReadonlySet<string>;
  /** Those of them that contain notifications. */
  readonly commands: ReadonlySet<string>;
}

/** The topics of dead letters with their prefix. */
export function letterTopics(prefix: string): LetterTopics {
  return {
    prefix,
    deadLetters: topicNames(prefix, DEAD_LETTER_TOPICS),
    notificationLetters: topicName(prefix, 'notificationDeadLetters'),
    audit: topicName(prefix, 'deadLetterAudit'),
    outcomes: topicName(prefix, 'notificationOutcomes'),
    destinations: {
      work: new Set(topicNames(prefix, WORK_TOPICS)),
      commands: new Set(topicNames(prefix, COMMAND_TOPICS)),
    },
  };
}

/** Messages that are read before the event loop gets a turn: 2 to 5 ms of work. */
const MESSAGES_PER_TURN = 100;

/** Returns a function that lets other work of the process run at intervals, so that a long scan does not delay it. */
export function createBreaks({ timers }: Pick<LetterContext, 'timers'>): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    if (count % MESSAGES_PER_TURN !== 0) return;
    await new Promise<void>((resolve) => timers.nextTurn(resolve));
  };
}
