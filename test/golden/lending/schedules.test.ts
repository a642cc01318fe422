import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import { date, scheduleOf } from '../../support/builders/lending-loan.ts';
import { readSentCases, typedFields } from '../../support/builders/request-cases.ts';
import { weekdays } from '../../support/fakes/calendars.ts';
import { explanationTable, scheduleTable } from '../../support/reference/schedule-table.ts';

/** Business days: Monday to Friday except 3 February and 1 May 2025. */
const HOLIDAYS = new Set([date('2025-02-03'), date('2025-05-01')]);
const CALENDARS = {
  find: (name: string) => ({
    name,
    version: 'test',
    isWorkingDay: (day: ReturnType<typeof date>) => !HOLIDAYS.has(day) && weekdays(day),
  }),
};

/** Commissions are monthly, insurances annual, both from 1 January 2025, unless the text says otherwise. */
const FEE = { FeeName: 'Account', FeePeriodicityType: 'Monthly', FeeDate: date('2025-01-01') };
const PREMIUM = {
  InsuranceName: 'Life',
  InsurancePeriodicityType: 'Annual',
  InsuranceDate: date('2025-01-01'),
};

/** The file of each loan, and its changes. */
const GOLDEN = readSentCases(`
equal-installments-six-months
  Amount = 100; InterestPercent = 7; InstallmentsNo = 6; ActivationDate = "2024-01-01"
equal-principal-four-months
  ScheduleType = "EqualPrincipal"; CalculateDAE = 2
month-end-day-31
  Amount = 12000; InterestPercent = 9.5; InstallmentsNo = 12; InstallmentDay = 31
  ActivationDate = "2024-01-31"; CalculateDAE = 2
long-first-period-and-maturity
  Amount = 5000; InterestPercent = 8.25; InstallmentsNo = 6; InstallmentDay = 15
  FirstDueDate = "2025-02-15"; MaturityDate = "2025-07-31"; InterestCalculationMethod = "Actual/365"
  CalculateDAE = 2
quarterly-over-a-leap-year
  Amount = 40000; InterestPercent = 6.125; InstallmentsNo = 8; PeriodicityType = "Quarterly"
  InstallmentDay = 30; ActivationDate = "2023-05-30"; InterestCalculationMethod = "Actual/Actual"
  UpFrontValue = 600
weekly-actual-360
  Amount = 900; InterestPercent = 39.9; InstallmentsNo = 10; PeriodicityType = "Weekly"
  InterestCalculationMethod = "Actual/360"; CalculateDAE = 2
yen-without-decimals
  Currency = "JPY"; Amount = 300000; InterestPercent = 3; InstallmentsNo = 6
negative-rate
  Amount = 10000; InterestPercent = -0.5; InstallmentsNo = 5; PeriodicityType = "Annual"
  InterestCalculationMethod = "30E/360"
bullet-once
  Amount = 2500; InterestPercent = 11; InstallmentsNo = 1; PeriodicityType = "Once"
  MaturityDate = "2025-10-15"; InterestCalculationMethod = "Actual/365"; CalculateDAE = 2
grace-deferred-with-fee
  Amount = 12000; InstallmentsNo = 8; GracePeriodPrincipal = 2; GracePeriodInterest = 3
  Commission = [{"SourceValue":5,"GracePeriodFee":2}]
grace-capitalised-with-insurance
  Amount = 6000; InterestPercent = 9; InstallmentsNo = 6; GracePeriodPrincipal = 1
  GracePeriodInterest = 2; GraceType = "Capitalised"
  Insurance = [{"InsurancePeriodicityType":"Quarterly","SourceValue":10}]; CalculateDAE = 2
grace-spread-equal-principal
  ScheduleType = "EqualPrincipal"; InstallmentsNo = 5; GracePeriodInterest = 2; GraceType = "Spread"
  Commission = [{"SourcePercent":1,"PercentAppliedTo":"Installment"}]
balloon-with-forgiven-interest
  ScheduleType = "Balloon"; Amount = 10000; InterestPercent = 8; InstallmentsNo = 6; ResidualValue = 4000
  GracePeriodInterest = 1; GraceType = "Forgiven"; UpFrontValue = 100; CalculateDAE = 2
leasing-residual-and-rate-change
  ScheduleType = "Leasing"; Amount = 10000; InterestPercent = null; InstallmentsNo = 6
  ResidualValue = 2000
  MultipleInterestRates = [{"InterestRate":6,"FromInstNo":1,"ToInstNo":3},{"InterestRate":9,"FromInstNo":4,"ToInstNo":6}]
  Commission = [{"SourcePercent":0.5,"PercentAppliedTo":"Interest"}]
bands-quarterly
  Amount = 8000; InterestPercent = null; PeriodicityType = "Quarterly"; InstallmentsNo = 6
  BandedInterestRates = [{"MinUtilizedAmount":0,"MaxUtilizedAmount":4999.99,"Value":10},{"MinUtilizedAmount":5000,"Value":8}]
  CalculateDAE = 2
credit-card-with-insurance
  ScheduleType = "CreditCard"; Amount = 2000; InterestPercent = 24; InstallmentsNo = 6
  CapitalPercent = 10
  Insurance = [{"InsurancePeriodicityType":"Monthly","SourcePercent":0.2,"PercentAppliedTo":"RemainingValue"}]
deposit-capitalising
  ScheduleType = "Deposit"; PeriodicityType = "Quarterly"; InterestCalculationMethod = "30/360"
  InterestCapitalization = 1
overdraft-expiry-and-unused-fee
  ScheduleType = "Overdraft"; Amount = 600; InterestPercent = 18; InstallmentsNo = 6
  ExpiryDateForOD = "2025-04-10"; StartDateForUnusage = "2025-01-16"; UnusedAmount = 400
  Commission = [{"FeeName":"Unused limit","SourcePercent":1,"IsForUnusage":true}]
recalculation-with-blocked-amounts
  Amount = 700; InstallmentsNo = 5; ActivationDate = null; FirstDueDate = "2025-02-01"
  LastDueDate = "2025-03-01"; BlockInstallmentNo = 2; IsLocked = true; BlockAmount = 100
  BlockInterestAmount = 3.5; Commission = [{"SourceValue":1.5,"BlockFeeAmount":2}]
  Insurance = [{"InsurancePeriodicityType":"Quarterly","SourceValue":4,"BlockInsuranceAmount":1}]
early-repayments-lower-payment
  Amount = 5000; InterestPercent = 12; InstallmentsNo = 6; Commission = [{"SourceValue":3}]
  EarlyRepayments = [{"Date":"2025-03-16","Amount":1000},{"Date":"2025-05-01","Amount":500}]
early-repayments-shorter-term
  Amount = 5000; InterestPercent = 12; InstallmentsNo = 6; Commission = [{"SourceValue":3}]
  EarlyRepayments = [{"Date":"2025-03-16","Amount":1000,"DecreaseInstallment":false},{"Date":"2025-05-01","Amount":500,"DecreaseInstallment":false}]
holidays-paid-later
  Amount = 6000; InterestPercent = 9; InstallmentsNo = 5; HolidayShift = true
  HolidayCountry = "Bank days"; Commission = [{"SourceValue":4}]; CalculateDAE = 2
holidays-accrued-later
  Amount = 6000; InterestPercent = 9; InstallmentsNo = 5; HolidayShift = true
  HolidayCountry = "Bank days"; Commission = [{"SourceValue":4}]; CalculateDAE = 2; DeferDueDate = true
annual-premium-and-fee-on-balance
  Amount = 2400; InterestPercent = 6; InstallmentsNo = 15
  Commission = [{"SourcePercent":0.6,"PercentAppliedTo":"RemainingValue","PerAnnum":true}]
  Insurance = [{"SourcePercent":1,"IsUpfront":true}]; CalculateDAE = 2
locked-payment-too-low
  InterestPercent = null; installmentValue = 200
  MultipleInterestRates = [{"InterestRate":12,"FromInstNo":1,"ToInstNo":2},{"InterestRate":18,"FromInstNo":3,"ToInstNo":4}]
locked-payment-too-high
  InstallmentsNo = 6; GracePeriodPrincipal = 1; installmentValue = 300; Commission = [{"SourceValue":2}]
`);
const EXPLAINED = readSentCases(`
explained-row
  GracePeriodInterest = 1; Commission = [{"SourcePercent":1.5,"PercentAppliedTo":"RemainingValue"}]
  Insurance = [{"InsurancePeriodicityType":"Monthly","SourceValue":2}]; Explain = true
`);

function titleOf(file: string): string {
  const [title = ''] = readFileSync(new URL(`./${file}.txt`, import.meta.url), 'utf8').split('\nfrom ', 1);
  return title;
}

function scheduleWith(sent: object): RepaymentSchedule {
  const { Commission, Insurance, ...changes }: Partial<RepaymentScheduleRequest> = typedFields(sent);
  const request = {
    ...changes,
    ...(Commission && { Commission: Commission.map((item) => ({ ...FEE, ...item })) }),
    ...(Insurance && { Insurance: Insurance.map((item) => ({ ...PREMIUM, ...item })) }),
  };
  const schedule = scheduleOf(request, { calendars: CALENDARS });
  expect(schedule.warnings).toEqual([]);
  return schedule;
}

describe('golden tables', () => {
  it.each(GOLDEN)('equals $title', async ({ title, sent }) => {
    await expect(scheduleTable(titleOf(title), scheduleWith(sent))).toMatchFileSnapshot(`./${title}.txt`);
  });

  it.each(EXPLAINED)('equals $title', async ({ title, sent }) => {
    const schedule = scheduleWith(sent);
    const text = `${scheduleTable(titleOf(title), schedule)}\n${explanationTable(schedule, 1)}`;
    await expect(text).toMatchFileSnapshot(`./${title}.txt`);
  });
});
