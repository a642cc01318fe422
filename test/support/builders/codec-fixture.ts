import { Decimal } from 'decimal.js';
import type { CalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule, ScheduleRow } from '../../../shared/lending/request/repayment-schedule.ts';
import { createProblem } from '../../../shared/platform/problem.ts';

export const REQUEST = 'CalculateRepaymentScheduleRequest';
export const REPLY = 'CalculateRepaymentScheduleReply';
export const PROBLEM = 'ProblemReply';

const day = (days: number): CalendarDate => days as CalendarDate;

export const smallRequest: RepaymentScheduleRequest = {
  ScheduleType: 'EqualInstallments',
  Amount: new Decimal('1000.5'),
  InstallmentsNo: 4,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  InterestPercent: new Decimal(12),
  ActivationDate: day(19_723),
};

export const fullRequest: RepaymentScheduleRequest = {
  ...smallRequest,
  ProductType: 'TL',
  HolidayShift: false,
  IsLocked: true,
  CalculateDAE: 0,
  UpFrontValue: new Decimal('0.000000000000000001'),
  Commission: [
    {
      SourcePercent: new Decimal('-0.00000000000000000001'),
      FeePeriodicityType: 'Monthly',
      FeeDate: day(-1),
      FeeName: 'Administration – größer als ASCII',
      IsUpfront: true,
    },
  ],
  MultipleInterestRates: [{ InterestRate: new Decimal('7.3333333333333333'), FromInstNo: 1, ToInstNo: 4 }],
  EarlyRepayments: [
    { Date: day(19_800), Amount: new Decimal('99999999999999999999'), DecreaseInstallment: false },
  ],
};

const row: ScheduleRow = {
  InstallmentNo: 1,
  dueDate: day(19_754),
  noDays: 31,
  installmentTypeId: 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01',
  remainingValue: 100_000,
  pmt: 25_628,
  interest: 1_000,
  principal: 24_628,
  managementFee: 0,
  totalInstallment: 25_628,
  isEarlyRepayment: false,
};

export const schedule: RepaymentSchedule = {
  casing: 'capitalised',
  show: 'rows-with-eir',
  currencyDigits: 2,
  scheduleTypeId: 'type-id',
  startDate: day(19_723),
  rows: [
    row,
    { ...row, InstallmentNo: 2, insurance: 0, capitalisedInterest: 9_007_199_254_740_990, overpaid: 1 },
  ],
  eir: '12.6825',
  warnings: [{ code: 'no-effect', path: 'ContractPeriod' }],
};

export const problem = createProblem('not-computable', {
  detail: 'The schedule type is not known.',
  errors: [{ path: 'jsonParam.ScheduleType', code: 'unknown-schedule-type', message: 'is not known' }],
  correlationId: 'c-1',
});
