/** The audit topic: what operators did with dead letters, and the state of each letter by these records. */

import { z } from 'zod';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { CONTENT_TYPE } from '../../shared/messaging/codec/message-codec.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
import type { Actor, CommandContext } from './command-context.ts';
import { type Letter, placeId } from './letter.ts';

/** Type of these messages, in header plat-message-type. */
const AUDIT_TYPE = 'DeadLetterAudit';

const place = z.object({
  topic: z.string(),
  partition: z.int().min(0),
  offset: z.int().min(0),
});

const auditShape = z.object({
  version: z.literal(1),
  action: z.enum(['redrive', 'edit', 'discard']),
  /** `begun` comes before a message is sent again, `done` after; `failed`: surely nothing was sent. */
  stage: z.enum(['begun', 'done', 'failed']),
  letter: place,
  /** Where the letter came from. */
  original: place.optional(),
  code: z.string(),
  notificationId: z.string().optional(),
  /** The user of the operating system, or the name given to the command. */
  operator: z.string(),
  /** When, ISO 8601 in UTC. */
  at: z.iso.datetime(),
  reason: z.string().optional(),
  /** Where it was sent, or a code. */
  result: z.string().optional(),
  /** One run of the command. */
  run: z.string(),
  /** The options that overrode a guard. */
  overrides: z.array(z.string()).optional(),
  /** Edits: which fields were changed; never their values. */
  members: z.array(z.string()).optional(),
});

/** What an operator did with a dead letter. Never any of its payload. */
export type AuditRecord = z.infer<typeof auditShape>;

/** What is recorded about one step. */
export type AuditStep = Pick<AuditRecord, 'action' | 'stage' | 'result' | 'overrides' | 'members'>;

export function auditRecord(letter: Letter, actor: Actor, step: AuditStep, nowMs: number): AuditRecord {
  const { topic, partition, offset, code, original, notificationId } = letter;
  return {
    version: 1,
    ...step,
    letter: { topic, partition, offset },
    original,
    code,
    notificationId,
    operator: actor.operator,
    at: new Date(nowMs).toISOString(),
    reason: actor.reason,
    run: actor.run,
  };
}

/** The message that puts a record onto the audit topic. */
export function auditMessage(topic: string, record: AuditRecord): OutgoingMessage {
  return {
    topic,
    key: placeId(record.letter),
    value: Buffer.from(JSON.stringify(record)),
    headers: { [HEADER.messageType]: AUDIT_TYPE, [HEADER.contentType]: CONTENT_TYPE.json },
  };
}

/** Passes the records of the audit to `onRecord` in their order; resolves with the number of unreadable ones. */
export async function readAudit(
  { log, topics }: Pick<CommandContext, 'log' | 'topics'>,
  onRecord: (record: AuditRecord) => void,
): Promise<number> {
  let unreadable = 0;
  await log.read(await log.ranges([topics.audit]), (message) => {
    const record = readAuditRecord(message);
    if (record === undefined) unreadable += 1;
    else onRecord(record);
    return 'more';
  });
  return unreadable;
}

/** A record of the audit topic; undefined for anything else. */
export function readAuditRecord({ value }: LogMessage): AuditRecord | undefined {
  if (value === null) return undefined;
  try {
    return auditShape.parse(JSON.parse(value.toString('utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Status of a dead letter by the audit. `redrive-begun` and `edit-begun`: the command ended before it recorded the result;
 * the letter may have been sent.
 */
export type LetterStatus = 'open' | 'redrive-begun' | 'edit-begun' | 'redriven' | 'edited' | 'discarded';

export interface LetterState {
  readonly status: LetterStatus;
  /** How often it was certainly sent again. */
  readonly sentAgain: number;
  /** The status before the send that has begun; `status` where none has. */
  readonly before: LetterStatus;
}

const OPEN: LetterState = { status: 'open', sentAgain: 0, before: 'open' };

/** The states of letters, built from the audit records in their order. */
export class LetterStates {
  readonly #states = new Map<string, LetterState>();

  add(record: AuditRecord): void {
    const id = placeId(record.letter);
    this.#states.set(id, next(this.of(id), record));
  }

  of(id: string): LetterState {
    return this.#states.get(id) ?? OPEN;
  }
}

/** Whether a letter of this status needs no further action. */
export function isHandled({ status }: LetterState): boolean {
  return status === 'redriven' || status === 'edited' || status === 'discarded';
}

function next({ before, sentAgain }: LetterState, { action, stage }: AuditRecord): LetterState {
  const now = (status: LetterStatus, sent = sentAgain): LetterState => ({
    status,
    sentAgain: sent,
    before: status,
  });
  if (stage === 'failed') return now(before);
  if (action === 'discard') return now('discarded');
  const isEdit = action === 'edit';
  if (stage === 'begun') return { status: isEdit ? 'edit-begun' : 'redrive-begun', sentAgain, before };
  return now(isEdit ? 'edited' : 'redriven', sentAgain + 1);
}
