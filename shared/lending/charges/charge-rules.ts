/** The settings of a schedule type for charges (S1, F1, F4). */

import { CHARGE_BASES, type ChargeBase } from './charge-price.ts';
import type { CompiledScheduleType, ExtraColumn, RowStep } from '../schedule-types/compiled-schedule-type.ts';
import type { ScheduleType } from '../schedule-types/schedule-type.ts';
import type { CompletedCharge } from './catalogue-match.ts';

/** The parts of a schedule type on which charges depend. */
export interface ChargeRules extends Pick<
  CompiledScheduleType,
  'extras' | 'steps' | 'upfront' | 'namesRead'
> {
  readonly type: Pick<ScheduleType, 'acceptsCharges'>;
}

/** Names of the columns that show an item separately: those of its commission or of its insurance class (F4). */
export function findChargeColumns(
  charge: CompletedCharge,
  extras: readonly ExtraColumn[],
): readonly string[] {
  return extras.filter(({ method }) => showsCharge(method, charge)).map(({ name }) => name);
}

function showsCharge(
  method: ExtraColumn['method'],
  { input: { kind }, typeNames }: CompletedCharge,
): boolean {
  if (method.kind === 'Fee') {
    return kind === 'commission' && typeNames.includes(method.fee.trim().toLowerCase());
  }
  if (method.kind === 'Insurance') {
    return kind === 'insurance' && typeNames.includes(method.insuranceClass.trim().toLowerCase());
  }
  return false;
}

/** Whether an item without IsUpfront is charged at the start of its periods (F1). */
export function isUpfrontByType({ input, typeNames }: CompletedCharge, { upfront }: ChargeRules): boolean {
  const isCommission = input.kind === 'commission';
  const known = isCommission ? upfront.byFee : upfront.byInsuranceClass;
  for (const name of typeNames) {
    const isUpfront = known.get(name);
    if (isUpfront !== undefined) return isUpfront;
  }
  return isCommission ? upfront.fees : upfront.insurances;
}

/**
 * The allowed bases of a percentage. Figures that a row calculates after its charges are excluded, since they are not
 * yet known when the charges are calculated.
 */
export function listAllowedBases(rules: ChargeRules | undefined): readonly ChargeBase[] {
  if (rules === undefined) return CHARGE_BASES;
  const findStep = (step: RowStep['kind']) => rules.steps.findIndex(({ kind }) => kind === step);
  const hasInterest = findStep('interest') < findStep('charges');
  const hasPrincipal = findStep('principal') < findStep('charges');
  const known = { Interest: hasInterest, Principal: hasPrincipal, Installment: hasInterest && hasPrincipal };
  return CHARGE_BASES.filter((base) => !(base in known) || known[base as keyof typeof known]);
}
