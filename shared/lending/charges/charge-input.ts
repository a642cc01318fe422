/** Commissions and insurances of a request in one shape: they differ in the spelling of their fields only (F1). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { NameField } from '../schedule-types/known-charges.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../request/repayment-schedule-request.ts';

/** Which of the two lists of a request a charge stands in; they end in different fields of a row (F4). */
export type ChargeKind = 'commission' | 'insurance';

/** A field that says which commission or insurance is meant. */
export interface ChargeName {
  readonly field: NameField;
  /** Without blanks around it; empty: not sent. */
  readonly value: string;
}

/** An item as sent, undefined where nothing is, with the paths of those fields that the two kinds spell differently. */
export interface ChargeInput {
  readonly kind: ChargeKind;
  readonly path: string;
  /** The usual field first; at least one must have a value. */
  readonly names: readonly ChargeName[];
  readonly value: Decimal | undefined;
  readonly percent: Decimal | undefined;
  readonly periodicityType: string;
  readonly periodicityPath: string;
  readonly firstDate: CalendarDate;
  readonly datePath: string;
  readonly graceRows: number | undefined;
  readonly gracePath: string;
  readonly blocked: Decimal | undefined;
  readonly blockedPath: string;
  readonly isUpfront: boolean | undefined;
  readonly appliedTo: string | undefined;
  readonly perAnnum: boolean | undefined;
  readonly isForUnusage: boolean | undefined;
}

/** All items: commissions, then insurances, each in the order of the request. */
export function readChargeInputs(request: RepaymentScheduleRequest): readonly ChargeInput[] {
  const commissions = request.Commission?.map(readCommission) ?? [];
  const insurances = request.Insurance?.map(readInsurance) ?? [];
  return [...commissions, ...insurances];
}

function readCommission(item: CommissionItem, index: number): ChargeInput {
  return {
    ...readCommonFields('commission', item, `Commission[${index}]`, 'Fee'),
    names: [
      { field: 'FeeName', value: trimmed(item.FeeName) },
      { field: 'FeeId', value: trimmed(item.FeeId) },
    ],
    periodicityType: item.FeePeriodicityType,
    firstDate: item.FeeDate,
    graceRows: item.GracePeriodFee,
    blocked: item.BlockFeeAmount,
    isForUnusage: item.IsForUnusage,
  };
}

function readInsurance(item: InsuranceItem, index: number): ChargeInput {
  return {
    ...readCommonFields('insurance', item, `Insurance[${index}]`, 'Insurance'),
    names: [
      { field: 'InsuranceName', value: trimmed(item.InsuranceName) },
      { field: 'InsuranceClassName', value: trimmed(item.InsuranceClassName) },
      { field: 'InsuranceClassId', value: trimmed(item.InsuranceClassId) },
    ],
    periodicityType: item.InsurancePeriodicityType,
    firstDate: item.InsuranceDate,
    graceRows: item.GracePeriodInsurance,
    blocked: item.BlockInsuranceAmount,
    isForUnusage: false,
  };
}

/** Fields of one spelling, and the paths of the others, which hold the `word` of their kind. */
function readCommonFields(
  kind: ChargeKind,
  item: CommissionItem | InsuranceItem,
  path: string,
  word: string,
) {
  return {
    kind,
    path,
    periodicityPath: `${path}.${word}PeriodicityType`,
    datePath: `${path}.${word}Date`,
    gracePath: `${path}.GracePeriod${word}`,
    blockedPath: `${path}.Block${word}Amount`,
    value: item.SourceValue,
    percent: item.SourcePercent,
    isUpfront: item.IsUpfront,
    appliedTo: item.PercentAppliedTo,
    perAnnum: item.PerAnnum,
  };
}

function trimmed(name: string | undefined): string {
  return name?.trim() ?? '';
}
