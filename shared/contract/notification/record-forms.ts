/**
 * The records of notifications as JSON messages, for tools that read these topics: the fields of the domain as they
 * are. Nothing of them is personal.
 */

import { z } from 'zod';
import type { NotificationAcceptance, NotificationState } from '../../notification/notification-state.ts';
import { toJsonSchema, type JsonSchema } from '../json/json-schema.ts';
import { guid, optional, optionalList, wanted } from '../json/field-kinds.ts';
import { toFaults } from '../json/faults.ts';
import { invalid, type ReadRequest } from '../json/request-contract.ts';

/** As many as a state keeps. */
const MOST_ATTEMPTS = 20;

const text = () => z.string({ error: wanted('text') });
const oneOf = <const Name extends string>(names: readonly Name[]) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });
const moment = () => z.int({ error: wanted('epoch milliseconds') }).describe('Epoch milliseconds.');
const id = () => guid().describe('UUID of the notification.');
const channel = () => oneOf(['sms', 'email']).describe('Channel of the notification.');

const acceptance = z.object(
  {
    notificationId: id(),
    channel: channel(),
    acceptedAt: moment(),
    owner: text().describe("Hash of the caller's subject."),
    bodyHash: text().describe('HMAC of the body of a request with an Idempotency-Key, else empty.'),
  },
  { error: wanted('an object') },
);

const attempt = z.object(
  {
    attempt: z.int({ error: wanted('a whole number') }).describe('Round of delivery, counted from 1.'),
    at: moment(),
    provider: text().describe('Name of the provider in the configuration.'),
    result: oneOf(['sent', 'transient', 'permanent', 'misconfigured', 'unknown']).describe(
      'What came of it.',
    ),
    code: optional(text()).describe('Stable code of the result; absent when sent.'),
    repeatableBy: optional(text()).describe('Of an unknown outcome: the provider that knows the id again.'),
  },
  { error: wanted('an object') },
);

const state = z.object(
  {
    notificationId: id(),
    channel: channel(),
    status: oneOf(['sending', 'retrying', 'sent', 'failed', 'parked']).describe('How far it has come.'),
    attempt: z.int({ error: wanted('a whole number') }).describe('Round of delivery, counted from 1.'),
    attempts: optionalList(attempt, MOST_ATTEMPTS).describe('Tries, newest last.'),
    updatedAt: moment(),
    nextAttemptAt: optional(moment()),
    providerMessageId: optional(text()).describe("The provider's own id of a sent one."),
    code: optional(text()).describe('Why it is failed, parked or retrying.'),
    owner: optional(text()).describe('While sending: the process that has it.'),
    leaseUntil: optional(moment()),
    providers: optional(z.array(text())).describe('While sending: the providers that may be asked.'),
    repeatableBy: optional(text()).describe('While sending: the only one of them, if it knows ids again.'),
  },
  { error: wanted('an object') },
);

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
