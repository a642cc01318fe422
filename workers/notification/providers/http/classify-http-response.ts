import type { SendResult } from '../../../../shared/notification/provider.ts';
import type {
  AnswerTest,
  ConnectorSettings,
  FailureRow,
  StatusPattern,
} from '../../../../shared/notification/provider-configuration-shape.ts';
import { assertNever } from '../../../../shared/platform/errors.ts';
import type { ConnectorAnswer } from './http-call.ts';
import { textOf, valueAt } from './json-pointer.ts';
import { askedWaitMs } from '../common/retry-after.ts';
import { sanitiseCode } from './result-code.ts';
import { type Untellable, isTellableNumber, tellableId } from '../common/sanitise-provider-text.ts';

export interface ClassifyContext {
  readonly nowMs: number;
  /** None of it may come back in a code or an id. */
  readonly untellable: Untellable;
  /** The address holds values of the message, so that a 404 may speak of it. */
  readonly isAddressOfMessage: boolean;
}

const CONFLICT = 409;
const FIRST_SERVER_ERROR = 500;

type ResultKind = FailureRow['result'];

/** Whether an answer of a kind says that nothing was sent, where the configuration does not tell (docs/providers). */
const BY_STATUS: Readonly<Record<number, ResultKind>> = {
  // Of the account or of the address: no message will get through until an operator acts.
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
  // The server says itself that it has not done what it was asked for (RFC 9110, 15.5 and 15.6).
  408: 'transient',
  425: 'transient',
  429: 'transient',
  500: 'transient',
  503: 'transient',
};

/** What an answer says of the message. Pure. */
export function classifyAnswer(
  answer: ConnectorAnswer,
  connector: ConnectorSettings,
  context: ClassifyContext,
): SendResult {
  const json = parsed(answer.text);
  const { success } = connector;
  const hasStatus = success.status.some((pattern) => fitsStatus(answer.status, pattern));
  if (hasStatus && success.tests.every((test) => passes(json, test))) {
    return { kind: 'sent', providerMessageId: idOf(answer, json, { connector, context }) };
  }
  const given = connector.errorCode.map((pointer) => textOf(valueAt(json, pointer))).find((text) => text);
  const row = connector.failures.find((candidate) => fitsRow(candidate, { answer, json, code: given }));
  const kind = row?.result ?? defaultKind(answer.status, connector, context);
  const code = codeOf(answer.status, given, { connector, context });
  switch (kind) {
    case 'transient': {
      const waitMs = waitOf(answer, connector, context.nowMs);
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
      // An answer that cannot be read may come from anything between here and the provider.
      const isRead = row !== undefined || given !== undefined || answer.status === CONFLICT;
      return isRead && answer.status < FIRST_SERVER_ERROR
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

function parsed(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fitsStatus(status: number, pattern: StatusPattern): boolean {
  const text = String(pattern);
  return text.endsWith('xx') ? String(status).startsWith(text.slice(0, 1)) : Number(text) === status;
}

function passes(json: unknown, test: AnswerTest): boolean {
  const value = valueAt(json, test.pointer);
  if (test.exists !== undefined) return test.exists === (value !== undefined && value !== null);
  const wanted = test.oneOf ?? [test.equals];
  const text = textOf(value);
  return text !== undefined && wanted.some((candidate) => String(candidate) === text);
}

function fitsRow(
  row: FailureRow,
  seen: { readonly answer: ConnectorAnswer; readonly json: unknown; readonly code: string | undefined },
): boolean {
  const { status, code, tests } = row;
  return (
    (status === undefined || status.some((pattern) => fitsStatus(seen.answer.status, pattern))) &&
    (code === undefined || code.some((candidate) => String(candidate) === seen.code)) &&
    (tests === undefined || (seen.json !== undefined && tests.every((test) => passes(seen.json, test))))
  );
}

/**
 * 2xx that is not the success wanted, 502, 504 and other 5xx may have been sent: unknown. 409 where ids are delivered once
 * only: the same id may be under way. A redirect is never followed: the address is wrong.
 */
function defaultKind(status: number, connector: ConnectorSettings, context: ClassifyContext): ResultKind {
  if (status === 404 && context.isAddressOfMessage) return 'permanent';
  if (status === 409 && connector.idempotency !== undefined) return 'unknown';
  const known = BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 300 && status < 400) return 'misconfigured';
  return status >= 400 && status < 500 ? 'permanent' : 'unknown';
}

/**
 * A provider's own words may repeat the message, and a code per request would be a series of metrics per request: only
 * codes that the configuration names are passed on, and short numbers that the message does not hold.
 */
function codeOf(status: number, given: string | undefined, { connector, context }: Reading): string {
  if (given === undefined) return `http-${status}`;
  const isTold = namesCode(connector, given) || isTellableNumber(given, context.untellable);
  return isTold ? sanitiseCode(`http-${status}-${given}`) : `http-${status}-other`;
}

/** By a row of the failures, as its code or as what a test wants where the code stands. */
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

function idOf(answer: ConnectorAnswer, json: unknown, { connector, context }: Reading): string | undefined {
  const { id } = connector;
  if (id === undefined) return undefined;
  const text = 'pointer' in id ? textOf(valueAt(json, id.pointer)) : headerOf(answer, id.header);
  return tellableId(text, context.untellable);
}

function waitOf(answer: ConnectorAnswer, connector: ConnectorSettings, nowMs: number): number | undefined {
  const own = connector.retryAfter;
  const asked = own && askedWaitMs(headerOf(answer, own.header), own.unit, nowMs);
  return asked ?? askedWaitMs(headerOf(answer, 'retry-after'), 'seconds', nowMs);
}

function headerOf(answer: ConnectorAnswer, name: string): string | undefined {
  const value = answer.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : value?.[0];
}
