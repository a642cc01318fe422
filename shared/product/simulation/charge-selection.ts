/** Selects the charges of a simulation, and decides which of them count in the cost of an offer (Q6, Q8). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import type { CommissionRecord, InsuranceRecord } from '../catalogue/list-records.ts';
import { isActive, valueOn } from '../catalogue/version-in-force.ts';

export type ChargeRecord = CommissionRecord | InsuranceRecord;

/** Which charges a request selects besides those that come with every contract. */
export interface ChargeSelection {
  /** Charges that the request names, each with the path of the choice. */
  readonly chosen: ReadonlyMap<ChargeRecord, string>;
  /** True if the cost of the credit is calculated, in which charges outside the schedule can count (Q8). */
  readonly isOffer: boolean;
}

/** Where a charge counts; `inSchedule` false is a charge that is paid elsewhere and only part of the cost (Q8). */
export interface ChargePlace {
  readonly inSchedule: boolean;
  readonly inAprc: boolean;
}

/** True if a charge comes with every contract, in its schedule. A commission on an unused amount does not (Q6). */
export function comesWithContract(record: ChargeRecord): boolean {
  return isActive(record) && isIncluded(record) && isCompulsory(record) && !isForUnusage(record);
}

/** True if a request can name the charge: one of the schedule (Q8). */
export function isChoosable(record: ChargeRecord): boolean {
  return isActive(record) && isIncluded(record) && !isOnUnusedAmount(record);
}

/** True if a simulation has the charge only when the request names it (Q8). */
export function isOptional(record: ChargeRecord): boolean {
  return isChoosable(record) && !comesWithContract(record);
}

/** True if there is a simulation that has the charge, with or without an offer. */
export function canBeCharged(record: ChargeRecord): boolean {
  const chosen = new Map(isChoosable(record) ? [[record, '']] : []);
  return placeCharge(record, { chosen, isOffer: true }) !== undefined;
}

/** Returns undefined if the simulation does not have the charge. */
export function placeCharge(
  record: ChargeRecord,
  { chosen, isOffer }: ChargeSelection,
): ChargePlace | undefined {
  const compulsory = isCompulsory(record);
  if (comesWithContract(record) || chosen.has(record)) {
    return { inSchedule: true, inAprc: record.InAprc ?? compulsory };
  }
  const isBeside = isOffer && isActive(record) && compulsory && !isIncluded(record);
  return isBeside && record.InAprc === true && !isOnUnusedAmount(record)
    ? { inSchedule: false, inAprc: true }
    : undefined;
}

/**
 * True if an offer does not count a compulsory charge: one without a price on the day, one on the unused amount, which a
 * credit that is drawn in full does not have, or one outside the schedule of which the catalogue does not say that it
 * counts.
 */
export function isUncounted(record: ChargeRecord, day: CalendarDate): boolean {
  const isByFormula = record.UseBankingFormula && record.Formula !== null;
  const hasPrice = isByFormula || findValueOn(record, day) !== null;
  if (!isActive(record) || !isCompulsory(record)) return false;
  if (isForUnusage(record) || !hasPrice) return true;
  return !isIncluded(record) && (record.InAprc !== true || isOnUnusedAmount(record));
}

/** The percentage or money of a charge without a formula on the day; null if it has none. */
export function findValueOn(record: ChargeRecord, day: CalendarDate): number | null {
  if ('InsuranceName' in record) return valueOn(record.Values, day)?.Value ?? null;
  const value = valueOn(record.Values, day);
  if (record.ValueIsPercent) return value?.CommissionPercent ?? record.Percent;
  return value?.CommissionValue ?? null;
}

/** True if the contract requires the charge. */
export function isCompulsory(record: ChargeRecord): boolean {
  return 'InsuranceName' in record
    ? record.IsMandatoryForApplicant || record.IsMandatoryForDebtor
    : record.AutomaticLoadOnContract || record.MandatoryForApplicant;
}

function isIncluded(record: ChargeRecord): boolean {
  return 'InsuranceName' in record
    ? record.IncludedIntoRepaymentScheduleInstallment
    : record.IncludedInRepaymentSchedule;
}

function isForUnusage(record: ChargeRecord): boolean {
  return 'IsForUnusage' in record && record.IsForUnusage;
}

function isOnUnusedAmount(record: ChargeRecord): boolean {
  return isForUnusage(record) || isSameCode(record.PercentAppliedTo, 'UnusedAmount');
}
