/** Reads the request of `PLAT_BP_CalculateRepaymentSchedule`: its members one by one, and the rules between them. */

import type { RepaymentScheduleRequest } from '../lending/repayment-schedule-request.ts';
import type { Fault } from '../platform/problem.ts';
import { faultsBesideLimits, faultsBesideShape, REQUEST_MEMBER } from './faults-beside-shape.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { compileLimits } from './payload-limits.ts';
import { repaymentScheduleBody, repaymentScheduleMembers } from './repayment-schedule-request-shape.ts';
import { isAbsent, isRecord, shapeFault } from './request-faults.ts';
import { createRequestReader, invalid, type InvalidRequest, type ReadRequest } from './request-reading.ts';

type Members = Readonly<Record<string, unknown>>;

const readBody = createRequestReader(repaymentScheduleBody, {
  between: crossChecks,
  beside: faultsBesideShape,
});
const checkLimits = compileLimits(jsonSchemaOf(repaymentScheduleMembers));

/**
 * Reads `{jsonParam: {...}}`, the body of the HTTP call and of a JSON message alike, into the request that the
 * calculation takes. Faults are all that is wrong with its shape (400); never throws.
 */
export function readRepaymentScheduleRequest(body: unknown): ReadRequest<RepaymentScheduleRequest> {
  const read = readBody(body);
  return read.kind === 'valid' ? { ...read, payload: read.payload.jsonParam } : read;
}

/**
 * Holds a request that came in Avro against the same limits and rules as one in JSON; undefined when it keeps them.
 */
export function checkRepaymentScheduleRequest(request: RepaymentScheduleRequest): InvalidRequest | undefined {
  const faults: Fault[] = [...crossChecks({ [REQUEST_MEMBER]: request })];
  checkLimits?.(request, REQUEST_MEMBER, faults);
  return faults.length === 0 ? undefined : invalid(faults, faultsBesideLimits(request, faults));
}

function crossChecks(body: unknown): readonly Fault[] {
  const members = isRecord(body) ? body[REQUEST_MEMBER] : undefined;
  if (!isRecord(members)) return [];
  const faults: Fault[] = [];
  checkRate(members, faults);
  checkItems(members, 'Commission', COMMISSION_NAMES, faults);
  checkItems(members, 'Insurance', INSURANCE_NAMES, faults);
  return faults;
}

/** A rate comes from InterestPercent, from ranges or from bands (S4). */
function checkRate(members: Members, faults: Fault[]): void {
  if (!isAbsent(members['InterestPercent'])) return;
  if (isSentList(members['MultipleInterestRates']) || isSentList(members['BandedInterestRates'])) return;
  faults.push(
    shapeFault(
      `${REQUEST_MEMBER}.InterestPercent`,
      'missing',
      'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent',
    ),
  );
}

function isSentList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
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
