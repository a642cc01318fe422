/** The error of every call that does not get its answer, over HTTP and over Kafka. */
import type { Schemas } from './typed-call.ts';

export type ProblemDocument = Schemas['Problem'];

/**
 * `timeout`: no answer within the time limit of the call. `unreachable`: no connection, or it broke.
 * `unreadable-answer`: not an answer of the engine, such as the page of a proxy. `closed`: the client was closed.
 */
export type ClientErrorCode = 'timeout' | 'unreachable' | 'unreadable-answer' | 'closed';

export interface EngineErrorDetails {
  readonly code: ProblemDocument['code'] | ClientErrorCode;
  readonly status?: number | undefined;
  readonly problem?: ProblemDocument | undefined;
  readonly correlationId: string;
  readonly attempts: number;
  readonly idempotencyKey?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A call without an answer: a problem that the engine reported, or no readable answer at all. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** Stable code: that of the problem, or a {@link ClientErrorCode}. */
  readonly code: ProblemDocument['code'] | ClientErrorCode;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  /** The problem document of the engine. */
  readonly problem: ProblemDocument | undefined;
  /** All faults of the request, each with its field, a stable code and what is allowed; empty if the request has none. */
  readonly faults: readonly Schemas['Fault'][];
  /** The id of the call in the logs of the engine. */
  readonly correlationId: string;
  /** How often the request was sent. */
  readonly attempts: number;
  /** Of notifications: with this key the same notification can be sent again without a second message. */
  readonly idempotencyKey: string | undefined;
  /** How long the engine asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The JSON of an answer that is not a problem document, such as the health of an instance that is not ready. */
  readonly body: unknown;

  constructor(message: string, details: EngineErrorDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status;
    this.problem = details.problem;
    this.faults = details.problem?.errors ?? [];
    this.correlationId = details.correlationId;
    this.attempts = details.attempts;
    this.idempotencyKey = details.idempotencyKey;
    this.retryAfterMs = details.retryAfterMs;
    this.body = details.body;
  }
}

/** Whether a parsed body is a problem document. */
export function isProblem(body: unknown): body is ProblemDocument {
  const { code, status, title } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof status === 'number' && typeof title === 'string';
}

/** What went wrong in words: title, code, and each fault. */
export function problemText({ title, code, detail, errors = [] }: ProblemDocument): string {
  const faults = errors.map(({ path, message }) => `${path} ${message}`);
  return [`${title} (${code})`, ...(detail === undefined ? [] : [detail]), ...faults].join('; ');
}
