/** Lists what a simulation of a product can choose from and has to send (L6): bounds, ids, filters and arguments. */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { findPeriodicity } from '../../lending/dates/periodicity.ts';
import {
  findInsuranceItems,
  type CatalogueView,
  type ListedInsuranceItem,
} from '../catalogue/catalogue-view.ts';
import {
  INTEREST_OPTION_IDS,
  type CommissionListRecord,
  type CommissionRecord,
  type DiscountRecord,
  type InsuranceRecord,
  type InterestRecord,
} from '../catalogue/list-records.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import type { ItemFilter } from '../catalogue/record-kinds.ts';
import { isActive, isWithin } from '../catalogue/version-in-force.ts';
import {
  isProduct,
  resolveDay,
  selectRequestedProduct,
  type LookUp,
  type LookUpContext,
  type SelectorRequest,
} from '../look-up/product-look-ups.ts';
import { describeProduct } from '../look-up/products-on-offer.ts';
import { describeScheduleType } from '../look-up/reference-lists.ts';
import { canBeCharged, comesWithContract, findValueOn, isOptional } from './charge-selection.ts';
import { describePeriodUnit, findPeriodRange } from './loan-within-bounds.ts';
import { chooseInterests, hasRate } from './offered-rates.ts';
import type { FormulaInputPart, SimulateRequest } from './simulation.ts';

/** Most values of a filter that an answer contains: a custom list may have 50,000. */
export const MAX_FILTER_VALUES = 1_000;
/** Most values of all filters together; each is about as much work as a figure of a schedule. */
export const MAX_VALUES_OF_FILTERS = 10_000;

interface Place {
  readonly catalogue: CatalogueView;
  readonly day: CalendarDate;
}

/** Looks up everything as of the day on which the simulation will be calculated. */
export function lookUpSimulationOptions(request: SelectorRequest, context: LookUpContext) {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const place = { catalogue: context.catalogue, day: resolveDay(request, context) };
  const offers = listOffers(product, place);
  const options: Options = {
    place,
    offers,
    // Without an interest there is no offer that has the commissions.
    commissionLists: [
      ...new Set(
        offers.flatMap(({ interests, commissionList }) =>
          interests.length > 0 ? (commissionList ?? []) : [],
        ),
      ),
    ],
    insured: findInsuranceItems(product, place.catalogue).filter(({ item }) =>
      isWithin(place.day, item.StartDate, item.EndDate),
    ),
    discounts: listDiscounts(product, place),
  };
  const answer = {
    Product: describeProduct(product),
    ...describePeriods(product, place),
    Interests: offers.flatMap(describeInterests),
    Filters: listFilters(options),
    FormulaInputs: listFormulaInputs(options),
    Commissions: describeCommissions(options),
    Insurances: describeInsurances(options),
    Discounts: options.discounts.map((record) => ({
      ProductDiscountId: record.Id,
      Name: record.Name,
      AppliedToDimension: record.AppliedToDimension,
      DiscountValue: record.DiscountValue,
      IsPercentage: record.IsPercentage,
      IsOptionalDiscount: record.IsOptionalDiscount,
    })),
  };
  return { kind: 'found', answer, warnings: [] } as const satisfies LookUp<object>;
}

interface Options {
  readonly place: Place;
  readonly offers: ReturnType<typeof listOffers>;
  readonly commissionLists: readonly CommissionListRecord[];
  readonly insured: readonly ListedInsuranceItem[];
  readonly discounts: readonly DiscountRecord[];
}

/** The interests that a simulation may offer (Q3); a Collection without rates on the day needs them in the request. */
function listOffers({ InterestsAndCommissions }: ProductRecord, { catalogue, day }: Place) {
  return InterestsAndCommissions.flatMap((item) => {
    const list = catalogue.list('interest-list', item.InterestList);
    if (list === undefined) return [];
    const offerable = list.Interests.filter((interest) => isActive(interest) && !interest.IsPenalty);
    const isPriced = (interest: (typeof offerable)[number]): boolean =>
      hasRate(interest, list, { requestDay: day, hasSentRates: false });
    const interests = offerable.filter((one) => one.Type === 'Collection' || isPriced(one));
    const priced = interests.filter(isPriced);
    const [standard] = chooseInterests(priced, undefined);
    const commissionList = catalogue.list('commission-list', item.CommissionList);
    return [{ item, list, interests, priced, standard, commissionList }];
  });
}

function describeInterests(offer: ReturnType<typeof listOffers>[number]) {
  const { item, list, interests, priced, standard, commissionList } = offer;
  return interests.map((interest) => ({
    InterestTypeId: INTEREST_OPTION_IDS[interest.Type],
    InterestTypeName: interest.Type,
    InterestId: interest.Id,
    InterestName: interest.Name,
    InterestListId: list.Id,
    InterestCommissionItemId: item.Id,
    InterestCommissionItemName: item.Name,
    CommissionListId: commissionList?.Id ?? null,
    IsDefault: interest === standard,
    NeedsInterestRates: !priced.includes(interest),
  }));
}

function listDiscounts({ Discounts }: ProductRecord, { catalogue, day }: Place) {
  return Discounts.flatMap((code) => catalogue.list('discount-list', code)?.Discounts ?? []).filter(
    (record) => isActive(record) && isWithin(day, record.StartDate, record.EndDate),
  );
}

function describePeriods(product: ProductRecord, { catalogue: { lending }, day: start }: Place) {
  const { Availability, GeneralData, PaymentScheduleTypes } = product;
  const periodicity = findPeriodicity(GeneralData.PeriodicityType, lending.periodicities);
  const range = periodicity && findPeriodRange({ periodicity, start }, Availability);
  const types = PaymentScheduleTypes.flatMap((name) => lending.findScheduleType(name) ?? []);
  return {
    LoanPeriodUnit: describePeriodUnit(periodicity, Availability.PeriodType),
    ScheduleTypes: types.map((compiled) => {
      const limit = periodicity?.unit === 'Once' ? null : compiled.type.maximumInstallments;
      const longest = range && Math.min(range.longest, limit ?? range.longest);
      const isEmpty = range === undefined || longest === undefined || longest < range.shortest;
      return {
        ...describeScheduleType(compiled),
        MinimumLoanPeriod: isEmpty ? null : range.shortest,
        MaximumLoanPeriod: isEmpty ? null : longest,
      };
    }),
  };
}

function listFilters({ offers, insured, discounts, place }: Options) {
  let left = MAX_VALUES_OF_FILTERS;
  const filters = [
    ...offers.flatMap(({ item }) => describeFilters('jsonFilterCommission', item.Name, item, place)),
    ...insured.flatMap(({ item, list }) => [
      ...describeFilters('jsonInsuranceFilter', item.Name, item, place),
      ...list.Insurances.filter(isActive).flatMap((record) =>
        describeFilters('jsonInsuranceFilter', record.InsuranceName, record, place),
      ),
    ]),
    ...discounts.flatMap((record) => describeFilters('jsonDiscountFilter', record.Name, record, place)),
  ];
  return filters.map(({ listed, ...filter }) => {
    const first = listed.slice(0, MAX_FILTER_VALUES);
    const Values = first.length > left ? [] : first;
    left -= Values.length;
    return { ...filter, Values, ValueCount: listed.length };
  });
}

/** Describes a range by its ends; a set or custom list is `listed`. */
function describeFilters(
  Field: Extract<keyof SimulateRequest, `json${string}Filter${string}`>,
  UsedBy: string,
  { Filters }: { readonly Filters: readonly ItemFilter[] },
  { catalogue }: Place,
) {
  return Filters.map((filter) => {
    const isRange = 'From' in filter;
    const custom = 'List' in filter ? catalogue.list('custom-list', filter.List)?.Values : undefined;
    return {
      Field,
      Name: filter.Name,
      UsedBy,
      From: isRange ? filter.From : null,
      To: isRange ? filter.To : null,
      listed: 'Values' in filter ? filter.Values : (custom ?? []),
    };
  });
}

/** Lists the arguments of the formulas that a simulation may evaluate (Q7). */
function listFormulaInputs({ offers, commissionLists, insured, discounts }: Options) {
  const commissions = commissionLists.flatMap(({ Commissions }) => Commissions.filter(canBeCharged));
  const insurances = insured.flatMap(({ list }) => list.Insurances.filter(canBeCharged));
  return [
    ...offers.flatMap(({ interests }) => interests.flatMap((one) => describeInputs('interestInput', one))),
    ...commissions.flatMap((record) => describeInputs('commissionInput', record)),
    ...insurances.flatMap((record) => describeInputs('insuranceInput', record)),
    ...discounts.flatMap((record) => describeInputs('discountInput', record)),
  ];
}

function describeInputs(
  Part: FormulaInputPart,
  record: InterestRecord | CommissionRecord | InsuranceRecord | DiscountRecord,
) {
  const UsedBy = 'InsuranceName' in record ? record.InsuranceName : record.Name;
  return (record.Formula?.Inputs ?? []).map((Name) => ({ Part, Name, UsedBy }));
}

function describeCommissions({ commissionLists, place }: Options) {
  return commissionLists.flatMap(({ Id, Commissions }) =>
    Commissions.filter(isActive).map((record) => ({
      FeeId: record.Id,
      FeeName: record.Name,
      CommissionType: record.Type,
      CommissionListId: Id,
      FeePeriodicityType: record.PeriodicityType,
      IsForUnusage: record.IsForUnusage,
      ...describeCharge(record, record.ValueIsPercent, place),
    })),
  );
}

function describeInsurances({ insured, place }: Options) {
  return insured.flatMap(({ item, list }) =>
    list.Insurances.filter(isActive).map((record) => ({
      InsuranceId: record.Id,
      InsuranceName: record.InsuranceName,
      InsuranceClassId: record.ClassId,
      InsuranceClassName: record.Class,
      InsuranceItemCode: item.Code,
      InsurancePeriodicityType: record.PeriodicityType,
      ...describeCharge(record, record.ValueIsPercentage, place),
    })),
  );
}

function describeCharge(record: CommissionRecord | InsuranceRecord, IsPercent: boolean, { day }: Place) {
  const { Currency, PercentAppliedTo, PerAnnum, IsUpfront, UseBankingFormula } = record;
  return {
    Currency,
    IsPercent,
    Price: UseBankingFormula ? null : findValueOn(record, day),
    PercentAppliedTo,
    PerAnnum,
    IsUpfront,
    ComesWithContract: comesWithContract(record),
    IsOptional: isOptional(record),
  };
}
