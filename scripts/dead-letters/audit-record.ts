import { z } from 'zod';
import { HEADER } from '../../shared/messaging/header-names.ts';
import { CONTENT_TYPE } from '../../shared/messaging/codec/message-format.ts';
import type { LogMessage, OutgoingMessage } from '../../shared/messaging/message.ts';
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
  /** Who: the user of the operating system, or who the command was told. */
  operator: z.string(),
  /** When, ISO 8601 in UTC. */
  at: z.iso.datetime(),
  reason: z.string().optional(),
  /** What came of it: where it was sent, or a code. */
  result: z.string().optional(),
  /** One run of the command. */
  run: z.string(),
  /** The options by which a guard was set aside. */
  overrides: z.array(z.string()).optional(),
  /** Edits: which members were changed; never their values. */
  members: z.array(z.string()).optional(),
});

/** What an operator did with a dead letter. Never any of its payload. */
export type AuditRecord = z.infer<typeof auditShape>;

/** Who acts, in one run of the command. */
export interface Actor {
  readonly operator: string;
  readonly run: string;
  readonly reason: string | undefined;
}

/** What is to be told of one step. */
export type AuditStep = Pick<AuditRecord, 'action' | 'stage' | 'result' | 'overrides' | 'members'>;

export function auditRecord(letter: Letter, actor: Actor, step: AuditStep, nowMs: number): AuditRecord {
  const { topic, partition, offset, code, original, notificationId } = letter;
  return {
    version: 1,
    ...step,
    letter: { topic, partition, offset },
    ...(original === undefined ? {} : { original }),
    code,
    ...(notificationId === undefined ? {} : { notificationId }),
    operator: actor.operator,
    at: new Date(nowMs).toISOString(),
    ...(actor.reason === undefined ? {} : { reason: actor.reason }),
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

/** A record read from the audit topic; undefined for what is none. */
export function readAuditRecord({ value }: LogMessage): AuditRecord | undefined {
  if (value === null) return undefined;
  try {
    return auditShape.parse(JSON.parse(value.toString('utf8')));
  } catch {
    return undefined;
  }
}
