/** The faults of a request (E1) and its fields without effect (E5). */

/** 400 if the request is incomplete or contradictory, 422 if it is well-formed but cannot be calculated (E1). */
type FaultStatus = 400 | 422;

/** Stable codes: callers may branch on them. */
export type FaultCode =
  | 'amount-too-large'
  | 'bands-overlap'
  | 'date-order'
  | 'exclusive'
  | 'formula-failed'
  | 'missing'
  | 'mutually-exclusive'
  | 'not-allowed'
  | 'one-sign'
  | 'out-of-range'
  | 'outside-bands'
  | 'payment-below-interest'
  | 'product-type-mismatch'
  | 'rate-too-low'
  | 'rates-incomplete'
  | 'rates-overlap'
  | 'reply-too-large'
  | 'too-many-decimals'
  | 'too-many-rows'
  | 'unknown-calendar'
  | 'unknown-currency'
  | 'unknown-day-count'
  | 'unknown-periodicity'
  | 'unknown-product'
  | 'unknown-product-type'
  | 'unknown-schedule-type'
  | 'unknown-value'
  | 'wrong-unit';

type WarningCode =
  | 'ambiguous-name'
  | 'assumed'
  | 'from-catalogue'
  | 'no-effect'
  | 'not-counted'
  | 'unknown-filter'
  | 'unknown-name';

export interface RequestFault {
  /** Path of the field, for example `Amount` or `Commission[0].SourceValue`. */
  readonly path: string;
  readonly code: FaultCode;
  readonly message: string;
  readonly status: FaultStatus;
}

/**
 * A field without effect (E5), a name unknown or ambiguous in the catalogue (F1, L3), a default from it (S6), or a
 * missing figure of a filter (L4).
 */
export interface RequestWarning {
  readonly code: WarningCode;
  readonly path: string;
}

/** Collects faults and warnings, so that a caller gets all of them together (E3). */
export class Validation {
  readonly faults: RequestFault[] = [];
  readonly warnings: RequestWarning[] = [];

  /** Reports a well-formed request that cannot be calculated (422). Returns undefined, which parsers return in turn. */
  reject(path: string, code: FaultCode, message: string): undefined {
    this.faults.push({ path, code, message, status: 422 });
  }

  /** Like `reject`, unless the field already has a fault. */
  rejectOnce({ path, code, message }: Pick<RequestFault, 'path' | 'code' | 'message'>): undefined {
    if (this.faults.every((fault) => fault.path !== path)) this.reject(path, code, message);
  }

  reportMissing(path: string, message: string): undefined {
    this.faults.push({ path, code: 'missing', message, status: 400 });
  }

  /** Reports fields that contradict each other, or of which exactly one must be sent (400). */
  reportConflict(path: string, message: string, code: FaultCode = 'exclusive'): undefined {
    this.faults.push({ path, code, message, status: 400 });
  }

  /** Reports a warning; by default that the field has no effect in this request (E5). */
  warn(path: string, code: WarningCode = 'no-effect'): void {
    this.warnings.push({ code, path });
  }
}
