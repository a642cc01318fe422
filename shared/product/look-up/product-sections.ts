/** The sections of a product's details as look-ups answer them (interface section 2.2). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { findProductType } from '../../lending/schedule-types/product-types.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type {
  CommissionRecord,
  DiscountRecord,
  InsuranceListRecord,
  InsuranceRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import type {
  InterestCommissionItem,
  ProductInsuranceItem,
  ProductRecord,
} from '../catalogue/product-record.ts';
import { isActive, isWithin, valuesOn } from '../catalogue/validity.ts';

/** Details.GeneralData. */
export function generalData({ GeneralData: data }: ProductRecord) {
  return {
    BankAccountType: data.BankAccountType,
    IsRevolving: data.IsRevolving,
    AutoDisbursement: data.AutoDisbursement,
    MaxNoDisbursements: data.MaxNoDisbursements,
    ActivationTranchesOnDocumentSubmission: data.ActivationTranchesOnDocumentSubmission,
    IsGuaranteed: data.IsGuaranteed,
    AllowCollateralPartialRelease: data.AllowCollateralPartialRelease,
    AllowCoDebtor: data.AllowCoDebtor,
    AllowRefinancing: data.AllowRefinancing,
    MaxNoOfCodebtors: data.MaxNoOfCodebtors,
    PeriodicityType: data.PeriodicityType,
    RepaymentAllocationMethod: data.RepaymentAllocationMethod,
    HolidayShiftForRepaymentInstallments: data.HolidayShiftForRepaymentInstallments,
    HolidayShiftMethod: data.HolidayShiftMethod,
    DeferDueDate: data.DeferDueDate,
    GraceType: data.GraceType,
    ProductGrace: data.ProductGrace,
    GraceDaysForRepayment: data.GraceDaysForRepayment,
    PenaltyForGracePeriod: data.PenaltyForGracePeriod,
  };
}

/** Details.CountryCalendars. */
export function countryCalendars({ CountryCalendars }: ProductRecord) {
  return CountryCalendars.map((name) => ({ CountryName: name }));
}

/** Details.AssociatedPaymentScheduleTypes: the Active schedule types of the product, its default first (S1). */
export function paymentScheduleTypes(product: ProductRecord, { lending }: CatalogueView) {
  return product.PaymentScheduleTypes.flatMap((name) => {
    const id = lending.findScheduleType(name)?.type.id;
    const record = lending.scheduleTypeRecords.find((type) => type.PaymentScheduleTypeId === id);
    return record === undefined ? [] : [scheduleTypeOf(record, product)];
  });
}

function scheduleTypeOf(type: ScheduleTypeRecord, product: ProductRecord) {
  return {
    PaymentScheduleTypeId: type.PaymentScheduleTypeId,
    PaymentScheduleTypeName: type.PaymentScheduleTypeName,
    PaymentScheduleCode: type.PaymentScheduleCode,
    ProductType: productTypeOf(type, product),
    ScheduleInterestCalculationType: type.ScheduleInterestCalculationType,
    IsWithEqualInstallments: type.IsWithEqualInstallments,
    InstallmentValueCustom: type.InstallmentValueCustom,
    UseMaturityDate: type.UseMaturityDate,
    MeasurementUnit: type.MeasurementUnit ?? null,
    PaymentScheduleTypeDetails: type.PaymentScheduleTypeDetails.map((column) => ({
      PaymentScheduleTypeDetailId: column.PaymentScheduleTypeDetailId,
      ColumnRepaymentSchedule: column.ColumnRepaymentSchedule,
      CalculationMethod: column.CalculationMethod,
      Fee: column.Fee ?? null,
      InsuranceClass: column.InsuranceClass ?? null,
      Source: column.Source ?? null,
      Display: column.Display ?? true,
    })),
  };
}

/** Of the product types that a schedule type is made for the product's own, by its code; else the first of them (S4). */
function productTypeOf({ ProductTypes }: ScheduleTypeRecord, { BankingProductType }: ProductRecord) {
  const own = findProductType(BankingProductType);
  return ProductTypes.find((name) => findProductType(name) === own) ?? ProductTypes[0] ?? null;
}

/** Details.ProductGuarantees. */
export function productGuarantees({ Guarantees }: ProductRecord) {
  return Guarantees.map((guarantee) => ({
    ProductGuaranteeName: guarantee.ProductGuaranteeName,
    GuaranteeType: guarantee.GuaranteeType,
    MaxAcceptedCoveringPercent: guarantee.MaxAcceptedCoveringPercent,
  }));
}

/** Details.ProductDestinationTypes. */
export function productDestinationTypes({ DestinationTypes }: ProductRecord) {
  return DestinationTypes.map((destination) => ({
    ProductDestinationTypeName: destination.ProductDestinationTypeName,
    IsDefault: destination.IsDefault,
  }));
}

/** Details.DisbursementMatrix. */
export function disbursementMatrix({ DisbursementMatrix }: ProductRecord) {
  return DisbursementMatrix.map((tranche) => ({
    Name: tranche.Name,
    TranchePercent: tranche.TranchePercent,
    InterestPercent: tranche.InterestPercent,
    StartMonthFromActivation: tranche.StartMonthFromActivation,
    UnusageCommissionPercent: tranche.UnusageCommissionPercent,
  }));
}

/** Details.AssociatedProducts. */
export function associatedProducts({ AssociatedProducts }: ProductRecord) {
  return AssociatedProducts.map((product) => ({
    AssociatedProductName: product.AssociatedProductName,
    AssociatedProductCode: product.AssociatedProductCode,
  }));
}

/** Availability with its filters and covenants, but without its roles (L2). */
export function availability({ Availability: product }: ProductRecord) {
  return {
    Currency: product.Currency,
    PeriodType: product.PeriodType,
    MaxPeriodForDisbursement: product.MaxPeriodForDisbursement,
    MinimumPeriod: product.MinimumPeriod,
    MaximumPeriod: product.MaximumPeriod,
    MinimumEarlyRepaymentValue: product.MinimumEarlyRepaymentValue,
    MinimumAmount: product.MinimumAmount,
    MaximumAmount: product.MaximumAmount,
    UnusageStartPeriod: product.UnusageStartPeriod,
    MinimumAdvance: product.MinimumAdvance,
    MaximumAdvance: product.MaximumAdvance,
    AvailabilityItemFilters: product.AvailabilityItemFilters.map((filter) => ({
      Filter: filter.Filter,
      FilterScope: filter.FilterScope,
      FilterType: filter.FilterType,
      Description: filter.Description,
    })),
    ProductCovenants: product.ProductCovenants.map((covenant) => ({
      Name: covenant.Name,
      Type: covenant.Type,
      Value: covenant.Value,
      ValidFrom: invariantDate(covenant.ValidFrom),
      ValidTo: invariantDate(covenant.ValidTo),
      ReviewFrequencyMonths: covenant.ReviewFrequencyMonths,
    })),
  };
}

/** Availability.MandatoryRoles. */
export function mandatoryRoles({ Availability }: ProductRecord) {
  return Availability.MandatoryRoles.map((role) => ({ Name: role.Name, SearchLimit: role.SearchLimit }));
}

/** Dimensions.InterestsAndCommissions: one entry for each item of the product, in catalogue order. */
export function interestsAndCommissions(product: ProductRecord, catalogue: CatalogueView, day: CalendarDate) {
  return product.InterestsAndCommissions.map((item) => offerOf(item, catalogue, day));
}

/** A list that is not in force counts as none: its name is null and nothing of it is answered. */
function offerOf(item: InterestCommissionItem, catalogue: CatalogueView, day: CalendarDate) {
  const commissions =
    item.CommissionList === null ? undefined : catalogue.commissionList(item.CommissionList);
  const interests = item.InterestList === null ? undefined : catalogue.interestList(item.InterestList);
  return {
    InterestCommissionItemName: item.Name,
    CommissionListName: commissions?.Name ?? null,
    InterestListName: interests?.Name ?? null,
    Commissions: (commissions?.Commissions ?? [])
      .filter(isActive)
      .map((commission) => commissionOf(commission, day)),
    Interests: (interests?.Interests ?? []).filter(isActive).map((interest) => interestOf(interest, day)),
  };
}

function commissionOf(commission: CommissionRecord, day: CalendarDate) {
  return {
    Name: commission.Name,
    Type: commission.Type,
    PeriodicityType: commission.PeriodicityType,
    Currency: commission.Currency,
    Status: commission.Status,
    IsForUnusage: commission.IsForUnusage,
    ValueIsPercent: commission.ValueIsPercent,
    IncludedInRepaymentSchedule: commission.IncludedInRepaymentSchedule,
    AutomaticLoadOnContract: commission.AutomaticLoadOnContract,
    MandatoryForApplicant: commission.MandatoryForApplicant,
    UseBankingFormula: commission.UseBankingFormula,
    IsForContractVersion: commission.IsForContractVersion,
    PercentAppliedTo: commission.PercentAppliedTo,
    Percent: commission.Percent,
    Values: valuesOn(commission.Values, day).map((value) => ({
      CommissionValue: value.CommissionValue,
      CommissionPercent: value.CommissionPercent,
      Status: value.Status,
      ValueValidFrom: invariantDate(value.ValidFrom),
      ValueValidTo: invariantDate(value.ValidTo),
    })),
  };
}

/** A Collection interest by utilised amount has a shape of its own. */
function interestOf(interest: InterestRecord, day: CalendarDate) {
  const isBanded = interest.Type === 'Collection' && interest.BandedInterests.length > 0;
  return isBanded ? bandedInterest(interest, day) : standardInterest(interest, day);
}

function standardInterest(interest: InterestRecord, day: CalendarDate) {
  return {
    Name: interest.Name,
    Code: interest.Code,
    AppliedToLoanItemIfOverdue: interest.AppliedToLoanItemIfOverdue,
    Description: interest.Description,
    IsDefault: interest.IsDefault,
    UseBankingFormula: interest.UseBankingFormula,
    IsPenalty: interest.IsPenalty,
    IsGeneral: interest.IsGeneral,
    IsForSightDeposit: interest.IsForSightDeposit,
    IsForOverdraft: interest.IsForOverdraft,
    IsCreditLine: interest.IsCreditLine,
    IsDebitOrder: interest.IsDebitOrder,
    Type: interest.Type,
    Values: valuesOn(interest.Values, day).map((value) => ({
      Value: value.Value,
      ValueStatus: value.ValueStatus,
      ValueValidFrom: invariantDate(value.ValidFrom),
      ValueValidTo: invariantDate(value.ValidTo),
    })),
    CollectionInterests: interest.CollectionInterests.filter((range) =>
      isWithin(day, range.InterestStartDate, range.InterestEndDate),
    ).map((range) => ({
      InterestName: range.InterestName,
      InterestStartPeriod: range.InterestStartPeriod,
      InterestEndPeriod: range.InterestEndPeriod,
      InterestStartDate: invariantDate(range.InterestStartDate),
      InterestEndDate: invariantDate(range.InterestEndDate),
    })),
  };
}

function bandedInterest(interest: InterestRecord, day: CalendarDate) {
  return {
    InterestName: interest.Name,
    InterestCode: interest.Code,
    InterestType: interest.Type,
    IsForOverdraft: interest.IsForOverdraft,
    BandedInterests: interest.BandedInterests.filter((band) =>
      isWithin(day, band.CollectionValidFrom, band.CollectionValidTo),
    ).map((band) => ({
      InterestName: band.InterestName,
      MinUtilizedAmount: band.MinUtilizedAmount,
      MaxUtilizedAmount: band.MaxUtilizedAmount,
      IsForOverdraft: band.IsForOverdraft,
      CollectionValidFrom: band.CollectionValidFrom,
      CollectionValidTo: band.CollectionValidTo,
      Value: band.Value,
      ValueMessage: band.ValueMessage,
    })),
  };
}

/** Dimensions.Insurance: the product's insurance items whose list is in force, in catalogue order. */
export function insurances(product: ProductRecord, catalogue: CatalogueView) {
  return offeredInsurances(product, catalogue).map(({ item, list }) => ({
    Name: item.Name,
    Code: item.Code,
    StartDate: invariantDate(item.StartDate),
    EndDate: invariantDate(item.EndDate),
    InsuranceListName: list.Name,
    Insurances: list.Insurances.filter(isActive).map(insuranceOf),
  }));
}

/** An insurance item of a product with its list. */
export interface OfferedInsurance {
  readonly item: ProductInsuranceItem;
  readonly list: InsuranceListRecord;
}

/** The insurance items of a product with their lists; one whose list is not in force is not Active (L2). */
export function offeredInsurances(
  { Insurances }: ProductRecord,
  catalogue: CatalogueView,
): readonly OfferedInsurance[] {
  return Insurances.flatMap((item) => {
    const list = catalogue.insuranceList(item.InsuranceList);
    return list === undefined ? [] : [{ item, list }];
  });
}

function insuranceOf(insurance: InsuranceRecord) {
  return {
    InsuranceCode: insurance.InsuranceCode,
    InsuranceName: insurance.InsuranceName,
    PeriodicityType: insurance.PeriodicityType,
    Currency: insurance.Currency,
    Insurer: insurance.Insurer,
    OperationItem: insurance.OperationItem,
    Class: insurance.Class,
    Description: insurance.Description,
    BankingFormulaType: insurance.BankingFormulaType,
    IsMandatoryForApplicant: insurance.IsMandatoryForApplicant,
    IsMandatoryForDebtor: insurance.IsMandatoryForDebtor,
    IncludedIntoRepaymentScheduleInstallment: insurance.IncludedIntoRepaymentScheduleInstallment,
    UseBankingFormula: insurance.UseBankingFormula,
    ValueIsPercentage: insurance.ValueIsPercentage,
  };
}

/** Dimensions.Discounts: the Active discounts of the product's lists, list by list. */
export function discounts(product: ProductRecord, catalogue: CatalogueView) {
  return product.Discounts.flatMap((code) => catalogue.discountList(code)?.Discounts ?? [])
    .filter(isActive)
    .map(discountOf);
}

function discountOf(discount: DiscountRecord) {
  return {
    Name: discount.Name,
    Discount: discount.Discount,
    AppliedToDimension: discount.AppliedToDimension,
    CommissionType: discount.CommissionType,
    Commission: discount.Commission,
    InterestType: discount.InterestType,
    InsuranceClass: discount.InsuranceClass,
    Insurance: discount.Insurance,
    BankingFormulaType: discount.BankingFormulaType,
    DestinationEntity: discount.DestinationEntity,
    DestinationEntityAttribute: discount.DestinationEntityAttribute,
    DiscountValue: discount.DiscountValue,
    StartDate: invariantDate(discount.StartDate),
    EndDate: invariantDate(discount.EndDate),
    UseBankingFormula: discount.UseBankingFormula,
    IsOptionalDiscount: discount.IsOptionalDiscount,
    IsPercentage: discount.IsPercentage,
  };
}

/** Dimensions.Questions. */
export function questions({ Questions }: ProductRecord) {
  return Questions.map((question) => ({
    Name: question.Name,
    QuestionType: question.QuestionType,
    AnswerEntity: question.AnswerEntity,
    AnswerField: question.AnswerField,
    IsForSolicitant: question.IsForSolicitant,
    IsForCoborrower: question.IsForCoborrower,
  }));
}

/** A day in an object of its own, as interface section 2.2 has it. */
export interface InvariantDate {
  /** `yyyy-mm-dd`. */
  readonly invariantDate: string;
}

/** A day `yyyy-mm-dd` in its object; null for an open end. */
export function invariantDate(day: string | null): InvariantDate | null {
  return day === null ? null : { invariantDate: day };
}

/** A day `yyyy-mm-dd` as a text date-time without a zone; null for an open end. */
export function dateTimeText(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00`;
}
