/**
 * The fields of the request of `PLAT_BP_CalculateRepaymentSchedule` (interface section 4.1 and the extensions of rule
 * S6): this definition validates requests, and documents are generated from it. It reports missing and invalid fields
 * (400); the calculation validates their meaning (422).
 */

import { BUILT_IN_CALENDARS } from '../../lending/calendars/built-in-calendars.ts';
import { CHARGE_BASES } from '../../lending/charges/charge-price.ts';
import { DAY_COUNT_NAMES } from '../../lending/dates/day-count.ts';
import { BUILT_IN_PERIODICITIES } from '../../lending/dates/periodicity.ts';
import { INSTALLMENT_METHODS } from '../../lending/due-dates/schedule-dates.ts';
import { HOLIDAY_METHODS } from '../../lending/due-dates/shift-due-date.ts';
import { MAX_INSTALLMENTS, MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import { MAX_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import { BUILT_IN_SCHEDULE_TYPE_RECORDS } from '../../lending/schedule-types/schedule-catalogue.ts';
import { PRODUCT_TYPE_CODES } from '../../lending/schedule-types/schedule-type.ts';
import { MAX_PRECISION_DIGITS } from '../../lending/terms/loan-terms.ts';
import { BAND_METHODS } from '../../lending/terms/rate-ranges.ts';
import { GRACE_TYPES, MAX_CAPITAL_PERCENT } from '../../lending/terms/repayment-terms.ts';
import { MAX_CONTRACT_PERIODS } from '../../lending/terms/ignored-fields.ts';
import {
  amount,
  count,
  date,
  flag,
  flagNumber,
  nameOf,
  numericFlag,
  objectOf,
  optional,
  optionalList,
  percent,
  requestOf,
  text,
} from '../json/field-kinds.ts';

/** Ranges that the engine accepts; a currency with decimals has a lower largest amount. */
const AMOUNT = { minimum: 0, maximum: MAX_AMOUNT_MINOR };
const POSITIVE_AMOUNT = { exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR };
const RATE = { minimum: -MAX_RATE_PERCENT, maximum: MAX_RATE_PERCENT };
const SHARE = { minimum: 0, maximum: MAX_RATE_PERCENT };
/** The number of an installment, and a number of installments of which there may be none. */
const ORDINAL = { minimum: 1, maximum: MAX_INSTALLMENTS };
const NUMBER = { minimum: 0, maximum: MAX_INSTALLMENTS };

/** Names that every instance knows; catalogues may add schedule types, periodicities and calendars. */
const SCHEDULE_TYPES = BUILT_IN_SCHEDULE_TYPE_RECORDS.map(
  ({ PaymentScheduleTypeName }) => PaymentScheduleTypeName,
);
const PERIODICITIES = BUILT_IN_PERIODICITIES.map(({ name }) => name);
/** Charges that are paid once are not in a schedule. */
const REPEATED = PERIODICITIES.filter((name) => name !== 'Once');
const CALENDARS = BUILT_IN_CALENDARS.flatMap(({ codes: [code] }) => code ?? []);
/** Some of the codes of ISO 4217, with different decimals. */
const CURRENCIES = ['EUR', 'RON', 'USD', 'GBP', 'CHF', 'PLN', 'HUF', 'JPY', 'KWD'];

const SOURCE_VALUE = 'Amount of one charge. Send either SourceValue or SourcePercent (F1).';
const SOURCE_PERCENT =
  'Percentage of one charge, of Amount or of the base in PercentAppliedTo. Send either SourceValue or SourcePercent (F1, F2).';
const IS_UPFRONT =
  '1: charged at the start of each period; 0: at its end. Absent: as in the schedule type, or 0 if that has none (F3).';
const PERCENT_APPLIED_TO =
  'Extension. Base of the percentage: FinancedAmount, RemainingValue, Principal, Interest, Installment or UnusedAmount. Absent: as in the catalogue, otherwise FinancedAmount (F2).';
const PER_ANNUM =
  'Extension. True: the percentage is an annual rate; false: a rate per charge. Absent: as in the catalogue, otherwise false (F2).';

const chargeBase = nameOf('ChargeBase', CHARGE_BASES);

/** A commission that is charged repeatedly (F1-F5). */
const commissionItem = objectOf({
  SourceValue: optional(amount(AMOUNT)).describe(SOURCE_VALUE),
  SourcePercent: optional(percent(SHARE)).describe(SOURCE_PERCENT),
  FeePeriodicityType: text(REPEATED).describe(
    'Name of the periodicity of the charge, such as Monthly. Not Once: use UpFrontValue for such costs (D7, F1, F3).',
  ),
  FeeDate: date().describe('Start of the first fee period (F3).'),
  FeeName: optional(text()).describe(
    'Name of the commission. Send FeeName or FeeId. Settings that are not sent are those of this commission in the catalogue; a name that it lacks is reported (F1, S6).',
  ),
  FeeId: optional(text()).describe(
    'Id of the commission, instead of its name or in addition to it; refused if the name is that of another commission (F1).',
  ),
  GracePeriodFee: optional(count(NUMBER)).describe(
    'Number of first installments whose charges are waived (F3).',
  ),
  BlockFeeAmount: optional(amount(AMOUNT)).describe(
    'Blocked amount that is added to the first installment of a recalculation, with IsLocked 1 (X2).',
  ),
  IsUpfront: optional(flagNumber()).describe(IS_UPFRONT),
  PercentAppliedTo: optional(chargeBase).describe(PERCENT_APPLIED_TO),
  PerAnnum: optional(flag()).describe(PER_ANNUM),
  IsForUnusage: optional(flag()).describe(
    'Extension. True: the percentage is charged per annum on the unused amount, by the days of each installment; FeePeriodicityType and FeeDate are validated only. Absent: as in the catalogue, otherwise false (F5).',
  ),
}).meta({ id: 'CommissionCharge' });

/** An insurance that is charged repeatedly (F1-F4). */
const insuranceItem = objectOf({
  SourceValue: optional(amount(AMOUNT)).describe(SOURCE_VALUE),
  SourcePercent: optional(percent(SHARE)).describe(SOURCE_PERCENT),
  InsurancePeriodicityType: text(REPEATED).describe(
    'Name of the periodicity of the premium, such as Monthly. Not Once: use UpFrontValue for such costs (D7, F1, F3).',
  ),
  InsuranceDate: date().describe('Start of the first premium period (F3).'),
  InsuranceName: optional(text()).describe(
    'Name of the insurance. Send the name, or the id or name of its class. Settings that are not sent are those of this insurance in the catalogue (F1, S6).',
  ),
  InsuranceClassId: optional(text()).describe(
    'Id of the class of the insurance, instead of its name; a column of that class shows it separately (F1, F4).',
  ),
  InsuranceClassName: optional(text()).describe(
    'Name of the class of the insurance, instead of its own name; a column of that class shows it separately (F1, F4).',
  ),
  GracePeriodInsurance: optional(count(NUMBER)).describe(
    'Number of first installments whose premiums are waived (F3).',
  ),
  BlockInsuranceAmount: optional(amount(AMOUNT)).describe(
    'Blocked amount that is added to the first installment of a recalculation, with IsLocked 1 (X2).',
  ),
  IsUpfront: optional(flagNumber()).describe(IS_UPFRONT),
  PercentAppliedTo: optional(chargeBase).describe(PERCENT_APPLIED_TO),
  PerAnnum: optional(flag()).describe(PER_ANNUM),
}).meta({ id: 'InsuranceCharge' });

/** A rate for a range of installments (R1). */
export const interestRateRange = objectOf({
  InterestRate: optional(percent(RATE)).describe(
    'Annual rate of the range in percent. Absent: InterestPercent.',
  ),
  FromInstNo: optional(count(ORDINAL)).describe(
    "First installment of the range. Absent: 1, or the previous range's end + 1.",
  ),
  ToInstNo: optional(count(ORDINAL)).describe('Last installment of the range. Absent: the last one.'),
}).meta({ id: 'InterestRateRange' });

/** A rate for a slice of the balance (R2). */
const interestRateBand = objectOf({
  MinUtilizedAmount: optional(amount(AMOUNT)).describe(
    'Balance from which the band applies, up to that of the next band. Absent: 0.',
  ),
  MaxUtilizedAmount: optional(amount(AMOUNT)).describe(
    'Balance up to which the last band applies. Absent: no limit.',
  ),
  Value: percent(RATE).describe('Annual rate of the band in percent.'),
}).meta({ id: 'InterestRateBand' });

/** A prepayment (X3). */
const earlyRepayment = objectOf({
  Date: date().describe(
    'Day of the prepayment: after the day on which interest begins, not after the last due date; holidays do not shift it (X3).',
  ),
  Amount: amount(POSITIVE_AMOUNT).describe(
    'Prepaid principal, at most the balance; all of it ends the schedule (X3).',
  ),
  DecreaseInstallment: optional(flag()).describe(
    'True (default): the term stays and the payment decreases; false: the payment stays (X3).',
  ),
}).meta({ id: 'EarlyRepayment' });

/**
 * Maximum number of commissions, insurances or bands in one request: more than any product has, but few enough to
 * limit the work.
 */
const MAX_FEES = 200;
const mandatory = {
  ScheduleType: text(SCHEDULE_TYPES).describe(
    'Name or code of the schedule type, case-insensitive, such as EqualInstallments. It determines the columns of the rows (S1, S4).',
  ),
  Amount: amount(POSITIVE_AMOUNT).describe(
    'Financed amount, including any residual value, excluding the advance; in a recalculation, the outstanding principal. More than zero (M2, M6, B1).',
  ),
  InstallmentsNo: count(ORDINAL).describe(
    'Number of installments of the contract, settled ones included, 1 to 1200 (M6).',
  ),
  PeriodicityType: text(PERIODICITIES).describe(
    'Name of the periodicity, case-insensitive, such as Monthly (D7).',
  ),
  InstallmentDay: count({ minimum: 1, maximum: 31 }).describe(
    'Day of month of each installment, 1 to 31; in shorter months the last day. Periodicities in days or weeks ignore it (D4).',
  ),
};

/** Product, rate, dates, calendar and term. */
const terms = {
  ProductType: optional(text(PRODUCT_TYPE_CODES)).describe(
    "Product type by code or name, such as TL. It must be one that the schedule type serves; nothing else depends on it. Absent: the schedule type's own (S4).",
  ),
  InterestPercent: optional(percent(RATE)).describe(
    'Annual interest rate in percent. May be absent or null only with MultipleInterestRates or BandedInterestRates (M4, R3, S4).',
  ),
  AdvanceAmount: optional(amount(AMOUNT)).describe(
    'Advance; AdvanceAmount + Amount is the credit value. No effect on the schedule, unless a formula of a custom schedule type reads it (E5).',
  ),
  GracePeriodInterest: optional(count(NUMBER)).describe(
    'Number of first installments without collected interest; the planned principal does not change (G2).',
  ),
  GracePeriodPrincipal: optional(count(NUMBER)).describe(
    'Number of first installments without principal. The payment is calculated over the others (G1).',
  ),
  ActivationDate: optional(date()).describe(
    'Activation of the contract: interest starts here, unless LastDueDate is sent (D2).',
  ),
  FirstDueDate: optional(date()).describe(
    'Due date of the first installment, from whose month the others are counted; in a recalculation, that of the contract or of the first new installment (D3, D4, X1).',
  ),
  MaturityDate: optional(date()).describe(
    'End of the contract: replaces the date of the last installment (D5).',
  ),
  HolidayShift: optional(flag()).describe(
    'True: due dates on non-business days of the calendar are shifted (H1).',
  ),
  HolidayCountry: optional(text(CALENDARS)).describe(
    'Name of the holiday calendar; it is always looked up, even if no date is shifted (H2).',
  ),
  HolidayMethod: optional(nameOf('HolidayMethod', HOLIDAY_METHODS)).describe(
    'Direction of the shift: Forward (default), Backward, ModifiedForward, ModifiedBackward, Nearest or None (H1).',
  ),
  DeferDueDate: optional(flagNumber()).describe(
    '1: interest accrues until the shifted date; 0 (default): only the payment date shifts (H3).',
  ),
  RealInstallmentNo: optional(count(ORDINAL)).describe(
    'Actual number of installments: the schedule ends there, and the last one repays the rest; payments are calculated for all of InstallmentsNo (B6).',
  ),
  ContractPeriod: optional(count({ minimum: 0, maximum: MAX_CONTRACT_PERIODS })).describe(
    'Number of contract periods. No effect on the schedule (E5).',
  ),
  CalculateDAE: optional(count({ minimum: 0, maximum: 2 })).describe(
    'Absent or null: capitalised fields with EIR. 0: lower-case fields without dae; 1: the dae alone; 2: lower-case fields with dae (A1, A5).',
  ),
  InstallmentMethod: optional(nameOf('InstallmentMethod', INSTALLMENT_METHODS)).describe(
    'Month of the first installment when FirstDueDate is absent: ActualMonth or NextMonth (D3).',
  ),
};

/** Fixed payments, residual value, cards, deposits, overdraft and charges. */
const values = {
  installmentValue: optional(amount(AMOUNT)).describe(
    'Fixed installment value (equal installments) after the grace period, whatever the changes of the rate. Null or 0: not fixed. Mandatory, 0 allowed, if a formula of a custom schedule type reads it (B2).',
  ),
  principalValue: optional(amount(AMOUNT)).describe(
    'Fixed principal value (equal principal). Null or 0: not fixed. Mandatory, 0 allowed, if a formula of a custom schedule type reads it (B2).',
  ),
  StartDateForUnusage: optional(date()).describe(
    'First day on which the unused amount costs. Absent: the start (F5).',
  ),
  ExpiryDateForOD: optional(date()).describe(
    'Last day of an overdraft, in place of its due dates from then on, and of the time in which unused amounts cost (B5, F5).',
  ),
  UnusedAmount: optional(amount(AMOUNT)).describe(
    'Unused amount, of which charges may be a percentage; formulas may read it (F2, F5).',
  ),
  InterestCapitalization: optional(numericFlag()).describe(
    'Deposits. 1: interest is added to the balance; 0: interest is paid each period. Elsewhere reported (B4).',
  ),
  UpFrontValue: optional(amount(AMOUNT)).describe(
    'Commissions, taxes and insurances paid once at the start. Less is drawn, so DAE and EIR rise; no row shows them. No effect with LastDueDate (A1, A2).',
  ),
  ResidualValue: optional(amount(AMOUNT)).describe(
    'Residual value, the part of Amount that is left over; it bears interest to the end (B1).',
  ),
  ResidualInInstallment: optional(flagNumber()).describe(
    '1: the last installment includes the residual value; 0: a separate row repays it (B1).',
  ),
  CapitalPercent: optional(percent({ minimum: 0, maximum: MAX_CAPITAL_PERCENT })).describe(
    'Credit card: percentage of the balance that each installment repays, mandatory there. Elsewhere reported (B3).',
  ),
  Commission: optionalList(commissionItem, MAX_FEES).describe(
    'Commissions that are charged repeatedly; their sum is ManagementFee (F1, F4).',
  ),
  Insurance: optionalList(insuranceItem, MAX_FEES).describe(
    'Insurances that are charged repeatedly; their sum is the extra field Insurance (F1, F4).',
  ),
  MultipleInterestRates: optionalList(interestRateRange, MAX_INSTALLMENTS).describe(
    'Rates by range of installments; together they cover every installment once, and the payment is calculated again at each change (R1).',
  ),
  BandedInterestRates: optionalList(interestRateBand, MAX_FEES).describe(
    'Rates by slice of the balance. Refused with schedule types whose formulas use one rate (R2).',
  ),
};

/** Fields of the recalculation of a running contract (X1, X2). */
const recalculation = {
  LastDueDate: optional(date()).describe(
    'Recalculation: due date of the last installment that stays unchanged; the schedule starts there (D2, X1).',
  ),
  BlockInstallmentNo: optional(count(NUMBER)).describe(
    'Recalculation: number of installments that stay unchanged, which are left out (X1).',
  ),
  IsLocked: optional(flagNumber()).describe(
    'Recalculation. 1: the blocked amounts are applied; 0: they are ignored and reported (X2).',
  ),
  BlockAmount: optional(amount(AMOUNT)).describe(
    'Recalculation: part of Amount that the first new installment repays in addition; the rest is amortised (X2).',
  ),
  BlockInterestAmount: optional(amount(AMOUNT)).describe(
    'Recalculation: interest that is added to the first installment (X2).',
  ),
};

/** Extensions of the interface (S6). */
const extensions = {
  InterestCalculationMethod: optional(nameOf('DayCount', DAY_COUNT_NAMES)).describe(
    'Extension. Day count by name, such as 30/360 or Actual/365, instead of that of the schedule type (C1, S6).',
  ),
  Currency: optional(text(CURRENCIES)).describe(
    'Extension. ISO 4217 code, which determines the decimals of all amounts. Absent: two decimals (M2, S6).',
  ),
  GraceType: optional(nameOf('GraceType', GRACE_TYPES)).describe(
    'Extension. Treatment of the interest of a grace period: Deferred (default), Capitalised, Spread or Forgiven (G2, S6).',
  ),
  Precision: optional(count({ minimum: 0, maximum: MAX_PRECISION_DIGITS })).describe(
    'Extension. Number of decimals of all amounts, instead of those of the currency (M2, S6).',
  ),
  EarlyRepayments: optionalList(earlyRepayment, MAX_INSTALLMENTS).describe(
    'Extension. Prepayments, in rows of their own (X3, S6).',
  ),
  AllowNegativeAmortisation: optional(flag()).describe(
    'Extension. True: a fixed payment may be lower than the interest, and the balance grows (B2, S6).',
  ),
  BandMethod: optional(nameOf('BandMethod', BAND_METHODS)).describe(
    'Extension. Whole: the rate of one band for the whole balance; Slices (default): each slice has its own (R2, S6).',
  ),
  Explain: optional(flag()).describe(
    'Extension. True: each installment shows how its figures are calculated; reported if the answer has none (S6).',
  ),
};

/** All fields; their output is the request of the calculation. */
export const repaymentScheduleFields = requestOf({
  ...mandatory,
  ...terms,
  ...values,
  ...recalculation,
  ...extensions,
}).meta({ id: 'RepaymentScheduleTerms' });
