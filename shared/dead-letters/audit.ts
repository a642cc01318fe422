import { z } from 'zod';
import { auditEntry, type ListedLetter } from '../api/operations/dead-letter-calls.ts';
import { HEADER } from '../messaging/headers.ts';
import { CONTENT_TYPE } from '../messaging/codec/message-codec.ts';
import type { LogMessage, OutgoingMessage } from '../messaging/message.ts';
import type { ReadOn } from '../messaging/ports.ts';
import { jsonOf } from '../platform/json-pointer.ts';
import { createBreaks, type DeadLetterContext, countOffsets, newestOf } from './dead-letter-log.ts';
import { type DeadLetter, placeId } from './read-dead-letter.ts';

const AUDIT_TYPE = 'DeadLetterAudit';

const place = z.object({ topic: z.string(), partition: z.int().min(0), offset: z.int().min(0) });

const auditShape = z.object({
  ...auditEntry.shape,
  version: z.literal(1),
  letter: place,
  original: place.optional(),
  code: z.string(),
  notificationId: z.string().optional(),
  at: z.iso.datetime(),
});

export type AuditRecord = z.infer<typeof auditShape>;

export type AuditStep = Pick<AuditRecord, 'action' | 'stage' | 'result' | 'overrides' | 'members'>;

export function createAuditMessage(
  { topics, actor, clock }: Pick<DeadLetterContext, 'topics' | 'actor' | 'clock'>,
  letter: DeadLetter,
  step: AuditStep,
): OutgoingMessage {
  const { id, topic, partition, offset, code, original, notificationId } = letter;
  const record: AuditRecord = {
    version: 1,
    ...step,
    letter: { topic, partition, offset },
    original,
    code,
    notificationId,
    ...actor,
    at: new Date(clock.now()).toISOString(),
  };
  return {
    topic: topics.audit,
    key: id,
    value: Buffer.from(JSON.stringify(record)),
    headers: { [HEADER.messageType]: AUDIT_TYPE, [HEADER.contentType]: CONTENT_TYPE.json },
  };
}

/** Average size up to which records are read. Most have about 500 bytes; those of edits of many fields have more. */
const MEAN_RECORD_BYTES = 1_024;

/** Passes on the newest audit records in order. `isComplete`: neither a limit nor the signal left any out. */
export async function readAudit(
  context: Pick<DeadLetterContext, 'log' | 'topics' | 'timers' | 'signal' | 'maxAuditRecords'>,
  onRecord: (record: AuditRecord) => void,
) {
  const { log, topics, signal, maxAuditRecords } = context;
  const pause = createBreaks(context);
  const retained = await log.ranges([topics.audit]);
  const ranges = newestOf(retained, maxAuditRecords);
  let read = 0;
  let bytesLeft = maxAuditRecords * MEAN_RECORD_BYTES;
  let isStopped = signal.aborted;
  if (!isStopped) {
    await log.read(ranges, async (message): Promise<ReadOn> => {
      await pause();
      bytesLeft -= message.value?.length ?? 0;
      isStopped = signal.aborted || bytesLeft < 0;
      if (isStopped) return 'stop';
      read += 1;
      const record = readAuditRecord(message);
      if (record !== undefined) onRecord(record);
      return 'more';
    });
  }
  return { read, isComplete: !isStopped && countOffsets(ranges) === countOffsets(retained) };
}

/** Undefined for any record that is not an audit record of this version. */
export function readAuditRecord({ value }: LogMessage): AuditRecord | undefined {
  return auditShape.safeParse(jsonOf(value?.toString() ?? '')).data;
}

/** `redrive-begun` and `edit-begun`: the result was not recorded, so the letter may have been sent. */
type DeadLetterStatus = ListedLetter['status'];

export interface DeadLetterState {
  readonly status: DeadLetterStatus;
  /** Number of completed redrives and edits. */
  readonly sentAgain: number;
  /** The status before the send in progress; equal to `status` if there is none. */
  readonly before: DeadLetterStatus;
}

const OPEN: DeadLetterState = { status: 'open', sentAgain: 0, before: 'open' };

/** The states of letters according to their audit records, which must be added in the order of the topic. */
export class DeadLetterStates {
  readonly #states = new Map<string, DeadLetterState>();

  add(record: AuditRecord): void {
    const id = placeId(record.letter);
    this.#states.set(id, next(this.of(id), record));
  }

  forget(id: string): void {
    this.#states.delete(id);
  }

  of(id: string): DeadLetterState {
    return this.#states.get(id) ?? OPEN;
  }
}

/** Whether an operator is done with the letter. A send without a recorded result does not count. */
export function isHandled({ status }: DeadLetterState): boolean {
  return status !== 'open' && status !== 'redrive-begun' && status !== 'edit-begun';
}

function next({ before, sentAgain }: DeadLetterState, { action, stage }: AuditRecord): DeadLetterState {
  const now = (status: DeadLetterStatus, sent = sentAgain) => ({ status, sentAgain: sent, before: status });
  if (stage === 'failed' || (action === 'mark-sent' && stage === 'begun')) return now(before);
  if (action === 'discard') return now('discarded');
  if (action === 'mark-sent') return now('marked-sent');
  const [begun, done] =
    action === 'edit' ? (['edit-begun', 'edited'] as const) : (['redrive-begun', 'redriven'] as const);
  return stage === 'begun' ? { status: begun, sentAgain, before } : now(done, sentAgain + 1);
}
