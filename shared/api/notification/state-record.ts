/** The states of notifications on the outcome topic: in JSON for senders that write JSON, otherwise in Avro (N13). */

import { z } from 'zod';
import type { MessageFormat } from '../../messaging/codec.ts';
import {
  DELIVERY_STATUSES,
  RECEIPT_STATUSES,
  type NotificationState,
} from '../../notification/notification-state.ts';
import { namedObject } from '../json/field-kinds.ts';
import { toFaults } from '../json/faults.ts';
import { notificationAttempt, notificationReply } from './answers.ts';
import { invalid, type ReadRequest } from '../json/request-reader.ts';

export const STATE_TYPE = 'NotificationState';

const time = () => z.int().describe('Epoch milliseconds.');
const text = () => z.string().optional();
const { notificationId, channel, code } = notificationReply.shape;

/** The fields of the Avro record; one that would be null is absent. */
export const stateForm = namedObject('NotificationState', {
  notificationId,
  channel,
  status: z.enum([...DELIVERY_STATUSES, ...RECEIPT_STATUSES]),
  attempt: notificationAttempt.shape.attempt,
  attempts: z
    .array(
      namedObject('NotificationAttemptRecord', {
        ...notificationAttempt.shape,
        at: time(),
        repeatableBy: text(),
      }),
    )
    .describe('The last attempts, at most 20, newest last.'),
  updatedAt: time(),
  nextAttemptAt: time().optional(),
  providerMessageId: text(),
  code,
  owner: text().describe('While sending: the process that owns the round.'),
  leaseUntil: time().optional(),
  providers: z.array(z.string()).optional().describe('While sending: those that may be called.'),
  repeatableBy: text(),
  sender: text().describe(
    'Hash of the caller over HTTP, or the header `plat-sender` of an upstream command.',
  ),
  category: z.enum(['transactional', 'campaign']).optional(),
  receiverHash: text().describe('Keyed hash of the receiver.'),
});

export function readState(body: unknown): ReadRequest<NotificationState> {
  const read = stateForm.safeParse(body);
  if (!read.success) return invalid(toFaults(read.error.issues, body));
  return { kind: 'valid', payload: read.data as NotificationState, warnings: [] };
}

const AVRO = 0;

/** The format of a message, by its first byte; Avro if there is none. */
export function formatOf(value: Uint8Array | null | undefined): MessageFormat {
  return (value?.[0] ?? AVRO) === AVRO ? 'avro' : 'json';
}
