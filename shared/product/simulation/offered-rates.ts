/** Selects the interests that a request is offered, and calculates their annual rates after discounts (Q3, Q5, Q7). */

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
import { findUnstated } from '../catalogue/item-filters.ts';
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
import { readFilterFigures, refuseWithoutItem, warnOfAssumed } from './decide-filters.ts';
import { type Discount, applyDiscounts } from './discounts.ts';
import {
  toDecimal,
  toExact,
  formatPercent,
  roundForDisplay,
  ZERO,
  type ExactFigure,
} from './exact-figures.ts';
import type { FormulaArguments } from './product-formula.ts';

/** Maximum number of offers of a simulation (Q3). It limits the work and the size of the reply. */
const MAX_OFFERS = 100;

export interface Offer {
  readonly item: InterestCommissionItem;
  readonly list: InterestListRecord;
  readonly interest: InterestRecord;
}

/** From each item whose filters pass, chooses all interests of the requested type; without a type, chooses one (Q3). */
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
  const figures = readFilterFigures('jsonFilterCommission', request, filters, validation);
  if (validation.faults.length > faultsBefore) return [];
  const unstated = new Map(items.map((item) => [item, findUnstated(item.Filters, figures, catalogue)]));
  const passing = items.filter((item) => unstated.get(item) !== undefined);
  if (items.length > 0 && passing.length === 0) {
    refuseWithoutItem(items, { figures, lists: catalogue }, validation);
    return [];
  }
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
    refuseWithoutOffer(request, [...types], validation);
  }
  if (offers.length > MAX_OFFERS) {
    const message = `must leave at most ${MAX_OFFERS} offers, not ${offers.length}: add figures`;
    validation.reject('jsonFilterCommission', 'out-of-range', message);
    return [];
  }
  const assumed = offers.flatMap(({ item }) => unstated.get(item) ?? []);
  warnOfAssumed('jsonFilterCommission', assumed, validation);
  return offers;
}

/** All interests of the type; without a type the default, or else the first (Q3). */
export function chooseInterests(interests: readonly InterestRecord[], type: InterestType | undefined) {
  if (type !== undefined) return interests.filter((interest) => interest.Type === type);
  const preferred = interests.find(({ IsDefault }) => IsDefault) ?? interests[0];
  return preferred === undefined ? [] : [preferred];
}

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
  types: readonly InterestType[],
  validation: Validation,
): void {
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

export interface RateContext {
  readonly requestDay: CalendarDate;
  readonly installmentsNo: number;
  /** In major units. The rate of the band that contains this amount is displayed (Q4). */
  readonly financed: ExactFigure;
  readonly isOverdraft: boolean;
  /** Rates by range in the request. If there are any, they replace the rates of a Collection (Q7). */
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

/** True if an interest has a rate on the day. A formula counts without being evaluated. */
export function hasRate(
  interest: InterestRecord,
  list: InterestListRecord,
  { requestDay, hasSentRates }: { readonly requestDay: CalendarDate; readonly hasSentRates: boolean },
): boolean {
  if (interest.Type === 'BankingFormula') return interest.Formula !== null;
  if (interest.Type !== 'Collection') return valueOn(interest.Values, requestDay) !== undefined;
  if (hasSentRates || findBandsOn(interest, requestDay).length > 0) return true;
  const ranges = findRangesOn(interest, requestDay);
  return ranges.length > 0 && ranges.every((range) => findRangeRate(range, list, requestDay) !== undefined);
}

/** Returns undefined if the interest has no rate on the day, or if its formula fails, which `inputs` reports. */
export function calculateRates(
  interest: InterestRecord,
  list: InterestListRecord,
  context: RateContext,
): OfferedRates | undefined {
  const { requestDay, inputs, sentRates, discounts } = context;
  if (interest.Type === 'Collection') {
    const isBanded = sentRates.length === 0 && findBandsOn(interest, requestDay).length > 0;
    return isBanded ? calculateBandedRates(interest, context) : calculateRanges(interest, list, context);
  }
  const isByFormula = interest.Type === 'BankingFormula';
  const value = isByFormula ? undefined : valueOn(interest.Values, requestDay);
  const formula = isByFormula ? interest.Formula : null;
  const rate = formula === null ? value && toExact(value.Value) : inputs.evaluate(formula);
  if (rate === undefined) return undefined;
  // The schedule gets up to 20 decimals of the rate (M6), not only those displayed.
  const terms = { InterestPercent: discountRate(rate, discounts) };
  return { terms, ...describeRate(rate, isByFormula ? roundForDisplay(rate) : toDecimal(rate), discounts) };
}

function discountRate(rate: ExactFigure, discounts: readonly Discount[]) {
  return toDecimal(applyDiscounts(rate, discounts).left);
}

function describeRate(
  rate: ExactFigure,
  basePercent: Decimal,
  discounts: readonly Discount[],
): Omit<OfferedRates, 'terms'> {
  const { left, percent, value } = applyDiscounts(rate, discounts);
  const shown = {
    basePercent,
    discountValue: value === null ? NOTHING : roundForDisplay(value),
    discountPercent: percent === null ? NOTHING : roundForDisplay(percent),
  };
  return { percent: formatPercent(left), shown };
}

function calculateRanges(
  interest: InterestRecord,
  list: InterestListRecord,
  { requestDay, sentRates, installmentsNo, discounts }: RateContext,
): OfferedRates {
  const own = sentRates.length > 0 ? [] : findRangesOn(interest, requestDay);
  const offered = own
    .map((range) => ({
      FromInstNo: range.InterestStartPeriod ?? 1,
      ToInstNo: Math.min(range.InterestEndPeriod ?? installmentsNo, installmentsNo),
      InterestRate: toDecimal(findRangeRate(range, list, requestDay) ?? ZERO),
    }))
    .filter(({ FromInstNo }) => FromInstNo <= installmentsNo);
  const ranges: readonly InterestRateRange[] = [...sentRates, ...offered];
  const first = ranges.find(({ FromInstNo }) => FromInstNo === 1) ?? ranges[0];
  const MultipleInterestRates = ranges.map(({ InterestRate, ...rows }) => ({
    ...rows,
    InterestRate: InterestRate && discountRate(toExact(InterestRate), discounts),
  }));
  const base = toExact(first?.InterestRate ?? 0);
  return { terms: { MultipleInterestRates }, ...describeRate(base, toDecimal(base), discounts) };
}

/** The ranges of a Collection in force on a day (Q7). */
export function findRangesOn({ CollectionInterests }: InterestRecord, day: CalendarDate) {
  return CollectionInterests.filter(({ InterestStartDate, InterestEndDate }) =>
    isWithin(day, InterestStartDate, InterestEndDate),
  );
}

function findRangeRate({ InterestName }: CollectionInterest, list: InterestListRecord, day: CalendarDate) {
  const named = list.Interests.find((other) => isActive(other) && isSameCode(other.Name, InterestName));
  const value = named && valueOn(named.Values, day);
  return value && toExact(value.Value);
}

function findBandsOn({ BandedInterests }: InterestRecord, day: CalendarDate) {
  return BandedInterests.filter(({ CollectionValidFrom, CollectionValidTo }) =>
    isWithin(day, CollectionValidFrom, CollectionValidTo),
  );
}

/** Bands for overdrafts apply to other loans only if there are no other bands. */
function calculateBandedRates(
  interest: InterestRecord,
  { requestDay, isOverdraft, financed, discounts }: RateContext,
): OfferedRates {
  const all = findBandsOn(interest, requestDay);
  const fitting = all.filter(({ IsForOverdraft }) => !IsForOverdraft || isOverdraft);
  const bands = (fitting.length > 0 ? fitting : all).map((band) => ({
    min: toExact(band.MinUtilizedAmount ?? 0),
    max: band.MaxUtilizedAmount,
    rate: toExact(band.Value),
  }));
  const ascending = bands.toSorted((one, other) => compareValues(one.min, other.min));
  const shown = ascending.findLast(({ min }) => compareValues(min, financed) <= 0) ?? ascending[0];
  const BandedInterestRates = bands.map(({ min, max, rate }) => ({
    MinUtilizedAmount: toDecimal(min),
    MaxUtilizedAmount: max === null ? undefined : toDecimal(toExact(max)),
    Value: discountRate(rate, discounts),
  }));
  const rate = shown?.rate ?? ZERO;
  return { terms: { BandedInterestRates }, ...describeRate(rate, toDecimal(rate), discounts) };
}
