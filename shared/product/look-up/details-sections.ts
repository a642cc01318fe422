/** The sections of a product's details as look-ups answer them (interface section 2.2). */

import { findProductType } from '../../lending/schedule-types/product-types.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';

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
