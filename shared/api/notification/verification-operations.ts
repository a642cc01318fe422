/** The operations of verifications (N10): their fields, their addresses over HTTP, and the answer of all. */

import { z } from 'zod';
import type { Channel } from '../../notification/notification-command.ts';
import { countPlaceholders } from '../../notification/verification-codes.ts';
import {
  VERIFICATION_LIMITS as LIMIT,
  type VerificationPlan,
  type VerificationState,
} from '../../notification/verification.ts';
import { anyText, oneOf, wholeNumber } from '../../platform/json-kinds.ts';
import { isRecord, shapeFault } from '../json/faults.ts';
import { defineAction, type Action } from '../json/action-definition.ts';
import {
  count,
  dateTime,
  described,
  guid,
  namedObject,
  itemOf,
  optional,
  termsOf,
  text,
} from '../json/field-kinds.ts';
import { createRequestReader, type ReadRequest, type RequestReader } from '../json/request-reader.ts';
import { isoText } from './answers.ts';
import EXAMPLES from './examples.json' with { type: 'json' };
import { templateField } from './notification-fields.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';
import { applyRule, createReader, readTemplate, textsOf, type NotificationReading } from './read-command.ts';
import TEXTS from './verification-texts.json' with { type: 'json' };

const DEFAULTS = { length: 6, validSeconds: 300 } as const;

/** Payload of message type StartVerificationRequest, normalised. */
export interface StartVerification extends VerificationPlan {
  readonly verificationId: string | undefined;
  readonly caller: string | undefined;
}

/** Payload of the other requests; only CheckVerificationRequest has a code. */
export interface VerificationRequest {
  readonly verificationId: string;
  readonly caller?: string | undefined;
  readonly code?: string;
}

const OWN = { verificationId: guid(), caller: optional(text()) };
const receiver = () =>
  anyText('a telephone number or an e-mail address').meta({
    minLength: 1,
    maxLength: NOTIFICATION_LIMITS.addressCharacters,
  });
const startFields = termsOf(TEXTS.start, {
  ...OWN,
  verificationId: optional(guid()),
  receiver: receiver(),
  channel: optional(oneOf(['auto', 'sms', 'email'])),
  sender: optional(anyText()),
  message: optional(anyText().meta({ minLength: 1, maxLength: NOTIFICATION_LIMITS.smsCharacters })),
  template: templateField(),
  length: optional(count(LIMIT.length)),
  validSeconds: optional(count(LIMIT.validSeconds)),
  fallback: optional(itemOf(TEXTS.fallback, { receiver: receiver() }).meta({ id: 'VerificationFallback' })),
});

const channelOf = (address: unknown): Channel => (String(address).includes('@') ? 'email' : 'sms');
/** The channel of the first message, as asked for or by the receiver. */
export const firstChannelOf = ({ channel, ...fields }: Readonly<Record<string, unknown>>): Channel =>
  channel === 'sms' || channel === 'email' ? channel : channelOf(fields['receiver']);

const startReader = createReader<StartVerification>(startFields, (fields, rules, _id, find) => {
  const { faults } = rules;
  const ranged = (path: 'length' | 'validSeconds'): number => {
    const value = fields[path];
    const { minimum, maximum } = LIMIT[path];
    if (typeof value !== 'number') return DEFAULTS[path];
    if (value < minimum || value > maximum)
      faults.push(shapeFault(path, 'out-of-range', `must be from ${minimum} to ${maximum}`));
    return value;
  };
  const channel = firstChannelOf(fields);
  const addressRule = { sms: rules.phone, email: rules.address };
  const other = isRecord(fields['fallback']) ? fields['fallback']['receiver'] : undefined;
  const channels = typeof other === 'string' ? [channel, channelOf(other)] : [channel];
  if (channels[1] === channel)
    faults.push(shapeFault('fallback.receiver', 'mutually-exclusive', 'must belong to the other channel'));
  const fallback =
    typeof other === 'string' ? addressRule[channelOf(other)]('fallback.receiver', other) : undefined;
  const checkPlaceholder = (path: string, message: string, subject = ''): void => {
    const isOnce = countPlaceholders(message) === 1 && countPlaceholders(subject) === 0;
    if (message !== '' && !isOnce)
      faults.push(shapeFault(path, 'unknown-value', 'must have {{code}} once in its text'));
  };
  const message = applyRule(fields, 'message', rules.smsText);
  if (message !== undefined) checkPlaceholder('message', message);
  const template = readTemplate(fields['template']);
  if (template !== undefined && Object.hasOwn(template.fields, 'code'))
    faults.push(
      shapeFault('template.fields.code', 'mutually-exclusive', 'must be left out: it has the code'),
    );
  const use = template && { ...template, fields: { ...template.fields, code: '{{code}}' } };
  const texts = Object.fromEntries(channels.map((one) => [one, textsOf(one, use, find, rules)]));
  for (const filled of Object.values(texts))
    checkPlaceholder('template', filled.message ?? '', filled.subject);
  const command = {
    verificationId: applyRule(fields, 'verificationId', (_, id) => id.toLowerCase()),
    caller: applyRule(fields, 'caller', (_, name) => name),
    receiver: applyRule(fields, 'receiver', addressRule[channel]) ?? '',
    channel,
    sender: applyRule(fields, 'sender', channel === 'sms' ? rules.smsSender : rules.address),
    message,
    template,
    ...(use && find && { texts }),
    length: ranged('length'),
    validSeconds: ranged('validSeconds'),
    fallback: fallback === undefined ? undefined : { receiver: fallback },
  };
  return { command, files: [] };
});

/**
 * Reads the payload of a StartVerificationRequest. `country` applies to numbers without a country code (N4). A template
 * is filled in if it can be found. Numbers out of range are a 400: nothing is calculated with them.
 */
export function readStart(
  body: unknown,
  reading: Partial<NotificationReading> = {},
): ReadRequest<StartVerification> {
  const read = startReader.parse(body, { hasDefaultSender: true, ...reading });
  return read.kind === 'valid' ? read : { ...read, problem: 'invalid-request' };
}

const typed = anyText().regex(/^\d{4,10}$/, { error: 'must be 4 to 10 digits' });
/** Reads the payload of a CheckVerificationRequest. */
export const checkReader = createRequestReader<VerificationRequest>({
  fields: termsOf(TEXTS.check, { ...OWN, code: typed }),
});
/** Reads the payload of the requests that only name a verification. */
export const plainReader = createRequestReader<VerificationRequest>({ fields: termsOf(TEXTS.request, OWN) });

const replyShape = namedObject(
  'Verification',
  described(TEXTS.reply, {
    verificationId: z.string().meta({ format: 'uuid' }),
    status: z.enum(['pending', 'approved', 'failed', 'expired', 'cancelled']),
    channel: z.enum(['sms', 'email']),
    expiresAt: dateTime(),
    attemptsLeft: wholeNumber('', 0),
    sendsLeft: wholeNumber('', 0),
  }),
);

export interface VerificationOperation extends Action {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** Status of the answer. */
  readonly status: 200 | 202;
  /** Without the fields that the ingress writes; absent if the call has no body. */
  readonly bodyShape: z.ZodObject | undefined;
}

export const VERIFICATIONS_PATH = '/api/notifications/v1/verifications';
const ONE = `${VERIFICATIONS_PATH}/{verificationId}`;
const { start, check, id, reply } = EXAMPLES.verification;

function operation(
  name: keyof typeof TEXTS.operations,
  address: Pick<VerificationOperation, 'method' | 'path' | 'status'>,
  request: Pick<RequestReader<unknown>, 'body' | 'read'> = plainReader,
  bodyExample: object = {},
): VerificationOperation {
  const { summary } = TEXTS.operations[name];
  const { body } = request;
  const example = { ...(name === 'StartVerification' ? {} : id), ...bodyExample };
  const action = defineAction<unknown, VerificationState>({
    name,
    ...TEXTS.operations[name],
    replyShape,
    requestType: `${name}Request`,
    examples: [{ key: name, summary, request: example, reply }],
    request: { ...request, check: () => undefined, render: JSON.stringify },
    render: ({ expiresAt, ...state }) => JSON.stringify({ ...state, expiresAt: isoText(expiresAt) }),
  });
  const bodyShape = body === plainReader.body ? undefined : body.omit({ verificationId: true, caller: true });
  return { ...action, ...address, bodyShape };
}

export const VERIFICATIONS: readonly VerificationOperation[] = [
  operation(
    'StartVerification',
    { method: 'post', path: VERIFICATIONS_PATH, status: 202 },
    { body: startFields, read: (sent) => readStart(sent) },
    start,
  ),
  operation('CheckVerification', { method: 'post', path: `${ONE}/check`, status: 200 }, checkReader, check),
  operation('ResendVerification', { method: 'post', path: `${ONE}/resend`, status: 202 }),
  operation('GetVerification', { method: 'get', path: ONE, status: 200 }),
  operation('CancelVerification', { method: 'delete', path: ONE, status: 200 }),
];
