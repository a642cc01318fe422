/** `PLAT_BP_CalculateRate` (A6): request, answer and examples. */

import { z } from 'zod';
import {
  parseCashFlowTerms,
  MAX_CASH_FLOW,
  MAX_CASH_FLOWS,
} from '../../lending/annual-rate/cash-flow-terms.ts';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { BUILT_IN_PERIODICITIES } from '../../lending/dates/periodicity.ts';
import { rateUnits } from '../../lending/work-units.ts';
import type { DiscountedFlow, ProvenRate, RateRequest } from '../../lending/request/rate-request.ts';
import { Validation } from '../../lending/request/validation.ts';
import type { ScheduleCatalogue } from '../../lending/schedule-types/schedule-catalogue.ts';
import type { Fault } from '../../platform/problem.ts';
import { defineAction, type Examples } from '../json/action-definition.ts';
import { isAbsent } from '../json/faults.ts';
import { amount, date, optional, optionalList, text, objectOf, requestOf } from '../json/field-kinds.ts';
import { createRequestContract } from '../json/request-contract.ts';

const FLOW = { minimum: -MAX_CASH_FLOW, maximum: MAX_CASH_FLOW };

const cashFlow = objectOf({
  Date: date().describe('Day of the flow.'),
  Amount: amount(FLOW).describe('Negative: paid out to the borrower; positive: paid back.'),
}).meta({ id: 'CashFlow' });

/** The fields of the request. */
export const rateFields = requestOf({
  Rule: text().describe(
    'DAE (annual percentage rate of charge of the European directives), XIRR (actual/365) or IRR (equal periods), case-insensitive.',
  ),
  Unit: optional(text()).describe(
    'DAE: unit of its intervals: Years, Months (default), Weeks or Days (A1, A6).',
  ),
  CashFlows: optionalList(cashFlow, MAX_CASH_FLOWS).describe('DAE and XIRR: the dated flows, in any order.'),
  PeriodicityType: optional(text()).describe(
    'IRR: name of the periodicity, case-insensitive, such as Monthly (A3, A6).',
  ),
  Amounts: optionalList(amount(FLOW), MAX_CASH_FLOWS).describe(
    'IRR: the flows at equal periods, the first one other than zero at time 0. Negative: paid out to the borrower (A3, A6).',
  ),
}).meta({ id: 'RateTerms' });

/** The request of HTTP calls and messages. */
export const rateRequest = createRequestContract<RateRequest>({
  fields: rateFields,
  jsonParam: 'The rule and the flows.',
  meaning: {
    placeholders: { Rule: 'DAE' },
    faultsOf,
    dependsOn: ({ path }) => (path === 'Unit' ? [] : ['Rule']),
  },
});

function faultsOf(request: RateRequest, catalogue: ScheduleCatalogue | undefined): readonly Fault[] {
  const validation = new Validation();
  parseCashFlowTerms(request, catalogue?.periodicities ?? BUILT_IN_PERIODICITIES, validation);
  return validation.faults;
}

/** One line of the proof. */
const discountedFlow = z
  .strictObject({
    Date: z.string().describe('DAE and XIRR: day of the flow, as 2024-01-31.').optional(),
    Period: z
      .int()
      .min(0)
      .max(MAX_CASH_FLOWS)
      .describe('IRR: number of the period, at whose end the flow is; 0 for the first flow.')
      .optional(),
    Amount: z.number().describe('The flow as sent.'),
    Years: z.number().describe('Years from time 0 by the rule, 20 decimals; negative for an earlier flow.'),
    DiscountedAmount: z
      .number()
      .nullable()
      .describe(
        'The flow at time 0: Amount / (1 + Rate/100)^Years, with IRR and p periods a year ' +
          'Amount / (1 + Rate/100/p)^(Years*p); null if that has no value.',
      ),
  })
  .meta({ id: 'DiscountedFlow' });

/** The fields of the answer. */
export const rateReply = z
  .strictObject({
    Rate: z
      .number()
      .nullable()
      .describe('Percent a year, ten exact decimals; null if there is none (A4, A6).'),
    Proof: z.array(discountedFlow).describe('The flows in the order of the request; empty without a rate.'),
    Residual: z
      .number()
      .nullable()
      .describe('Sum of the discounted amounts, the error of the rounded rate; null without a rate.'),
  })
  .describe('IRR: the rate of one period times periods per year, so that discounting is by period.');

/** Figures are plain decimal text; other text would not be valid JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Writes the answer as JSON text, with all digits. A missing figure is null or, if decoded from Avro, absent. Throws
 * RangeError on a figure that is not a plain decimal: a bug of its producer.
 */
export function renderRate({ rate, proof, residual }: ProvenRate): string {
  const lines = proof.map(renderFlow).join(',');
  return `{"Rate":${figureText(rate)},"Proof":[${lines}],"Residual":${figureText(residual)}}`;
}

function renderFlow(flow: DiscountedFlow, index: number): string {
  const when = isAbsent(flow.date) ? `"Period":${index}` : `"Date":"${formatCalendarDate(flow.date)}"`;
  return (
    `{${when},"Amount":${figureText(flow.amount)},"Years":${figureText(flow.years)}` +
    `,"DiscountedAmount":${figureText(flow.discountedAmount)}}`
  );
}

function figureText(figure: string | null): string {
  if (isAbsent(figure)) return 'null';
  if (!PLAIN_DECIMAL.test(figure)) throw new RangeError('a figure must be plain decimal text');
  return figure;
}

const CASH_FLOWS = [
  { Date: '2025-01-15', Amount: -1000 },
  { Date: '2025-07-15', Amount: 500 },
  { Date: '2026-01-20', Amount: 540 },
];

/** Worked examples, which tests run. */
const RATE_EXAMPLES: Examples = [
  {
    key: 'effectiveAnnualRate',
    summary: 'The annual percentage rate of charge of 1000, paid back in two parts',
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
    summary: 'The same by XIRR, with a day count of actual/365',
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

export const CALCULATE_RATE = defineAction<RateRequest, ProvenRate>({
  name: 'PLAT_BP_CalculateRate',
  summary: 'Calculates the rate of cash flows, with its proof',
  description:
    'An extension that verifies a rate disclosed to a consumer: the annual percentage rate of charge (DAE), XIRR or IRR of the ' +
    'flows in the request, with each flow discounted by it. Of several rates, the one nearest to zero is returned (A6).',
  requestType: 'CalculateRateRequest',
  request: rateRequest,
  replyShape: rateReply,
  examples: RATE_EXAMPLES,
  units: rateUnits,
  render: renderRate,
});
