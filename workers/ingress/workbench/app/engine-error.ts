import type { Problem } from '../../../../shared/platform/problem.ts';

/** Why a call failed: the problem that the engine reported, or why there is no readable answer. */
export interface ShownProblem extends Pick<Problem, 'title' | 'detail' | 'errors'> {
  /** The code of the engine; otherwise `timeout`, `unreachable`, `unexpected` or `unreadable-answer` (such as the page of a proxy). */
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

  /** Whether the same call may succeed soon: the engine is not reached, or is busy, starting or stopping. */
  get isTemporary(): boolean {
    const { code, status } = this.problem;
    return code === 'unreachable' || code === 'timeout' || TEMPORARY.has(status);
  }
}

const TEMPORARY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);

/** The problem of an EngineError; any other error becomes the code `unexpected`. */
export function asProblem(error: unknown): ShownProblem {
  if (error instanceof EngineError) return error.problem;
  return { title: error instanceof Error ? error.message : String(error), code: 'unexpected' };
}
