/** RFC 9457 problem details as this system answers them (E1). Never a stack trace, a secret or half a result. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  /** Stable code from the list of error codes. */
  readonly code: string;
  readonly errors?: readonly Fault[];
  readonly correlationId?: string;
}

/** One fault of a request: `path` names the member in the interface's spelling, e.g. `jsonParam.Commission[0].SourceValue`. */
export interface Fault {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A member that had no effect, reported in the response header `Warnings` (E3, E5). */
export interface Warning {
  readonly code: string;
  readonly path: string;
}
