/** Worked examples of `PLAT_BP_CalculateRate`; a test keeps them true. */

import type { Example } from '../schedule/examples.ts';

const CASH_FLOWS = [
  { Date: '2025-01-15', Amount: -1000 },
  { Date: '2025-07-15', Amount: 500 },
  { Date: '2026-01-20', Amount: 540 },
];

/** The main example first. */
export const RATE_EXAMPLES: readonly [Example, ...Example[]] = [
  {
    key: 'effectiveAnnualRate',
    summary: 'The effective annual rate of 1000, paid back in two parts',
    request: { jsonParam: { Rule: 'DAE', CashFlows: CASH_FLOWS } },
    reply: {
      Rate: 5.2604508791,
      Proof: [
        { Date: '2025-01-15', Amount: -1000, Years: 0, DiscountedAmount: -1000 },
        { Date: '2025-07-15', Amount: 500, Years: 0.5, DiscountedAmount: 487.3459837334 },
        { Date: '2026-01-20', Amount: 540, Years: 1.0136612021857923, DiscountedAmount: 512.6540162662 },
      ],
      Residual: -4e-10,
    },
  },
  {
    key: 'xirr',
    summary: 'The same by XIRR, which counts days over 365',
    request: { jsonParam: { Rule: 'XIRR', CashFlows: CASH_FLOWS } },
    reply: {
      Rate: 5.2745130321,
      Proof: [
        { Date: '2025-01-15', Amount: -1000, Years: 0, DiscountedAmount: -1000 },
        { Date: '2025-07-15', Amount: 500, Years: 0.4958904109589041, DiscountedAmount: 487.4163835915 },
        { Date: '2026-01-20', Amount: 540, Years: 1.0136986301369864, DiscountedAmount: 512.5836164083 },
      ],
      Residual: -2e-10,
    },
  },
  {
    key: 'irr',
    summary: 'The rate of four equal monthly payments',
    request: {
      jsonParam: {
        Rule: 'IRR',
        PeriodicityType: 'Monthly',
        Amounts: [-1000, 256.28, 256.28, 256.28, 256.28],
      },
    },
    reply: {
      Rate: 11.9979203288,
      Proof: [
        { Period: 0, Amount: -1000, Years: 0, DiscountedAmount: -1000 },
        { Period: 1, Amount: 256.28, Years: 0.08333333333333333, DiscountedAmount: 253.74300965514 },
        { Period: 2, Amount: 256.28, Years: 0.16666666666666666, DiscountedAmount: 251.231133716436 },
        { Period: 3, Amount: 256.28, Years: 0.25, DiscountedAmount: 248.744123569071 },
        { Period: 4, Amount: 256.28, Years: 0.3333333333333333, DiscountedAmount: 246.281733059334 },
      ],
      Residual: -1.9e-11,
    },
  },
];
