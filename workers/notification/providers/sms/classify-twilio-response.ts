import type { SendResult } from '../../../../shared/notification/provider.ts';
import { parseRetryAfter } from '../common/retry-after.ts';
import { type CallOutcome, type HttpResponse, unansweredResult } from '../http/http-call.ts';
import { type SensitiveTexts, isSafeNumber, sanitiseId } from '../common/sanitise-provider-text.ts';

/** The fields of Twilio's responses that are used, of a message or of an error. */
interface TwilioBody {
  readonly sid?: unknown;
  readonly status?: unknown;
  readonly error_code?: unknown;
  readonly code?: unknown;
}

/** Queue of the sender full, daily limit, or maintenance. */
const TRANSIENT_CODES = new Set([20429, 21611, 21730, 14107, 63038]);
/** Errors of the account or its credentials. */
const ACCOUNT_CODES = new Set([10001, 20003, 20005, 20008, 20404]);
/** Invalid sender, or sender of another account. */
const SENDER_CODES = new Set([21212, 21603, 21606, 21659, 21660, 21661]);
/** Errors of one message: its numbers, its text, or its receiver (21610: unsubscribed). */
const MESSAGE_CODES = { from: 21_000, to: 21_999 };

/**
 * Classifies the outcome of sending one SMS, which is not idempotent. According to Twilio's documentation the message may
 * have been sent despite a 500 (error 20500), so 500, 502 and 504 are unknown; 429 and 503 were not accepted.
 */
export function classifyTwilioResponse(
  outcome: CallOutcome,
  nowMs: number,
  sensitive: SensitiveTexts,
): SendResult {
  if (outcome.kind === 'response') return classifyResponse(outcome.response, nowMs, sensitive);
  const suffix = outcome.kind === 'broken' ? '-after-data' : '';
  return { ...unansweredResult(outcome), code: `twilio-${outcome.code}${suffix}` };
}

function classifyResponse(response: HttpResponse, nowMs: number, sensitive: SensitiveTexts): SendResult {
  const { status } = response;
  const body = readBody(response.text);
  if (status >= 200 && status < 300) return classifyMessage(body, sensitive);
  const number = readNumber(body.code);
  const code = resultCode(number, `http-${status}`, sensitive);
  if (status === 429 || status === 503 || status === 408 || isIn(TRANSIENT_CODES, number)) {
    const header = response.headers['retry-after'];
    const retryAfterMs = parseRetryAfter(typeof header === 'string' ? header : header?.[0], 'seconds', nowMs);
    return { kind: 'transient', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (status >= 500) return { kind: 'unknown', code };
  if (isIn(ACCOUNT_CODES, number)) return { kind: 'misconfigured', code };
  // A rejected default sender is caused by the settings.
  if (isIn(SENDER_CODES, number) && sensitive.message.sender === undefined) {
    return { kind: 'misconfigured', code };
  }
  if (number !== undefined && number >= MESSAGE_CODES.from && number <= MESSAGE_CODES.to) {
    return { kind: 'permanent', code };
  }
  const isAboutMessage = status === 400 || status === 409 || status === 413 || status === 422;
  return { kind: isAboutMessage ? 'permanent' : 'misconfigured', code };
}

/** A message may be rejected in the response that creates it. */
function classifyMessage(body: TwilioBody, sensitive: SensitiveTexts): SendResult {
  if (body.status === 'failed' || body.status === 'undelivered') {
    return { kind: 'permanent', code: resultCode(readNumber(body.error_code), body.status, sensitive) };
  }
  const sid = typeof body.sid === 'string' ? body.sid : undefined;
  return { kind: 'sent', providerMessageId: sanitiseId(sid, sensitive) };
}

/** Passes on known codes, which are never values of the message, and short numbers that do not occur in it. */
function resultCode(number: number | undefined, without: string, sensitive: SensitiveTexts): string {
  if (number === undefined) return `twilio-${without}`;
  const isKnown = [TRANSIENT_CODES, ACCOUNT_CODES, SENDER_CODES].some((codes) => codes.has(number));
  const isPassedOn = isKnown || isSafeNumber(String(number), sensitive);
  return isPassedOn ? `twilio-${number}` : `twilio-${without}-other`;
}

function readBody(text: string | undefined): TwilioBody {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isIn(codes: ReadonlySet<number>, code: number | undefined): boolean {
  return code !== undefined && codes.has(code);
}
