/** What a discount lowers (Q5). */

import type { DiscountRecord, InterestRecord } from '../catalogue/list-records.ts';
import type { CatalogueCharge } from './offered-charges.ts';
import { codeKey } from '../catalogue/record-identity.ts';

/** What a discount finds a charge by. */
export type DiscountedCharge = Pick<CatalogueCharge, 'dimension' | 'name' | 'group'>;

export function lowersInterest(
  { AppliedToDimension, InterestType }: DiscountRecord,
  { Type }: InterestRecord,
): boolean {
  return AppliedToDimension === 'Interest' && (InterestType === null || InterestType === Type);
}

/** A discount that names neither a charge nor a group lowers all charges of its dimension. */
export function lowersCharge(record: DiscountRecord, charge: DiscountedCharge): boolean {
  if (record.AppliedToDimension !== charge.dimension) return false;
  const isCommission = charge.dimension === 'Commission';
  const name = isCommission ? record.Commission : record.Insurance;
  const group = isCommission ? record.CommissionType : record.InsuranceClass;
  return isNullOr(name, charge.name) && isNullOr(group, charge.group);
}

function isNullOr(wanted: string | null, found: string | null): boolean {
  return wanted === null || (found !== null && codeKey(wanted) === codeKey(found));
}
