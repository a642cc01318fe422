/** A small catalogue for tests of look-ups: a bare product P and lists whose members a test gives. */

import { createLendingCatalogue } from '../../shared/lending/lending-catalogue.ts';
import type { CatalogueRecord } from '../../shared/product/catalogue-records.ts';
import { viewOfRecords } from '../../shared/product/catalogue-of-records.ts';
import type { CatalogueView } from '../../shared/product/catalogue-view.ts';
import type {
  CustomListRecord,
  InsuranceListRecord,
  InterestRecord,
} from '../../shared/product/list-records.ts';
import type { ProductRecord } from '../../shared/product/product-record.ts';
import { date } from './lending-loan.ts';

export const LOOK_UP_DAY = date('2026-01-15');
const NO_CHARGES = { Status: 'Active', Version: 1 } as const;

const BARE: ProductRecord = {
  Code: 'P',
  Version: 1,
  Id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  Status: 'Approved',
  Name: 'Product',
  StartDate: null,
  EndDate: null,
  BankingProductType: 'TL',
  Display: { ProductImage: null, Benefits: null, DisplayConditions: null, NoOfDebtor: null },
  GeneralData: {
    BankAccountType: null,
    IsRevolving: false,
    AutoDisbursement: false,
    MaxNoDisbursements: null,
    ActivationTranchesOnDocumentSubmission: false,
    IsGuaranteed: false,
    AllowCollateralPartialRelease: null,
    AllowCoDebtor: false,
    AllowRefinancing: false,
    MaxNoOfCodebtors: null,
    PeriodicityType: 'Monthly',
    RepaymentAllocationMethod: null,
    HolidayShiftForRepaymentInstallments: false,
    HolidayShiftMethod: null,
    DeferDueDate: false,
    GraceType: null,
    ProductGrace: null,
    GraceDaysForRepayment: null,
    PenaltyForGracePeriod: false,
  },
  CountryCalendars: [],
  PaymentScheduleTypes: ['EqualInstallments'],
  Guarantees: [],
  DestinationTypes: [],
  DisbursementMatrix: [],
  AssociatedProducts: [],
  Availability: {
    Currency: 'EUR',
    PeriodType: 'Months',
    MaxPeriodForDisbursement: null,
    MinimumPeriod: null,
    MaximumPeriod: null,
    MinimumEarlyRepaymentValue: null,
    MinimumAmount: null,
    MaximumAmount: null,
    UnusageStartPeriod: null,
    MinimumAdvance: null,
    MaximumAdvance: null,
    AvailabilityItemFilters: [],
    ProductCovenants: [],
    MandatoryRoles: [],
  },
  InterestsAndCommissions: [],
  Insurances: [],
  Discounts: [],
  Questions: [],
  Documents: [],
};

/** The bare product with changes. */
export const product = (changes: Partial<ProductRecord>): ProductRecord => ({ ...BARE, ...changes });

/** An Active Fixed interest without values, with changes; its code is its name. */
export const interest = (changes: Partial<InterestRecord> & { readonly Name: string }): InterestRecord => ({
  Id: '0f8fad5b-d9cb-469f-a165-708677289502',
  Code: changes.Name,
  Status: 'Active',
  Type: 'Fixed',
  Description: null,
  AppliedToLoanItemIfOverdue: null,
  IsDefault: false,
  UseBankingFormula: false,
  IsPenalty: false,
  IsGeneral: false,
  IsForSightDeposit: false,
  IsForOverdraft: false,
  IsCreditLine: false,
  IsDebitOrder: false,
  Values: [],
  CollectionInterests: [],
  BandedInterests: [],
  Formula: null,
  ...changes,
});

/** An insurance list without insurances, Active unless changed. */
export const insurances = (changes: Partial<InsuranceListRecord> = {}): InsuranceListRecord => ({
  ...NO_CHARGES,
  Code: 'INS',
  Id: '0f8fad5b-d9cb-469f-a165-708677289503',
  Name: 'Insurances',
  Insurances: [],
  ...changes,
});

/** The catalogue of these products, of one interest list I, and of other lists; nothing of it is checked. */
export function catalogueOf(
  products: readonly ProductRecord[],
  interests: readonly InterestRecord[] = [],
  others: readonly CatalogueRecord[] = [],
): CatalogueView {
  const lending = createLendingCatalogue({});
  if (lending.kind !== 'catalogue') throw new Error(JSON.stringify(lending.faults));
  const list = {
    ...NO_CHARGES,
    Code: 'I',
    Id: '0f8fad5b-d9cb-469f-a165-708677289504',
    Name: 'Interests',
    Interests: interests,
  };
  const records: readonly CatalogueRecord[] = [
    ...products.map((record) => ({ kind: 'product', source: 'test', record }) as const),
    { kind: 'interest-list', source: 'test', record: list },
    ...others,
  ];
  return viewOfRecords(records, lending.catalogue);
}

/** Lists as records of a catalogue. */
export const insuranceRecord = (record: InsuranceListRecord): CatalogueRecord => ({
  kind: 'insurance-list',
  source: 'test',
  record,
});
export const customRecord = (record: CustomListRecord): CatalogueRecord => ({
  kind: 'custom-list',
  source: 'test',
  record,
});
