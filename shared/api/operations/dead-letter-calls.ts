/** Dead letters in the operations interface: how a call selects them, the bodies of actions, and the replies. */

import { z } from 'zod';
import { mustBe } from '../../platform/json-kinds.ts';
import { dateTime, described, fieldsOf, objectOf } from '../json/field-kinds.ts';
import {
  channelName,
  choice,
  criteria,
  line,
  moment,
  numberFrom,
  queryChoice,
  OPERATIONS_LIMITS as LIMIT,
  named,
  TEXTS,
} from './operation-fields.ts';

const CURSOR = /^\d{1,16}:[\w.-]{1,249}\/\d{1,6}\/\d{1,15}$/;

const TOPIC =
  'A worker (`notification`, `schedule`), a dead-letter topic, or the topic that they came from, with or without the prefix.';
const CODE = 'The problem code; a `*` at its end matches any rest, as in `smtp-5*`.';
const TYPE = 'The message type, such as `SendSmsCommand`.';
const singleCriteria = described(TEXTS.singleCriteria, {
  channel: channelName().optional(),
  key: line().optional(),
  since: moment().optional(),
  until: moment().optional(),
});

export const letterQuery = fieldsOf(TEXTS.letterQuery, {
  topic: criteria().describe(TOPIC),
  code: criteria().describe(CODE),
  type: criteria().describe(TYPE),
  ...singleCriteria,
  id: criteria(),
  all: queryChoice(),
  limit: numberFrom(1, LIMIT.pageLetters).optional(),
  cursor: line().regex(CURSOR, { error: 'must be the nextCursor of the previous page' }).optional(),
});

const selection = fieldsOf(TEXTS.selection, {
  ids: criteria(LIMIT.actionLetters),
  topics: criteria().describe(TOPIC),
  codes: criteria().describe(CODE),
  types: criteria().describe(TYPE),
  ...singleCriteria,
})
  .meta({ id: 'DeadLetterSelection' })
  .describe('Dead letters that match all of these; at least one is required.');

const action = described(TEXTS.action, {
  selection,
  limit: numberFrom(1, LIMIT.actionLetters).optional(),
  dryRun: choice(),
  reason: line(LIMIT.reasonCharacters).optional(),
  again: choice(),
});

const send = described(TEXTS.send, {
  ...action,
  force: choice(),
  acceptDuplicates: choice(),
});

export const discardBody = objectOf(action).meta({ id: 'DiscardDeadLetters' });
export const markSentBody = objectOf(action).meta({ id: 'MarkDeadLettersSent' });
export const redriveBody = objectOf(send).meta({ id: 'RedriveDeadLetters' });
export const editBody = fieldsOf(TEXTS.editBody, {
  ...send,
  patch: z.record(z.string(), z.unknown(), { error: mustBe('an object, a JSON merge patch') }).optional(),
  headers: z
    .record(z.string(), z.string().nullable(), { error: mustBe('an object of texts and null') })
    .optional(),
}).meta({ id: 'EditDeadLetters' });

const counts = z.record(z.string(), z.int().nonnegative()).meta({ id: 'DeadLetterCounts' });
const letterId = () => z.string().describe('`topic/partition/offset` on the dead-letter topic.');

const listedLetter = named('ListedDeadLetter', {
  id: letterId(),
  at: dateTime(),
  code: z.string(),
  reason: z.string(),
  type: z.string().optional(),
  channel: z.enum(['sms', 'email']).optional(),
  from: z.string().optional(),
  attempts: z.int().nonnegative(),
  redrives: z.int().nonnegative(),
  status: z.enum(['open', 'redrive-begun', 'edit-begun', 'redriven', 'edited', 'discarded', 'marked-sent']),
  notificationId: z.string().optional(),
  bytes: z.int().nonnegative(),
});
export type ListedLetter = z.infer<typeof listedLetter>;

export const letterPage = named('DeadLetterPage', {
  letters: z.array(listedLetter),
  count: z.int().nonnegative(),
  codes: counts,
  handled: z.int().nonnegative(),
  isComplete: z.boolean(),
  isAuditComplete: z.boolean(),
  nextCursor: z.string().optional(),
});
export type LetterPage = z.infer<typeof letterPage>;

/** One step of an action on a dead letter. The record in the audit topic also names the dead letter. */
export const auditEntry = named('DeadLetterAudit', {
  action: z.enum(['redrive', 'edit', 'discard', 'mark-sent']),
  /** Redrive, edit and mark-sent write `begun`, then `done`, or `failed` if nothing was sent; discard only `done`. */
  stage: z.enum(['begun', 'done', 'failed']),
  operator: z.string(),
  at: dateTime(),
  reason: z.string().optional(),
  result: z.string().optional(),
  run: z.string(),
  members: z.array(z.string()).optional(),
  overrides: z.array(z.string()).optional(),
});

const { type: _type, channel: _channel, bytes: _bytes, ...ofLetter } = listedLetter.shape;

export const shownLetter = named('DeadLetter', {
  ...ofLetter,
  fromAt: dateTime().optional(),
  group: z.string().optional(),
  key: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  history: z.array(z.string()),
  payload: named('DeadLetterPayload', {
    type: z.string().optional(),
    format: z.string().optional(),
    bytes: z.int().nonnegative(),
    content: z.unknown().optional(),
    isHidden: z.literal(true).optional(),
    notes: z.array(z.string()),
  }),
  audit: z.array(auditEntry),
  isAuditComplete: z.boolean(),
});

export const actionReply = named('DeadLetterResults', {
  run: z.string(),
  dryRun: z.boolean(),
  counts: counts,
  notListed: z.int().nonnegative(),
  letters: z.array(
    named('DeadLetterResult', {
      id: letterId(),
      code: z.string(),
      result: z.enum([
        'redriven',
        'edited',
        'discarded',
        'marked-sent',
        'would-redrive',
        'would-edit',
        'would-discard',
        'would-mark-sent',
        'skipped',
        'refused',
        'failed',
      ]),
      to: z.string().optional(),
      why: z.string().optional(),
      override: z.enum(['again', 'force', 'acceptDuplicates']).optional(),
      warnings: z.array(z.string()).optional(),
    }),
  ),
});
export type ActionReply = z.infer<typeof actionReply>;
