import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  topicNames,
  WORK_TOPICS,
} from '../../shared/messaging/topics/topic-kinds.ts';
import { topicName } from '../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Actor } from './audit-record.ts';
import type { LetterLog } from './letter-log.ts';
import type { Destinations } from './redrive-rules.ts';

/** Everything that the commands work with. */
export interface LetterWorld {
  readonly log: LetterLog;
  readonly codec: MessageCodec;
  readonly clock: Clock;
  readonly actor: Actor;
  readonly topics: LetterTopics;
  /** Told of the progress of what takes long: a line without its end. */
  readonly onProgress: (line: string) => void;
  /** Aborted when the operator interrupts: the letter under way is brought to its end, no other is begun. */
  readonly signal: AbortSignal;
}

export interface LetterTopics {
  readonly prefix: string;
  readonly deadLetters: readonly string[];
  readonly audit: string;
  readonly destinations: Destinations;
}

/** The topics of the command under a prefix. */
export function letterTopics(prefix: string): LetterTopics {
  return {
    prefix,
    deadLetters: topicNames(prefix, DEAD_LETTER_TOPICS),
    audit: topicName(prefix, 'deadLetterAudit'),
    destinations: {
      work: new Set(topicNames(prefix, WORK_TOPICS)),
      commands: new Set(topicNames(prefix, COMMAND_TOPICS)),
    },
  };
}
