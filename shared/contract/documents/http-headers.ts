/** The HTTP headers of the interface as documents list them. */

interface HttpHeader {
  readonly description: string;
  readonly schema: { readonly type: string; readonly maximum?: number; readonly minimum?: number };
  readonly example?: unknown;
}

/** Headers that a caller may send, by name. */
export const REQUEST_HEADERS = {
  Prefer: {
    description:
      '`respond-async`: answer 202 at once with the address of the result. `wait=<seconds>`: the longest the caller waits.',
    schema: { type: 'string' },
    example: 'respond-async',
  },
  'X-Correlation-Id': {
    description:
      'Id that logs and problem documents show; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, else a new one.',
    schema: { type: 'string' },
    example: 'loan-4711',
  },
  traceparent: {
    description: 'W3C trace context; passed on with the request.',
    schema: { type: 'string' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
} as const satisfies Record<string, HttpHeader>;

/** Headers of answers, by name. */
export const RESPONSE_HEADERS = {
  'X-Correlation-Id': {
    description: 'The id under which the logs know this request.',
    schema: { type: 'string' },
  },
  Warnings: {
    description:
      'What had no effect, or came from the catalogue: a comma list of `code;path`, ASCII, at most 4 KiB and then ending in `truncated`. Codes: `unknown-member`, `no-effect`, `unknown-name`, `ambiguous-name`, `from-catalogue`, `unknown-filter`.',
    schema: { type: 'string' },
    example: 'unknown-member;jsonParam.amount, no-effect;jsonParam.ContractPeriod',
  },
  'Holiday-Calendar': {
    description:
      'The holiday calendar that the due dates were held against and the version of its holidays: `name;version=...`, ASCII, at most 1,024 characters. Absent when there was none.',
    schema: { type: 'string' },
    example: 'RO;version=2026.1',
  },
  Location: { description: 'Address of the result.', schema: { type: 'string' } },
  'Preference-Applied': { description: 'The preference that was followed.', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Whole seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: { description: 'The methods that the address takes.', schema: { type: 'string' } },
  'Accept-Post': { description: 'The content type that the address takes.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'The kind of token that is wanted.', schema: { type: 'string' } },
} as const satisfies Record<string, HttpHeader>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;
