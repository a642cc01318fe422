/** Dead letters in the operations interface: how a call selects them, the bodies of actions, and the replies. */

import { z } from 'zod';
import { mustBe } from '../../platform/json-kinds.ts';
import { dateTime, namedObject, objectOf } from '../json/field-kinds.ts';
import {
  channelName,
  choice,
  criteria,
  line,
  moment,
  numberFrom,
  queryChoice,
  OPERATIONS_LIMITS as LIMIT,
} from './operation-fields.ts';

const CURSOR = /^\d{1,16}:[\w.-]{1,249}\/\d{1,6}\/\d{1,15}$/;

const TOPIC =
  'A worker (`notification`, `schedule`), a dead-letter topic, or the topic that they came from, with or without the prefix.';
const CODE = 'The problem code; a `*` at its end matches any rest, as in `smtp-5*`.';
const TYPE = 'The message type, such as `SendSmsCommand`.';
const singleCriteria = {
  channel: channelName().optional().describe('Notifications of this channel only.'),
  key: line().optional().describe('The message key, as text or in hexadecimal.'),
  since: moment().optional().describe('Not before this time.'),
  until: moment().optional().describe('Before this time.'),
};

export const letterQuery = objectOf({
  topic: criteria().describe(TOPIC),
  code: criteria().describe(CODE),
  type: criteria().describe(TYPE),
  ...singleCriteria,
  id: criteria().describe('The id of a dead letter, `topic/partition/offset`, or of a notification.'),
  all: queryChoice().describe('`true`: also those that were redriven, edited, discarded or marked as sent.'),
  limit: numberFrom(1, LIMIT.pageLetters)
    .optional()
    .describe(`Dead letters on the page; ${LIMIT.defaultPageLetters} by default.`),
  cursor: line()
    .regex(CURSOR, { error: 'must be the nextCursor of the previous page' })
    .optional()
    .describe('The `nextCursor` of the previous page.'),
});

const selection = objectOf({
  ids: criteria(LIMIT.actionLetters).describe(
    'Ids of dead letters, `topic/partition/offset`, or of notifications.',
  ),
  topics: criteria().describe(TOPIC),
  codes: criteria().describe(CODE),
  types: criteria().describe(TYPE),
  ...singleCriteria,
})
  .meta({ id: 'DeadLetterSelection' })
  .describe('Dead letters that match all of these; at least one is required.');

const action = {
  selection,
  limit: numberFrom(1, LIMIT.actionLetters)
    .optional()
    .describe(`The oldest ones, at most this many; ${LIMIT.defaultActionLetters} by default.`),
  dryRun: choice().describe('Shows what would be done and writes nothing, not even the audit.'),
  reason: line(LIMIT.reasonCharacters)
    .optional()
    .describe('Recorded in the audit with the caller and the time; required unless `dryRun`.'),
  again: choice().describe('Includes dead letters that have already been handled.'),
};

const send = {
  ...action,
  force: choice().describe('Includes dead letters that have come back three times.'),
  acceptDuplicates: choice().describe(
    'Includes notifications with an unknown outcome, which may have been sent already.',
  ),
};

export const discardBody = objectOf(action).meta({ id: 'DiscardDeadLetters' });
export const markSentBody = objectOf(action).meta({ id: 'MarkDeadLettersSent' });
export const redriveBody = objectOf(send).meta({ id: 'RedriveDeadLetters' });
export const editBody = objectOf({
  ...send,
  patch: z
    .record(z.string(), z.unknown(), { error: mustBe('an object, a JSON merge patch') })
    .optional()
    .describe(
      `A JSON merge patch (RFC 7396) of the payload, of ${LIMIT.editedFields} fields at most; null removes a field.`,
    ),
  headers: z
    .record(z.string(), z.string().nullable(), { error: mustBe('an object of texts and null') })
    .optional()
    .describe(
      `Headers to set, such as \`kafka_replyTopic\`: ${LIMIT.editedHeaders} at most, with ${LIMIT.editedHeaderCharacters} characters each; null removes one.`,
    ),
}).meta({ id: 'EditDeadLetters' });

const status = () =>
  z
    .enum(['open', 'redrive-begun', 'edit-begun', 'redriven', 'edited', 'discarded', 'marked-sent'])
    .describe(
      'By the audit. `redrive-begun` and `edit-begun`: the result is not recorded, so it may have been sent.',
    );
const counts = z.record(z.string(), z.int().nonnegative()).meta({ id: 'DeadLetterCounts' });
const letterId = () => z.string().describe('`topic/partition/offset` on the dead-letter topic.');

const listedLetter = namedObject('ListedDeadLetter', {
  id: letterId(),
  at: dateTime().describe('When it became a dead letter.'),
  code: z.string().describe('The problem code.'),
  reason: z.string().describe('One sentence for an operator.'),
  type: z.string().optional().describe('The message type, if it is known.'),
  channel: z.enum(['sms', 'email']).optional().describe('Of a notification.'),
  from: z.string().optional().describe('`topic/partition/offset` of the original record.'),
  attempts: z.int().nonnegative().describe('Delivery rounds of a notification, or attempts of the worker.'),
  redrives: z.int().nonnegative().describe('How often it was redriven before.'),
  status: status(),
  notificationId: z.string().optional().describe('Of a notification.'),
  bytes: z.int().nonnegative().describe('Size of the value.'),
});
export type ListedLetter = z.infer<typeof listedLetter>;

export const letterPage = namedObject('DeadLetterPage', {
  letters: z.array(listedLetter).describe('Newest first.'),
  count: z.int().nonnegative().describe('Selected dead letters in all.'),
  codes: counts.describe('Their number by code, the 100 most frequent; `*`: those of all others.'),
  handled: z.int().nonnegative().describe('Selected ones that are left out because they were handled.'),
  isComplete: z
    .boolean()
    .describe(
      `False: only the newest ${LIMIT.scannedLetters} dead letters, or those read within the time limit, were searched.`,
    ),
  isAuditComplete: z
    .boolean()
    .describe(
      `False: only the newest ${LIMIT.auditRecords} records of the audit, or those read within the time limit, were read, so that a dead letter that was handled may appear as open.`,
    ),
  nextCursor: z.string().optional().describe('For the next page; absent on the last one.'),
});
export type LetterPage = z.infer<typeof letterPage>;

/** One step of an action on a dead letter. The record in the audit topic also names the dead letter. */
export const auditEntry = namedObject('DeadLetterAudit', {
  action: z.enum(['redrive', 'edit', 'discard', 'mark-sent']),
  /** Redrive, edit and mark-sent write `begun`, then `done`, or `failed` if nothing was sent; discard only `done`. */
  stage: z.enum(['begun', 'done', 'failed']),
  operator: z.string().describe('The subject of the token, or the user of the command.'),
  at: dateTime(),
  reason: z.string().optional(),
  result: z.string().optional().describe('The topic to which it was sent, or an error code.'),
  run: z.string().describe('Id of the call or command.'),
  members: z.array(z.string()).optional().describe('The fields that an edit changed.'),
  overrides: z.array(z.string()).optional().describe('The guards that were disabled.'),
});

export const shownLetter = namedObject('DeadLetter', {
  id: letterId(),
  code: z.string(),
  reason: z.string(),
  at: dateTime(),
  from: z.string().optional(),
  fromAt: dateTime().optional().describe('Time of the original record.'),
  group: z.string().optional().describe('Consumer group of the worker.'),
  attempts: z.int().nonnegative(),
  redrives: z.int().nonnegative(),
  notificationId: z.string().optional(),
  key: z.string().nullable().describe('The message key; masked unless it is a hash.'),
  headers: z.record(z.string(), z.string()).describe('Headers of this system; of others only the length.'),
  history: z.array(z.string()).describe('Earlier attempts, each as JSON.'),
  payload: namedObject('DeadLetterPayload', {
    type: z.string().optional(),
    format: z.string().optional().describe('`avro` or `json`.'),
    bytes: z.int().nonnegative(),
    content: z.unknown().optional().describe('The payload; addresses, numbers, texts and files are masked.'),
    isHidden: z.literal(true).optional().describe('Set where the payload cannot be masked.'),
    notes: z.array(z.string()).describe('Why the payload cannot be decoded, and its invalid fields.'),
  }),
  status: status(),
  audit: z.array(auditEntry).describe('The newest steps of actions on it, 100 at most, oldest first.'),
  isAuditComplete: z
    .boolean()
    .describe('False: older steps are left out, or the audit was not read to its end.'),
});

export const actionReply = namedObject('DeadLetterResults', {
  run: z.string().describe('Id of the call, as in the audit.'),
  dryRun: z.boolean(),
  counts: counts.describe('Dead letters by result, with those that are not listed.'),
  notListed: z.int().nonnegative().describe('Skipped ones that are not listed: the first 100 are.'),
  letters: z.array(
    namedObject('DeadLetterResult', {
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
      to: z.string().optional().describe('The topic to which it was sent, or would be.'),
      why: z.string().optional().describe('Why it was skipped, refused or failed.'),
      override: z
        .enum(['again', 'force', 'acceptDuplicates'])
        .optional()
        .describe('The field of the body with which it would not have been skipped or refused.'),
      warnings: z
        .array(z.string())
        .optional()
        .describe('Ignored fields of an edited payload, as `code;path`.'),
    }),
  ),
});
export type ActionReply = z.infer<typeof actionReply>;
