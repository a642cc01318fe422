import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  topicNames,
  WORK_TOPICS,
  topicName,
} from '../../shared/messaging/topics/topics.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { LetterLog } from './letter-log.ts';

/** Everything that the commands work with. */
export interface CommandContext {
  readonly log: LetterLog;
  readonly codec: MessageCodec;
  readonly clock: Clock;
  readonly actor: Actor;
  readonly topics: CommandTopics;
  /** Called with the progress of long work: a line without its end. */
  readonly onProgress: (line: string) => void;
  /** Aborted when the operator interrupts: the letter in progress is finished, no other is started. */
  readonly signal: AbortSignal;
}

/** Who acts, in one run of the command. */
export interface Actor {
  readonly operator: string;
  readonly run: string;
  readonly reason: string | undefined;
}

export interface CommandTopics {
  readonly prefix: string;
  readonly deadLetters: readonly string[];
  readonly audit: string;
  readonly destinations: Destinations;
}

/** The topics that letters may be sent to; nothing else, whatever a letter's headers say. */
export interface Destinations {
  /** Requests and commands of this system. */
  readonly work: ReadonlySet<string>;
  /** Those of them that hold notifications. */
  readonly commands: ReadonlySet<string>;
}

/** The topics of the command under a prefix. */
export function commandTopics(prefix: string): CommandTopics {
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

/** Shorter work reports nothing. */
const REPORT_EVERY_MS = 2_000;

/** Counts steps of long work; reports now and then how many are done. */
export function createProgress(
  { onProgress }: Pick<CommandContext, 'onProgress'>,
  total: number,
  what: string,
): { step(): void } {
  let done = 0;
  let reportedAtMs = performance.now();
  return {
    step: () => {
      done += 1;
      if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
      reportedAtMs = performance.now();
      onProgress(`${done} of ${total} ${what}`);
    },
  };
}
