/**
 * What else is wrong with a request whose shape is wrong already: a caller learns everything at once (E3), not first
 * what cannot be read and then what cannot be calculated. Members with a fault are taken out, and what can still be
 * told about the others is added.
 */

import { faultsOfMembers } from '../lending/check-members.ts';
import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import type { Fault } from '../platform/problem.ts';
import { repaymentScheduleMembers } from './repayment-schedule-request-shape.ts';
import { faultsOfIssues, isRecord } from './request-faults.ts';

/** Where the members stand in the body; paths of faults start with it. */
export const REQUEST_MEMBER = 'jsonParam';

const MEMBER_NAMES = Object.keys(repaymentScheduleMembers.shape);
/** Harmless values for mandatory members that cannot be read. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  ScheduleType: 'EqualInstallments',
  Amount: 1,
  InstallmentsNo: 1,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: 0,
};
/** Members about which nothing can be told while another one is not known. */
const RESTS_ON: Readonly<Record<string, string>> = {
  ProductType: 'ScheduleType',
  RealInstallmentNo: 'InstallmentsNo',
};
/** Faults of amounts that depend on the number of digits, which Currency and Precision decide (M2). */
const BY_DIGITS: ReadonlySet<string> = new Set(['too-many-decimals', 'amount-too-large']);

/** Faults of a JSON body beside those that are known; empty when the members themselves cannot be reached. */
export function faultsBesideShape(body: unknown, known: readonly Fault[]): readonly Fault[] {
  const members = isRecord(body) ? body[REQUEST_MEMBER] : undefined;
  if (!isRecord(members)) return [];
  const faulty = membersOf(known);
  const readable = MEMBER_NAMES.map((name) => [name, faulty.has(name) ? STAND_INS[name] : members[name]]);
  const read = repaymentScheduleMembers.safeParse(Object.fromEntries(readable));
  if (read.success) return faultsBesideLimits(read.data, known);
  // Where a list was too long to be read, nothing has looked at the shape of the other members yet.
  const others = faultsOfIssues(read.error.issues, members).map(withFullPath);
  return [...others, ...faultsBesideShape(body, [...known, ...others])];
}

/** Faults of a payload beside those that are known. */
export function faultsBesideLimits(
  request: RepaymentScheduleRequest,
  known: readonly Fault[],
): readonly Fault[] {
  const faulty = membersOf(known);
  const hasDigits = !faulty.has('Currency') && !faulty.has('Precision');
  return faultsOfMembers(request)
    .filter(({ path, code }) => {
      const isTold = faulty.has(path) || faulty.has(RESTS_ON[path] ?? '') || code === 'missing';
      return !isTold && (hasDigits || !BY_DIGITS.has(code));
    })
    .map(withFullPath);
}

/** The members, without the items below them, that faults name. */
function membersOf(faults: readonly Fault[]): ReadonlySet<string> {
  return new Set(faults.map(({ path }) => path.split(/[.[]/, 2)[1] ?? ''));
}

function withFullPath({ path, code, message }: Fault): Fault {
  return { path: `${REQUEST_MEMBER}.${path}`, code, message };
}
