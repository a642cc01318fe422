/** Worked examples of `PLAT_BP_CalculatePMT`: 1000 at 12 % in four months; a test keeps them true. */

import type { Example } from '../schedule/examples.ts';

const TERMS = {
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InterestCalculationMethod: '30/360',
  FinancedAmount: 1000,
  InterestPercent: 12,
};

/** The main example first. */
export const PAYMENT_VALUE_EXAMPLES: readonly [Example, ...Example[]] = [
  {
    key: 'arrears',
    summary: 'The payment of 1000 at 12 % in four months, in arrears',
    request: { jsonParam: TERMS },
    reply: { PMTValue: 256.28, PrincipalValue: 250 },
  },
  {
    key: 'balloonInAdvance',
    summary: 'The same in advance with 200 still owed at the end',
    request: { jsonParam: { ...TERMS, FutureValue: 200, InterestType: 1 } },
    reply: { PMTValue: 204.98, PrincipalValue: 200 },
  },
  {
    key: 'savingsPlan',
    summary: 'What is saved each month to have 1000 after four months',
    request: { jsonParam: { ...TERMS, FinancedAmount: null, FutureValue: 1000 } },
    reply: { PMTValue: 246.28, PrincipalValue: 250 },
  },
];
