/** Worked examples of `plat_bp_getbankingproductbycode` with the example catalogue of 2026-01-15, which tests run. */

import type { Examples } from '../json/action-definition.ts';

const PERSONAL_LOAN = {
  BankingProductCode: 'TL-PERSONAL',
  Name: 'Personal loan',
  StartDate: '2024-01-01T00:00:00',
  EndDate: null,
  BankingProductType: 'TL',
};

const LINE_FEE_VALUE = {
  CommissionValue: 30,
  CommissionPercent: null,
  Status: 'Active',
  ValueValidFrom: { invariantDate: '2020-01-01' },
  ValueValidTo: null,
};

const LINE_FEE = {
  Name: 'Line fee',
  Type: 'Administration',
  PeriodicityType: 'Annual',
  Currency: 'EUR',
  Status: 'Active',
  IsForUnusage: false,
  ValueIsPercent: false,
  IncludedInRepaymentSchedule: true,
  AutomaticLoadOnContract: true,
  MandatoryForApplicant: true,
  UseBankingFormula: false,
  IsForContractVersion: false,
  PercentAppliedTo: null,
  Percent: null,
  Values: [LINE_FEE_VALUE],
};

const BAND_TO_1000 = {
  InterestName: 'Overdraft to 1000',
  MinUtilizedAmount: 0,
  MaxUtilizedAmount: 999.99,
  IsForOverdraft: true,
  CollectionValidFrom: '2020-01-01',
  CollectionValidTo: null,
  Value: 10,
  ValueMessage: 'Up to 999.99 utilised',
};

export const PRODUCT_BY_CODE_EXAMPLES: Examples = [
  {
    key: 'availability',
    summary: 'The bounds of a personal loan and who has to take part',
    request: {
      BankingProductCode: 'TL-PERSONAL',
      displayBPAvailability: true,
      displayMandatoryRoles: true,
    },
    reply: {
      BankingProduct: PERSONAL_LOAN,
      Availability: {
        Currency: 'EUR',
        PeriodType: 'Months',
        MaxPeriodForDisbursement: 3,
        MinimumPeriod: 6,
        MaximumPeriod: 84,
        MinimumEarlyRepaymentValue: 100,
        MinimumAmount: 500,
        MaximumAmount: 30000,
        UnusageStartPeriod: null,
        MinimumAdvance: null,
        MaximumAdvance: null,
        AvailabilityItemFilters: [
          {
            Filter: 'Age from 18 to 70 at the end of the term',
            FilterScope: 'Applicant',
            FilterType: 'Range',
            Description: 'Checked when the application is made.',
          },
        ],
        ProductCovenants: [],
        MandatoryRoles: [
          { Name: 'Applicant', SearchLimit: true },
          { Name: 'Codebtor', SearchLimit: false },
        ],
      },
    },
  },
  {
    key: 'interests',
    summary: 'The interests of an overdraft, by used amount, and its commissions',
    request: {
      BankingProductCode: 'od-current',
      displayInterestsAndCommissions: true,
    },
    reply: {
      BankingProduct: {
        BankingProductCode: 'OD-CURRENT',
        Name: 'Current account overdraft',
        StartDate: '2020-01-01T00:00:00',
        EndDate: null,
        BankingProductType: 'OD',
      },
      Dimensions: {
        InterestsAndCommissions: [
          {
            InterestCommissionItemName: 'Overdraft',
            CommissionListName: 'Overdraft commissions',
            InterestListName: 'Overdraft interests',
            Commissions: [
              LINE_FEE,
              {
                ...LINE_FEE,
                Name: 'Unused line',
                Type: 'Unusage',
                PeriodicityType: 'Monthly',
                IsForUnusage: true,
                ValueIsPercent: true,
                Values: [{ ...LINE_FEE_VALUE, CommissionValue: null, CommissionPercent: 0.5 }],
              },
            ],
            Interests: [
              {
                InterestName: 'Overdraft by utilised amount',
                InterestCode: 'OVD-BAND',
                InterestType: 'Collection',
                IsForOverdraft: true,
                BandedInterests: [
                  BAND_TO_1000,
                  {
                    ...BAND_TO_1000,
                    InterestName: 'Overdraft from 1000',
                    MinUtilizedAmount: 1000,
                    MaxUtilizedAmount: null,
                    Value: 8,
                    ValueMessage: 'From 1000 utilised',
                  },
                ],
              },
            ],
          },
        ],
      },
    },
  },
  {
    key: 'emptyContainer',
    summary: 'Only the container of the dimensions',
    request: { BankingProductCode: 'TL-PERSONAL', displayBPDimensions: true },
    reply: {
      BankingProduct: PERSONAL_LOAN,
      Dimensions: {},
    },
  },
];
