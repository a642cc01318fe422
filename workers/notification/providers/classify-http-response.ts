import { jsonOf, scalarText, valueAtPointer as valueAt } from '../../../shared/platform/json-pointer.ts';
import type { SendResult } from '../../../shared/notification/provider.ts';
import type { ConnectorSettings, FailureKind } from '../../../shared/notification/provider-settings.ts';
import type { HttpResponse } from './http-call.ts';
import { isSafeNumber, sanitiseCode, sanitiseId, type SensitiveTexts } from './sanitise-provider-text.ts';

export type ResponseRules = Pick<
  ConnectorSettings,
  'success' | 'id' | 'errorCode' | 'failures' | 'retryAfter' | 'idempotency'
>;

export interface ClassifyContext {
  readonly nowMs: number;
  readonly sensitive: SensitiveTexts;
  /** True if the URL contains values of the message, so that the message may be the cause of a 404. */
  readonly isUrlOfMessage: boolean;
}

const CONFLICT = 409;
const FIRST_SERVER_ERROR = 500;
/** In a list of codes: every code in a 2xx that no list names. */
const ANY_CODE = '*';

/** The account or the URL is the cause, so no message can be sent until an operator acts. */
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 407, 415, 501, 505, 511]);
/** The server states that it did not fulfil the request (RFC 9110, 15.5 and 15.6; 425: RFC 8470; 429: RFC 6585). */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429, 500, 503]);

/** Classifies by success, then by configured lists of codes and statuses, then by default rules (docs/providers). */
export function classifyHttpResponse(
  response: HttpResponse,
  rules: ResponseRules,
  context: ClassifyContext,
): SendResult {
  const { status } = response;
  const json = jsonOf(response.text ?? '');
  if (isSuccess(status, json, rules)) {
    const { id } = rules;
    const given =
      id && ('pointer' in id ? scalarText(valueAt(json, id.pointer)) : readHeader(response, id.header));
    return { kind: 'sent', providerMessageId: sanitiseId(given, context.sensitive) };
  }
  const codes = rules.errorCode.flatMap((pointer) => scalarText(valueAt(json, pointer)) || []);
  const configured = configuredKind(rules, status, json, codes);
  const kind = configured ?? defaultKind(status, rules, context);
  const code = resultCode(status, codes[0], rules, context);
  if (kind === 'sent') return { kind, providerMessageId: undefined };
  if (kind === 'transient' || kind === 'receiver') {
    const retryAfterMs = requestedWaitMs(response, rules, context.nowMs);
    return {
      kind: 'transient',
      code,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(kind === 'receiver' ? { isAboutReceiver: true } : {}),
    };
  }
  if (kind !== 'unknown') return { kind, code };
  // Any other response may come from an intermediary.
  const isRead = configured !== undefined || codes.length > 0 || status === CONFLICT;
  return isRead && status < FIRST_SERVER_ERROR ? { kind, code, isAboutMessage: true } : { kind, code };
}

function isSuccess(status: number, json: unknown, { success }: ResponseRules): boolean {
  if (!has(success.status, status) && !has(success.status, classOf(status))) return false;
  if (success.pointer === undefined) return true;
  const value = valueAt(json, success.pointer);
  return success.values === undefined
    ? value !== undefined && value !== null
    : has(success.values, scalarText(value));
}

/** Compares code, value of a 2xx, status, then status class. Ignores codes of a 5xx, which may be an intermediary's. */
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

/** With idempotency a 409 is `unknown`: the message may be in progress. So are a 2xx without success and most 5xx. */
function defaultKind(status: number, { idempotency }: ResponseRules, context: ClassifyContext): FailureKind {
  if (status === 404 && context.isUrlOfMessage) return 'permanent';
  if (status === CONFLICT && idempotency !== undefined) return 'unknown';
  if (MISCONFIGURED.has(status) || (status >= 300 && status < 400)) return 'misconfigured';
  if (TRANSIENT.has(status)) return 'transient';
  return status >= 400 && status < FIRST_SERVER_ERROR ? 'permanent' : 'unknown';
}

/** Uses only configured codes and short numbers. Others may repeat the message or create many metric series. */
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

function requestedWaitMs(
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

const MAX_WAIT_MS = 86_400_000;
/** The date forms of HTTP that end in a time zone (RFC 9110, 5.6.7). The obsolete asctime form is not read. */
const HTTP_DATE = /^[A-Za-z]{3,9},? .{9,30} GMT$/;

/** Returns the wait in milliseconds, at most 24 h. Undefined if the text is absent, malformed or not a future time. */
export function parseRetryAfter(
  text: string | undefined,
  unit: 'seconds' | 'epoch-seconds',
  nowMs: number,
): number | undefined {
  const given = text?.trim() ?? '';
  let waitMs = Number.NaN;
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(given)) {
    waitMs = Number(given) * 1_000 - (unit === 'seconds' ? 0 : nowMs);
  } else if (HTTP_DATE.test(given)) waitMs = Date.parse(given) - nowMs;
  return waitMs > 0 ? Math.min(Math.ceil(waitMs), MAX_WAIT_MS) : undefined;
}

/** True if a list has the item; numbers and texts are compared as texts. */
function has(list: readonly unknown[] | undefined, item: string | number | undefined): boolean {
  return item !== undefined && list?.some((one) => String(one) === String(item)) === true;
}

function classOf(status: number): string {
  return `${String(status).charAt(0)}xx`;
}
