/** Calls whose responses identify the call, so that a swapped reply is detected. */

import { assertNever } from '../../shared/platform/errors.ts';
import { PROOF_REQUEST } from '../support/builders/schedule-call.ts';

const ACTIONS = '/platapi/automation-processors/actions/';
/** Products of the example catalogue that are found by code. */
const PRODUCTS = ['TL-PERSONAL', 'TL-STUDY', 'MG-HOME', 'LS-CAR', 'CC-CLASSIC', 'DP-TERM'];
const MINOR_PER_UNIT = 100;
/** Amount of the first call; each later call adds one minor unit. */
const LEAST_MINOR = 600_000;

export interface MarkedCall {
  readonly path: string;
  readonly body: string;
  /** Returns whether the body of a 200 response belongs to this call. */
  readonly answers: (body: string) => boolean;
}

/** Actions whose responses identify the request. */
export type CallKind = 'schedule' | 'payment' | 'simulation' | 'product';

/** Creates call number `index`, counted from 0; the kinds alternate. */
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

/** One instalment, so that its principal equals the amount. */
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
