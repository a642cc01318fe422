/** Fields of `PLAT_BP_CalculateRepaymentSchedule` (4.1, S6). The reader checks their form, the engine their values. */

import { BUILT_IN_CALENDARS } from '../../lending/calendars/built-in-calendars.ts';
import { CHARGE_BASES } from '../../lending/charges/charge-base.ts';
import { DAY_COUNT_NAMES } from '../../lending/dates/day-count.ts';
import { BUILT_IN_PERIODICITIES } from '../../lending/dates/periodicity.ts';
import { INSTALLMENT_METHODS } from '../../lending/due-dates/schedule-dates.ts';
import { HOLIDAY_METHODS } from '../../lending/due-dates/shift-due-date.ts';
import { MAX_INSTALLMENTS, MAX_RATE_PERCENT } from '../../lending/request/field-checks.ts';
import { MAX_AMOUNT_MINOR } from '../../lending/numbers/money.ts';
import { BUILT_IN_SCHEDULE_TYPE_RECORDS } from '../../lending/schedule-types/schedule-catalogue.ts';
import { PRODUCT_TYPE_CODES } from '../../lending/schedule-types/schedule-type.ts';
import { MAX_CONTRACT_PERIODS, MAX_PRECISION_DIGITS } from '../../lending/terms/loan-terms.ts';
import { BAND_METHODS } from '../../lending/terms/rate-ranges.ts';
import { GRACE_TYPES, MAX_CAPITAL_PERCENT } from '../../lending/terms/repayment-terms.ts';
import {
  itemOf,
  termsOf,
  amount,
  count,
  date,
  flag,
  flagNumber,
  nameOf,
  numericFlag,
  optional,
  optionalList,
  percent,
  text,
} from '../json/field-kinds.ts';
import TEXTS from './field-texts.json' with { type: 'json' };

/** Ranges that the engine accepts, for documents. In a currency with decimals the largest amount is lower (M6). */
const AMOUNT = { minimum: 0, maximum: MAX_AMOUNT_MINOR };
const POSITIVE_AMOUNT = { exclusiveMinimum: 0, maximum: MAX_AMOUNT_MINOR };
const RATE = { minimum: -MAX_RATE_PERCENT, maximum: MAX_RATE_PERCENT };
const SHARE = { minimum: 0, maximum: MAX_RATE_PERCENT };
const ORDINAL = { minimum: 1, maximum: MAX_INSTALLMENTS };
const NUMBER = { minimum: 0, maximum: MAX_INSTALLMENTS };

/** Names for documents. Every instance knows them; a catalogue may add schedule types, periodicities and calendars. */
const SCHEDULE_TYPES = BUILT_IN_SCHEDULE_TYPE_RECORDS.map(
  ({ PaymentScheduleTypeName }) => PaymentScheduleTypeName,
);
const PERIODICITIES = BUILT_IN_PERIODICITIES.map(({ name }) => name);
const CALENDARS = BUILT_IN_CALENDARS.flatMap(({ codes: [code] }) => code ?? []);
const CURRENCIES = ['EUR', 'RON', 'USD', 'GBP', 'CHF', 'PLN', 'HUF', 'JPY', 'KWD'];

const chargeBase = nameOf('ChargeBase', CHARGE_BASES);

const commissionItem = itemOf(TEXTS.CommissionCharge, {
  SourceValue: optional(amount(AMOUNT)),
  SourcePercent: optional(percent(SHARE)),
  FeePeriodicityType: text(PERIODICITIES),
  FeeDate: date(),
  FeeName: optional(text()),
  FeeId: optional(text()),
  GracePeriodFee: optional(count(NUMBER)),
  BlockFeeAmount: optional(amount(AMOUNT)),
  IsUpfront: optional(flagNumber()),
  PercentAppliedTo: optional(chargeBase),
  PerAnnum: optional(flag()),
  IsForUnusage: optional(flag()),
}).meta({ id: 'CommissionCharge' });

const insuranceItem = itemOf(TEXTS.InsuranceCharge, {
  SourceValue: optional(amount(AMOUNT)),
  SourcePercent: optional(percent(SHARE)),
  InsurancePeriodicityType: text(PERIODICITIES),
  InsuranceDate: date(),
  InsuranceName: optional(text()),
  InsuranceClassId: optional(text()),
  InsuranceClassName: optional(text()),
  GracePeriodInsurance: optional(count(NUMBER)),
  BlockInsuranceAmount: optional(amount(AMOUNT)),
  IsUpfront: optional(flagNumber()),
  PercentAppliedTo: optional(chargeBase),
  PerAnnum: optional(flag()),
}).meta({ id: 'InsuranceCharge' });

export const interestRateRange = itemOf(TEXTS.InterestRateRange, {
  InterestRate: optional(percent(RATE)),
  FromInstNo: optional(count(ORDINAL)),
  ToInstNo: optional(count(ORDINAL)),
}).meta({ id: 'InterestRateRange' });

const interestRateBand = itemOf(TEXTS.InterestRateBand, {
  MinUtilizedAmount: optional(amount(AMOUNT)),
  MaxUtilizedAmount: optional(amount(AMOUNT)),
  Value: percent(RATE),
}).meta({ id: 'InterestRateBand' });

const earlyRepayment = itemOf(TEXTS.EarlyRepayment, {
  Date: date(),
  Amount: amount(POSITIVE_AMOUNT),
  DecreaseInstallment: optional(flag()),
}).meta({ id: 'EarlyRepayment' });

/** Maximum number of commissions, insurances or bands: more than any product has, but few enough to limit the work. */
const MAX_FEES = 200;

export const repaymentScheduleFields = termsOf(TEXTS.RepaymentScheduleTerms, {
  ScheduleType: text(SCHEDULE_TYPES),
  Amount: amount(POSITIVE_AMOUNT),
  InstallmentsNo: count(ORDINAL),
  PeriodicityType: text(PERIODICITIES),
  InstallmentDay: count({ minimum: 1, maximum: 31 }),
  ProductType: optional(text(PRODUCT_TYPE_CODES)),
  InterestPercent: optional(percent(RATE)),
  AdvanceAmount: optional(amount(AMOUNT)),
  GracePeriodInterest: optional(count(NUMBER)),
  GracePeriodPrincipal: optional(count(NUMBER)),
  ActivationDate: optional(date()),
  FirstDueDate: optional(date()),
  MaturityDate: optional(date()),
  HolidayShift: optional(flag()),
  HolidayCountry: optional(text(CALENDARS)),
  HolidayMethod: optional(nameOf('HolidayMethod', HOLIDAY_METHODS)),
  DeferDueDate: optional(flagNumber()),
  RealInstallmentNo: optional(count(ORDINAL)),
  ContractPeriod: optional(count({ minimum: 0, maximum: MAX_CONTRACT_PERIODS })),
  CalculateDAE: optional(count({ minimum: 0, maximum: 2 })),
  InstallmentMethod: optional(nameOf('InstallmentMethod', INSTALLMENT_METHODS)),
  installmentValue: optional(amount(AMOUNT)),
  principalValue: optional(amount(AMOUNT)),
  StartDateForUnusage: optional(date()),
  ExpiryDateForOD: optional(date()),
  UnusedAmount: optional(amount(AMOUNT)),
  InterestCapitalization: optional(numericFlag()),
  UpFrontValue: optional(amount(AMOUNT)),
  ResidualValue: optional(amount(AMOUNT)),
  ResidualInInstallment: optional(flagNumber()),
  CapitalPercent: optional(percent({ minimum: 0, maximum: MAX_CAPITAL_PERCENT })),
  Commission: optionalList(commissionItem, MAX_FEES),
  Insurance: optionalList(insuranceItem, MAX_FEES),
  MultipleInterestRates: optionalList(interestRateRange, MAX_INSTALLMENTS),
  BandedInterestRates: optionalList(interestRateBand, MAX_FEES),
  LastDueDate: optional(date()),
  BlockInstallmentNo: optional(count(NUMBER)),
  IsLocked: optional(flagNumber()),
  BlockAmount: optional(amount(AMOUNT)),
  BlockInterestAmount: optional(amount(AMOUNT)),
  InterestCalculationMethod: optional(nameOf('DayCount', DAY_COUNT_NAMES)),
  Currency: optional(text(CURRENCIES)),
  GraceType: optional(nameOf('GraceType', GRACE_TYPES)),
  Precision: optional(count({ minimum: 0, maximum: MAX_PRECISION_DIGITS })),
  EarlyRepayments: optionalList(earlyRepayment, MAX_INSTALLMENTS),
  AllowNegativeAmortisation: optional(flag()),
  BandMethod: optional(nameOf('BandMethod', BAND_METHODS)),
  Explain: optional(flag()),
  InterestType: optional(numericFlag()),
  DueDates: optionalList(date(), MAX_INSTALLMENTS),
}).meta({ id: 'RepaymentScheduleTerms' });
