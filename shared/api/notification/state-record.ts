/** The states of notifications on the outcome topic: in JSON for senders that write JSON, otherwise in Avro (N13). */

import { z } from 'zod';
import type { Codec, Encoded, MessageFormat } from '../../messaging/codec.ts';
import { HEADER } from '../../messaging/headers.ts';
import {
  DELIVERY_STATUSES,
  RECEIPT_STATUSES,
  type NotificationState,
} from '../../notification/notification-state.ts';
import { andThen, type SyncOrAsync } from '../../platform/sync-or-async.ts';
import { namedObject } from '../json/field-kinds.ts';
import { toFaults } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-reader.ts';

export const STATE_TYPE = 'NotificationState';

const round = () => z.int().min(1).describe('Round of delivery, counted from 1.');
const time = () => z.int().describe('Epoch milliseconds.');

/** The fields of the Avro record; one that would be null is absent. */
export const stateForm = namedObject('NotificationState', {
  notificationId: z.string().meta({ format: 'uuid' }),
  channel: z.enum(['sms', 'email']),
  status: z.enum([...DELIVERY_STATUSES, ...RECEIPT_STATUSES]),
  attempt: round(),
  attempts: z
    .array(
      namedObject('NotificationAttemptRecord', {
        attempt: round(),
        at: time(),
        provider: z.string(),
        result: z.enum(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']),
        code: z.string().optional(),
        repeatableBy: z.string().optional(),
      }),
    )
    .describe('The last attempts, at most 20, newest last.'),
  updatedAt: time(),
  nextAttemptAt: time().optional(),
  providerMessageId: z.string().optional(),
  code: z.string().optional().describe('Stable code of the reason.'),
  owner: z.string().optional().describe('While sending: the process that owns the round.'),
  leaseUntil: time().optional(),
  providers: z.array(z.string()).optional().describe('While sending: those that may be called.'),
  repeatableBy: z.string().optional(),
  sender: z
    .string()
    .optional()
    .describe('Hash of the caller over HTTP, or the header `plat-sender` of an upstream command.'),
  category: z.enum(['transactional', 'campaign']).optional(),
  receiverHash: z.string().optional().describe('Keyed hash of the receiver.'),
});

export function readState(body: unknown): ReadRequest<NotificationState> {
  const read = stateForm.safeParse(body);
  if (!read.success) return invalid(toFaults(read.error.issues, body));
  return { kind: 'valid', payload: read.data as NotificationState, warnings: [] };
}

/** Encodes a state with the headers of its record. Fails like Codec.encode. */
export function encodeState(
  codec: Pick<Codec, 'encode'>,
  state: NotificationState,
  format: MessageFormat,
): SyncOrAsync<Encoded> {
  return andThen(codec.encode(STATE_TYPE, state, format), ({ value, headers }) => ({
    value,
    headers: { ...headers, [HEADER.messageType]: STATE_TYPE },
  }));
}

const AVRO = 0;

/** The format of a message, by its first byte. */
export function formatOf(value: Uint8Array | null): MessageFormat {
  return value?.[0] === AVRO ? 'avro' : 'json';
}
