/** Worked examples of `PLAT_BP_CalculateRepaymentSchedule`, which tests run: 100 at 7 % in 6 months. */

import type { Casing } from '../../lending/request/repayment-schedule.ts';
import type { Examples } from '../json/action-definition.ts';
import { spelled } from './render-schedule.ts';

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

const reply = (casing: Casing) =>
  FIGURES.map(([date, days, remaining, payment, interest, principal], index) => ({
    InstallmentNo: index + 1,
    DueDate: casing === 'lower' ? `${date}T00:00:00` : `${date}T00:00:00Z`,
    NoDays: days,
    InstallmentTypeId: REGULAR,
    [spelled('remainingValue', casing)]: remaining,
    [spelled('pMT', casing)]: payment,
    [spelled('interest', casing)]: interest,
    [spelled('principal', casing)]: principal,
    [spelled('managementFee', casing)]: 0,
    [spelled('totalInstallment', casing)]: payment,
    ...(casing === 'lower' ? { dae: DAE } : { EIR }),
    ScheduleTypeId: EQUAL_INSTALLMENTS,
    [spelled('isEarlyRepayment', casing)]: 'false',
  }));

export const REPAYMENT_SCHEDULE_EXAMPLES: Examples = [
  {
    key: 'capitalised',
    summary: '100 at 7 % in 6 equal monthly installments',
    request: { jsonParam: TERMS },
    reply: reply('capitalised'),
  },
  {
    key: 'lowerCaseWithDae',
    summary: 'The same with the annual percentage rate of charge (CalculateDAE 2)',
    request: { jsonParam: { ...TERMS, CalculateDAE: 2 } },
    reply: reply('lower'),
  },
  {
    key: 'daeAlone',
    summary: 'The annual percentage rate of charge alone (CalculateDAE 1)',
    request: { jsonParam: { ...TERMS, CalculateDAE: 1 } },
    reply: [{ dae: DAE }],
  },
];
