import type { Problem } from '../../../../shared/platform/problem.ts';

interface EngineErrorDetails {
  readonly code: string;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly correlationId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A call without an answer: a problem that the engine reported, or no readable answer at all. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** That of the problem; without one `timeout`, `unreachable` or `unreadable-answer`, such as the page of a proxy. */
  readonly code: string;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  /** The id of the call in the logs of the engine. */
  readonly correlationId: string | undefined;
  /** How long the engine asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: EngineErrorDetails) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.problem = details.problem;
    this.correlationId = details.correlationId;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** Whether the same call may succeed soon: no connection, or an engine that is busy, starting or stopping. */
  get isTemporary(): boolean {
    return this.code === 'unreachable' || this.code === 'timeout' || TEMPORARY.has(this.status);
  }
}

/** Statuses of an engine, or of the proxy before it. */
const TEMPORARY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);
