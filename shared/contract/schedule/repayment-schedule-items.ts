/** The items of the lists in a repayment schedule request: interface section 4.1 and the extensions of rule S6. */

import { z } from 'zod';
import { amount, count, percent, date, flag, optional, text, wanted } from '../json/field-kinds.ts';

const SOURCE_VALUE = 'Amount of one charge. Exactly one of SourceValue and SourcePercent is sent.';
const SOURCE_PERCENT =
  'Percentage of one charge, of Amount or of what PercentAppliedTo names. Exactly one of SourceValue and SourcePercent is sent.';
const IS_UPFRONT =
  '1: charged at the start of each period; 0: at its end. Absent: what the schedule type says, else 0.';
const PERCENT_APPLIED_TO =
  'Extension. What a percentage is of: FinancedAmount, RemainingValue, Principal, Interest, Installment or UnusedAmount. Absent: what the catalogue says, else FinancedAmount.';
const PER_ANNUM =
  'Extension. True: the percentage is an annual rate; false: a rate per charge. Absent: what the catalogue says, else false.';

/** A commission that is charged repeatedly (F1-F5). */
export const commissionItem = z.object(
  {
    SourceValue: optional(amount()).describe(SOURCE_VALUE),
    SourcePercent: optional(percent()).describe(SOURCE_PERCENT),
    FeePeriodicityType: text().describe(
      'Name of the periodicity of the charge, such as Monthly. Not Once: such costs go to UpFrontValue.',
    ),
    FeeDate: date().describe('Start of the first fee period.'),
    FeeName: optional(text()).describe('Name of the commission. FeeName or FeeId is sent.'),
    FeeId: optional(text()).describe('Id of the commission. FeeName or FeeId is sent.'),
    GracePeriodFee: optional(count()).describe('Number of first installments whose charges are waived.'),
    BlockFeeAmount: optional(amount()).describe(
      'Blocked amount that joins the first installment of a recalculation.',
    ),
    IsUpfront: optional(flag()).describe(IS_UPFRONT),
    PercentAppliedTo: optional(text()).describe(PERCENT_APPLIED_TO),
    PerAnnum: optional(flag()).describe(PER_ANNUM),
    IsForUnusage: optional(flag()).describe(
      'Extension. True: the percentage is charged per annum on the unused amount. Absent: what the catalogue says, else false.',
    ),
  },
  { error: wanted('an object') },
);

/** An insurance that is charged repeatedly (F1-F4). */
export const insuranceItem = z.object(
  {
    SourceValue: optional(amount()).describe(SOURCE_VALUE),
    SourcePercent: optional(percent()).describe(SOURCE_PERCENT),
    InsurancePeriodicityType: text().describe(
      'Name of the periodicity of the premium, such as Monthly. Not Once: such costs go to UpFrontValue.',
    ),
    InsuranceDate: date().describe('Start of the first premium period.'),
    InsuranceName: optional(text()).describe(
      'Name of the insurance. The name, or the class by id or name, is sent.',
    ),
    InsuranceClassId: optional(text()).describe('Id of the class of the schedule element.'),
    InsuranceClassName: optional(text()).describe('Name of the class of the schedule element.'),
    GracePeriodInsurance: optional(count()).describe(
      'Number of first installments whose premiums are waived.',
    ),
    BlockInsuranceAmount: optional(amount()).describe(
      'Blocked amount that joins the first installment of a recalculation.',
    ),
    IsUpfront: optional(flag()).describe(IS_UPFRONT),
    PercentAppliedTo: optional(text()).describe(PERCENT_APPLIED_TO),
    PerAnnum: optional(flag()).describe(PER_ANNUM),
  },
  { error: wanted('an object') },
);

/** A rate for a range of installments (R1). */
export const interestRateRange = z.object(
  {
    InterestRate: optional(percent()).describe('Annual rate of the range in percent.'),
    FromInstNo: optional(count()).describe(
      "First installment of the range. Absent: 1, or the previous range's end + 1.",
    ),
    ToInstNo: optional(count()).describe('Last installment of the range. Absent: the last one.'),
  },
  { error: wanted('an object') },
);

/** A rate for a slice of the balance (R2). */
export const interestRateBand = z.object(
  {
    MinUtilizedAmount: optional(amount()).describe(
      'Balance from which the band counts. Absent: no lower limit.',
    ),
    MaxUtilizedAmount: optional(amount()).describe(
      'Balance up to which the last band counts. Absent: no upper limit.',
    ),
    Value: optional(percent()).describe('Annual rate of the band in percent.'),
  },
  { error: wanted('an object') },
);

/** A repayment of principal ahead of the schedule (X3). */
export const earlyRepayment = z.object(
  {
    Date: date().describe('Day of the repayment; never shifted by holidays.'),
    Amount: amount().describe('Principal that is repaid.'),
    DecreaseInstallment: optional(flag()).describe(
      'True (default): the term stays and the payment falls; false: the payment stays.',
    ),
  },
  { error: wanted('an object') },
);
