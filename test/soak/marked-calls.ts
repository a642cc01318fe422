/** Calls whose answers identify the call, so that a swapped reply is detected. */

import { assertNever } from '../../shared/platform/errors.ts';
import { PROOF_REQUEST } from '../support/builders/schedule-call.ts';

const ACTIONS = '/platapi/automation-processors/actions/';
/** The products of the example catalogue that can be looked up by their codes. */
const PRODUCTS = ['TL-PERSONAL', 'TL-STUDY', 'MG-HOME', 'LS-CAR', 'CC-CLASSIC', 'DP-TERM'];
const MINOR_PER_UNIT = 100;
/** Least amount of a call; each further call has one minor unit more. */
const LEAST_MINOR = 600_000;

export interface MarkedCall {
  readonly path: string;
  readonly body: string;
  /** Whether a body of an answer with status 200 is the answer of this call. */
  readonly answers: (body: string) => boolean;
}

/** Actions that can be distinguished by their answers. */
export type CallKind = 'schedule' | 'payment' | 'simulation' | 'product';

/** The call of this number, from 0: the kinds in turn. */
export function markedCall(kinds: readonly CallKind[], number: number): MarkedCall {
  const amount = (LEAST_MINOR + number) / MINOR_PER_UNIT;
  const kind = kinds[number % kinds.length] ?? 'schedule';
  switch (kind) {
    case 'schedule':
      return {
        path: `${ACTIONS}PLAT_BP_CalculateRepaymentSchedule`,
        body: JSON.stringify({ jsonParam: { ...PROOF_REQUEST, Amount: amount } }),
        answers: (body) => (JSON.parse(body) as { RemainingValue?: number }[])[0]?.RemainingValue === amount,
      };
    case 'payment':
      return {
        path: `${ACTIONS}PLAT_BP_CalculatePMT`,
        body: JSON.stringify({ jsonParam: paymentTerms(amount) }),
        answers: (body) => (JSON.parse(body) as { PrincipalValue?: number }).PrincipalValue === amount,
      };
    case 'simulation':
      return {
        path: `${ACTIONS}PLAT_BP_Simulate`,
        body: JSON.stringify({
          productCode: 'TL-PERSONAL',
          amount,
          loanPeriod: 6,
          scheduleType: 'EqualInstallments',
        }),
        answers: (body) => simulatedAmount(body) === amount,
      };
    case 'product':
      return lookUp(PRODUCTS[Math.floor(number / kinds.length) % PRODUCTS.length] ?? '');
    default:
      return assertNever(kind);
  }
}

function lookUp(code: string): MarkedCall {
  return {
    path: `${ACTIONS}PLAT_BP_GetBankingProductByCode`,
    body: JSON.stringify({ BankingProductCode: code }),
    answers: (body) =>
      (JSON.parse(body) as { BankingProduct?: { BankingProductCode?: string } }).BankingProduct
        ?.BankingProductCode === code,
  };
}

/** One installment, so that its principal is the amount. */
function paymentTerms(amount: number): object {
  return {
    InstallmentsNo: 1,
    PeriodicityType: 'Monthly',
    InterestCalculationMethod: '30/360',
    FinancedAmount: amount,
    InterestPercent: 12,
  };
}

function simulatedAmount(body: string): number | undefined {
  const { Records } = JSON.parse(body) as { Records?: { ScheduleJson?: string }[] };
  const schedule = JSON.parse(Records?.[0]?.ScheduleJson ?? '{}') as {
    paymentSchedule?: { remainingValue?: number }[];
  };
  return schedule.paymentSchedule?.[0]?.remainingValue;
}
