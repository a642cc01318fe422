/** Commissions and insurances of a request in one shape: they differ in the spelling of their fields only (F1). */

import type { Decimal } from 'decimal.js';
import type { CalendarDate } from '../dates/calendar-date.ts';
import type { NameMember } from '../schedule-types/known-charges.ts';
import type {
  CommissionItem,
  InsuranceItem,
  RepaymentScheduleRequest,
} from '../request/repayment-schedule-request.ts';

/** Which of the two lists of a request a charge stands in; they end in different fields of a row (F4). */
export type ChargeKind = 'commission' | 'insurance';

/** A field that says which commission or insurance is meant. */
export interface ChargeName {
  readonly field: NameMember;
  /** Without blanks around it; empty: not sent. */
  readonly value: string;
}

/** An item as sent, undefined where nothing is, with the paths of those fields that the two kinds spell differently. */
export interface ChargeInput {
  readonly kind: ChargeKind;
  readonly path: string;
  /** The usual field first; at least one must have a value. */
  readonly names: readonly ChargeName[];
  /** What a schedule type knows it by, in lower case: a commission's name and id, an insurance's class (F1, F4). */
  readonly typeNames: readonly string[];
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
  const path = `Commission[${index}]`;
  return {
    kind: 'commission',
    path,
    names: [
      { field: 'FeeName', value: trimmed(item.FeeName) },
      { field: 'FeeId', value: trimmed(item.FeeId) },
    ],
    typeNames: typeNames(item.FeeName, item.FeeId),
    value: item.SourceValue,
    percent: item.SourcePercent,
    periodicityType: item.FeePeriodicityType,
    periodicityPath: `${path}.FeePeriodicityType`,
    firstDate: item.FeeDate,
    datePath: `${path}.FeeDate`,
    graceRows: item.GracePeriodFee,
    gracePath: `${path}.GracePeriodFee`,
    blocked: item.BlockFeeAmount,
    blockedPath: `${path}.BlockFeeAmount`,
    isUpfront: item.IsUpfront,
    appliedTo: item.PercentAppliedTo,
    perAnnum: item.PerAnnum,
    isForUnusage: item.IsForUnusage,
  };
}

function readInsurance(item: InsuranceItem, index: number): ChargeInput {
  const path = `Insurance[${index}]`;
  return {
    kind: 'insurance',
    path,
    names: [
      { field: 'InsuranceName', value: trimmed(item.InsuranceName) },
      { field: 'InsuranceClassName', value: trimmed(item.InsuranceClassName) },
      { field: 'InsuranceClassId', value: trimmed(item.InsuranceClassId) },
    ],
    typeNames: typeNames(item.InsuranceClassName, item.InsuranceClassId),
    value: item.SourceValue,
    percent: item.SourcePercent,
    periodicityType: item.InsurancePeriodicityType,
    periodicityPath: `${path}.InsurancePeriodicityType`,
    firstDate: item.InsuranceDate,
    datePath: `${path}.InsuranceDate`,
    graceRows: item.GracePeriodInsurance,
    gracePath: `${path}.GracePeriodInsurance`,
    blocked: item.BlockInsuranceAmount,
    blockedPath: `${path}.BlockInsuranceAmount`,
    isUpfront: item.IsUpfront,
    appliedTo: item.PercentAppliedTo,
    perAnnum: item.PerAnnum,
    isForUnusage: false,
  };
}

function trimmed(name: string | undefined): string {
  return name?.trim() ?? '';
}

function typeNames(...names: readonly (string | undefined)[]): readonly string[] {
  return names.map((name) => trimmed(name).toLowerCase()).filter((name) => name !== '');
}
