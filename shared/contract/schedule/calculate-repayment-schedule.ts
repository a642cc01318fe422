/** Reads the request of `PLAT_BP_CalculateRepaymentSchedule`: its members one by one, and the rules between them. */

import { faultsOfMembers } from '../../lending/terms/check-members.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault } from '../../platform/problem.ts';
import { REQUEST_MEMBER } from '../json/faults-beside-shape.ts';
import { createInputReader } from '../json/json-param-input.ts';
import { repaymentScheduleBody, repaymentScheduleMembers } from './request-fields.ts';
import { isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import type { InvalidRequest, ReadRequest } from '../json/request-contract.ts';

type Members = Readonly<Record<string, unknown>>;

/** Values for mandatory members that cannot be read, so large that nothing beside them is too much. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  ScheduleType: 'EqualInstallments',
  Amount: 1e12,
  InstallmentsNo: 1200,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 0,
};
/** Members that decide how many rows there are, and when they are due. */
const ROW_MEMBERS = ['InstallmentsNo', 'RealInstallmentNo', 'BlockInstallmentNo', 'LastDueDate'];
const DATE_MEMBERS = [
  ...ROW_MEMBERS,
  'ScheduleType',
  'PeriodicityType',
  'InstallmentDay',
  'InstallmentMethod',
  'ActivationDate',
  'FirstDueDate',
  'MaturityDate',
  'ExpiryDateForOD',
  'HolidayShift',
  'HolidayMethod',
  'HolidayCountry',
  'DeferDueDate',
];
/** Members about which nothing can be told while another one is not known. */
const RESTS_ON: Readonly<Record<string, readonly string[]>> = {
  ProductType: ['ScheduleType'],
  RealInstallmentNo: ROW_MEMBERS,
  BlockInstallmentNo: ROW_MEMBERS,
  GracePeriodPrincipal: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  GracePeriodInterest: ['InstallmentsNo', 'RealInstallmentNo', 'ExpiryDateForOD'],
  MultipleInterestRates: ['InstallmentsNo'],
  BandedInterestRates: ['MultipleInterestRates'],
  installmentValue: ['ScheduleType'],
  principalValue: ['ScheduleType'],
};
/** Faults of amounts that depend on the number of digits, which Currency and Precision decide (M2). */
const BY_DIGITS: ReadonlySet<string> = new Set(['too-many-decimals', 'amount-too-large']);
const DIGITS_MEMBERS = ['Currency', 'Precision'];

const input = createInputReader<RepaymentScheduleRequest>({
  body: repaymentScheduleBody,
  members: repaymentScheduleMembers,
  standIns: STAND_INS,
  // What is missing is told by the shape and the cross-checks.
  faultsOf: (request, catalogue) =>
    faultsOfMembers(request, catalogue).filter(({ code }) => code !== 'missing'),
  restsOn: ({ path, code }) => [
    ...(RESTS_ON[path.split(/[.[]/, 1)[0] ?? ''] ?? []),
    ...(BY_DIGITS.has(code) ? DIGITS_MEMBERS : []),
    ...(code === 'date-order' ? DATE_MEMBERS : []),
  ],
  between: crossChecks,
});

/**
 * Reads `{jsonParam: {...}}`, the body of the HTTP call and of a JSON message alike, into the request that the
 * calculation takes. Faults are all that is wrong with its shape (400), and what else can be told beside them; names of
 * schedule types and periodicities only with the catalogue that would know them. Never throws.
 */
export function readRepaymentScheduleRequest(
  body: unknown,
  catalogue?: ScheduleCatalogue,
): ReadRequest<RepaymentScheduleRequest> {
  return input.read(body, catalogue);
}

/**
 * Holds a request that came in Avro against the same limits and rules as one in JSON; undefined when it keeps them.
 */
export function checkRepaymentScheduleRequest(
  request: RepaymentScheduleRequest,
  catalogue?: ScheduleCatalogue,
): InvalidRequest | undefined {
  return input.check(request, catalogue);
}

function crossChecks(members: Members): readonly Fault[] {
  const faults: Fault[] = [];
  checkRate(members, faults);
  checkItems(members, 'Commission', COMMISSION_NAMES, faults);
  checkItems(members, 'Insurance', INSURANCE_NAMES, faults);
  return faults;
}

/** A rate comes from InterestPercent, from ranges or from bands (S4). */
function checkRate(members: Members, faults: Fault[]): void {
  if (!isAbsent(members['InterestPercent'])) return;
  if (takesRatesFrom(members['MultipleInterestRates']) || takesRatesFrom(members['BandedInterestRates']))
    return;
  faults.push(
    shapeFault(
      `${REQUEST_MEMBER}.InterestPercent`,
      'missing',
      'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent',
    ),
  );
}

/** True for a list that says something, and for what was sent in place of one: that is a fault of its own. */
function takesRatesFrom(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : !isAbsent(value);
}

/** Members of which at least one identifies an item, the usual one first (F1). */
const COMMISSION_NAMES = ['FeeName', 'FeeId'];
const INSURANCE_NAMES = ['InsuranceName', 'InsuranceClassId', 'InsuranceClassName'];

function checkItems(members: Members, list: string, names: readonly string[], faults: Fault[]): void {
  const items = members[list];
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    if (isRecord(item)) checkItem(item, `${REQUEST_MEMBER}.${list}[${index}]`, names, faults);
  }
}

/** Exactly one of SourceValue and SourcePercent, and something that says which fee it is (F1). */
function checkItem(item: Members, path: string, names: readonly string[], faults: Fault[]): void {
  const byValue = !isAbsent(item['SourceValue']);
  const byPercent = !isAbsent(item['SourcePercent']);
  if (byValue === byPercent) {
    const sent = byValue ? 'not both' : 'but has neither';
    const message = `must have exactly one of SourceValue and SourcePercent, ${sent}`;
    faults.push(shapeFault(`${path}.SourceValue`, 'mutually-exclusive', message));
  }
  if (names.every((name) => isAbsent(item[name]))) {
    const message = `is missing; one of ${names.join(', ')} must say what is charged`;
    faults.push(shapeFault(`${path}.${names[0]}`, 'missing', message));
  }
}
