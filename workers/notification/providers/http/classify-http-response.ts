import type { SendResult } from '../../../../shared/notification/provider.ts';
import type {
  AnswerTest,
  ConnectorSettings,
  FailureRow,
  StatusPattern,
} from '../../../../shared/notification/provider-configuration-shape.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import type { HttpResponse } from './http-call.ts';
import { parseRetryAfter } from '../common/retry-after.ts';
import {
  isSafeNumber,
  sanitiseCode,
  sanitiseId,
  type SensitiveTexts,
} from '../common/sanitise-provider-text.ts';

export interface ClassifyContext {
  readonly nowMs: number;
  /** Strings that must not occur in a code or an id. */
  readonly sensitive: SensitiveTexts;
  /** Whether the URL contains values of the message, so that a 404 may be caused by the message. */
  readonly isUrlOfMessage: boolean;
}

const CONFLICT = 409;
const FIRST_SERVER_ERROR = 500;

type ResultKind = FailureRow['result'];

/** The result of a status if no row of the configuration matches the response (docs/providers). */
const BY_STATUS: Readonly<Record<number, ResultKind>> = {
  // Caused by the account or the URL: no message can be sent until an operator acts.
  401: 'misconfigured',
  402: 'misconfigured',
  403: 'misconfigured',
  404: 'misconfigured',
  405: 'misconfigured',
  407: 'misconfigured',
  415: 'misconfigured',
  501: 'misconfigured',
  505: 'misconfigured',
  511: 'misconfigured',
  // The server states that it has not processed the request (RFC 9110, 15.5 and 15.6).
  408: 'transient',
  425: 'transient',
  429: 'transient',
  500: 'transient',
  503: 'transient',
};

/**
 * Classifies the response of an HTTP provider: success by status and tests, then the first row of `failures` that matches,
 * then the default of the status. Pure.
 */
export function classifyHttpResponse(
  response: HttpResponse,
  connector: ConnectorSettings,
  context: ClassifyContext,
): SendResult {
  const json = parseJson(response.text);
  const { success } = connector;
  const hasStatus = success.status.some((pattern) => matchesStatus(response.status, pattern));
  if (hasStatus && success.tests.every((test) => passes(json, test))) {
    return { kind: 'sent', providerMessageId: messageId(response, json, { connector, context }) };
  }
  const given = connector.errorCode.map((pointer) => scalarText(valueAt(json, pointer))).find((text) => text);
  const row = connector.failures.find((candidate) => matchesRow(candidate, { response, json, code: given }));
  const kind = row?.result ?? defaultKind(response.status, connector, context);
  const code = resultCode(response.status, given, { connector, context });
  switch (kind) {
    case 'transient': {
      const waitMs = readRetryAfter(response, connector, context.nowMs);
      return {
        kind,
        code,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...(row?.aboutReceiver === true ? { isAboutReceiver: true } : {}),
      };
    }
    case 'sent':
      return { kind, providerMessageId: undefined };
    case 'unknown': {
      // A response that cannot be read may come from an intermediary.
      const isRead = row !== undefined || given !== undefined || response.status === CONFLICT;
      return isRead && response.status < FIRST_SERVER_ERROR
        ? { kind, code, isAboutMessage: true }
        : { kind, code };
    }
    case 'permanent':
    case 'misconfigured':
      return { kind, code };
    default:
      return assertNever(kind);
  }
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function matchesStatus(status: number, pattern: StatusPattern): boolean {
  const text = String(pattern);
  return text.endsWith('xx') ? String(status).startsWith(text.slice(0, 1)) : Number(text) === status;
}

function passes(json: unknown, test: AnswerTest): boolean {
  const value = valueAt(json, test.pointer);
  if (test.exists !== undefined) return test.exists === (value !== undefined && value !== null);
  const wanted = test.oneOf ?? [test.equals];
  const text = scalarText(value);
  return text !== undefined && wanted.some((candidate) => String(candidate) === text);
}

function matchesRow(
  row: FailureRow,
  seen: { readonly response: HttpResponse; readonly json: unknown; readonly code: string | undefined },
): boolean {
  const { status, code, tests } = row;
  return (
    (status === undefined || status.some((pattern) => matchesStatus(seen.response.status, pattern))) &&
    (code === undefined || code.some((candidate) => String(candidate) === seen.code)) &&
    (tests === undefined || (seen.json !== undefined && tests.every((test) => passes(seen.json, test))))
  );
}

/**
 * The result of a status. `unknown`, since the message may have been sent: 2xx without the expected success, 502, 504 and
 * other 5xx, and 409 of a provider that delivers an id once, as the same id may be in progress. Redirects are not followed.
 */
function defaultKind(status: number, connector: ConnectorSettings, context: ClassifyContext): ResultKind {
  if (status === 404 && context.isUrlOfMessage) return 'permanent';
  if (status === 409 && connector.idempotency !== undefined) return 'unknown';
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 300 && status < 400) return 'misconfigured';
  return status >= 400 && status < 500 ? 'permanent' : 'unknown';
}

/**
 * The code of a result. A provider's text may repeat the message, and a code per request would create a metrics series per
 * request. Therefore only codes of the configuration are passed on, and short numbers that do not occur in the message.
 */
function resultCode(status: number, given: string | undefined, { connector, context }: Reading): string {
  if (given === undefined) return `http-${status}`;
  const isPassedOn = namesCode(connector, given) || isSafeNumber(given, context.sensitive);
  return isPassedOn ? sanitiseCode(`http-${status}-${given}`) : `http-${status}-other`;
}

/** Whether a row of `failures` names a code, in `code` or as the expected value of a test of the error code. */
function namesCode({ failures, errorCode }: ConnectorSettings, given: string): boolean {
  return failures.some(({ code = [], tests = [] }) => {
    const ofTests = tests
      .filter(({ pointer }) => errorCode.includes(pointer))
      .flatMap(({ equals, oneOf }) => oneOf ?? equals ?? []);
    return [...code, ...ofTests].some((named) => String(named) === given);
  });
}

interface Reading {
  readonly connector: ConnectorSettings;
  readonly context: ClassifyContext;
}

function messageId(
  response: HttpResponse,
  json: unknown,
  { connector, context }: Reading,
): string | undefined {
  const { id } = connector;
  if (id === undefined) return undefined;
  const text = 'pointer' in id ? scalarText(valueAt(json, id.pointer)) : readHeader(response, id.header);
  return sanitiseId(text, context.sensitive);
}

function readRetryAfter(
  response: HttpResponse,
  connector: ConnectorSettings,
  nowMs: number,
): number | undefined {
  const own = connector.retryAfter;
  const asked = own && parseRetryAfter(readHeader(response, own.header), own.unit, nowMs);
  return asked ?? parseRetryAfter(readHeader(response, 'retry-after'), 'seconds', nowMs);
}

function readHeader(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : value?.[0];
}

/** The value at a JSON pointer (RFC 6901); undefined when there is none. */
function valueAt(json: unknown, pointer: string): unknown {
  let value = json;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** A scalar as text; undefined for anything else. */
function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
