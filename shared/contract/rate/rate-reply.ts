/** The answer of `PLAT_BP_CalculateRate` on the wire (A6): the rate, and what is needed to recompute it. */

import { z } from 'zod';
import { formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import type { DiscountedFlow, ProvenRate } from '../../lending/request/rate-request.ts';
import { isAbsent } from '../json/faults.ts';

/** One line of the proof. */
const discountedFlow = z
  .object({
    Date: z.string().describe('DAE and XIRR: day of the flow, as 2024-01-31.').optional(),
    Period: z
      .number()
      .describe('IRR: number of the period at whose end the flow is, 0 for the first.')
      .optional(),
    Amount: z.number().describe('The flow as sent.'),
    Years: z
      .number()
      .describe('Years from time 0 by the rule, 20 decimals; below zero for a cost paid before it.'),
    DiscountedAmount: z
      .number()
      .nullable()
      .describe(
        'The flow at time 0: Amount / (1 + Rate/100)^Years, with IRR and p periods a year ' +
          'Amount / (1 + Rate/100/p)^(Years*p); null where that has no value.',
      ),
  })
  .strict();

/** The one object that the action answers. */
export const rateReply = z
  .object({
    Rate: z.number().nullable().describe('Percent a year, ten right decimals; null when there is none.'),
    Proof: z.array(discountedFlow).describe('The flows in the order of the request; empty without a rate.'),
    Residual: z
      .number()
      .nullable()
      .describe('Sum of the discounted amounts: how far the shown rate is off; null without a rate.'),
  })
  .strict()
  .describe('IRR: the rate of one period times periods per year, so that discounting is by period.');

/** Figures come as plain decimal text; anything else would not be JSON. */
const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The answer as JSON text, figures with all their digits. A figure that does not exist may be null or, as Avro brings
 * it, absent. Throws RangeError on a figure that is no plain decimal: that is the fault of whoever made it.
 */
export function renderRate({ rate, proof, residual }: ProvenRate): string {
  const lines = proof.map(renderFlow).join(',');
  return `{"Rate":${figureText(rate)},"Proof":[${lines}],"Residual":${figureText(residual)}}`;
}

function renderFlow({ date, amount, years, discountedAmount }: DiscountedFlow, index: number): string {
  const when = isAbsent(date) ? `"Period":${index}` : `"Date":"${formatCalendarDate(date)}"`;
  return (
    `{${when},"Amount":${figureText(amount)},"Years":${figureText(years)}` +
    `,"DiscountedAmount":${figureText(discountedAmount)}}`
  );
}

function figureText(figure: string | null): string {
  if (isAbsent(figure)) return 'null';
  if (!PLAIN_DECIMAL.test(figure)) throw new RangeError('a figure must be plain decimal text');
  return figure;
}
