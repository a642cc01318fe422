/**
 * The records of notifications as JSON messages, for tools that read these topics. They have the fields of the domain, and
 * no personal data.
 */

import { z } from 'zod';
import type { NotificationAcceptance, NotificationState } from '../../notification/notification-state.ts';
import { anyText, guid, objectOf, oneOf, optional, optionalList, mustBe } from '../json/field-kinds.ts';
import { toFaults } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';

/** Attempts that a state keeps. */
const MAX_ATTEMPTS = 20;

const moment = () => z.int({ error: mustBe('epoch milliseconds') }).describe('Epoch milliseconds.');
const id = () => guid().describe('UUID of the notification.');
const channel = () => oneOf(['sms', 'email']).describe('Channel of the notification.');

const acceptance = objectOf({
  notificationId: id(),
  channel: channel(),
  acceptedAt: moment(),
  owner: anyText().describe("Hash of the caller's subject."),
  bodyHash: anyText().describe('HMAC of the body of a request with an Idempotency-Key, otherwise empty.'),
});

const attempt = objectOf({
  attempt: z.int({ error: mustBe('a whole number') }).describe('Round of delivery, counted from 1.'),
  at: moment(),
  provider: anyText().describe('Name of the provider in the configuration.'),
  result: oneOf(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']).describe(
    'Result of the attempt.',
  ),
  code: optional(anyText()).describe('Stable code of the result; absent when sent.'),
  repeatableBy: optional(anyText()).describe(
    'For an unknown outcome: the provider that delivers an id only once.',
  ),
}).meta({ id: 'NotificationAttemptRecord' });

const state = objectOf({
  notificationId: id(),
  channel: channel(),
  status: oneOf(['sending', 'retrying', 'sent', 'failed', 'parked']).describe('Status of the notification.'),
  attempt: z.int({ error: mustBe('a whole number') }).describe('Round of delivery, counted from 1.'),
  attempts: optionalList(attempt, MAX_ATTEMPTS).describe('Attempts, newest last.'),
  updatedAt: moment(),
  nextAttemptAt: optional(moment()),
  providerMessageId: optional(anyText()).describe('When sent: the id that the provider assigned.'),
  code: optional(anyText()).describe('Reason for failed, parked or retrying.'),
  owner: optional(anyText()).describe('While sending: the process that sends it.'),
  leaseUntil: optional(moment()),
  providers: optional(z.array(anyText())).describe('While sending: the providers of the round.'),
  repeatableBy: optional(anyText()).describe(
    'While sending: the only provider of the round, if it delivers an id only once.',
  ),
});

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
