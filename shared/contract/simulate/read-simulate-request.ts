/** Reads the request of `PLAT_BP_Simulate`. */

import type { z } from 'zod';
import type { Fault } from '../../platform/problem.ts';
import { describeMissingType } from '../../product/simulation/interest-choice.ts';
import { FORMULA_INPUT_PARTS, type SimulateRequest } from '../../product/simulation/simulate-request.ts';
import { createBodyReader } from '../json/body-input.ts';
import { isAbsent, isRecord, shapeFault } from '../json/faults.ts';
import { simulateMembers } from './request.ts';

/** The request as it is read: figures are exact decimals (M1). */
export type SimulateInput = z.output<typeof simulateMembers>;

/** Reader of bodies and check of requests that came in Avro. */
export const simulateInput = createBodyReader<SimulateInput>({
  members: simulateMembers,
  between: interestTypeBeside,
});

/** The request for the simulation. Filters hold JSON numbers: a figure is compared as the number that shows it. */
export function simulateRequestOf(input: SimulateInput): SimulateRequest {
  return {
    ...input,
    jsonFilterCommission: input.jsonFilterCommission?.map(namedFigure),
    jsonInsuranceFilter: input.jsonInsuranceFilter?.map(namedFigure),
    jsonDiscountFilter: input.jsonDiscountFilter?.map(namedFigure),
  };
}

function namedFigure({ name, value }: NonNullable<SimulateInput['jsonFilterCommission']>[number]) {
  return { name, value: value.toNumber() };
}

/** Formula arguments and rates by range only go with an interest type (interface 4.4). */
function interestTypeBeside(sent: Readonly<Record<string, unknown>>): readonly Fault[] {
  const { interestType, jsonInputFormula, jsonMultipleInterestRates } = sent;
  if (!isAbsent(interestType)) return [];
  const inputs = isRecord(jsonInputFormula) ? jsonInputFormula : {};
  const needing = [
    ...(FORMULA_INPUT_PARTS.some((part) => hasEntries(inputs[part])) ? ['jsonInputFormula'] : []),
    ...(hasEntries(jsonMultipleInterestRates) ? ['jsonMultipleInterestRates'] : []),
  ];
  return needing.length === 0 ? [] : [shapeFault('interestType', 'missing', describeMissingType(needing))];
}

/** True for a list or an object that is not empty. */
function hasEntries(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
