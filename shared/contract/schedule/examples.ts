/** Worked examples of `PLAT_BP_CalculateRepaymentSchedule`: 100 at 7 % in 6 months; a test keeps them true. */

import type { Examples } from '../json/action.ts';

const TERMS = {
  ScheduleType: 'EqualInstallments',
  ProductType: 'TL',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  ActivationDate: '2024-01-01',
};

const REGULAR = 'a2c9e5d0-6b1f-4c38-9d47-1e0b5f7a3c01';
const EQUAL_INSTALLMENTS = '5d1f0c3e-8a42-4b7e-9c60-2f6d4e81b101';
const EIR = 7.2444;
const DAE = 7.2239;

/** Due date, days, remaining principal, payment, interest and principal of each installment. */
const FIGURES = [
  ['2024-02-01', 31, 100, 17.01, 0.58, 16.43],
  ['2024-03-01', 29, 83.57, 17.01, 0.49, 16.52],
  ['2024-04-01', 31, 67.05, 17.01, 0.39, 16.62],
  ['2024-05-01', 30, 50.43, 17.01, 0.29, 16.72],
  ['2024-06-01', 31, 33.71, 17.01, 0.2, 16.81],
  ['2024-07-01', 30, 16.9, 17, 0.1, 16.9],
] as const;

const capitalisedReply = FIGURES.map(([date, days, remaining, payment, interest, principal], index) => ({
  InstallmentNo: index + 1,
  DueDate: `${date}T00:00:00Z`,
  NoDays: days,
  InstallmentTypeId: REGULAR,
  RemainingValue: remaining,
  PMT: payment,
  Interest: interest,
  Principal: principal,
  ManagementFee: 0,
  TotalInstallment: payment,
  EIR,
  ScheduleTypeId: EQUAL_INSTALLMENTS,
  IsEarlyRepayment: 'false',
}));

const lowerCaseReply = FIGURES.map(([date, days, remaining, payment, interest, principal], index) => ({
  InstallmentNo: index + 1,
  DueDate: `${date}T00:00:00`,
  NoDays: days,
  InstallmentTypeId: REGULAR,
  remainingValue: remaining,
  pMT: payment,
  interest,
  principal,
  managementFee: 0,
  totalInstallment: payment,
  dae: DAE,
  ScheduleTypeId: EQUAL_INSTALLMENTS,
  isEarlyRepayment: 'false',
}));

/** The main example first. */
export const REPAYMENT_SCHEDULE_EXAMPLES: Examples = [
  {
    key: 'capitalised',
    summary: '100 at 7 % in 6 equal monthly installments',
    request: { jsonParam: TERMS },
    reply: capitalisedReply,
  },
  {
    key: 'lowerCaseWithDae',
    summary: 'The same with the effective annual rate (CalculateDAE 2)',
    request: { jsonParam: { ...TERMS, CalculateDAE: 2 } },
    reply: lowerCaseReply,
  },
  {
    key: 'daeAlone',
    summary: 'The effective annual rate alone (CalculateDAE 1)',
    request: { jsonParam: { ...TERMS, CalculateDAE: 1 } },
    reply: [{ dae: DAE }],
  },
];
