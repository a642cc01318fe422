/** The spelling and the parts of the reply, as the request selects them (A5). */

import type { Validation } from './validation.ts';
import type { RepaymentScheduleRequest } from './repayment-schedule-request.ts';
import type { Casing, ShownParts } from './repayment-schedule.ts';

export interface AnswerShape {
  readonly casing: Casing;
  readonly show: ShownParts;
}

/** The value of CalculateDAE for which the reply contains only the rate (A5). */
const RATE_ALONE = 1;

/** Undefined, with a fault, unless CalculateDAE is absent, 0, 1 or 2 (A5). */
export function readAnswerShape(
  calculateDae: number | undefined,
  validation: Validation,
): AnswerShape | undefined {
  switch (calculateDae) {
    case undefined:
      return { casing: 'capitalised', show: 'rows-with-eir' };
    case 0:
      return { casing: 'lower', show: 'rows' };
    case RATE_ALONE:
      return { casing: 'lower', show: 'dae' };
    case 2:
      return { casing: 'lower', show: 'rows-with-dae' };
    default:
      return validation.reject('CalculateDAE', 'out-of-range', 'must be 0, 1 or 2');
  }
}

/** True if rows are explained: Explain is true and the reply contains rows (S6, A5). */
export function explainsRows({ Explain, CalculateDAE }: RepaymentScheduleRequest): boolean {
  return Explain === true && CalculateDAE !== RATE_ALONE;
}
