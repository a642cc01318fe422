/** Why a request cannot be calculated (E1), and what of it had no effect (E5). */

/**
 * HTTP-independent weight of a fault: 400 the request is incomplete or contradicts itself, 422 it is readable but
 * cannot be computed (E1).
 */
export type FaultStatus = 400 | 422;

/** Codes of faults that this engine reports. They are stable: callers may branch on them. */
export type FaultCode =
  | 'amount-too-large'
  | 'bands-overlap'
  | 'date-order'
  | 'exclusive'
  | 'formula-failed'
  | 'missing'
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

/** Codes of warnings that this engine reports. */
export type WarningCode =
  | 'ambiguous-name'
  | 'from-catalogue'
  | 'no-effect'
  | 'unknown-filter'
  | 'unknown-name';

/** One thing that is wrong with a request. */
export interface RequestFault {
  /** Field that is wrong, for example `Amount` or `Commission[0].SourceValue`. */
  readonly path: string;
  readonly code: FaultCode;
  /** What is wrong and what is allowed, for a person. */
  readonly message: string;
  readonly status: FaultStatus;
}

/** A known field that was sent but changes nothing (E5), a name that the catalogue does not know, or cannot tell apart (F1), or a field that it adds (S6). */
export interface RequestWarning {
  readonly code: WarningCode;
  readonly path: string;
}

/** Gathers faults and warnings, so that a caller learns everything at once (E3). */
export class Validation {
  readonly faults: RequestFault[] = [];
  readonly warnings: RequestWarning[] = [];

  /** Notes that the request is readable but cannot be computed. */
  reject(path: string, code: FaultCode, message: string): void {
    this.faults.push({ path, code, message, status: 422 });
  }

  /** Notes a fault unless something is wrong with its field already. */
  rejectOnce({ path, code, message }: Pick<RequestFault, 'path' | 'code' | 'message'>): void {
    if (this.faults.every((fault) => fault.path !== path)) this.reject(path, code, message);
  }

  /** Notes that a mandatory field is missing. */
  reportMissing(path: string, message: string): void {
    this.faults.push({ path, code: 'missing', message, status: 400 });
  }

  /** Notes that two fields contradict each other, so that the request is malformed. */
  reportConflict(path: string, message: string): void {
    this.faults.push({ path, code: 'exclusive', message, status: 400 });
  }

  /** Notes that a field has no effect in this request, or that a name is not known or not clear. */
  warn(path: string, code: WarningCode = 'no-effect'): void {
    this.warnings.push({ code, path });
  }
}
