import type { Problem } from '../../../../shared/platform/problem.ts';

/** What is known of a call without an answer: the problem that the engine reported, or why there is no readable answer at all. */
export interface ShownProblem extends Pick<Problem, 'title' | 'detail' | 'errors'> {
  /** That of the problem; without one `timeout`, `unreachable` or `unreadable-answer`, such as the page of a proxy. */
  readonly code: string;
  readonly status?: number | undefined;
  /** The id of the call in the logs of the engine. */
  readonly correlationId?: string | undefined;
}

export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly problem: ShownProblem;
  readonly retryAfterMs: number | undefined;

  constructor(problem: ShownProblem, retryAfterMs?: number) {
    super(problem.title);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call may succeed soon: no connection, or an engine that is busy, starting or stopping. */
  get isTemporary(): boolean {
    const { code, status } = this.problem;
    return code === 'unreachable' || code === 'timeout' || TEMPORARY.has(status);
  }
}

/** Statuses of an engine, or of the proxy before it. */
const TEMPORARY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);

export function asProblem(error: unknown): ShownProblem {
  if (error instanceof EngineError) return error.problem;
  return { title: error instanceof Error ? error.message : String(error), code: 'unexpected' };
}
