/**
 * The answer of `PLAT_BP_CalculateRepaymentSchedule` on the wire, in its two spellings (interface section 2.1, rules A5,
 * F4, M3). Documents derive from it; answers are written by `renderRepaymentSchedule`.
 */

import { z } from 'zod';

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
});

const daeAlone = z.object({ dae: rate('Effective annual rate') });

/** All that the action may answer with status 200. */
export const repaymentScheduleReply = z.union([
  z
    .array(capitalisedRow.strict())
    .describe('Installments in the capitalised spelling: CalculateDAE absent or null.'),
  z.array(lowerCaseRow.strict()).describe('Installments in the lower-case spelling: CalculateDAE 0 or 2.'),
  z.tuple([daeAlone.strict()]).describe('The rate alone: CalculateDAE 1.'),
]);
