/**
 * The request of `PLAT_BP_CalculatePMT`, not yet validated, and its answer: section 4.7 of the interface and the
 * extension of M5. Absent and null fields are undefined (M6); amounts and rates are exact decimals (M1).
 */

import type { Decimal } from 'decimal.js';
import type { RequestFault } from './validation.ts';

export interface PaymentValueRequest {
  readonly InstallmentsNo: number;
  /** Name of a periodicity (D7), not Once (P1). */
  readonly PeriodicityType: string;
  /** Name of a day count (C1). */
  readonly InterestCalculationMethod: string;
  /** Amount that is repaid, in major units; absent or zero for a savings plan (P2). */
  readonly FinancedAmount?: Decimal | undefined;
  /** Annual rate in percent (M4); default 0 (P1). */
  readonly InterestPercent?: Decimal | undefined;
  /** 1: the first instalment consists of interest only; 0 (default): no grace period (P2). */
  readonly GracePeriodPrincipal?: number | undefined;
  /** The balance outstanding after the last instalment, or the target of a savings plan; default 0 (P2). */
  readonly FutureValue?: Decimal | undefined;
  /** 0 (default): in arrears; 1: in advance (P2). */
  readonly InterestType?: number | undefined;
  /** Number of decimals of the reply, 0..10, default 2 (M5). */
  readonly Precision?: number | undefined;
}

export interface PaymentValue {
  /** Payment of each instalment, in major units, with at most `digits` decimals. */
  readonly pmtValue: Decimal;
  /** Equal part of the principal, in major units, with at most `digits` decimals. */
  readonly principalValue: Decimal;
  readonly digits: number;
}

export type PaymentValueOutcome =
  | ({ readonly kind: 'payment-value' } & PaymentValue)
  | { readonly kind: 'refused'; readonly faults: readonly RequestFault[] };
