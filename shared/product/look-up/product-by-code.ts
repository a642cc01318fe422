/** Looks up a product (interface 2.2 and 4.2, L1, L2). Parts whose fields are all public are answered as stored. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { findProductType } from '../../lending/schedule-types/schedule-type.ts';
import type { ScheduleTypeRecord } from '../../lending/schedule-types/schedule-type-record.ts';
import { findInsuranceItems, type CatalogueView } from '../catalogue/catalogue-view.ts';
import {
  collectionInterest,
  commission,
  discount,
  insurance,
  answeredInterest,
  type CommissionRecord,
  type InterestRecord,
} from '../catalogue/list-records.ts';
import { isProduct, resolveDay, selectProduct, type LookUp, type LookUpContext } from './product-look-ups.ts';
import {
  covenant,
  insuranceItem,
  type InterestCommissionItem,
  type ProductRecord,
} from '../catalogue/product-record.ts';
import { answerOf, toInvariantDate, type ValidDays } from '../catalogue/record-kinds.ts';
import { isActive, isWithin, valuesOn } from '../catalogue/version-in-force.ts';

export const SECTION_FLAGS = [
  'displayBPAvailability',
  'displayBPDetails',
  'displayBPDimensions',
  'displayInterestsAndCommissions',
  'displayInsurance',
  'displayDiscounts',
  'displayQuestions',
  'displayCountryCalendars',
  'displayPaymentScheduleTypes',
  'displayProductGuarantees',
  'displayProductDestinationTypes',
  'displayDisbursementMatrix',
  'displayAssociatedProducts',
  'displayMandatoryRoles',
] as const;

/** The requested sections; an absent flag counts as false. */
export type SectionFlags = { readonly [Flag in (typeof SECTION_FLAGS)[number]]?: boolean | undefined };

export interface ProductByCodeRequest extends SectionFlags {
  readonly BankingProductCode: string;
  /** Extension: the day for which product and values are returned. @default the day of the request */
  readonly Date?: CalendarDate | undefined;
}

export function lookUpProduct(request: ProductByCodeRequest, context: LookUpContext) {
  const { catalogue } = context;
  const day = resolveDay(request, context);
  const selector = { code: { field: 'BankingProductCode', value: request.BankingProductCode } };
  const product = selectProduct(selector, catalogue, day);
  if (!isProduct(product)) return product;
  const answer = {
    BankingProduct: {
      BankingProductCode: product.Code,
      Name: product.Name,
      StartDate: formatDateTime(product.StartDate),
      EndDate: formatDateTime(product.EndDate),
      BankingProductType: product.BankingProductType,
    },
    ...selectDetails(product, request, catalogue),
    ...selectAvailability(product, request),
    ...selectDimensions(product, request, { catalogue, day }),
  };
  return { kind: 'found', answer, warnings: [] } as const satisfies LookUp<object>;
}

const describeCharge = answerOf(commission);
const describeCovenant = answerOf(covenant);
const describeDiscount = answerOf(discount);
const describeInsurance = answerOf(insurance);
const describeItem = answerOf(insuranceItem);
const describeRange = answerOf(collectionInterest);
const describeInterestFields = answerOf(answeredInterest);

/** A container is present only if one of its sections is. */
function contain(name: string, sections: object): Readonly<Record<string, object>> {
  return Object.keys(sections).length === 0 ? {} : { [name]: sections };
}

function selectDetails(product: ProductRecord, flags: SectionFlags, catalogue: CatalogueView) {
  return contain('Details', {
    ...(flags.displayBPDetails === true && { GeneralData: product.GeneralData }),
    ...(flags.displayCountryCalendars === true && {
      CountryCalendars: product.CountryCalendars.map((CountryName) => ({ CountryName })),
    }),
    ...(flags.displayPaymentScheduleTypes === true && {
      AssociatedPaymentScheduleTypes: listScheduleTypes(product, catalogue),
    }),
    ...(flags.displayProductGuarantees === true && { ProductGuarantees: product.Guarantees }),
    ...(flags.displayProductDestinationTypes === true && {
      ProductDestinationTypes: product.DestinationTypes,
    }),
    ...(flags.displayDisbursementMatrix === true && { DisbursementMatrix: product.DisbursementMatrix }),
    ...(flags.displayAssociatedProducts === true && { AssociatedProducts: product.AssociatedProducts }),
  });
}

/** Availability includes its filters and covenants, but its roles are a section of their own (L2). */
function selectAvailability({ Availability }: ProductRecord, flags: SectionFlags) {
  const { MandatoryRoles, ...bounds } = Availability;
  const ProductCovenants = bounds.ProductCovenants.map(describeCovenant);
  return contain('Availability', {
    ...(flags.displayBPAvailability === true && { ...bounds, ProductCovenants }),
    ...(flags.displayMandatoryRoles === true && { MandatoryRoles }),
  });
}

/** Dimensions has no fields besides its sections: displayBPDimensions alone returns an empty object (L2). */
function selectDimensions(
  product: ProductRecord,
  flags: SectionFlags,
  { catalogue, day }: { readonly catalogue: CatalogueView; readonly day: CalendarDate },
) {
  const sections = contain('Dimensions', {
    ...(flags.displayInterestsAndCommissions === true && {
      InterestsAndCommissions: product.InterestsAndCommissions.map((item) =>
        describeOffer(item, catalogue, day),
      ),
    }),
    ...(flags.displayInsurance === true && { Insurance: listInsurances(product, catalogue) }),
    ...(flags.displayDiscounts === true && { Discounts: listDiscounts(product, catalogue) }),
    ...(flags.displayQuestions === true && { Questions: product.Questions }),
  });
  return flags.displayBPDimensions === true ? { Dimensions: {}, ...sections } : sections;
}

export function formatDateTime(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00`;
}

/** Answers the Active schedule types of the product, its default first (S1). */
function listScheduleTypes(product: ProductRecord, { lending }: CatalogueView) {
  return product.PaymentScheduleTypes.flatMap((name) => {
    const id = lending.findScheduleType(name)?.type.id;
    const record = lending.scheduleTypeRecords.find((type) => type.PaymentScheduleTypeId === id);
    return record === undefined ? [] : [describeScheduleType(record, product)];
  });
}

function describeScheduleType(type: ScheduleTypeRecord, product: ProductRecord) {
  return {
    PaymentScheduleTypeId: type.PaymentScheduleTypeId,
    PaymentScheduleTypeName: type.PaymentScheduleTypeName,
    PaymentScheduleCode: type.PaymentScheduleCode,
    ProductType: selectProductType(type, product),
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

/** The product's type if the schedule type supports it, otherwise the first that the schedule type supports (S4). */
function selectProductType({ ProductTypes }: ScheduleTypeRecord, { BankingProductType }: ProductRecord) {
  const own = findProductType(BankingProductType);
  return ProductTypes.find((name) => findProductType(name) === own) ?? ProductTypes[0] ?? null;
}

/** The name of a list that is not in force is null, and its items are left out. */
function describeOffer(item: InterestCommissionItem, catalogue: CatalogueView, day: CalendarDate) {
  const commissions = catalogue.list('commission-list', item.CommissionList);
  const interests = catalogue.list('interest-list', item.InterestList);
  return {
    InterestCommissionItemName: item.Name,
    CommissionListName: commissions?.Name ?? null,
    InterestListName: interests?.Name ?? null,
    Commissions: (commissions?.Commissions ?? [])
      .filter(isActive)
      .map((record) => describeCommission(record, day)),
    Interests: (interests?.Interests ?? [])
      .filter(isActive)
      .map((interest) => describeInterest(interest, day)),
  };
}

function describeCommission(record: CommissionRecord, day: CalendarDate) {
  return {
    ...describeCharge(record),
    Values: valuesOn(record.Values, day).map(({ CommissionValue, CommissionPercent, Status, ...days }) => ({
      CommissionValue,
      CommissionPercent,
      Status,
      ...describeDays(days),
    })),
  };
}

/** A Collection interest by utilised amount is answered with other fields. */
function describeInterest(interest: InterestRecord, day: CalendarDate) {
  if (interest.Type === 'Collection' && interest.BandedInterests.length > 0) {
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
  return {
    ...describeInterestFields(interest),
    Values: valuesOn(interest.Values, day).map(({ Value, ValueStatus, ...days }) => ({
      Value,
      ValueStatus,
      ...describeDays(days),
    })),
    CollectionInterests: interest.CollectionInterests.filter((range) =>
      isWithin(day, range.InterestStartDate, range.InterestEndDate),
    ).map(describeRange),
  };
}

function describeDays({ ValidFrom, ValidTo }: ValidDays) {
  return { ValueValidFrom: toInvariantDate(ValidFrom), ValueValidTo: toInvariantDate(ValidTo) };
}

function listInsurances(product: ProductRecord, catalogue: CatalogueView) {
  return findInsuranceItems(product, catalogue).map(({ item, list }) => ({
    ...describeItem(item),
    InsuranceListName: list.Name,
    Insurances: list.Insurances.filter(isActive).map(describeInsurance),
  }));
}

function listDiscounts(product: ProductRecord, catalogue: CatalogueView) {
  return product.Discounts.flatMap((code) => catalogue.list('discount-list', code)?.Discounts ?? [])
    .filter(isActive)
    .map(describeDiscount);
}
