/** The bases that a percentage can have, and those that a schedule type allows (F2). */

import type { CompiledScheduleType, RowStep } from '../schedule-types/schedule-type.ts';
import { checkName } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';

/** The possible bases of a percentage (F2), in the spelling of PercentAppliedTo. */
export const CHARGE_BASES = [
  'FinancedAmount',
  'RemainingValue',
  'Principal',
  'Interest',
  'Installment',
  'UnusedAmount',
  'CreditValue',
] as const;

export type ChargeBase = (typeof CHARGE_BASES)[number];

export function checkBase(
  path: string,
  appliedTo: string | undefined,
  bases: readonly ChargeBase[],
  validation: Validation,
): ChargeBase | undefined {
  const base = checkName(validation, path, appliedTo, CHARGE_BASES);
  if (base === undefined || bases.includes(base)) return base;
  const message = `must be one of ${bases.join(', ')}; this schedule type calculates the others from the charges`;
  return validation.reject(path, 'not-allowed', message);
}

/** The allowed bases of a percentage: all but the figures that a row calculates after its charges (F2). */
export function listAllowedBases(
  rules: Pick<CompiledScheduleType, 'steps'> | undefined,
): readonly ChargeBase[] {
  if (rules === undefined) return CHARGE_BASES;
  const findStep = (step: RowStep['kind']) => rules.steps.findIndex(({ kind }) => kind === step);
  const hasInterest = findStep('interest') < findStep('charges');
  const hasPrincipal = findStep('principal') < findStep('charges');
  const known = { Interest: hasInterest, Principal: hasPrincipal, Installment: hasInterest && hasPrincipal };
  return CHARGE_BASES.filter((base) => !(base in known) || known[base as keyof typeof known]);
}
