/** The operations of verifications (N10): their fields, their addresses over HTTP, and the answer of all. */

import { z } from 'zod';
import type { Channel, CommandOptions } from '../../notification/notification-command.ts';
import { countPlaceholders } from '../../notification/verification-codes.ts';
import {
  VERIFICATION_LIMITS as LIMIT,
  type VerificationPlan,
  type VerificationState,
} from '../../notification/verification.ts';
import { anyText, oneOf, wholeNumber } from '../../platform/json-kinds.ts';
import { isRecord, shapeFault, type ShapeFaultCode } from '../json/faults.ts';
import { defineAction, type Action } from '../json/action-definition.ts';
import {
  count,
  dateTime,
  guid,
  namedObject,
  objectOf,
  optional,
  requestOf,
  text,
} from '../json/field-kinds.ts';
import { createRequestReader, type ReadRequest } from '../json/request-reader.ts';
import { isoText } from './answers.ts';
import EXAMPLES from './examples.json' with { type: 'json' };
import { NOTIFICATION_LIMITS } from './notification-limits.ts';
import { applyRule, createReader } from './read-command.ts';

const DEFAULTS = { length: 6, validSeconds: 300, subject: 'Your code' } as const;

/** Payload of message type StartVerificationRequest, normalised. */
export interface StartVerification extends VerificationPlan, Pick<CommandOptions, 'template'> {
  readonly verificationId: string | undefined;
  readonly caller: string | undefined;
}

/** Payload of the other requests; only CheckVerificationRequest has a code. */
export interface VerificationRequest {
  readonly verificationId: string;
  readonly caller?: string | undefined;
  readonly code?: string;
}

/** Payload of message type VerificationReply. */
export type VerificationReply = Omit<VerificationState, 'id'> & { readonly verificationId: string };

/** Over HTTP these fields are not in the body. */
const OWN = { verificationId: true, caller: true } as const;
const caller = () =>
  optional(text()).describe('Whose verification it is; written by the ingress, absent for upstream systems.');
const verificationId = () => guid().describe('UUID of the verification.');
const receiver = () =>
  anyText('a telephone number or an e-mail address')
    .meta({ minLength: 1, maxLength: NOTIFICATION_LIMITS.addressCharacters })
    .describe('Telephone number with its country code, or one plain e-mail address (N4).');

const startFields = objectOf(
  {
    verificationId: optional(verificationId()),
    caller: caller(),
    receiver: receiver(),
    channel: optional(oneOf(['auto', 'sms', 'email'])).describe(
      '`auto` (default): e-mail if the receiver has an `@`, otherwise SMS.',
    ),
    sender: optional(anyText()).describe('As in a notification; absent: that of the provider (N3).'),
    subject: optional(anyText()).describe(`Subject of an e-mail; default: \`${DEFAULTS.subject}\`.`),
    message: anyText()
      .meta({ minLength: 1, maxLength: NOTIFICATION_LIMITS.smsCharacters })
      .describe('The text, in which `{{code}}` occurs once. The service of a provider uses its own text.'),
    length: optional(count({ minimum: LIMIT.minDigits, maximum: LIMIT.maxDigits })).describe(
      `Digits of the code; default: ${DEFAULTS.length}. A provider's service may decide itself.`,
    ),
    validSeconds: optional(count({ minimum: LIMIT.minSeconds, maximum: LIMIT.maxSeconds })).describe(
      `Validity, default: ${DEFAULTS.validSeconds}. A provider's service may end earlier.`,
    ),
    fallback: optional(objectOf({ receiver: receiver() }).meta({ id: 'VerificationFallback' })).describe(
      'A receiver of the other channel, who gets a new code once, if a message fails.',
    ),
  },
  'an object with the fields of the verification',
);

const channelOf = (address: unknown): Channel => (String(address).includes('@') ? 'email' : 'sms');

const startReader = createReader<StartVerification>(startFields, (fields, rules) => {
  const refuse = (path: string, code: ShapeFaultCode, message: string) =>
    void rules.faults.push(shapeFault(path, code, message));
  const ranged = (path: 'length' | 'validSeconds', least: number, most: number): number => {
    const value = fields[path];
    if (typeof value !== 'number') return DEFAULTS[path];
    if (value < least || value > most) refuse(path, 'out-of-range', `must be from ${least} to ${most}`);
    return value;
  };
  const asked = fields['channel'];
  const channel = asked === 'sms' || asked === 'email' ? asked : channelOf(fields['receiver']);
  const [address, sender] =
    channel === 'sms' ? [rules.phone, rules.smsSender] : [rules.address, rules.address];
  const other = isRecord(fields['fallback']) ? fields['fallback']['receiver'] : undefined;
  const isForSms = channel === 'sms' || (other !== undefined && channelOf(other) === 'sms');
  const message = applyRule(fields, 'message', isForSms ? rules.smsText : rules.text) ?? '';
  const placeholders = countPlaceholders(message);
  if (message !== '' && placeholders !== 1)
    refuse('message', placeholders === 0 ? 'missing' : 'too-many-items', 'must contain {{code}} once');
  const path = 'fallback.receiver';
  if (typeof other === 'string' && channelOf(other) === channel)
    refuse(path, 'mutually-exclusive', 'must belong to the other channel');
  const second =
    typeof other === 'string'
      ? (channelOf(other) === 'sms' ? rules.phone : rules.address)(path, other)
      : undefined;
  const command = {
    verificationId: applyRule(fields, 'verificationId', (_, id) => id.toLowerCase()),
    caller: applyRule(fields, 'caller', (_, name) => name),
    receiver: applyRule(fields, 'receiver', address) ?? '',
    channel,
    sender: applyRule(fields, 'sender', sender),
    subject: applyRule(fields, 'subject', rules.subject) ?? DEFAULTS.subject,
    message,
    length: ranged('length', LIMIT.minDigits, LIMIT.maxDigits),
    validSeconds: ranged('validSeconds', LIMIT.minSeconds, LIMIT.maxSeconds),
    fallback: second === undefined ? undefined : { receiver: second },
  };
  return { command, files: [] };
});

/**
 * Reads the payload of a StartVerificationRequest; one that was read before stays the same. `country` applies to numbers
 * without a country code (N4). Numbers out of range are a 400: nothing is calculated with them.
 */
export function readStart(body: unknown, country?: string): ReadRequest<StartVerification> {
  const read = startReader.parse(body, { country, hasDefaultSender: true });
  return read.kind === 'valid' ? read : { ...read, problem: 'invalid-request' };
}

const ofOne = { verificationId: verificationId(), caller: caller() };
const typed = anyText()
  .regex(/^\d{4,10}$/, { error: `must be ${LIMIT.minDigits} to ${LIMIT.maxDigits} digits` })
  .describe('What the person typed.');
const checkReader = createRequestReader<VerificationRequest>({
  fields: requestOf({ ...ofOne, code: typed }),
});
const plainReader = createRequestReader<VerificationRequest>({ fields: requestOf(ofOne) });

/** The readers of the payloads. */
export const VERIFICATION_READERS = { start: { read: readStart }, check: checkReader, plain: plainReader };

const replyShape = namedObject('Verification', {
  verificationId: z.string().meta({ format: 'uuid' }).describe('Id of the verification.'),
  status: z
    .enum(['pending', 'approved', 'failed', 'expired', 'cancelled'])
    .describe(
      '`approved`: the right code was checked. `failed`: no check is left, or no message can be sent.',
    ),
  channel: z.enum(['sms', 'email']).describe('Channel of the last message.'),
  expiresAt: dateTime().describe('End of its validity.'),
  attemptsLeft: wholeNumber('Checks left.', 0),
  sendsLeft: wholeNumber('Messages left.', 0),
});

export interface VerificationOperation extends Action {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** Status of the answer. */
  readonly status: 200 | 202;
  /** Absent if the call has no body. */
  readonly bodyShape: z.ZodObject | undefined;
  readonly bodyExample: object;
}

export const VERIFICATIONS_PATH = '/api/notifications/v1/verifications';
const { start, check, id, reply } = EXAMPLES.verification;

interface Reader {
  readonly body: z.ZodObject;
  read(body: unknown): ReadRequest<unknown>;
}
type About = readonly [name: string, summary: string, description: string];
type Address = readonly [method: VerificationOperation['method'], path: string, status: 200 | 202];

function operation(
  [name, summary, description]: About,
  [method, path, status]: Address,
  request: Reader = plainReader,
  bodyExample: object = {},
): VerificationOperation {
  const { body } = request;
  const example = { key: name, summary, request: { ...(path === '' ? {} : id), ...bodyExample }, reply };
  const action = defineAction<unknown, VerificationReply>({
    name,
    summary,
    description,
    replyShape,
    requestType: `${name}Request`,
    examples: [example],
    request: {
      body,
      read: (sent) => request.read(sent),
      check: () => undefined,
      render: (payload) => JSON.stringify(payload),
    },
    render: ({ expiresAt, ...state }) => JSON.stringify({ ...state, expiresAt: isoText(expiresAt) }),
  });
  const bodyShape = request === plainReader ? undefined : body.omit(OWN);
  return { ...action, method, path: VERIFICATIONS_PATH + path, status, bodyShape, bodyExample };
}

const ONE = '/{verificationId}';

export const VERIFICATIONS: readonly VerificationOperation[] = [
  operation(
    [
      'StartVerification',
      'Sends a code to a receiver',
      'Returns as soon as the message is stored on the urgent topic; `Idempotency-Key` makes it repeatable. A code is valid once, until `expiresAt`, for five checks and five messages (N10).',
    ],
    ['post', '', 202],
    { body: startFields, read: (sent) => readStart(sent) },
    start,
  ),
  operation(
    [
      'CheckVerification',
      'Checks a code',
      'A wrong code is a 200 with status `pending`, or `failed` if no check is left. 410 after the end, 429 if the checks are used up (N10).',
    ],
    ['post', `${ONE}/check`, 200],
    checkReader,
    check,
  ),
  operation(
    [
      'ResendVerification',
      'Sends a new code',
      'It replaces the old one; checks are not given back. 429 after five messages (N10).',
    ],
    ['post', `${ONE}/resend`, 202],
  ),
  operation(
    ['GetVerification', 'Returns a verification', 'For two hours after its start, to its caller only (N10).'],
    ['get', ONE, 200],
  ),
  operation(
    [
      'CancelVerification',
      'Cancels a verification',
      'No code of it is accepted any more. 410 after its end (N10).',
    ],
    ['delete', ONE, 200],
  ),
];
