/**
 * The records of notifications as JSON messages, for tools that read these topics: the fields of the domain as they
 * are. Nothing of them is personal.
 */

import { z } from 'zod';
import type { NotificationAcceptance, NotificationState } from '../../notification/notification-state.ts';
import { toJsonSchema, type JsonSchema } from '../json/json-schema.ts';
import { anyText, guid, objectOf, oneOf, optional, optionalList, wanted } from '../json/field-kinds.ts';
import { toFaults } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';

/** As many as a state keeps. */
const MOST_ATTEMPTS = 20;

const moment = () => z.int({ error: wanted('epoch milliseconds') }).describe('Epoch milliseconds.');
const id = () => guid().describe('UUID of the notification.');
const channel = () => oneOf(['sms', 'email']).describe('Channel of the notification.');

const acceptance = objectOf({
  notificationId: id(),
  channel: channel(),
  acceptedAt: moment(),
  owner: anyText().describe("Hash of the caller's subject."),
  bodyHash: anyText().describe('HMAC of the body of a request with an Idempotency-Key, else empty.'),
});

const attempt = objectOf({
  attempt: z.int({ error: wanted('a whole number') }).describe('Round of delivery, counted from 1.'),
  at: moment(),
  provider: anyText().describe('Name of the provider in the configuration.'),
  result: oneOf(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']).describe('What came of it.'),
  code: optional(anyText()).describe('Stable code of the result; absent when sent.'),
  repeatableBy: optional(anyText()).describe('Of an unknown outcome: the provider that knows the id again.'),
});

const state = objectOf({
  notificationId: id(),
  channel: channel(),
  status: oneOf(['sending', 'retrying', 'sent', 'failed', 'parked']).describe('How far it has come.'),
  attempt: z.int({ error: wanted('a whole number') }).describe('Round of delivery, counted from 1.'),
  attempts: optionalList(attempt, MOST_ATTEMPTS).describe('Tries, newest last.'),
  updatedAt: moment(),
  nextAttemptAt: optional(moment()),
  providerMessageId: optional(anyText()).describe("The provider's own id of a sent one."),
  code: optional(anyText()).describe('Why it is failed, parked or retrying.'),
  owner: optional(anyText()).describe('While sending: the process that has it.'),
  leaseUntil: optional(moment()),
  providers: optional(z.array(anyText())).describe('While sending: the providers that may be asked.'),
  repeatableBy: optional(anyText()).describe('While sending: the only one of them, if it knows ids again.'),
});

/** JSON Schemas of the records. */
export const acceptanceSchema = (): JsonSchema => toJsonSchema(acceptance);
export const stateSchema = (): JsonSchema => toJsonSchema(state);

export function readAcceptance(value: unknown): ReadRequest<NotificationAcceptance> {
  const read = acceptance.safeParse(value);
  return read.success ? valid(read.data) : invalid(toFaults(read.error.issues, value));
}

export function readState(value: unknown): ReadRequest<NotificationState> {
  const read = state.safeParse(value);
  if (!read.success) return invalid(toFaults(read.error.issues, value));
  return valid({ ...read.data, attempts: read.data.attempts ?? [] });
}

function valid<Payload>(payload: Payload): ReadRequest<Payload> {
  return { kind: 'valid', payload, warnings: [] };
}
