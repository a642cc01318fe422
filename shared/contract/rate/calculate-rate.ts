/**
 * The request of `PLAT_BP_CalculateRate` on the wire (A6). Decides shape (400); what the members mean together (422) is
 * decided by the calculation.
 */

import { z } from 'zod';
import { MOST_CASH_FLOWS } from '../../lending/annual-rate/check-rate-request.ts';
import { jsonParamBody } from '../json/json-param-input.ts';
import { amount, date, optional, optionalList, text, wanted } from '../json/field-kinds.ts';

const cashFlow = z.object(
  {
    Date: date().describe('Day of the flow.'),
    Amount: amount().describe('Negative: paid out to the borrower; positive: paid back.'),
  },
  { error: wanted('an object') },
);

/** The record of members. Its output is the request as the calculation reads it. */
export const rateMembers = z.object(
  {
    Rule: text().describe(
      'DAE (effective annual rate of the European directives), XIRR (actual/365) or IRR (equal periods), in any case.',
    ),
    Unit: optional(text()).describe(
      'DAE: what its intervals are counted in, Years, Months (default), Weeks or Days.',
    ),
    CashFlows: optionalList(cashFlow, MOST_CASH_FLOWS).describe(
      'DAE and XIRR: the dated flows, in any order.',
    ),
    PeriodicityType: optional(text()).describe('IRR: name of the periodicity, in any case, such as Monthly.'),
    Amounts: optionalList(amount(), MOST_CASH_FLOWS).describe(
      'IRR: the flows at equal periods, the first at time 0. Negative: paid out to the borrower.',
    ),
  },
  { error: wanted('an object with the members of the request') },
);

/** The body of the call: one member `jsonParam` that holds the record. */
export const rateBody = jsonParamBody(rateMembers, 'The rule and the flows.');
