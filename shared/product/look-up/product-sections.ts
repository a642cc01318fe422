/**
 * The sections of a product in look-up replies (interface section 2.2, L2). Parts of a record with public fields only are
 * copied; of other parts each returned field is listed.
 */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { findProductType } from '../../lending/schedule-types/product-types.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { findInsuranceItems, type CatalogueView } from '../catalogue/catalogue-view.ts';
import type {
  CommissionRecord,
  DiscountRecord,
  InsuranceRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import type { InterestCommissionItem, ProductRecord } from '../catalogue/product-record.ts';
import { isActive, isWithin, valuesOn } from '../catalogue/valid-versions.ts';

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

/** The code of the product's type if the schedule type supports it, else of the first type that it supports (S4). */
function productTypeOf({ ProductTypes }: ScheduleTypeRecord, { BankingProductType }: ProductRecord) {
  const own = findProductType(BankingProductType);
  return ProductTypes.find((name) => findProductType(name) === own) ?? ProductTypes[0] ?? null;
}

/** Availability with its filters and covenants, but without its roles (L2). */
export function availability({ Availability }: ProductRecord) {
  const { MandatoryRoles: _roles, ...bounds } = Availability;
  const ProductCovenants = bounds.ProductCovenants.map((covenant) => ({
    ...covenant,
    ValidFrom: invariantDate(covenant.ValidFrom),
    ValidTo: invariantDate(covenant.ValidTo),
  }));
  return { ...bounds, ProductCovenants };
}

/** Dimensions.InterestsAndCommissions: one entry for each item of the product, in catalogue order. */
export function interestsAndCommissions(product: ProductRecord, catalogue: CatalogueView, day: CalendarDate) {
  return product.InterestsAndCommissions.map((item) => offerOf(item, catalogue, day));
}

/** The name of a list that is not in force is null, and its items are left out. */
function offerOf(item: InterestCommissionItem, catalogue: CatalogueView, day: CalendarDate) {
  const commissions = catalogue.list('commission-list', item.CommissionList);
  const interests = catalogue.list('interest-list', item.InterestList);
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

/** A Collection interest by utilised amount has a different shape. */
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
      ...range,
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
    ),
  };
}

/** Dimensions.Insurance: the product's insurance items whose list is in force, in catalogue order. */
export function insurances(product: ProductRecord, catalogue: CatalogueView) {
  return findInsuranceItems(product, catalogue).map(({ item, list }) => ({
    Name: item.Name,
    Code: item.Code,
    StartDate: invariantDate(item.StartDate),
    EndDate: invariantDate(item.EndDate),
    InsuranceListName: list.Name,
    Insurances: list.Insurances.filter(isActive).map(insuranceOf),
  }));
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
  return product.Discounts.flatMap((code) => catalogue.list('discount-list', code)?.Discounts ?? [])
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

/** A day wrapped in an object, as in interface section 2.2. */
interface InvariantDate {
  /** `yyyy-mm-dd`. */
  readonly invariantDate: string;
}

/** Wraps a day `yyyy-mm-dd`; null for an open end. */
function invariantDate(day: string | null): InvariantDate | null {
  return day === null ? null : { invariantDate: day };
}
