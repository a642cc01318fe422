import { HEADER, headerNumber, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { idOfPosition, readId } from '../../../shared/notification/notification-id.ts';
import type { Priority } from '../../../shared/notification/notification-command.ts';
import type { AttemptRecord, NotificationState } from '../../../shared/notification/notification-state.ts';
import {
  addAttempts,
  isUnknown,
  MAX_ROUND,
  readAttempts,
} from '../../../shared/notification/attempt-history.ts';
import type { LogEntry } from '../state/delivery-log.ts';

export interface DeliveryCopy {
  readonly attempt: number;
  /** True for the original command, which has no round number; copies of workers and redrives have one. */
  readonly isOriginal: boolean;
  /** True if an operator accepts that the message may be sent twice. */
  readonly redriveUnknown: boolean;
  /** Epoch milliseconds of the start of the time limit: when the command was written or redriven. */
  readonly timeLimitFromMs: number;
  readonly history: readonly AttemptRecord[];
}

/** One copy of a command: the original, or one from a retry tier, the hold topic or a redrive. */
export interface CommandCopy extends DeliveryCopy {
  readonly message: LogMessage;
  readonly priority: Priority;
  readonly id: string;
  /** Epoch milliseconds when the original command was written (D2). */
  readonly originTimestampMs: number;
  /** What its states say of the notification. */
  readonly about: Pick<NotificationState, 'sender' | 'category' | 'receiverHash'>;
}

/** An upstream system chooses its name freely; a longer one would be kept for three days in each index. */
const SENDER = /^[\x21-\x7e]{1,100}$/;

/** Reads the headers of a copy. Invalid headers count as absent. `payloadId` is the id in the command. */
export function readCopy(
  message: LogMessage,
  originTimestampMs: number,
  payloadId: string | undefined,
  priority: Priority = 'normal',
): CommandCopy {
  const { headers } = message;
  const attempt = readRound(headers);
  const isRedriven = (headerNumber(headers, HEADER.redriveCount) ?? 0) > 0;
  return {
    message,
    priority,
    id: readId(payloadId) ?? readId(headerText(headers, HEADER.notificationId)) ?? idOfPosition(message),
    attempt: attempt ?? 1,
    isOriginal: attempt === undefined,
    originTimestampMs,
    timeLimitFromMs:
      headerNumber(headers, HEADER.timeLimitFrom) ?? (isRedriven ? message.timestampMs : originTimestampMs),
    history: readAttempts(headerText(headers, HEADER.attemptHistory)),
    about: { sender: SENDER.exec(headerText(headers, HEADER.sender) ?? '')?.[0] },
    redriveUnknown: headerText(headers, HEADER.redriveUnknown) === 'true',
  };
}

function readRound(headers: MessageHeaders): number | undefined {
  const round = headerNumber(headers, HEADER.attempt);
  return round === undefined || round > MAX_ROUND ? undefined : Math.max(1, round);
}

/** Adds the attempts with an unknown outcome that only the delivery log has. `nowMs` is in epoch milliseconds. */
export function withLoggedAttempts(
  copy: CommandCopy,
  known: LogEntry | undefined,
  nowMs: number,
): CommandCopy {
  const { history } = copy;
  const missing = (known?.attempts ?? []).filter(
    (one) => isUnknown(one) && !history.some((other) => isUnknown(other) && other.attempt === one.attempt),
  );
  if (known?.status === 'parked' && !history.some(isUnknown)) {
    const { attempt, code } = known;
    missing.push({ attempt, at: nowMs, provider: '-', result: 'unknown', code });
  }
  return missing.length === 0 ? copy : { ...copy, history: addAttempts(missing, history) };
}

const OF_ONE_COPY = [HEADER.dueAt, HEADER.retryTopic, HEADER.retryPartition, HEADER.write];

export function withoutHeaders(headers: MessageHeaders, ...names: readonly string[]): MessageHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

export function carriedHeaders(copy: CommandCopy): MessageHeaders {
  return {
    ...withoutHeaders(copy.message.headers, ...OF_ONE_COPY),
    [HEADER.notificationId]: copy.id,
    [HEADER.attempt]: String(copy.attempt),
    [HEADER.originTimestamp]: String(copy.originTimestampMs),
    ...(copy.timeLimitFromMs === copy.originTimestampMs
      ? {}
      : { [HEADER.timeLimitFrom]: String(copy.timeLimitFromMs) }),
    ...(copy.history.length === 0 ? {} : { [HEADER.attemptHistory]: JSON.stringify(copy.history) }),
  };
}

/** Makes the copy that waits on a tier until `dueAtMs` (epoch milliseconds) and then returns to its old partition. */
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

/** Makes the message of a dead letter. A redrive of it gets a new time limit and decides again about a second send. */
export function deadCopy(copy: CommandCopy, attempts: readonly AttemptRecord[]): LogMessage {
  const { message } = copy;
  const carried = carriedHeaders({ ...copy, history: addAttempts(copy.history, attempts) });
  const { [HEADER.retryTopic]: topic, [HEADER.retryPartition]: partition } = message.headers;
  return {
    ...message,
    headers: {
      ...withoutHeaders(carried, HEADER.timeLimitFrom, HEADER.redriveUnknown),
      ...(topic === undefined ? {} : { [HEADER.retryTopic]: topic }),
      ...(partition === undefined ? {} : { [HEADER.retryPartition]: partition }),
    },
  };
}
