/** The settings of a schedule type record, checked one by one (S1, S3). */

import { DAY_COUNT_NAMES, findDayCount } from '../dates/day-count.ts';
import { PRODUCT_TYPE_CODES, findProductType, type ProductTypeCode } from './product-types.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';
import { MEASUREMENT_UNITS, SCHEDULE_TYPE_STATUSES, type ScheduleType } from './schedule-type.ts';

/** Most installments of any schedule (M6). */
const MAX_INSTALLMENTS = 1200;
const LONGEST_NAME = 200;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ROUNDING_MODES: readonly RoundingMode[] = ['HALF_UP', 'HALF_EVEN'];

/** True for the text form of a GUID. */
export function isGuid(text: string): boolean {
  return GUID.test(text);
}

/** The settings as the calculation reads them, or undefined when any is wrong; each fault is reported. */
export function settingsOf(record: ScheduleTypeRecord, faults: ActivationFault[]): ScheduleType | undefined {
  const before = faults.length;
  checkIdentity(record, faults);
  const status = oneOf('Status', record.Status, SCHEDULE_TYPE_STATUSES, faults);
  const dayCount = findDayCount(record.ScheduleInterestCalculationType);
  if (dayCount === undefined) {
    const known = DAY_COUNT_NAMES.join(', ');
    faults.push({ message: `ScheduleInterestCalculationType must be one of ${known}` });
  }
  const unit = record.MeasurementUnit ?? null;
  const measurementUnit = unit === null ? null : oneOf('MeasurementUnit', unit, MEASUREMENT_UNITS, faults);
  const rounding = oneOf('Rounding', record.Rounding ?? 'HALF_UP', ROUNDING_MODES, faults);
  const productTypes = productTypesOf(record, faults);
  const maximumInstallments = maximumOf(record, faults);
  if (faults.length > before) return undefined;
  if (status === undefined || dayCount === undefined || rounding === undefined) return undefined;
  return {
    id: record.PaymentScheduleTypeId.toLowerCase(),
    code: record.PaymentScheduleCode.trim(),
    name: record.PaymentScheduleTypeName.trim(),
    status,
    productTypes,
    dayCount,
    isWithEqualInstallments: record.IsWithEqualInstallments,
    installmentValueCustom: record.InstallmentValueCustom,
    useMaturityDate: record.UseMaturityDate,
    measurementUnit: measurementUnit ?? null,
    rounding,
    maximumInstallments,
    residualRequired: record.ResidualRequired ?? false,
    residualInInstallment: record.ResidualInInstallment ?? false,
    acceptsCharges: record.AcceptsCharges ?? true,
    useExpiryDate: record.UseExpiryDate ?? false,
    interestCapitalization: record.InterestCapitalization ?? false,
  };
}

/** What every record needs, whether it calculates or not: an id, a code, a name and a status. */
export function checkIdentity(record: ScheduleTypeRecord, faults: ActivationFault[]): void {
  if (!isGuid(record.PaymentScheduleTypeId)) {
    faults.push({ message: 'PaymentScheduleTypeId must be a GUID that no other schedule type has' });
  }
  checkName('PaymentScheduleCode', record.PaymentScheduleCode, faults);
  checkName('PaymentScheduleTypeName', record.PaymentScheduleTypeName, faults);
}

function checkName(member: string, name: string, faults: ActivationFault[]): void {
  const length = name.trim().length;
  if (length === 0 || length > LONGEST_NAME) {
    faults.push({ message: `${member} must have from 1 to ${LONGEST_NAME} characters` });
  }
}

function oneOf<Known extends string>(
  member: string,
  value: string,
  known: readonly Known[],
  faults: ActivationFault[],
): Known | undefined {
  const found = known.find((name) => name.toLowerCase() === value.trim().toLowerCase());
  if (found === undefined) faults.push({ message: `${member} must be one of ${known.join(', ')}` });
  return found;
}

function productTypesOf(record: ScheduleTypeRecord, faults: ActivationFault[]): readonly ProductTypeCode[] {
  const codes = record.ProductTypes.map(findProductType).filter((code) => code !== undefined);
  if (codes.length === record.ProductTypes.length && codes.length > 0) return [...new Set(codes)];
  faults.push({ message: `ProductTypes must list at least one of ${PRODUCT_TYPE_CODES.join(', ')}` });
  return [];
}

function maximumOf(record: ScheduleTypeRecord, faults: ActivationFault[]): number | null {
  const maximum = record.MaximumInstallments ?? null;
  if (maximum === null) return null;
  if (!Number.isInteger(maximum) || maximum < 1 || maximum > MAX_INSTALLMENTS) {
    faults.push({ message: `MaximumInstallments must be a whole number from 1 to ${MAX_INSTALLMENTS}` });
  }
  return maximum;
}
