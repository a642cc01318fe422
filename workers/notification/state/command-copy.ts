import { HEADER } from '../../../shared/messaging/header-names.ts';
import { headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { idOfPlace, readId } from '../../../shared/notification/command-id.ts';
import type { AttemptRecord } from '../../../shared/notification/notification-state.ts';
import { addAttempts, readAttempts } from './attempt-history.ts';

/** One copy of a command: the first, one from a retry tier, one that was held, or one that an operator sent again. */
export interface CommandCopy {
  readonly message: LogMessage;
  /** UUID in lower case. */
  readonly id: string;
  /** Round of delivery that it asks for, counted from 1. */
  readonly attempt: number;
  /** As it was sent to us: none of our own copies. */
  readonly isOriginal: boolean;
  /** When the command entered the log first, in epoch milliseconds (D2). */
  readonly originTimestampMs: number;
  /** What its time limit counts from: the origin, or when an operator sent it again. */
  readonly timeLimitFromMs: number;
  readonly history: readonly AttemptRecord[];
  /** An operator accepts that it may be sent twice. */
  readonly redriveUnknown: boolean;
}

/** Reads what a copy's headers say; those that make no sense count as absent. `payloadId` is the id in the command itself. */
export function readCopy(
  message: LogMessage,
  originTimestampMs: number,
  payloadId: string | undefined,
): CommandCopy {
  const { headers } = message;
  const isRedriven = (headerNumber(headers, HEADER.redriveCount) ?? 0) > 0;
  return {
    message,
    id: idOf(message, payloadId),
    attempt: Math.max(1, headerNumber(headers, HEADER.attempt) ?? 1),
    isOriginal: headers[HEADER.attempt] === undefined,
    originTimestampMs,
    timeLimitFromMs:
      headerNumber(headers, HEADER.timeLimitFrom) ?? (isRedriven ? message.timestampMs : originTimestampMs),
    history: readAttempts(headerText(headers, HEADER.attemptHistory)),
    redriveUnknown: headerText(headers, HEADER.redriveUnknown) === 'true',
  };
}

function idOf(message: LogMessage, payloadId: string | undefined): string {
  const inHeader = headerText(message.headers, HEADER.notificationId);
  return readId(payloadId) ?? readId(inHeader) ?? idOfPlace(message);
}

/** Headers that belong to one copy only. */
const OF_ONE_COPY = [HEADER.dueAt, HEADER.retryTopic, HEADER.retryPartition, HEADER.write];

/** A copy's headers without what belongs to itself only, with its id. */
export function carriedHeaders(copy: CommandCopy): MessageHeaders {
  const headers: Record<string, MessageHeaders[string]> = { ...copy.message.headers };
  for (const name of OF_ONE_COPY) delete headers[name];
  return {
    ...headers,
    [HEADER.notificationId]: copy.id,
    [HEADER.attempt]: String(copy.attempt),
    [HEADER.originTimestamp]: String(copy.originTimestampMs),
    ...(copy.timeLimitFromMs === copy.originTimestampMs
      ? {}
      : { [HEADER.timeLimitFrom]: String(copy.timeLimitFromMs) }),
    ...(copy.history.length === 0 ? {} : { [HEADER.attemptHistory]: JSON.stringify(copy.history) }),
  };
}

/** The copy that waits on a retry tier until `dueAtMs` and then goes back to where this one came from. */
export function retryCopy(
  copy: CommandCopy,
  next: {
    readonly topic: string;
    readonly attempt: number;
    readonly dueAtMs: number;
    readonly attempts: readonly AttemptRecord[];
  },
): OutgoingMessage {
  const { key, value, topic, partition } = copy.message;
  const history = addAttempts(copy.history, next.attempts);
  return {
    topic: next.topic,
    key,
    value,
    headers: {
      ...carriedHeaders({ ...copy, attempt: next.attempt, history }),
      [HEADER.dueAt]: String(next.dueAtMs),
      [HEADER.retryTopic]: topic,
      [HEADER.retryPartition]: String(partition),
    },
  };
}

/** The copy as it becomes a dead letter: an operator who sends it again gives it a fresh time limit and decides anew. */
export function deadCopy(copy: CommandCopy, attempts: readonly AttemptRecord[]): LogMessage {
  const history = addAttempts(copy.history, attempts);
  const headers: Record<string, MessageHeaders[string]> = { ...carriedHeaders({ ...copy, history }) };
  delete headers[HEADER.timeLimitFrom];
  delete headers[HEADER.redriveUnknown];
  return { ...copy.message, headers };
}
