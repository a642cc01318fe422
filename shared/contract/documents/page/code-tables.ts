/** Tables of all stable codes for the documentation page: problems, faults of fields, and warnings. */

import type { FaultCode } from '../../../lending/request/validation.ts';
import { ERROR_CODES, type ErrorCode } from '../../../platform/problem.ts';
import { BODY_FAULTS, SHAPE_FAULTS } from '../../json/faults.ts';
import { CODE_RULES, splitIds } from './field-rules.ts';
import { html, table, type Html } from '../html.ts';
import { inlineMarkup, ruleLinks } from './rules.ts';

/** Every problem with its cause and what a caller does about it. */
export function problemTable(): Html {
  const codes = Object.entries(ERROR_CODES);
  const rows = codes.map(([code, { status, title, retryable }]) => {
    const { cause, remedy } = GUIDE[code as ErrorCode];
    return [
      html`<a class="anchor" href="#error.${code}"><code>${code}</code></a>`,
      status,
      html`<strong>${title}.</strong> ${inlineMarkup(cause)}`,
      html`${inlineMarkup(remedy)}`,
      retryable ? 'yes' : 'no',
    ];
  });
  return table(['Code', 'Status', 'Cause', 'What to do', 'Repeat unchanged'], rows, {
    kind: 'Problem',
    ids: codes.map(([code]) => `error.${code}`),
  });
}

/** The codes of `errors`. */
export function faultTable(): Html {
  return codeTable('Fault', 'fault', { ...BODY_FAULTS, ...CALCULATION_FAULTS, ...SHAPE_FAULTS });
}

/** The codes of the header `Warnings`. */
export function warningTable(): Html {
  return codeTable('Warning', 'warning', WARNINGS);
}

function codeTable(kind: string, prefix: string, codes: Readonly<Record<string, string>>): Html {
  const rows = Object.entries(codes).map(([code, meaning]) => [
    html`<a class="anchor" href="#${prefix}.${code}"><code>${code}</code></a>`,
    meaning,
    ruleLinks(splitIds(CODE_RULES[code])),
  ]);
  return table(['Code', 'Meaning', 'Decided by'], rows, {
    kind,
    ids: Object.keys(codes).map((code) => `${prefix}.${code}`),
  });
}

interface Guidance {
  /** Why the request was refused, after the title of the problem. */
  readonly cause: string;
  readonly remedy: string;
}

const GUIDE: Readonly<Record<ErrorCode, Guidance>> = {
  'malformed-http': {
    cause: 'A program or a proxy sent something other than HTTP, for example TLS to a port without it.',
    remedy: 'Check scheme and port of the address.',
  },
  'malformed-json': {
    cause: 'A quotation mark, a comma or a bracket is missing, or the text is not UTF-8.',
    remedy: 'Let a library write the JSON.',
  },
  'empty-body': { cause: 'The POST came without a body.', remedy: 'Send the JSON object of the request.' },
  'invalid-request': {
    cause: 'Fields are missing, have another type, or exclude each other.',
    remedy: 'Correct every field that `errors` lists; each has a [code](#fault-codes).',
  },
  'undecodable-message': {
    cause:
      'A Kafka message has neither the id of a known Avro schema nor `plat-message-type` with a JSON body.',
    remedy: 'Set the header, or register the schema; see [Calling over Kafka](#log).',
  },
  unauthenticated: {
    cause: 'The token is missing, has expired, or is for another audience.',
    remedy: 'Get a new token; `detail` gives the reason. See [Authentication](#authentication).',
  },
  forbidden: {
    cause:
      'The token lacks a scope, `user_name` is not its user, or a `Host`, `Origin` or `X-Sender-Id` is not allowed.',
    remedy: '`detail` says which; ask the operator for the scope (E2, N3).',
  },
  'not-found': {
    cause: 'The path is misspelt, or what it names does not exist.',
    remedy: 'Compare the path with this page.',
  },
  'unknown-action': {
    cause: 'The last part of the path is misspelt.',
    remedy: 'Use a name from this page, in any case (E4).',
  },
  'unknown-product': {
    cause: 'No approved version of the product is valid on the day of the request.',
    remedy: 'Check code or id, and the field `Date` (L1).',
  },
  'unknown-notification': {
    cause: 'The id was not issued to this caller, or its status is no longer kept.',
    remedy: 'Use the `notificationId` of the 202 answer, with the token that sent it (N3).',
  },
  'method-not-allowed': {
    cause: 'Actions are POST, statuses and documents GET.',
    remedy: 'Use a method of the header `Allow`.',
  },
  'request-timeout': {
    cause: 'The network was slow, or the body is shorter than its `Content-Length`.',
    remedy: 'Send it again, a notification with the same `Idempotency-Key`.',
  },
  'idempotency-conflict': {
    cause: 'The same caller used the key in the last 24 hours with another body.',
    remedy: 'Use a new key for each new message (N3).',
  },
  'result-gone': {
    cause: 'The result was fetched too late, or later results of the same caller took its room.',
    remedy: 'Send the request again.',
  },
  'body-too-large': {
    cause: 'The body exceeds the [limit](#limits) of its address, or has too many fields and list items.',
    remedy: 'Send less in one request; link to large files instead of attaching them.',
  },
  'attachments-too-large': {
    cause: 'All files together exceed the [limit](#limits).',
    remedy: 'Attach less, or link to the files.',
  },
  'unsupported-media-type': {
    cause: 'The body is not declared as JSON.',
    remedy: 'Send `content-type: application/json`.',
  },
  'reply-too-large': {
    cause: 'The rows or explanations do not fit into 8 MiB; `detail` has the estimate.',
    remedy: 'Leave out `Explain`, ask for fewer installments, or send fewer requests in one message (E6).',
  },
  'country-not-allowed': {
    cause: 'The operator does not send SMS to the country of this number.',
    remedy: 'Check the country code of the receiver (N6).',
  },
  'too-many-records': {
    cause: 'The selection of dead letters is too wide.',
    remedy: 'Name the topic, and a shorter time with `since` and `until`.',
  },
  'not-computable': {
    cause:
      'The fields are well-formed, but a name is unknown, a number is outside its range, or they do not make a schedule.',
    remedy: 'Correct every field that `errors` lists; each has a [code](#fault-codes).',
  },
  'rate-limited': {
    cause: 'The caller has used up its [allowance](#limits).',
    remedy: 'Wait for the seconds of `Retry-After` (E6).',
  },
  'quota-exceeded': {
    cause: '`errors[0].code` names the quota: of the caller, the receiver or the country.',
    remedy: 'Wait for the seconds of `Retry-After`: quotas begin again with the UTC day (N6).',
  },
  'headers-too-large': {
    cause: 'Address and header fields together exceed the limit, often because of cookies or a large token.',
    remedy: 'Send fewer or shorter header fields.',
  },
  unexpected: {
    cause: 'A fault of the engine or of its catalogue.',
    remedy:
      'Report the `correlationId` to the operator. Repeat a notification only with the same `Idempotency-Key`.',
  },
  'broker-unavailable': {
    cause: 'Kafka does not accept the request; nothing was stored.',
    remedy: 'Repeat with growing pauses; see [Retries](#retries).',
  },
  'keys-unavailable': {
    cause: 'The key set of the identity provider cannot be fetched.',
    remedy: 'Repeat with growing pauses; see [Retries](#retries).',
  },
  'no-provider': {
    cause: 'The provider configuration has no entry for SMS or e-mail.',
    remedy: 'Ask the operator; nothing was stored (N3).',
  },
  'not-ready': {
    cause: 'The instance is starting, stopping, or reading what it missed; nothing was stored.',
    remedy: 'Repeat with growing pauses; see [Retries](#retries).',
  },
  overloaded: {
    cause: 'More requests arrive than can be answered; this one was not processed.',
    remedy: 'Wait for the seconds of `Retry-After`, then repeat (E6).',
  },
  'reply-timeout': {
    cause: 'No worker answered in time; the request may still be processed.',
    remedy:
      'Repeat it: the same calculation gets the same answer. Send slow calls with `Prefer: respond-async`.',
  },
  'accept-unknown': {
    cause: 'The broker did not confirm in time that it stored the notification.',
    remedy: 'Repeat with the same `Idempotency-Key`: it is sent only once (N3).',
  },
  'deadline-exceeded': {
    cause: 'The request waited longer than its caller: than `plat-deadline` or `Prefer: wait` allows.',
    remedy: 'Repeat with a later deadline.',
  },
};

/** Codes of the faults that calculations report. */
export const CALCULATION_FAULTS: Readonly<Record<FaultCode, string>> = {
  'amount-too-large': 'The amount exceeds the largest supported amount',
  'bands-overlap': 'Two bands cover the same part of the balance',
  'date-order': 'The dates are not in the required order',
  exclusive: 'Fields contradict or exclude each other',
  'formula-failed': 'A formula of the schedule type has no value for this request',
  missing: 'A field that this calculation needs is missing',
  'not-allowed': 'The field is not allowed with this schedule type or with the other fields',
  'one-sign': 'No cash flow is paid out, or no cash flow is paid back',
  'out-of-range': 'The number is outside the allowed range, or not whole',
  'outside-bands': 'A balance lies outside all bands',
  'payment-below-interest': 'The fixed installment does not cover its interest',
  'product-type-mismatch': 'The schedule type does not support this product type',
  'rate-too-low': 'A negative rate takes the whole balance in one period',
  'rates-incomplete': 'The rate ranges leave installments without a rate',
  'rates-overlap': 'Two rate ranges cover the same installment',
  'reply-too-large': 'The explanations do not fit into a reply',
  'too-many-decimals': 'The number has more decimals than allowed',
  'too-many-rows': 'The schedule has more rows than an answer may have',
  'unknown-calendar': 'There is no holiday calendar of this name',
  'unknown-currency': 'There is no currency of this code',
  'unknown-day-count': 'There is no day count of this name',
  'unknown-periodicity': 'There is no periodicity of this name',
  'unknown-product': 'There is no approved product of this code or id on the day',
  'unknown-product-type': 'There is no product type of this code or name',
  'unknown-schedule-type': 'There is no active schedule type of this name',
  'unknown-value': 'The text is not one of the allowed values',
  'wrong-unit': 'The schedule type does not support periodicities of this unit',
};

/** Codes of warnings: the field is accepted, but does not do what its sender may expect. */
const WARNINGS: Readonly<Record<string, string>> = {
  'unknown-member': 'There is no field of this name; it is ignored',
  'no-effect': 'The field has no effect together with the other fields',
  'unknown-name': 'The catalogue has no commission or insurance of this name or id',
  'ambiguous-name':
    'Several items of the catalogue have this name, with different settings; the defaults apply',
  'from-catalogue': 'The catalogue supplied a setting that changes a figure',
  'unknown-filter': 'No filter of the product has this name; the figure is ignored',
};
