/** Worked examples of the rules: they validate the reference implementation, and the engine must agree with it. */

import { describe, expect, it } from 'vitest';
import { difference } from '../../../support/reference/compare-with-reference.ts';
import { readSentCases, typedFields } from '../../../support/builders/request-cases.ts';
import { intervalOf } from '../../../support/reference/annual-rate.ts';
import { date, decimal, loan } from '../../../support/builders/lending-loan.ts';
import { REFERENCE_CONTEXT } from '../../../support/random/terms.ts';
import { dayOf, dayText } from '../../../support/reference/dates.ts';
import { referenceDae, referenceEir, referenceSchedule } from '../../../support/reference/schedule.ts';

type Changes = Parameters<typeof loan>[0];

const loanWith = (changes: Changes) => loan({ InterestCalculationMethod: '30/360', ...changes });

function calculated(changes: Changes) {
  const outcome = referenceSchedule(loanWith(changes), REFERENCE_CONTEXT);
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
  return outcome;
}

/** A figure of every row with two decimals, or the days or due dates. */
function readColumn(changes: Changes, name: string): string {
  const cells = calculated(changes).rows.map((row) => {
    if (name === 'dates') return dayText(row.dueDate);
    return name === 'days' ? row.noDays : (Number(row[name as keyof typeof row]) / 100).toFixed(2);
  });
  return cells.join(' ');
}

/** By rules; each example is a description, the changes to the loan, and the expected columns. */
const EXAMPLES = {
  'dates of rules D2 to D7': `
a start one period before FirstDueDate
  ActivationDate = null; InstallmentsNo = 1; FirstDueDate = "2025-02-28"; InstallmentDay = 31 | days: 28
a start one period before a FirstDueDate off the installment day
  ActivationDate = null; InstallmentsNo = 1; FirstDueDate = "2025-03-15" | days: 28
a start on the day of the request | ActivationDate = null; InstallmentsNo = 1; InstallmentDay = 17 | days: 31
the first due date by ActualMonth | ActivationDate = "2025-01-10"; PeriodicityType = "Quarterly"
  InstallmentDay = 15; InstallmentsNo = 2; InstallmentMethod = "ActualMonth" | dates: 2025-01-15 2025-04-15
the first due date by NextMonth | ActivationDate = "2025-01-10"; PeriodicityType = "Quarterly"
  InstallmentDay = 15; InstallmentsNo = 2; InstallmentMethod = "NextMonth" | dates: 2025-02-15 2025-05-15
the first due date one period later | ActivationDate = "2025-01-10"; PeriodicityType = "Quarterly"
  InstallmentDay = 15; InstallmentsNo = 2 | dates: 2025-04-15 2025-07-15
due day 31 after 28 February | FirstDueDate = "2025-02-28"; InstallmentDay = 31; InstallmentsNo = 3
  dates: 2025-02-28 2025-03-31 2025-04-30
MaturityDate as the last due date | MaturityDate = "2025-05-20"
  dates: 2025-02-01 2025-03-01 2025-04-01 2025-05-20
Once on MaturityDate, whatever FirstDueDate is | PeriodicityType = "Once"; InstallmentsNo = 1
  MaturityDate = "2025-07-01"; FirstDueDate = "2025-06-01" | dates: 2025-07-01
Once on FirstDueDate | PeriodicityType = "Once"; InstallmentsNo = 1; FirstDueDate = "2025-06-01"
  dates: 2025-06-01
listed dates | DueDates = ["2025-02-10","2025-03-01","2025-04-20","2025-05-31"]
  pmt: 257.50 257.50 257.50 257.48 | interest: 13.00 5.29 8.22 3.47 | days: 40 19 50 41
listed dates from one period before the first | ActivationDate = null; InstallmentsNo = 2
  DueDates = ["2025-02-10","2025-03-01"] | days: 31 19
listed dates after a settled row | LastDueDate = "2025-02-10"; BlockInstallmentNo = 1; ActivationDate = null
  DueDates = ["2025-02-10","2025-03-01","2025-04-20","2025-05-31"] | dates: 2025-03-01 2025-04-20 2025-05-31
listed dates on holidays | HolidayShift = true; HolidayCountry = "Weekdays"; DeferDueDate = true
  DueDates = ["2025-02-10","2025-03-01","2025-04-20","2025-05-31"]
  dates: 2025-02-10 2025-03-03 2025-04-21 2025-06-02 | days: 40 21 49 42
half months on the 1st and the 16th | PeriodicityType = "Semimonthly" | pmt: 253.13 253.13 253.13 253.14
  dates: 2025-01-16 2025-02-01 2025-02-16 2025-03-01 | interest: 5.00 3.76 2.51 1.26 | days: 15 16 15 13
half months after an irregular first period | PeriodicityType = "Semimonthly"; InstallmentsNo = 2
  FirstDueDate = "2025-02-10"; InstallmentDay = 16 | dates: 2025-02-10 2025-02-16 | interest: 13.00 1.01
half months after a settled row | PeriodicityType = "Semimonthly"; LastDueDate = "2025-01-16"
  BlockInstallmentNo = 1; ActivationDate = null | dates: 2025-02-01 2025-02-16 2025-03-01
charges of half months | PeriodicityType = "Semimonthly"
  Commission = [{"FeeName":"A","FeePeriodicityType":"Semimonthly","FeeDate":"2025-01-16","SourcePercent":2.4,"PerAnnum":true}]
  managementFee: 0.00 1.00 1.00 1.00
Once on a listed date | PeriodicityType = "Once"; InstallmentsNo = 1; DueDates = ["2025-06-01"]
  dates: 2025-06-01
`,
  'shifts of rules H1 and H3': `
Backward after the start of the schedule
  HolidayShift = true; HolidayCountry = "Weekdays"; InstallmentsNo = 1; FirstDueDate = "2025-08-30"
  HolidayMethod = "Backward"; ActivationDate = "2025-08-29" | dates: 2025-09-01
interest up to the unshifted dates | HolidayShift = true; HolidayCountry = "Weekdays"; InstallmentsNo = 2
  days: 31 28 | dates: 2025-02-03 2025-03-03
interest up to the shifted dates with DeferDueDate
  HolidayShift = true; HolidayCountry = "Weekdays"; InstallmentsNo = 2; DeferDueDate = true | days: 33 28
`,
  'interest and payments of rules C2, S2, R1 to R3': `
a regular month to 28 February | ActivationDate = "2025-01-31"; InstallmentDay = 31; InstallmentsNo = 1
  interest: 10.00 | days: 28
a regular month by 30/365 | ActivationDate = "2025-01-31"; InstallmentDay = 31; InstallmentsNo = 1
  InterestCalculationMethod = "30/365" | interest: 9.86
the same month by 30E/360 | ActivationDate = "2025-01-31"; InstallmentDay = 31; InstallmentsNo = 1
  InterestCalculationMethod = "30E/360" | interest: 9.33
the same month as an irregular period | ActivationDate = "2025-01-31"; InstallmentDay = 1; InstallmentsNo = 1
  FirstDueDate = "2025-02-28" | interest: 9.33
the annuity formula at 1 % a month | pmt: 256.28 256.28 256.28 256.29
interest by EffectiveRate
  ScheduleType = "EffectiveRate"; Amount = 30000; InterestPercent = 7; InstallmentsNo = 1 | interest: 169.62
rates of 12 % and from row 3 of 24 %
  MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":24}]; InterestPercent = null
  pmt: 256.28 256.28 260.09 260.09
rate bands by slices | ScheduleType = "InterestOnly"; Amount = 1500; InstallmentsNo = 1
  PeriodicityType = "Annual"; InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"MaxUtilizedAmount":999.99,"Value":10},{"MinUtilizedAmount":1000,"Value":8}]
  interest: 140.00
rate bands for the whole balance | ScheduleType = "InterestOnly"; Amount = 1500; InstallmentsNo = 1
  PeriodicityType = "Annual"; InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"MaxUtilizedAmount":999.99,"Value":10},{"MinUtilizedAmount":1000,"Value":8}]
  BandMethod = "Whole" | interest: 120.00
a level payment by slices that repays the unrounded balance | Amount = 1500; InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"MaxUtilizedAmount":999.99,"Value":10},{"MinUtilizedAmount":1000,"Value":8}]
  pmt: 382.58 382.58 382.58 382.58
one rate band as one rate | InterestPercent = null; BandedInterestRates = [{"MinUtilizedAmount":0,"Value":12}]
  pmt: 256.28 256.28 256.28 256.29
two bands with one rate as one rate | InterestPercent = null
  BandedInterestRates = [{"MinUtilizedAmount":0,"Value":12},{"MinUtilizedAmount":400,"Value":12}]
  pmt: 256.28 256.28 256.28 256.29
a negative rate | InterestPercent = -12; InstallmentsNo = 1 | interest: -10.00
`,
  'grace periods of rules G1 and G2': `
principal grace | GracePeriodPrincipal = 2 | totalInstallment: 10.00 10.00 507.51 507.51
principal grace with equal parts | ScheduleType = "EqualPrincipal"; GracePeriodPrincipal = 1
  principal: 0.00 333.33 333.33 333.34
interest grace that is longer than principal grace | GracePeriodPrincipal = 1; GracePeriodInterest = 3
  totalInstallment: 0.00 330.02 333.32 366.73
grace by the original row numbers of a recalculation
  GracePeriodPrincipal = 2; GracePeriodInterest = 2; LastDueDate = "2025-02-01"; BlockInstallmentNo = 1
  ActivationDate = null | totalInstallment: 0.00 517.51 507.51
deferred interest | GracePeriodPrincipal = 2; GracePeriodInterest = 2
  totalInstallment: 0.00 0.00 527.51 507.51 | interest: 0.00 0.00 30.00 5.02
deferred interest without principal grace | GracePeriodInterest = 2
  totalInstallment: 246.28 248.74 273.82 256.29 | principal: 246.28 248.74 251.23 253.75
capitalised interest | GracePeriodPrincipal = 2; GracePeriodInterest = 2; GraceType = "capitalised"
  totalInstallment: 0.00 0.00 517.71 517.72 | remainingValue: 1000.00 1010.00 1020.10 512.59
  capitalisedInterest: 10.00 10.10 0.00 0.00
capitalised interest beyond principal grace, with the principal of the plan
  GracePeriodInterest = 2; GraceType = "Capitalised" | principal: 246.28 248.74 260.01 262.61
  remainingValue: 1000.00 763.72 522.62 262.61 | totalInstallment: 246.28 248.74 265.24 265.24
forgiven interest | GracePeriodPrincipal = 2; GracePeriodInterest = 2; GraceType = "Forgiven"
  totalInstallment: 0.00 0.00 507.51 507.51
forgiven interest without principal grace | GracePeriodInterest = 2; GraceType = "Forgiven"
  interest: 0.00 0.00 5.05 2.54 | principal: 246.28 248.74 251.23 253.75
interest spread over the remaining rows | GracePeriodPrincipal = 2; GracePeriodInterest = 2
  InstallmentsNo = 5; GraceType = "Spread" | interest: 0.00 0.00 16.67 13.37 10.03
deferred interest up to a fixed payment that repays the loan | GracePeriodInterest = 3; installmentValue = 600
  totalInstallment: 590.00 424.10 | interest: 0.00 14.10
`,
  'charges of rules F2, F3 and F5': `
0.5 % per annum of 833.33 monthly
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourcePercent":0.5,"PerAnnum":true}]
  Amount = 833.33 | managementFee: 0.35 0.35 0.35 0.35
an annual premium upfront | InstallmentsNo = 13
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Annual","InsuranceDate":"2025-01-01","SourceValue":12,"IsUpfront":true}]
  insurance: 12.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 12.00
an annual premium in arrears | InstallmentsNo = 13
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Annual","InsuranceDate":"2025-01-01","SourceValue":12,"IsUpfront":false}]
  insurance: 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 12.00 0.00
a monthly fee
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":1}]
  managementFee: 1.00 1.00 1.00 1.00
a fee with a grace period
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":1,"GracePeriodFee":2}]
  managementFee: 0.00 0.00 1.00 1.00
0.5 % of the credit value, with the advance | AdvanceAmount = 250
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourcePercent":0.5,"PercentAppliedTo":"CreditValue"}]
  managementFee: 6.25 6.25 6.25 6.25
a commission and a premium that are charged once
  Commission = [{"FeeName":"A","FeePeriodicityType":"Once","FeeDate":"2025-03-10","SourceValue":40}]
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Once","InsuranceDate":"2025-02-01","SourcePercent":1}]
  managementFee: 0.00 0.00 40.00 0.00 | insurance: 10.00 0.00 0.00 0.00
`,
  'residual values, fixed payments and other types of rules B1 to B6': `
a residual in its own row | ResidualValue = 200 | pmt: 207.02 207.02 207.02 207.04 200.00
a residual in the last row | ResidualValue = 200; ResidualInInstallment = true
  pmt: 207.02 207.02 207.02 407.04
the residual of Balloon in the last row | ResidualValue = 200; ScheduleType = "Balloon"
  pmt: 207.02 207.02 207.02 407.04
a residual of the whole amount | ResidualValue = 1000 | pmt: 10.00 10.00 10.00 10.00 1000.00
a residual with equal parts | ScheduleType = "EqualPrincipal"; ResidualValue = 200
  principal: 200.00 200.00 200.00 200.00 200.00
a fixed payment below the level payment | installmentValue = 200 | pmt: 200.00 200.00 200.00 428.52
a fixed payment above it | installmentValue = 300 | pmt: 300.00 300.00 300.00 122.48
a fixed payment that repays the loan early | installmentValue = 600 | pmt: 600.00 414.10
a fixed payment with a residual | installmentValue = 500; ResidualValue = 200
  pmt: 500.00 315.10 2.00 2.00 200.00
a fixed payment after principal grace at changing rates | InterestPercent = null; installmentValue = 300
  GracePeriodPrincipal = 1; MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":24}]
  pmt: 10.00 300.00 300.00 432.68
a fixed principal below equal parts | ScheduleType = "EqualPrincipal"; principalValue = 200
  principal: 200.00 200.00 200.00 400.00
a fixed principal above equal parts | ScheduleType = "EqualPrincipal"; principalValue = 400
  principal: 400.00 400.00 200.00
negative amortisation | installmentValue = 5; AllowNegativeAmortisation = true
  principal: -5.00 -5.05 -5.10 1015.15 | remainingValue: 1000.00 1005.00 1010.05 1015.15
a card that repays 10 % of the balance | ScheduleType = "CreditCard"; CapitalPercent = 10
  principal: 100.00 90.00 81.00 729.00
a deposit that capitalises interest | ScheduleType = "Deposit"; InstallmentsNo = 3; InterestCapitalization = 1
  capitalisedInterest: 10.00 10.10 0.00 | principal: 0.00 0.00 1020.10 | totalInstallment: 0.00 0.00 1030.30
a deposit that pays interest | ScheduleType = "Deposit"; InstallmentsNo = 3; InterestCapitalization = 0
  totalInstallment: 10.00 10.00 1010.00
an overdraft up to its expiry | ScheduleType = "Overdraft"; ExpiryDateForOD = "2025-03-15"
  dates: 2025-02-01 2025-03-01 2025-03-15 | totalInstallment: 10.00 10.00 1004.67
an overdraft that expires on a due date | ScheduleType = "Overdraft"; ExpiryDateForOD = "2025-03-01"
  dates: 2025-02-01 2025-03-01
an overdraft that expires after the last due date | ScheduleType = "Overdraft"; ExpiryDateForOD = "2025-05-20"
  dates: 2025-02-01 2025-03-01 2025-04-01 2025-05-20
InterestOnly | ScheduleType = "InterestOnly" | pmt: 10.00 10.00 10.00 1010.00
RealInstallmentNo | RealInstallmentNo = 2 | pmt: 256.28 761.26
RealInstallmentNo with equal parts | ScheduleType = "EqualPrincipal"; RealInstallmentNo = 3
  principal: 250.00 250.00 500.00
`,
  'recalculation of rules X1, X2 and X4': `
dates from the original FirstDueDate | LastDueDate = "2025-03-31"; ActivationDate = null
  FirstDueDate = "2025-02-28"; InstallmentDay = 31; BlockInstallmentNo = 2 | dates: 2025-04-30 2025-05-31
interest from the unshifted LastDueDate | LastDueDate = "2025-03-03"; ActivationDate = null
  HolidayShift = true; HolidayCountry = "Weekdays"; InstallmentsNo = 2; BlockInstallmentNo = 1 | days: 31
interest from the shifted LastDueDate | LastDueDate = "2025-03-03"; ActivationDate = null; HolidayShift = true
  HolidayCountry = "Weekdays"; InstallmentsNo = 2; BlockInstallmentNo = 1; DeferDueDate = true | days: 29
BlockAmount in the first row
  LastDueDate = "2025-04-01"; ActivationDate = null; Amount = 700; InstallmentsNo = 3; IsLocked = true
  BlockAmount = 100 | pmt: 305.01 204.01 204.02 | interest: 7.00 4.02 2.02
BlockAmount and BlockInterestAmount in the first row
  LastDueDate = "2025-04-01"; ActivationDate = null; Amount = 700; InstallmentsNo = 3; IsLocked = true
  BlockAmount = 100; BlockInterestAmount = 5 | pmt: 310.01 204.01 204.02
BlockInterestAmount during interest grace
  LastDueDate = "2025-04-01"; ActivationDate = null; Amount = 700; InstallmentsNo = 3; IsLocked = true
  BlockInterestAmount = 4.5; GracePeriodInterest = 1 | interest: 0.00 16.19 2.36
BlockInterestAmount that grace held back
  LastDueDate = "2025-02-01"; ActivationDate = null; InstallmentsNo = 6; BlockInstallmentNo = 1; IsLocked = true
  BlockInterestAmount = 10; GracePeriodPrincipal = 3; GracePeriodInterest = 3 | totalInstallment: 0.00 0.00 370.02 340.02 340.03
BlockAmount in addition to a fixed payment | LastDueDate = "2025-04-01"; ActivationDate = null; Amount = 700
  InstallmentsNo = 3; IsLocked = true; BlockAmount = 100; installmentValue = 250 | pmt: 351.00 250.00 110.66
BlockAmount during principal grace
  LastDueDate = "2025-04-01"; ActivationDate = null; Amount = 700; InstallmentsNo = 3; IsLocked = true
  BlockAmount = 100; GracePeriodPrincipal = 1 | principal: 100.00 298.51 301.49
the contract before a recalculation | InstallmentsNo = 6 | pmt: 172.55 172.55 172.55 172.55 172.55 172.53
a recalculated payment | LastDueDate = "2025-04-01"; ActivationDate = null; InstallmentsNo = 6
  BlockInstallmentNo = 3; Amount = 507.45 | pmt: 172.54 172.54 172.55
the fixed payment of the contract | LastDueDate = "2025-04-01"; ActivationDate = null; InstallmentsNo = 6
  BlockInstallmentNo = 3; Amount = 507.45; installmentValue = 172.55 | pmt: 172.55 172.55 172.53
`,
  'prepayments of rule X3': `
a lower payment | EarlyRepayments = [{"Date":"2025-02-16","Amount":300}]
  pmt: 256.28 303.77 153.51 153.51 153.51 | interest: 10.00 3.77 2.27 3.02 1.52
  remainingValue: 1000.00 753.72 453.72 302.48 151.99 | days: 31 15 13 31 30
two prepayments before the first row
  EarlyRepayments = [{"Date":"2025-01-21","Amount":100},{"Date":"2025-01-11","Amount":100}]
  interest: 3.33 3.00 2.67 5.99 4.01 2.02
a shorter term | EarlyRepayments = [{"Date":"2025-02-16","Amount":300,"DecreaseInstallment":false}]
  pmt: 256.28 303.77 256.28 201.71
the whole balance on a due date | EarlyRepayments = [{"Date":"2025-02-01","Amount":753.72}]
  pmt: 256.28 753.72
the whole balance within a period | EarlyRepayments = [{"Date":"2025-02-16","Amount":753.72}]
  pmt: 256.28 757.49
a fixed payment that is recalculated | installmentValue = 200
  EarlyRepayments = [{"Date":"2025-02-01","Amount":300}] | pmt: 200.00 300.00 173.41 173.41 173.42
a fixed payment that is kept
  installmentValue = 200; EarlyRepayments = [{"Date":"2025-02-01","Amount":300,"DecreaseInstallment":false}]
  pmt: 200.00 300.00 200.00 200.00 119.43
a fixed payment below the interest that is kept | installmentValue = 5; AllowNegativeAmortisation = true
  EarlyRepayments = [{"Date":"2025-02-01","Amount":10,"DecreaseInstallment":false}]
  principal: -5.00 10.00 -4.95 -5.00 1004.95
a payment kept from principal grace on | GracePeriodPrincipal = 2
  EarlyRepayments = [{"Date":"2025-02-01","Amount":300,"DecreaseInstallment":false}]
  pmt: 10.00 300.00 7.00 507.51 201.48
a payment kept from the first row with a payment on | GracePeriodPrincipal = 2
  EarlyRepayments = [{"Date":"2025-03-16","Amount":300,"DecreaseInstallment":false}]
  pmt: 10.00 10.00 305.00 507.51 197.95
a payment kept before the first row
  EarlyRepayments = [{"Date":"2025-01-16","Amount":300,"DecreaseInstallment":false}]
  pmt: 305.00 256.28 256.28 197.36
a payment kept after a prepayment of one cent
  EarlyRepayments = [{"Date":"2025-01-31","Amount":0.01,"DecreaseInstallment":false}]
  pmt: 10.01 256.28 256.28 256.28 245.98
the payment of the contract in a recalculation
  LastDueDate = "2025-02-01"; BlockInstallmentNo = 1; Amount = 753.72; ActivationDate = null
  EarlyRepayments = [{"Date":"2025-02-16","Amount":300,"DecreaseInstallment":false}]
  pmt: 303.77 256.28 201.71
lower equal parts | ScheduleType = "EqualPrincipal"; EarlyRepayments = [{"Date":"2025-02-01","Amount":300}]
  principal: 250.00 300.00 150.00 150.00 150.00
equal parts that are kept | ScheduleType = "EqualPrincipal"
  EarlyRepayments = [{"Date":"2025-02-01","Amount":300,"DecreaseInstallment":false}]
  principal: 250.00 300.00 250.00 200.00
a lower residual | ResidualValue = 200; EarlyRepayments = [{"Date":"2025-05-01","Amount":100}]
  pmt: 207.02 207.02 207.02 207.04 100.00 100.00
a residual above the balance that is left | ResidualValue = 900
  EarlyRepayments = [{"Date":"2025-02-01","Amount":500}] | principal: 24.63 500.00 0.00 0.00 0.00 475.37
a residual that is repaid | ResidualValue = 200; EarlyRepayments = [{"Date":"2025-05-01","Amount":200}]
  pmt: 207.02 207.02 207.02 207.04 200.00
a prepayment above the balance | EarlyRepayments = [{"Date":"2025-02-16","Amount":760}]
  pmt: 256.28 757.49 | principal: 246.28 753.72 | overpaid: 0.00 6.28
`,
  'payments in advance of rule B7': `
the payment of CalculatePMT in advance | InterestType = 1 | pmt: 253.74 253.74 253.74 253.75
  interest: 0.00 7.46 5.00 2.51 | days: 0 31 28 31 | dates: 2025-01-01 2025-02-01 2025-03-01 2025-04-01
equal parts | InterestType = 1; ScheduleType = "EqualPrincipal" | pmt: 250.00 257.50 255.00 252.50
row 2 on FirstDueDate, the end of the first period | InterestType = 1; FirstDueDate = "2025-02-15"
  InstallmentsNo = 3 | dates: 2025-01-01 2025-02-15 2025-03-01 | interest: 0.00 9.72 1.79
a residual at the end of the term, with its interest | InterestType = 1; ResidualValue = 200
  pmt: 204.98 204.98 204.98 204.96 200.00 | interest: 0.00 7.95 5.98 3.99 1.98 | days: 0 31 28 31 30
a residual on MaturityDate | InterestType = 1; ResidualValue = 200; MaturityDate = "2025-05-16"
  dates: 2025-01-01 2025-02-01 2025-03-01 2025-04-01 2025-05-16 | pmt: 205.22 205.22 205.22 205.21 200.00
a residual in the last row | InterestType = 1; ResidualValue = 200; ResidualInInstallment = true
  pmt: 204.49 204.49 204.49 404.48
a residual after a shorter schedule | InterestType = 1; ResidualValue = 200; RealInstallmentNo = 2
  dates: 2025-01-01 2025-02-01 2025-03-01 | pmt: 204.98 604.95 200.00
a residual that a prepayment has lowered | InterestType = 1; ResidualValue = 200
  EarlyRepayments = [{"Date":"2025-04-01","Amount":100}] | pmt: 204.98 204.98 204.98 204.96 100.00 99.00
rates of 12 % and from row 3 of 24 %
  MultipleInterestRates = [{"InterestRate":12,"ToInstNo":2},{"InterestRate":24}]; InterestPercent = null
  InterestType = 1 | pmt: 253.74 253.74 257.51 257.52
a start that is a holiday | InterestType = 1; HolidayShift = true; HolidayCountry = "Weekdays"
  ActivationDate = "2025-02-01"; DeferDueDate = true; InstallmentsNo = 3
  dates: 2025-02-01 2025-03-03 2025-04-01
charges in arrears and upfront | InterestType = 1
  Commission = [{"FeeName":"A","FeePeriodicityType":"Monthly","FeeDate":"2025-01-01","SourceValue":5}]
  Insurance = [{"InsuranceName":"B","InsurancePeriodicityType":"Monthly","InsuranceDate":"2025-01-01","SourceValue":3,"IsUpfront":true}]
  managementFee: 0.00 5.00 5.00 5.00 | insurance: 3.00 3.00 3.00 3.00
a recalculation from the payment on the start | InterestType = 1; LastDueDate = "2025-01-01"; Amount = 746.26
  BlockInstallmentNo = 1; FirstDueDate = "2025-02-01"; ActivationDate = null; installmentValue = 253.74
  pmt: 253.74 253.74 253.75 | dates: 2025-02-01 2025-03-01 2025-04-01
a recalculation with a residual | InterestType = 1; LastDueDate = "2025-02-01"; Amount = 597.99
  BlockInstallmentNo = 2; FirstDueDate = "2025-02-01"; ActivationDate = null; installmentValue = 204.98
  ResidualValue = 200 | pmt: 204.98 204.96 200.00 | dates: 2025-03-01 2025-04-01 2025-05-01
`,
};

describe.each(Object.entries(EXAMPLES))('worked examples of %s', (_rules, text) => {
  it.each(readSentCases(text))('calculates $title', ({ sent, others }) => {
    const changes: Changes = typedFields(sent);
    for (const line of others) {
      const [name = ''] = line.split(': ', 1);
      expect(`${name}: ${readColumn(changes, name)}`).toBe(line);
    }
    expect(difference(loanWith(changes))).toBeUndefined();
  });
});

const ONCE = { PeriodicityType: 'Once', InstallmentsNo: 1 } as const;
const RANGES = [{ InterestRate: decimal(12), ToInstNo: 2 }, { InterestRate: decimal(24) }];

const REFUSED: readonly (readonly [title: string, Changes])[] = [
  ['a maturity before the second to last due date (D5)', { MaturityDate: date('2025-04-01') }],
  ['Once without a due date (D7)', ONCE],
  ['another number of periods (D8)', { ContractPeriod: 5 }],
  ['an unknown calendar (H2)', { HolidayShift: true, HolidayCountry: 'Nowhere' }],
  ['rows without a rate (R1)', { MultipleInterestRates: RANGES.slice(0, 1) }],
  ['a rate that reduces the balance to zero (R3)', { InterestPercent: decimal(-1200) }],
  ['grace for all rows (G2)', { GracePeriodInterest: 4 }],
  ['Balloon without a residual (B1)', { ScheduleType: 'Balloon' }],
  ['a fixed payment below the interest (B2)', { installmentValue: decimal(5) }],
  ['payments in advance of interest only (B7)', { InterestType: 1, ScheduleType: 'InterestOnly' }],
  [
    'a payment in advance of a single repayment (B7)',
    { InterestType: 1, ...ONCE, MaturityDate: date('2025-04-01') },
  ],
  ['payments in advance with grace (B7)', { InterestType: 1, GracePeriodPrincipal: 1 }],
  ['another kind of payment (B7)', { InterestType: 2 }],
  ['listed dates in advance (D9)', { DueDates: [date('2025-02-10')], InstallmentsNo: 1, InterestType: 1 }],
  ['a fixed principal with level payments (B2)', { principalValue: decimal(5) }],
];

describe('reference implementation', () => {
  it.each(REFUSED)('rejects %s like the engine', (_title, changes) => {
    expect(referenceSchedule(loanWith(changes), REFERENCE_CONTEXT).kind).toBe('refused');
    expect(difference(loanWith(changes))).toBeUndefined();
  });

  it('recalculates the payment after interest that exceeds it (S5)', () => {
    const changes = {
      ActivationDate: date('2024-12-17'),
      FirstDueDate: date('2025-02-01'),
      InterestPercent: decimal(24),
      Amount: decimal(100_000),
      InstallmentsNo: 360,
    };
    const { rows } = calculated(changes);
    expect(rows[0]).toMatchObject({ interest: 293_333, principal: 0 });
    expect(new Set(rows.slice(1, -1).map((row) => row.pmt))).toEqual(new Set([200_164]));
    expect(difference(loanWith(changes))).toBeUndefined();
  });

  it('calculates DAE and EIR of 1200 at 12 % in twelve months (A1)', () => {
    const outcome = calculated({ Amount: decimal(1200), InstallmentsNo: 12 });
    expect(referenceDae(outcome)).toBe('12.6823');
    expect(referenceEir(outcome)).toBe('12.7379');
  });

  it('calculates DAE and EIR with a payment on the start (B7)', () => {
    const outcome = calculated({ InterestType: 1 });
    expect(referenceDae(outcome)).toBe('12.6782');
    expect(referenceEir(outcome)).toBe('12.8644');
    for (const CalculateDAE of [1, undefined])
      expect(difference(loanWith({ InterestType: 1, CalculateDAE }), true)).toBeUndefined();
  });

  it('calculates DAE and EIR of half months (D10, A1)', () => {
    const PeriodicityType = 'Semimonthly';
    const outcome = calculated({ PeriodicityType });
    expect([referenceDae(outcome), referenceEir(outcome)]).toEqual(['12.7593', '12.8106']);
    for (const CalculateDAE of [1, undefined])
      expect(difference(loanWith({ PeriodicityType, CalculateDAE }), true)).toBeUndefined();
  });

  it('calculates DAE and EIR to listed dates (D9, A1, A2)', () => {
    const DueDates = ['2025-02-10', '2025-03-01', '2025-04-20', '2025-05-31'].map((day) => date(day));
    const outcome = calculated({ DueDates });
    expect([referenceDae(outcome), referenceEir(outcome)]).toEqual(['12.6986', '12.8494']);
    for (const CalculateDAE of [1, undefined])
      expect(difference(loanWith({ DueDates, CalculateDAE }), true)).toBeUndefined();
  });

  it.each([
    ['2013-01-12', '2013-02-15', { units: 1, extra: 3, yearDays: 366 }],
    ['2024-12-31', '2025-02-28', { units: 2, extra: 0 }],
    ['2025-01-30', '2025-02-28', { units: 0, extra: 29, yearDays: 366 }],
  ])('counts months from %s to %s backwards from the later day (A1)', (start, end, expected) => {
    expect(intervalOf(dayOf(start), dayOf(end), 'Months')).toMatchObject(expected);
  });
});
