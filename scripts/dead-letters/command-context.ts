import type { MessageCodec } from '../../shared/messaging/codec/message-codec.ts';
import {
  COMMAND_TOPICS,
  DEAD_LETTER_TOPICS,
  topicNames,
  WORK_TOPICS,
  topicName,
} from '../../shared/messaging/topics/topics.ts';
import type { SystemPorts } from '../../shared/platform/system-ports.ts';
import type { LetterLog } from './letter-log.ts';

/** The services and settings that the commands share. */
export interface CommandContext extends Pick<SystemPorts, 'clock' | 'monotonic' | 'timers'> {
  readonly log: LetterLog;
  readonly codec: MessageCodec;
  readonly actor: Actor;
  readonly topics: CommandTopics;
  /** Receives a line of progress, without a line break. */
  readonly onProgress: (line: string) => void;
  /** Aborted by the operator; the letter in progress is completed, and no other one is started. */
  readonly signal: AbortSignal;
}

/** The operator of one run of the command. */
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

/** The only topics to which letters may be sent, since their headers may name any other. */
export interface Destinations {
  /** Requests and commands of this system. */
  readonly work: ReadonlySet<string>;
  /** Those of them that contain notifications. */
  readonly commands: ReadonlySet<string>;
}

/** The topics of the command with their prefix. */
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

const REPORT_EVERY_MS = 2_000;

/** Counts the steps of long work, and reports the number at intervals. */
export function createProgress(
  { onProgress, monotonic }: Pick<CommandContext, 'onProgress' | 'monotonic'>,
  total: number,
  what: string,
): { step(): void } {
  let done = 0;
  let reportedAtMs = monotonic.elapsedMs();
  return {
    step: () => {
      done += 1;
      if (monotonic.elapsedMs() - reportedAtMs < REPORT_EVERY_MS) return;
      reportedAtMs = monotonic.elapsedMs();
      onProgress(`${done} of ${total} ${what}`);
    },
  };
}
