/** Selects the interests of a product that are offered for a request (Q3, Q7). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import {
  INTEREST_OPTION_IDS,
  INTEREST_TYPES,
  type InterestListRecord,
  type InterestRecord,
  type InterestType,
} from '../catalogue/list-records.ts';
import { hasRate } from './interest-rates.ts';
import { readFigures, passesFilters } from '../catalogue/item-filters.ts';
import type { InterestCommissionItem, ProductRecord } from '../catalogue/product-record.ts';
import { isSameCode } from '../catalogue/catalogue-record.ts';
import type { SimulateRequest } from './simulate-request.ts';
import { isActive } from '../catalogue/valid-versions.ts';

/** Maximum number of offers of one simulation, which limits its work and the size of its reply. */
const MAX_OFFERS = 100;

/** An interest of an interest-commission item. */
export interface Offer {
  readonly item: InterestCommissionItem;
  readonly list: InterestListRecord;
  readonly interest: InterestRecord;
}

/**
 * Selects the offers in catalogue order. Each item whose filters pass contributes its interests of the requested
 * type; if the request does not name a type, its default interest, or its first one if it has no default. Penalty
 * interests and interests without a rate on the day are excluded. A request without any offer is refused (Q3).
 */
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
