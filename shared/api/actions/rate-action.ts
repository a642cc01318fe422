/** `PLAT_BP_CalculateRate` (A6): request and answer. */

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
import { defineAction } from '../json/action-definition.ts';
import { isAbsent } from '../json/faults.ts';
import {
  strictNamed,
  itemOf,
  termsOf,
  amount,
  date,
  optional,
  optionalList,
  text,
} from '../json/field-kinds.ts';
import { decimalText } from '../json/json-writer.ts';
import { createRequestReader } from '../json/request-reader.ts';
import examples from './rate-examples.json' with { type: 'json' };
import TEXTS from './field-texts.json' with { type: 'json' };

const FLOW = { minimum: -MAX_CASH_FLOW, maximum: MAX_CASH_FLOW };

const cashFlow = itemOf(TEXTS.CashFlow, {
  Date: date(),
  Amount: amount(FLOW),
}).meta({ id: 'CashFlow' });

export const rateFields = termsOf(TEXTS.RateTerms, {
  Rule: text(),
  Unit: optional(text()),
  CashFlows: optionalList(cashFlow, MAX_CASH_FLOWS),
  PeriodicityType: optional(text()),
  Amounts: optionalList(amount(FLOW), MAX_CASH_FLOWS),
}).meta({ id: 'RateTerms' });

export const rateRequest = createRequestReader<RateRequest>({
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

const discountedFlow = strictNamed('DiscountedFlow', {
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
});

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

/** Writes absent figures as null. Throws RangeError on a figure that is not plain decimal text, which is a bug. */
export function renderRate({ rate, proof, residual }: ProvenRate): string {
  const lines = proof.map(renderFlow).join(',');
  return `{"Rate":${decimalText(rate)},"Proof":[${lines}],"Residual":${decimalText(residual)}}`;
}

function renderFlow(flow: DiscountedFlow, index: number): string {
  const when = isAbsent(flow.date) ? `"Period":${index}` : `"Date":"${formatCalendarDate(flow.date)}"`;
  return (
    `{${when},"Amount":${decimalText(flow.amount)},"Years":${decimalText(flow.years)}` +
    `,"DiscountedAmount":${decimalText(flow.discountedAmount)}}`
  );
}

export const CALCULATE_RATE = defineAction<RateRequest, ProvenRate>({
  name: 'PLAT_BP_CalculateRate',
  summary: 'Calculates the rate of cash flows, with its proof',
  description:
    'An extension that verifies a rate disclosed to a consumer: the annual percentage rate of charge (DAE), XIRR or IRR of the ' +
    'flows in the request, with each flow discounted by it. Of several rates, the one nearest to zero is returned (A6).',
  requestType: 'CalculateRateRequest',
  request: rateRequest,
  replyShape: rateReply,
  examples,
  units: rateUnits,
  render: renderRate,
});
