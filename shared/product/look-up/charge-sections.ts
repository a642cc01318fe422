/** Insurances, discounts and questions of a product as look-ups answer them (interface section 2.2, L2). */

import { invariantDate } from './answer-dates.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { DiscountRecord, InsuranceListRecord, InsuranceRecord } from '../catalogue/list-records.ts';
import type { ProductInsuranceItem, ProductRecord } from '../catalogue/product-record.ts';
import { isActive } from '../catalogue/valid-values.ts';

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
