/** Checks of a single schedule type before activation (S3). */

import { DAY_COUNT_NAMES, findDayCount } from '../dates/day-count.ts';
import { collectNames } from '../formula/tree.ts';
import type { RoundingMode } from '../numbers/rounding.ts';
import { MAX_INSTALLMENTS, findName } from '../request/field-checks.ts';
import { checkMethods, compileFormulas, createColumnSet } from './activation-methods.ts';
import {
  MEASUREMENT_UNITS,
  PRODUCT_TYPE_CODES,
  SCHEDULE_TYPE_STATUSES,
  findProductType,
  type ProductTypeCode,
  type ScheduleType,
} from './schedule-type.ts';
import { MAX_COLUMNS, countsAsCharge, draftColumn, type ColumnDraft } from './schedule-columns.ts';
import type { ActivationFault, ScheduleTypeRecord } from './schedule-type-record.ts';

/** The faults of a record, in the order of the checks; `type` is undefined if a setting is invalid by itself. */
export function checkScheduleType(record: ScheduleTypeRecord) {
  const faults: ActivationFault[] = [];
  const type = readSettings(record, faults);
  const details = record.PaymentScheduleTypeDetails;
  if (details.length === 0 || details.length > MAX_COLUMNS) {
    faults.push({ message: `PaymentScheduleTypeDetails must list from 1 to ${MAX_COLUMNS} columns` });
    return { type, columns: createColumnSet([]), faults };
  }
  checkDetailIds(record, faults);
  const columns = createColumnSet(details.map((detail) => draftColumn(detail, faults)));
  compileFormulas(columns.all, type?.rounding ?? 'HALF_UP', faults);
  checkMethods(record, columns, faults);
  checkOrder(columns.all, faults);
  return { type, columns, faults };
}

/** Empty if nothing in the record prevents activation (S3). Never throws. */
export function findActivationFaults(record: ScheduleTypeRecord): readonly ActivationFault[] {
  return checkScheduleType(record).faults;
}

/** A fault as a sentence, such as `column Own must have no Source`. */
export function formatActivationFault(fault: ActivationFault): string {
  return fault.column === undefined ? fault.message : `column ${fault.column} ${fault.message}`;
}

function checkDetailIds(record: ScheduleTypeRecord, faults: ActivationFault[]): void {
  const seen = new Set<string>();
  for (const { PaymentScheduleTypeDetailId, ColumnRepaymentSchedule } of record.PaymentScheduleTypeDetails) {
    const id = PaymentScheduleTypeDetailId.toLowerCase();
    if (!isGuid(id) || seen.has(id)) {
      const message = 'must have a PaymentScheduleTypeDetailId that is a GUID and that no other column has';
      faults.push({ column: ColumnRepaymentSchedule, message });
    }
    seen.add(id);
  }
}

interface Need {
  readonly name: string;
  readonly because: string;
  /** True when the other column may be listed later, because it is calculated first anyway. */
  readonly isAnyOrder?: boolean;
}

/** Reports columns that are listed before a column on which they depend, and cycles of dependencies. */
function checkOrder(columns: readonly ColumnDraft[], faults: ActivationFault[]): void {
  const places = new Map<string, number>();
  for (const [place, { name }] of columns.entries()) {
    if (!places.has(name.toLowerCase())) places.set(name.toLowerCase(), place);
  }
  const needs = columns.map((column) => listNeeds(column, columns).filter(({ name }) => places.has(name)));
  const reported = new Set<string>();
  for (const [place, column] of columns.entries()) {
    for (const { name, because, isAnyOrder } of needs[place] ?? []) {
      const other = places.get(name) ?? 0;
      if (other < place) continue;
      const circle = findPath(place, other, needs, places);
      if (circle === undefined && isAnyOrder === true) continue;
      if (circle === undefined) {
        const otherName = columns[other]?.name;
        const message = `must be listed after ${otherName}${because}: move it below`;
        faults.push({ column: column.name, message });
        continue;
      }
      reportCircle([place, ...circle], columns, reported, faults);
    }
  }
}

function listNeeds(column: ColumnDraft, columns: readonly ColumnDraft[]): readonly Need[] {
  const needs: Need[] = [];
  const need = (because: string, ...names: readonly string[]): void => {
    for (const name of names) needs.push({ name: name.toLowerCase(), because });
  };
  if (column.standard === 'Interest') need('', 'RemainingValue');
  if (column.standard === 'PMT' || column.standard === 'Principal') {
    needs.push({ name: 'interest', because: '', isAnyOrder: true });
  }
  if (column.method === 'CapitalPercent') need('', 'RemainingValue');
  if (column.method === 'Balance') need(', because it is PMT less Interest', 'PMT', 'Interest');
  if (column.tree !== undefined) need(', which its formula names', ...collectNames(column.tree).keys());
  if (column.standard === 'TotalInstallment') {
    const charges = columns.filter(countsAsCharge).map(({ name }) => name);
    need(', which it includes', ...charges);
  }
  return needs;
}

/** The shortest chain of columns from `start` to `goal`, each of which needs the next; undefined if there is none. */
function findPath(
  goal: number,
  start: number,
  needs: readonly (readonly Need[])[],
  places: ReadonlyMap<string, number>,
): readonly number[] | undefined {
  const seen = new Set([start]);
  const ways: (readonly number[])[] = [[start]];
  for (const way of ways) {
    const last = way.at(-1) ?? goal;
    if (last === goal) return way;
    const next = (needs[last] ?? []).map(({ name }) => places.get(name) ?? goal);
    for (const place of next.filter((candidate) => !seen.has(candidate))) {
      seen.add(place);
      ways.push([...way, place]);
    }
  }
  return undefined;
}

function reportCircle(
  circle: readonly number[],
  columns: readonly ColumnDraft[],
  reported: Set<string>,
  faults: ActivationFault[],
): void {
  const key = [...new Set(circle)].toSorted((a, b) => a - b).join(' ');
  if (reported.has(key)) return;
  reported.add(key);
  const names = circle.map((place) => columns[place]?.name ?? '');
  const message = `must not be calculated from itself (${names.join(' needs ')}): change one of these formulas`;
  faults.push({ column: names[0] ?? '', message });
}

const MAX_NAME_LENGTH = 200;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ROUNDING_MODES: readonly RoundingMode[] = ['HALF_UP', 'HALF_EVEN'];

export function isGuid(text: string): boolean {
  return GUID.test(text);
}

function readSettings(record: ScheduleTypeRecord, faults: ActivationFault[]): ScheduleType | undefined {
  const before = faults.length;
  checkIdentity(record, faults);
  const status = readChoice('Status', record.Status, SCHEDULE_TYPE_STATUSES, faults);
  const dayCount = findDayCount(record.ScheduleInterestCalculationType);
  if (dayCount === undefined) {
    const known = DAY_COUNT_NAMES.join(', ');
    faults.push({ message: `ScheduleInterestCalculationType must be one of ${known}` });
  }
  const unit = record.MeasurementUnit ?? null;
  const measurementUnit =
    unit === null ? null : readChoice('MeasurementUnit', unit, MEASUREMENT_UNITS, faults);
  const rounding = readChoice('Rounding', record.Rounding ?? 'HALF_UP', ROUNDING_MODES, faults);
  const productTypes = readProductTypes(record, faults);
  const maximumInstallments = readMaximumInstallments(record, faults);
  if (faults.length > before) return undefined;
  if (status === undefined || dayCount === undefined) return undefined;
  if (measurementUnit === undefined || rounding === undefined) return undefined;
  return {
    id: record.PaymentScheduleTypeId.toLowerCase(),
    code: record.PaymentScheduleCode.trim(),
    name: record.PaymentScheduleTypeName.trim(),
    productTypes,
    dayCount,
    installmentValueCustom: record.InstallmentValueCustom,
    useMaturityDate: record.UseMaturityDate,
    measurementUnit,
    rounding,
    maximumInstallments,
    residualRequired: record.ResidualRequired ?? false,
    residualInInstallment: record.ResidualInInstallment ?? false,
    acceptsCharges: record.AcceptsCharges ?? true,
    useExpiryDate: record.UseExpiryDate ?? false,
    interestCapitalization: record.InterestCapitalization ?? false,
  };
}

/** Checks the id, code and name, which are required in every record, active or not. */
export function checkIdentity(record: ScheduleTypeRecord, faults: ActivationFault[]): void {
  if (!isGuid(record.PaymentScheduleTypeId)) {
    faults.push({ message: 'PaymentScheduleTypeId must be a GUID that no other schedule type has' });
  }
  checkName('PaymentScheduleCode', record.PaymentScheduleCode, faults);
  checkName('PaymentScheduleTypeName', record.PaymentScheduleTypeName, faults);
}

function checkName(field: string, name: string, faults: ActivationFault[]): void {
  const length = name.trim().length;
  if (length === 0 || length > MAX_NAME_LENGTH) {
    faults.push({ message: `${field} must have from 1 to ${MAX_NAME_LENGTH} characters` });
  }
}

function readChoice<Known extends string>(
  field: string,
  value: string,
  known: readonly Known[],
  faults: ActivationFault[],
): Known | undefined {
  const found = findName(known, value);
  if (found === undefined) faults.push({ message: `${field} must be one of ${known.join(', ')}` });
  return found;
}

function readProductTypes(record: ScheduleTypeRecord, faults: ActivationFault[]): readonly ProductTypeCode[] {
  const codes = record.ProductTypes.map(findProductType).filter((code) => code !== undefined);
  if (codes.length === record.ProductTypes.length && codes.length > 0) return [...new Set(codes)];
  faults.push({ message: `ProductTypes must list at least one of ${PRODUCT_TYPE_CODES.join(', ')}` });
  return [];
}

function readMaximumInstallments(record: ScheduleTypeRecord, faults: ActivationFault[]): number | null {
  const maximum = record.MaximumInstallments ?? null;
  if (maximum === null) return null;
  if (!Number.isInteger(maximum) || maximum < 1 || maximum > MAX_INSTALLMENTS) {
    faults.push({ message: `MaximumInstallments must be a whole number from 1 to ${MAX_INSTALLMENTS}` });
  }
  return maximum;
}
