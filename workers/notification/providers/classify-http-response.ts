import type { SendResult } from '../../../shared/notification/provider.ts';
import type { ConnectorSettings, FailureKind } from '../../../shared/notification/provider-settings.ts';
import { assertNever } from '../../../shared/platform/errors.ts';
import type { HttpResponse } from './http-call.ts';
import { isSafeNumber, sanitiseCode, sanitiseId, type SensitiveTexts } from './sanitise-provider-text.ts';

/** How the responses of a provider are read. */
export type ResponseRules = Pick<
  ConnectorSettings,
  'success' | 'id' | 'errorCode' | 'failures' | 'retryAfter' | 'idempotency'
>;

export interface ClassifyContext {
  readonly nowMs: number;
  /** Strings that must not occur in a code or an id. */
  readonly sensitive: SensitiveTexts;
  /** Whether the URL contains values of the message, so that a 404 may be caused by the message. */
  readonly isUrlOfMessage: boolean;
}

const CONFLICT = 409;
const FIRST_SERVER_ERROR = 500;
/** In a list of codes: every code of a 2xx that no list names. */
const ANY_CODE = '*';

/** Caused by the account or the URL: no message can be sent until an operator acts. */
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 415, 501, 505, 511]);
/** The server states that it has not processed the request (RFC 9110, 15.5 and 15.6). */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 500, 503]);

/**
 * Classifies the response of an HTTP provider: success by status and value, then by the configured lists of codes and statuses, then
 * by default (docs/providers). Pure.
 */
export function classifyHttpResponse(
  response: HttpResponse,
  rules: ResponseRules,
  context: ClassifyContext,
): SendResult {
  const { status } = response;
  const json = parseJson(response.text);
  if (isSuccess(status, json, rules)) {
    return { kind: 'sent', providerMessageId: messageId(response, json, rules, context) };
  }
  const codes = rules.errorCode.flatMap((pointer) => scalarText(valueAt(json, pointer)) || []);
  const configured = configuredKind(rules, status, json, codes);
  const kind = configured ?? defaultKind(status, rules, context);
  const code = resultCode(status, codes[0], rules, context);
  switch (kind) {
    case 'sent':
      return { kind, providerMessageId: undefined };
    case 'transient':
    case 'receiver': {
      const waitMs = retryAfterMs(response, rules, context.nowMs);
      return {
        kind: 'transient',
        code,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
        ...(kind === 'receiver' ? { isAboutReceiver: true } : {}),
      };
    }
    case 'unknown': {
      // A response that cannot be read may come from an intermediary.
      const isRead = configured !== undefined || codes.length > 0 || status === CONFLICT;
      return isRead && status < FIRST_SERVER_ERROR ? { kind, code, isAboutMessage: true } : { kind, code };
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

function isSuccess(status: number, json: unknown, { success }: ResponseRules): boolean {
  if (!has(success.status, status) && !has(success.status, classOf(status))) return false;
  if (success.pointer === undefined) return true;
  const value = valueAt(json, success.pointer);
  return success.values === undefined
    ? value !== undefined && value !== null
    : has(success.values, scalarText(value));
}

/**
 * The first kind whose list has one of the codes, else the value of a 2xx, else the status, else its class. The code of a 5xx does not
 * decide: it may be that of an intermediary, and the message may have been sent.
 */
function configuredKind(
  { success, failures }: ResponseRules,
  status: number,
  json: unknown,
  codes: readonly string[],
): FailureKind | undefined {
  const kinds = Object.entries(failures) as [FailureKind, ResponseRules['failures'][FailureKind]][];
  const find = (list: 'code' | 'values' | 'status', items: readonly (string | number | undefined)[]) =>
    kinds.find(([, lists]) => items.some((item) => has(lists?.[list], item)))?.[0];
  const byCode = status < FIRST_SERVER_ERROR ? find('code', codes) : undefined;
  const byValue = (): FailureKind | undefined =>
    find('values', [scalarText(valueAt(json, success.pointer ?? ''))]) ??
    find('code', codes.length > 0 ? [ANY_CODE] : []);
  return (
    byCode ??
    (classOf(status) === '2xx' ? byValue() : undefined) ??
    find('status', [status]) ??
    find('status', [classOf(status)])
  );
}

/**
 * The kind of a status. `unknown`, since the message may have been sent: 2xx without the expected success, 502, 504 and
 * other 5xx, and 409 of a provider that delivers an id once, as the same id may be in progress. Redirects are not followed.
 */
function defaultKind(status: number, { idempotency }: ResponseRules, context: ClassifyContext): FailureKind {
  if (status === 404 && context.isUrlOfMessage) return 'permanent';
  if (status === CONFLICT && idempotency !== undefined) return 'unknown';
  if (MISCONFIGURED.has(status) || (status >= 300 && status < 400)) return 'misconfigured';
  if (TRANSIENT.has(status)) return 'transient';
  return status >= 400 && status < FIRST_SERVER_ERROR ? 'permanent' : 'unknown';
}

/**
 * The code of a result. A provider's text may repeat the message, and a code per request would create a metrics series per
 * request. Therefore only codes of the configuration are passed on, and short numbers that do not occur in the message.
 */
function resultCode(
  status: number,
  given: string | undefined,
  { failures }: ResponseRules,
  { sensitive }: ClassifyContext,
): string {
  if (given === undefined) return `http-${status}`;
  const isNamed = Object.values(failures).some((lists) => has(lists?.code, given));
  return isNamed || isSafeNumber(given, sensitive)
    ? sanitiseCode(`http-${status}-${given}`)
    : `http-${status}-other`;
}

function messageId(
  response: HttpResponse,
  json: unknown,
  { id }: ResponseRules,
  { sensitive }: ClassifyContext,
): string | undefined {
  if (id === undefined) return undefined;
  const text = 'pointer' in id ? scalarText(valueAt(json, id.pointer)) : readHeader(response, id.header);
  return sanitiseId(text, sensitive);
}

function retryAfterMs(
  response: HttpResponse,
  { retryAfter }: ResponseRules,
  nowMs: number,
): number | undefined {
  const own = retryAfter && parseRetryAfter(readHeader(response, retryAfter.header), retryAfter.unit, nowMs);
  return own ?? parseRetryAfter(readHeader(response, 'retry-after'), 'seconds', nowMs);
}

function readHeader({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : value?.[0];
}

/** Maximum wait: one day. */
const MAX_WAIT_MS = 86_400_000;
const SECOND_MS = 1_000;
/** Dates in HTTP (RFC 9110, 5.6.7), whose three forms have only the time zone in common. */
const HTTP_DATE = /^[A-Za-z]{3,9},? .{9,30} GMT$/;

/**
 * Parses a provider's Retry-After, in milliseconds: seconds or a date, or seconds since 1970. Undefined if it is absent, malformed or
 * in the past.
 */
export function parseRetryAfter(
  text: string | undefined,
  unit: 'seconds' | 'epoch-seconds',
  nowMs: number,
): number | undefined {
  const given = text?.trim() ?? '';
  let waitMs = Number.NaN;
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(given)) {
    waitMs = Number(given) * SECOND_MS - (unit === 'seconds' ? 0 : nowMs);
  } else if (HTTP_DATE.test(given)) waitMs = Date.parse(given) - nowMs;
  return waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_WAIT_MS) : undefined;
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

/** Whether a list has an item; numbers and texts are equal if their texts are. */
function has(list: readonly unknown[] | undefined, item: string | number | undefined): boolean {
  return item !== undefined && list?.some((one) => String(one) === String(item)) === true;
}

/** Such as `4xx`. */
function classOf(status: number): string {
  return `${String(status).charAt(0)}xx`;
}
