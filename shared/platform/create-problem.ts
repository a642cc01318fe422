import { ERROR_CODES, type ErrorCode } from './error-codes.ts';
import type { Fault, Problem } from './problem.ts';

/** Problem types are URNs, since the project has no web address of its own to promise. */
const TYPE_PREFIX = 'urn:plat:problem:';

export interface ProblemExtras {
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  readonly correlationId?: string;
  readonly instance?: string;
}

/** Builds the problem document of a code; status and title come from the one list of codes (E1). */
export function createProblem(code: ErrorCode, extras: ProblemExtras = {}): Problem {
  const { status, title } = ERROR_CODES[code];
  return { type: TYPE_PREFIX + code, title, status, code, ...extras };
}

/** Whether a problem's code says that the same request may succeed later; unknown codes are final. */
export function isRetryable(problem: Problem): boolean {
  return Object.hasOwn(ERROR_CODES, problem.code) && ERROR_CODES[problem.code as ErrorCode].retryable;
}
