import type { Problem } from '../../../../shared/platform/problem.ts';

/** Why a call failed: the problem that the engine reported, or why the page has no readable answer. */
export interface ShownProblem extends Pick<Problem, 'title' | 'detail' | 'errors'> {
  /** The engine's code; else `timeout`, `unreachable`, `unreadable-answer` (such as a proxy's page) or `unexpected`. */
  readonly code: string;
  readonly status?: number | undefined;
  /** The id of the call in the engine's logs. */
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

  /** Whether the same call may succeed soon: the engine was not reached, gave no answer in time, or refused for now. */
  get isTemporary(): boolean {
    const { code, status } = this.problem;
    return code === 'unreachable' || code === 'timeout' || TEMPORARY.has(status);
  }
}

const TEMPORARY: ReadonlySet<number | undefined> = new Set([429, 502, 503]);

/** The problem of an EngineError; for any other error, a problem with the code `unexpected`. */
export function asProblem(error: unknown): ShownProblem {
  if (error instanceof EngineError) return error.problem;
  return { title: error instanceof Error ? error.message : String(error), code: 'unexpected' };
}
