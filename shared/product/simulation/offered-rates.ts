/** Selects the interests of a product that are offered for a request, and calculates their annual rates after discounts (Q3, Q5, Q7, R1, R2). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import {
  INTEREST_OPTION_IDS,
  INTEREST_TYPES,
  type InterestListRecord,
  type InterestRecord,
  type InterestType,
  type CollectionInterest,
} from '../catalogue/list-records.ts';
import { readFigures, passesFilters } from '../catalogue/item-filters.ts';
import type { InterestCommissionItem, ProductRecord } from '../catalogue/product-record.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import type { SimulateRequest, OfferedInterest } from './simulation.ts';
import { isActive, isWithin, valueOn } from '../catalogue/version-in-force.ts';
import type { Decimal } from 'decimal.js';
import { compareValues } from '../../lending/formula/arithmetic.ts';
import type {
  InterestRateRange,
  RepaymentScheduleRequest,
} from '../../lending/request/repayment-schedule-request.ts';
import { type Discount, applyDiscounts, type Discounted } from './discounts.ts';
import {
  toDecimal,
  toExact,
  formatPercent,
  roundForDisplay,
  ZERO,
  type ExactFigure,
} from './exact-figures.ts';
import type { FormulaArguments } from './product-formula.ts';

/** Maximum number of offers of one simulation, which limits its work and the size of its reply. */
const MAX_OFFERS = 100;

export interface Offer {
  readonly item: InterestCommissionItem;
  readonly list: InterestListRecord;
  readonly interest: InterestRecord;
}

/** Selects the offers: of each item whose filters pass, the interests of the requested type, or its default or first one (Q3). */
export function chooseOffers(
  request: SimulateRequest,
  product: ProductRecord,
  { catalogue, requestDay }: { readonly catalogue: CatalogueView; readonly requestDay: CalendarDate },
  validation: Validation,
): readonly Offer[] {
  const faultsBefore = validation.faults.length;
  const type = readInterestType(request, validation);
  const hasSentRates = (request.jsonMultipleInterestRates?.length ?? 0) > 0;
  checkSentRates(hasSentRates, type, validation);
  const items = product.InterestsAndCommissions;
  const filters = items.flatMap(({ Filters }) => Filters);
  const figures = readFigures('jsonFilterCommission', request.jsonFilterCommission, filters, validation);
  if (validation.faults.length > faultsBefore) return [];
  const passing = items.filter(({ Filters }) => passesFilters(Filters, figures, catalogue));
  const priced = passing.flatMap((item) => {
    const list = catalogue.list('interest-list', item.InterestList);
    if (list === undefined) return [];
    const interests = list.Interests.filter(
      (interest) =>
        isActive(interest) && !interest.IsPenalty && hasRate(interest, list, { requestDay, hasSentRates }),
    );
    return [{ item, list, interests }];
  });
  const offers = priced.flatMap(({ item, list, interests }) =>
    chooseInterests(interests, type).map((interest) => ({ item, list, interest })),
  );
  if (offers.length === 0) {
    const types = new Set(priced.flatMap(({ interests }) => interests.map(({ Type }) => Type)));
    refuseWithoutOffer(request, { itemsLeft: passing.length, types: [...types] }, validation);
  }
  if (offers.length > MAX_OFFERS) {
    const message = `must leave at most ${MAX_OFFERS} offers, not ${offers.length}: add figures`;
    validation.reject('jsonFilterCommission', 'out-of-range', message);
    return [];
  }
  return offers;
}

function chooseInterests(interests: readonly InterestRecord[], type: InterestType | undefined) {
  if (type !== undefined) return interests.filter((interest) => interest.Type === type);
  const preferred = interests.find(({ IsDefault }) => IsDefault) ?? interests[0];
  return preferred === undefined ? [] : [preferred];
}

/** Reads the type by its id or its name; undefined when the request names none, or an unknown one. */
function readInterestType(request: SimulateRequest, validation: Validation): InterestType | undefined {
  const { interestType, interestTypeName } = request;
  const byId = INTEREST_TYPES.find((type) => isSameCode(interestType, INTEREST_OPTION_IDS[type]));
  const byName = INTEREST_TYPES.find((type) => isSameCode(interestTypeName, type));
  if (interestType !== undefined && byId === undefined) {
    const ids = INTEREST_TYPES.map((type) => `${INTEREST_OPTION_IDS[type]} (${type})`).join(', ');
    validation.reject('interestType', 'unknown-value', `must be one of ${ids}`);
  }
  if (interestTypeName !== undefined && byName === undefined) {
    validation.reject('interestTypeName', 'unknown-value', `must be one of ${INTEREST_TYPES.join(', ')}`);
  }
  if (byId !== undefined && byName !== undefined && byId !== byName) {
    validation.reportConflict(
      'interestTypeName',
      `must be ${byId}, the type of interestType, or be left out`,
    );
  }
  return byId ?? byName;
}

function checkSentRates(hasSentRates: boolean, type: InterestType | undefined, validation: Validation): void {
  if (!hasSentRates || type === undefined || type === 'Collection') return;
  const message = `must be left out with the interest type ${type}: rates by range require the type Collection`;
  validation.reject('jsonMultipleInterestRates', 'not-allowed', message);
}

function refuseWithoutOffer(
  request: SimulateRequest,
  { itemsLeft, types }: { readonly itemsLeft: number; readonly types: readonly InterestType[] },
  validation: Validation,
): void {
  if (itemsLeft === 0 && (request.jsonFilterCommission?.length ?? 0) > 0) {
    const message = 'must leave at least one interest-commission item of the product';
    validation.reject('jsonFilterCommission', 'not-allowed', message);
    return;
  }
  if (types.length === 0) {
    const message = 'must be a product that has an interest with a rate on the day of the request';
    validation.reject('productCode', 'not-allowed', message);
    return;
  }
  const path = request.interestType === undefined ? 'interestTypeName' : 'interestType';
  const message = `must be an interest type that the product offers on the day of the request: ${types.join(', ')}`;
  validation.reject(path, 'not-allowed', message);
}

const NOTHING = toDecimal(ZERO);
const NO_BAND = { min: ZERO, max: null, rate: ZERO };

export interface RateContext {
  readonly requestDay: CalendarDate;
  readonly installmentsNo: number;
  /** Financed amount in major units; the band that contains it is displayed. */
  readonly financed: ExactFigure;
  readonly isOverdraft: boolean;
  /** Ranges of the request, which replace those of a Collection. */
  readonly sentRates: readonly InterestRateRange[];
  readonly inputs: FormulaArguments;
  readonly discounts: readonly Discount[];
}

interface OfferedRates {
  readonly terms: Pick<
    RepaymentScheduleRequest,
    'InterestPercent' | 'MultipleInterestRates' | 'BandedInterestRates'
  >;
  readonly percent: string;
  readonly shown: OfferedInterest;
}

/** True when an interest has a rate on the day; a formula counts without being evaluated. */
function hasRate(
  interest: InterestRecord,
  list: InterestListRecord,
  { requestDay, hasSentRates }: { readonly requestDay: CalendarDate; readonly hasSentRates: boolean },
): boolean {
  switch (interest.Type) {
    case 'Fixed':
    case 'Variable':
      return valueOn(interest.Values, requestDay) !== undefined;
    case 'BankingFormula':
      return interest.Formula !== null;
    case 'Collection': {
      if (hasSentRates || findBandsOn(interest, requestDay).length > 0) return true;
      const ranges = findRangesOn(interest, requestDay);
      return (
        ranges.length > 0 && ranges.every((range) => findRangeRate(range, list, requestDay) !== undefined)
      );
    }
    default:
      return interest.Type satisfies never;
  }
}

/** Calculates the rates of an interest; undefined when it has none, or its formula has no value (the fault is added). */
export function calculateRates(
  interest: InterestRecord,
  list: InterestListRecord,
  context: RateContext,
): OfferedRates | undefined {
  switch (interest.Type) {
    case 'Fixed':
    case 'Variable': {
      const value = valueOn(interest.Values, context.requestDay);
      if (value === undefined) return undefined;
      const rate = toExact(value.Value);
      return discountRate(rate, toDecimal(rate), context);
    }
    case 'BankingFormula': {
      const rate = interest.Formula === null ? undefined : context.inputs.evaluate(interest.Formula);
      return rate === undefined ? undefined : discountRate(rate, roundForDisplay(rate), context);
    }
    case 'Collection':
      return calculateCollectionRates(interest, list, context);
    default:
      return interest.Type satisfies never;
  }
}

/** The schedule gets all digits of the rate; the reply displays `basePercent` (M4). */
function discountRate(rate: ExactFigure, basePercent: Decimal, { discounts }: RateContext): OfferedRates {
  const discounted = applyDiscounts(rate, discounts);
  const { percent, shown } = describeRate(basePercent, discounted);
  return { terms: { InterestPercent: toDecimal(discounted.left) }, percent, shown };
}

function discountExactRate(rate: ExactFigure, { discounts }: RateContext) {
  return toDecimal(applyDiscounts(rate, discounts).left);
}

function describeRate(
  basePercent: Decimal,
  { left, percent, value }: Discounted,
): Omit<OfferedRates, 'terms'> {
  const shown = {
    basePercent,
    discountValue: value === null ? NOTHING : roundForDisplay(value),
    discountPercent: percent === null ? NOTHING : roundForDisplay(percent),
  };
  return { percent: formatPercent(left), shown };
}

function calculateCollectionRates(
  interest: InterestRecord,
  list: InterestListRecord,
  context: RateContext,
): OfferedRates {
  const { requestDay, sentRates, installmentsNo } = context;
  if (sentRates.length === 0 && findBandsOn(interest, requestDay).length > 0)
    return calculateBandedRates(interest, context);
  const ranges =
    sentRates.length > 0 ? sentRates : listRanges(interest, list, { requestDay, installmentsNo });
  const first = ranges.find(({ FromInstNo }) => FromInstNo === 1) ?? ranges[0];
  const MultipleInterestRates = ranges.map(({ InterestRate, ...rows }) => ({
    ...rows,
    InterestRate: InterestRate === undefined ? undefined : discountExactRate(toExact(InterestRate), context),
  }));
  const base = first?.InterestRate === undefined ? ZERO : toExact(first.InterestRate);
  return {
    terms: { MultipleInterestRates },
    ...describeRate(toDecimal(base), applyDiscounts(base, context.discounts)),
  };
}

function listRanges(
  interest: InterestRecord,
  list: InterestListRecord,
  { requestDay, installmentsNo }: Pick<RateContext, 'requestDay' | 'installmentsNo'>,
): readonly InterestRateRange[] {
  return findRangesOn(interest, requestDay)
    .map((range) => ({
      FromInstNo: range.InterestStartPeriod ?? 1,
      ToInstNo: Math.min(range.InterestEndPeriod ?? installmentsNo, installmentsNo),
      InterestRate: toDecimal(findRangeRate(range, list, requestDay) ?? ZERO),
    }))
    .filter(({ FromInstNo }) => FromInstNo <= installmentsNo);
}

function findRangesOn({ CollectionInterests }: InterestRecord, day: CalendarDate) {
  return CollectionInterests.filter(({ InterestStartDate, InterestEndDate }) =>
    isWithin(day, InterestStartDate, InterestEndDate),
  );
}

function findRangeRate(
  { InterestName }: CollectionInterest,
  { Interests }: InterestListRecord,
  day: CalendarDate,
): ExactFigure | undefined {
  const named = Interests.find((other) => isActive(other) && isSameCode(other.Name, InterestName));
  const value = named === undefined ? undefined : valueOn(named.Values, day);
  return value === undefined ? undefined : toExact(value.Value);
}

function findBandsOn({ BandedInterests }: InterestRecord, day: CalendarDate) {
  return BandedInterests.filter(({ CollectionValidFrom, CollectionValidTo }) =>
    isWithin(day, CollectionValidFrom, CollectionValidTo),
  );
}

/** The bands of the day for a schedule: overdraft bands apply to overdrafts only, unless there are no others. */
function selectBands(
  interest: InterestRecord,
  { requestDay, isOverdraft }: Pick<RateContext, 'requestDay' | 'isOverdraft'>,
) {
  const all = findBandsOn(interest, requestDay);
  const fitting = all.filter(({ IsForOverdraft }) => !IsForOverdraft || isOverdraft);
  return fitting.length > 0 ? fitting : all;
}

function calculateBandedRates(interest: InterestRecord, context: RateContext): OfferedRates {
  const bands = selectBands(interest, context).map((band) => ({
    min: toExact(band.MinUtilizedAmount ?? 0),
    max: band.MaxUtilizedAmount,
    rate: toExact(band.Value),
  }));
  const ascending = bands.toSorted((one, other) => compareValues(one.min, other.min));
  const shown =
    ascending.findLast(({ min }) => compareValues(min, context.financed) <= 0) ?? ascending[0] ?? NO_BAND;
  const BandedInterestRates = bands.map(({ min, max, rate }) => ({
    MinUtilizedAmount: toDecimal(min),
    MaxUtilizedAmount: max === null ? undefined : toDecimal(toExact(max)),
    Value: discountExactRate(rate, context),
  }));
  return {
    terms: { BandedInterestRates },
    ...describeRate(toDecimal(shown.rate), applyDiscounts(shown.rate, context.discounts)),
  };
}
