/** Worked examples of `PLAT_BP_Simulate` with the example catalogue of 2026-01-15, which tests run. */

import type { Examples } from '../json/action-definition.ts';

/** Balance, payment, interest, principal, commissions, total, and insurance of offers with one. */
type Row = readonly [string, string, string, string, string, string, string?];

function scheduleText(rows: readonly Row[]): string {
  return `{"paymentSchedule":[${rows.map(rowText).join(',')}]}`;
}

function rowText(
  [balance, payment, interest, principal, fees, total, insurance]: Row,
  place: number,
): string {
  const amounts =
    `"remainingValue":${balance},"pMT":${payment},"interest":${interest},"principal":${principal},` +
    `"managementFee":${fees},"totalInstallment":${total}`;
  const further = insurance === undefined ? '' : `,"insurance":${insurance}`;
  return `{"InstallmentNo":${place},${amounts}${further}}`;
}

const PERSONAL_ROWS: readonly Row[] = [
  ['10000.00', '0.00', '0.00', '0.00', '0.00', '0.00'],
  ['10000.00', '1705.53', '66.25', '1639.28', '2.50', '1711.03', '3.00'],
  ['8360.72', '1705.53', '55.39', '1650.14', '2.50', '1710.54', '2.51'],
  ['6710.58', '1705.53', '44.46', '1661.07', '2.50', '1710.04', '2.01'],
  ['5049.51', '1705.53', '33.45', '1672.08', '2.50', '1709.54', '1.51'],
  ['3377.43', '1705.53', '22.38', '1683.15', '2.50', '1709.04', '1.01'],
  ['1694.28', '1705.50', '11.22', '1694.28', '2.50', '1708.51', '0.51'],
];

const STUDY_ROWS: readonly Row[] = [
  ['1500.00', '0.00', '0.00', '300.00', '0.00', '300.00'],
  ['1200.00', '103.00', '5.50', '97.50', '0.00', '103.00'],
  ['1102.50', '103.00', '5.05', '97.95', '0.00', '103.00'],
  ['1004.55', '103.00', '4.60', '98.40', '0.00', '103.00'],
  ['906.15', '103.00', '4.15', '98.85', '0.00', '103.00'],
  ['807.30', '103.00', '3.70', '99.30', '0.00', '103.00'],
  ['708.00', '103.00', '3.25', '99.75', '0.00', '103.00'],
  ['608.25', '103.00', '2.79', '100.21', '0.00', '103.00'],
  ['508.04', '103.00', '2.33', '100.67', '0.00', '103.00'],
  ['407.37', '103.00', '1.87', '101.13', '0.00', '103.00'],
  ['306.24', '103.00', '1.40', '101.60', '0.00', '103.00'],
  ['204.64', '103.00', '0.94', '102.06', '0.00', '103.00'],
  ['102.58', '103.05', '0.47', '102.58', '0.00', '103.05'],
];

const ANALYSIS_FEE = {
  Name: 'Analysis fee',
  Value: 85,
  Percent: null,
  BaseValue: 100,
  BasePercent: null,
  DiscountValue: 5,
  DiscountPercent: 10,
  ValueIsPercent: false,
  CurrencyId: '2e9b7d10-4c86-4f35-a1d0-000000455552',
  FeePeriodicityType: 'Once',
  FeeDate: '2026-01-15',
  FeeId: 'c341f406-bc2b-52a2-b914-bfa1f94d9919',
  IsUpfront: null,
};

export const SIMULATE_EXAMPLES: Examples = [
  {
    key: 'withCharges',
    summary: 'A personal loan with its commissions, insurance and a chosen discount',
    request: {
      productCode: 'TL-PERSONAL',
      amount: 10000,
      loanPeriod: 6,
      scheduleType: 'EqualInstallments',
      discount: [{ Name: 'Salary client' }],
      jsonFilterCommission: [
        { name: 'Amount', value: 10000 },
        { name: 'Employer', value: 7 },
      ],
    },
    reply: {
      Records: [
        {
          InterestPercent: '7.9500%',
          IRR: '8.4585%',
          FirstInstallment: 1711.03,
          FirstInsurance: 3,
          TotalInsurance: 10.55,
          FirstFee: 2.5,
          TotalFee: 15,
          Total: 10258.7,
          ScheduleJson: scheduleText(PERSONAL_ROWS),
          InterestId: 'b858417a-25c8-5bd1-959c-61ce86307fd8',
          InterestListId: 'b32ee2ca-a36c-5fc4-bb57-812de2509cc4',
          InterestCommissionItemId: 'fefc5f8f-40d8-58d8-acab-9e66fb8b91e2',
          CommissionListId: '28110e8e-cf22-5cd9-a3f7-86c767a8ef41',
          cntInterestId: 1,
          cntInterestCommissionItemId: 1,
          OutputInterestJson: JSON.stringify({
            BaseInterestPercent: 8.5,
            InterestDiscountValue: 0.55,
            InterestDiscountPercent: 0,
          }),
          OutputCommissionJson: JSON.stringify([
            ANALYSIS_FEE,
            {
              ...ANALYSIS_FEE,
              Name: 'Account administration',
              Value: 2.5,
              BaseValue: 2.5,
              DiscountValue: null,
              DiscountPercent: null,
              FeePeriodicityType: 'Monthly',
              FeeId: 'a391883b-515e-5425-ba77-054e1b90801c',
            },
          ]),
          OutputInsuranceJson: JSON.stringify([
            {
              Name: 'Life insurance',
              Value: null,
              Percent: 0.03,
              BaseValue: null,
              BasePercent: 0.03,
              DiscountValue: null,
              DiscountPercent: null,
              ValueIsPercent: true,
              CurrenctyId: '2e9b7d10-4c86-4f35-a1d0-000000455552',
              InsurancePeriodicityType: 'Monthly',
              InsuranceDate: '2026-01-15',
              InsuranceId: '9d28f6d2-4944-5826-ac2d-c009a23568a6',
              IsUpfront: null,
            },
          ]),
        },
      ],
      ReturnValue: 0,
    },
  },
  {
    key: 'byFormula',
    summary: 'A study loan with a down payment, its rate by a formula',
    request: {
      productCode: 'TL-STUDY',
      amount: 1500,
      downPayment: 300,
      loanPeriod: 12,
      scheduleType: 'EqualInstallments',
      interestType: '7c0e1f64-2b5d-4a83-9f10-6d3c8e52a104',
      jsonInputFormula: { interestInput: { ReferenceRate: 3, Score: 700 } },
    },
    reply: {
      Records: [
        {
          InterestPercent: '5.5000%',
          IRR: '5.4999%',
          FirstInstallment: 103,
          FirstInsurance: 0,
          TotalInsurance: 0,
          FirstFee: 0,
          TotalFee: 0,
          Total: 1536.05,
          ScheduleJson: scheduleText(STUDY_ROWS),
          InterestId: '7bab23ac-eb56-519f-88bf-ced8965e905e',
          InterestListId: 'e6087e1e-d60f-51f5-b695-bc3e5f4aae58',
          InterestCommissionItemId: 'b46d735d-4e1b-56ab-98ac-3e8eb2bc327c',
          CommissionListId: null,
          cntInterestId: 1,
          cntInterestCommissionItemId: 1,
          OutputInterestJson: JSON.stringify({
            BaseInterestPercent: 5.5,
            InterestDiscountValue: 0,
            InterestDiscountPercent: 0,
          }),
          OutputCommissionJson: JSON.stringify([]),
          OutputInsuranceJson: JSON.stringify([]),
        },
      ],
      ReturnValue: 0,
    },
  },
];
