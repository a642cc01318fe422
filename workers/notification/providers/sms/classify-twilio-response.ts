import type { SendResult } from '../../../../shared/notification/provider.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import { askedWaitMs } from '../common/retry-after.ts';
import { type CallOutcome, type ConnectorAnswer, notBegunKind } from '../http/http-call.ts';
import { type Untellable, isTellableNumber, tellableId } from '../common/sanitise-provider-text.ts';

/** Members of Twilio's answers that are read: of a message, or of a fault. */
interface TwilioAnswer {
  readonly sid?: unknown;
  readonly status?: unknown;
  readonly error_code?: unknown;
  readonly code?: unknown;
}

/** The sender's queue is full, the day's allowance is used up, or maintenance: later is better. */
const TRANSIENT_CODES = new Set([20429, 21611, 21730, 14107, 63038]);
/** The account or its credentials. */
const ACCOUNT_CODES = new Set([10001, 20003, 20005, 20008, 20404]);
/** A sender that is none, or not one of the account. */
const SENDER_CODES = new Set([21212, 21603, 21606, 21659, 21660, 21661]);
/** Faults of one message: its numbers, its text, its receiver's wishes (21610: unsubscribed). */
const MESSAGE_CODES = { from: 21_000, to: 21_999 };

/**
 * What Twilio's answer means for one SMS. Sending is not idempotent there: by its own documentation a 500 may have sent
 * the message (error 20500), so 500, 502 and 504 are unknown; 503 and 429 were not taken and may say when to come back.
 */
export function twilioOutcome(outcome: CallOutcome, nowMs: number, untellable: Untellable): SendResult {
  switch (outcome.kind) {
    case 'not-begun':
      return { kind: notBegunKind(outcome.code), code: `twilio-${outcome.code}` };
    case 'broken':
      return { kind: 'unknown', code: `twilio-${outcome.code}-after-data` };
    case 'answer':
      return outcomeOfAnswer(outcome.answer, nowMs, untellable);
    default:
      return assertNever(outcome);
  }
}

function outcomeOfAnswer(answer: ConnectorAnswer, nowMs: number, untellable: Untellable): SendResult {
  const { status } = answer;
  const body = readBody(answer.text);
  if (status >= 200 && status < 300) return outcomeOfMessage(body, untellable);
  const number = numberOf(body.code);
  const code = codeOf(number, `http-${status}`, untellable);
  if (status === 429 || status === 503 || status === 408 || isIn(TRANSIENT_CODES, number)) {
    const header = answer.headers['retry-after'];
    const retryAfterMs = askedWaitMs(typeof header === 'string' ? header : header?.[0], 'seconds', nowMs);
    return { kind: 'transient', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (status >= 500) return { kind: 'unknown', code };
  if (isIn(ACCOUNT_CODES, number)) return { kind: 'misconfigured', code };
  /** A default sender that does not do is a fault of the settings. */
  if (isIn(SENDER_CODES, number) && untellable.message.sender === undefined) {
    return { kind: 'misconfigured', code };
  }
  if (number !== undefined && number >= MESSAGE_CODES.from && number <= MESSAGE_CODES.to) {
    return { kind: 'permanent', code };
  }
  const isAboutMessage = status === 400 || status === 409 || status === 413 || status === 422;
  return { kind: isAboutMessage ? 'permanent' : 'misconfigured', code };
}

/** A message may be refused in the very answer that makes it. */
function outcomeOfMessage(body: TwilioAnswer, untellable: Untellable): SendResult {
  if (body.status === 'failed' || body.status === 'undelivered') {
    return { kind: 'permanent', code: codeOf(numberOf(body.error_code), body.status, untellable) };
  }
  const sid = typeof body.sid === 'string' ? body.sid : undefined;
  return { kind: 'sent', providerMessageId: tellableId(sid, untellable) };
}

/** Codes that are known here are never the message's; of others, short numbers that it does not hold are told. */
function codeOf(number: number | undefined, without: string, untellable: Untellable): string {
  if (number === undefined) return `twilio-${without}`;
  const isKnown = [TRANSIENT_CODES, ACCOUNT_CODES, SENDER_CODES].some((codes) => codes.has(number));
  const isTold = isKnown || isTellableNumber(String(number), untellable);
  return isTold ? `twilio-${number}` : `twilio-${without}-other`;
}

function readBody(text: string | undefined): TwilioAnswer {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isIn(codes: ReadonlySet<number>, code: number | undefined): boolean {
  return code !== undefined && codes.has(code);
}
