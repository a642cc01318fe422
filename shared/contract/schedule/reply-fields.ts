/**
 * The answer of `PLAT_BP_CalculateRepaymentSchedule` on the wire, in its two spellings (interface section 2.1, rules A5,
 * F4, M3). Documents derive from it; answers are written by `renderRepaymentSchedule`.
 */

import { z } from 'zod';
import { EXPLAINED_FIGURES } from './spelling.ts';

const money = (meaning: string) => z.number().describe(meaning);
const rate = (meaning: string) =>
  z.number().nullable().describe(`${meaning} in percent, four decimals; null when none exists.`);

/** Members that both spellings write alike. */
const alike = {
  InstallmentNo: z.number().describe('Ordinal of the installment.'),
  NoDays: z.number().describe('Calendar days of the period that interest accrues over.'),
  InstallmentTypeId: z.string().describe('Id of the installment type.'),
  ScheduleTypeId: z.string().describe('Id of the schedule type.'),
};

const REMAINING = money('Principal outstanding at the start of the installment.');
const PMT = money('Payment: interest and principal of this installment.');
const INTEREST = money('Interest part.');
const CAPITALISED_INTEREST = money(
  'Interest that joins the balance; present only where that occurs.',
).optional();
const PRINCIPAL = money('Principal part.');
const FEE = money('Commissions of this installment.');
const INSURANCE = money('Insurances of this installment; present only when insurances were sent.').optional();
const TOTAL = money('Total to pay: payment, commissions and insurances.');
const EARLY = z.enum(['true', 'false']).describe('Early repayment, as text.');

const FIGURE = 'What is explained: a member of the row, or a step on the way to one.';
const NAME = z.string().describe('Name of the commission, insurance or additional column.').optional();
const AMOUNT = money('The figure.');
const DAYS = z.int().describe('Days that the day count counts.').optional();
const BASIS = z
  .int()
  .describe('Days of the year by the day count; absent where the days lie in years of different length.')
  .optional();
const DAY_COUNT = z.string().describe('Name of the day count.').optional();
const RATES = z
  .array(z.number())
  .describe(
    'Annual rates in percent, in the order of the formula: one, or one for each slice of the balance.',
  )
  .optional();
const BASE = money('Amount that the rates apply to.').optional();
const FORMULA = z
  .string()
  .describe(
    'The formula with its numbers put in; the figure is its value, rounded to the digits of the currency.',
  );
const EXPLANATION = 'How the figures of the row came about; present only when Explain is sent as true.';

const lowerCaseExplanation = z
  .array(
    z.strictObject({
      figure: z.enum(EXPLAINED_FIGURES.lower).describe(FIGURE),
      name: NAME,
      amount: AMOUNT,
      days: DAYS,
      basis: BASIS,
      dayCount: DAY_COUNT,
      rates: RATES,
      base: BASE,
      formula: FORMULA,
    }),
  )
  .describe(EXPLANATION)
  .optional();

const capitalisedExplanation = z
  .array(
    z.strictObject({
      Figure: z.enum(EXPLAINED_FIGURES.capitalised).describe(FIGURE),
      Name: NAME,
      Amount: AMOUNT,
      Days: DAYS,
      Basis: BASIS,
      DayCount: DAY_COUNT,
      Rates: RATES,
      Base: BASE,
      Formula: FORMULA,
    }),
  )
  .describe(EXPLANATION)
  .optional();

const lowerCaseRow = z.object({
  ...alike,
  DueDate: z.string().describe('Due date, as 2024-02-01T00:00:00.'),
  remainingValue: REMAINING,
  pMT: PMT,
  interest: INTEREST,
  capitalisedInterest: CAPITALISED_INTEREST,
  principal: PRINCIPAL,
  managementFee: FEE,
  insurance: INSURANCE,
  totalInstallment: TOTAL,
  dae: rate('Effective annual rate; present when CalculateDAE is 2:').optional(),
  isEarlyRepayment: EARLY,
  explanation: lowerCaseExplanation,
});

const capitalisedRow = z.object({
  ...alike,
  DueDate: z.string().describe('Due date, as 2024-02-01T00:00:00Z.'),
  RemainingValue: REMAINING,
  PMT,
  Interest: INTEREST,
  CapitalisedInterest: CAPITALISED_INTEREST,
  Principal: PRINCIPAL,
  ManagementFee: FEE,
  Insurance: INSURANCE,
  TotalInstallment: TOTAL,
  EIR: rate('Effective interest rate'),
  IsEarlyRepayment: EARLY,
  Explanation: capitalisedExplanation,
});

/** Schedule types may show fees and insurances one by one, and columns of their own (F4). */
const EXTRA_COLUMN = money('An additional column of the schedule type, by its own name.');

const daeAlone = z.object({ dae: rate('Effective annual rate') });

/** All that the action may answer with status 200. */
export const repaymentScheduleReply = z.union([
  z
    .array(capitalisedRow.catchall(EXTRA_COLUMN))
    .describe('Installments in the capitalised spelling: CalculateDAE absent or null.'),
  z
    .array(lowerCaseRow.catchall(EXTRA_COLUMN))
    .describe('Installments in the lower-case spelling: CalculateDAE 0 or 2.'),
  z.tuple([daeAlone.strict()]).describe('The rate alone: CalculateDAE 1.'),
]);
