/** Commissions and insurances of a request in a common form: most of their fields differ only in spelling (F1). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { NameField } from '../schedule-types/known-charges.ts';
import type {
  CommissionItem,
  CountedIn,
  InsuranceItem,
  RepaymentScheduleRequest,
  Simulated,
} from '../request/repayment-schedule-request.ts';

/** The list of the request that contains a charge; each list has its own field in a row (F4). */
export type ChargeKind = 'commission' | 'insurance';

/** By list, the fields that identify a charge, in order of preference. At least one is required (F1). */
export const CHARGE_NAMES = {
  Commission: ['FeeName', 'FeeId'],
  Insurance: ['InsuranceName', 'InsuranceClassName', 'InsuranceClassId'],
} as const;

export interface ChargeName {
  readonly field: NameField;
  readonly value: string;
}

/** An item as sent, with the paths of the fields that the two kinds spell differently. */
export interface ChargeInput {
  readonly kind: ChargeKind;
  readonly path: string;
  /** In order of preference; the value of a field that is not sent is empty. */
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
  readonly countsIn: CountedIn | undefined;
}

export function readChargeInputs(request: RepaymentScheduleRequest): readonly ChargeInput[] {
  const commissions = request.Commission?.map(readCommission) ?? [];
  const insurances = request.Insurance?.map(readInsurance) ?? [];
  return [...commissions, ...insurances];
}

function readCommission(item: Simulated<CommissionItem>, index: number): ChargeInput {
  return {
    ...readCommonFields('commission', item, `Commission[${index}]`, 'Fee'),
    names: CHARGE_NAMES.Commission.map((field) => ({ field, value: trimName(item[field]) })),
    periodicityType: item.FeePeriodicityType,
    firstDate: item.FeeDate,
    graceRows: item.GracePeriodFee,
    blocked: item.BlockFeeAmount,
    isForUnusage: item.IsForUnusage,
  };
}

function readInsurance(item: Simulated<InsuranceItem>, index: number): ChargeInput {
  return {
    ...readCommonFields('insurance', item, `Insurance[${index}]`, 'Insurance'),
    names: CHARGE_NAMES.Insurance.map((field) => ({ field, value: trimName(item[field]) })),
    periodicityType: item.InsurancePeriodicityType,
    firstDate: item.InsuranceDate,
    graceRows: item.GracePeriodInsurance,
    blocked: item.BlockInsuranceAmount,
    isForUnusage: false,
  };
}

function readCommonFields(
  kind: ChargeKind,
  item: Simulated<CommissionItem | InsuranceItem>,
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
    countsIn: item.CountsIn,
  };
}

function trimName(name: string | undefined): string {
  return name?.trim() ?? '';
}
