/** Checks the fields of Approved products (L1, Q2, Q3, Q5, Q6). */

import { findCalendar } from '../../lending/calendars/find-calendar.ts';
import { HOLIDAY_METHODS } from '../../lending/due-dates/shift-due-date.ts';
import { isProductType, servesProductType } from '../../lending/schedule-types/schedule-type.ts';
import { GRACE_TYPES } from '../../lending/terms/repayment-terms.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { Availability, ProductRecord } from '../catalogue/product-record.ts';
import {
  WHOLE_PERCENT,
  checkBounds,
  checkCurrency,
  checkDays,
  checkFilters,
  checkItems,
  checkListName,
  checkPeriodicity,
  checkProductType,
  describeMissing,
  partOf,
  type Place,
} from './check-fields.ts';

/** Reports the faults of an Approved product; does nothing for others. */
export function checkProduct(product: ProductRecord, place: Place): void {
  if (product.Status !== 'Approved') return;
  const { report } = place;
  checkDays(['StartDate', 'EndDate'], product, place);
  checkProductType('BankingProductType', product.BankingProductType, place);
  for (const field of ['CapitalPercent', 'ResidualPercent'] as const) {
    if ((product[field] ?? 0) > WHOLE_PERCENT) report(field, `must be at most ${WHOLE_PERCENT}, or null`);
  }
  checkAvailability(product.Availability, partOf('Availability', place));
  checkGeneralData(product, partOf('GeneralData', place));
  checkCalendars(product, place);
  checkScheduleTypes(product, place);
  checkOffer(product, place);
  checkItems('InterestsAndCommissions', product.InterestsAndCommissions, place, (item, at) => {
    if (item.InterestList === null && item.CommissionList === null) {
      at.report('InterestList', 'is missing; InterestList or CommissionList must name a list');
    }
    checkListName(['InterestList', 'interest-list', item.InterestList], at);
    checkListName(['CommissionList', 'commission-list', item.CommissionList], at);
    checkFilters(item.Filters, at);
  });
  checkItems('Insurances', product.Insurances, place, (item, at) => {
    checkDays(['StartDate', 'EndDate'], item, at);
    checkListName(['InsuranceList', 'insurance-list', item.InsuranceList], at);
    checkFilters(item.Filters, at);
  });
  // Naming a list a second time would have no effect (Q5).
  const lists = product.Discounts.map(codeKey);
  for (const [index, code] of product.Discounts.entries()) {
    const first = lists.indexOf(codeKey(code));
    const twice = `names the discount list ${code}, as Discounts[${first}] does: remove one of them`;
    if (first < index) report(`Discounts[${index}]`, twice);
    else checkListName([`Discounts[${index}]`, 'discount-list', code], place);
  }
  checkListName(['LimitList', 'limit-list', product.LimitList ?? null], place);
  checkItems('AssociatedProducts', product.AssociatedProducts, place, ({ AssociatedProductCode }, at) => {
    const message = `names the product ${AssociatedProductCode}, which is not in the catalogue: add it to products, or name another`;
    if (!place.hasProduct(AssociatedProductCode)) at.report('AssociatedProductCode', message);
  });
}

function checkAvailability(availability: Availability, place: Place): void {
  checkCurrency(availability.Currency, place);
  for (const bound of ['Period', 'Amount', 'Advance'] as const) {
    const [least, most] = [`Minimum${bound}`, `Maximum${bound}`] as const;
    checkBounds([least, availability[least]], [most, availability[most]], place);
  }
  for (const field of ['MinimumAdvance', 'MaximumAdvance'] as const) {
    if ((availability[field] ?? 0) <= WHOLE_PERCENT) continue;
    place.report(field, `must be at most ${WHOLE_PERCENT}: it is a percentage of the amount`);
  }
  checkItems('ProductCovenants', availability.ProductCovenants, place, (covenant, at) =>
    checkDays(['ValidFrom', 'ValidTo'], covenant, at),
  );
}

function checkGeneralData({ GeneralData }: ProductRecord, place: Place): void {
  checkPeriodicity(GeneralData.PeriodicityType, place);
  const choices = { HolidayShiftMethod: HOLIDAY_METHODS, GraceType: GRACE_TYPES };
  for (const field of ['HolidayShiftMethod', 'GraceType'] as const) {
    const known: readonly string[] = choices[field];
    const chosen = GeneralData[field];
    if (chosen === null || known.includes(chosen)) continue;
    place.report(field, `must be one of ${known.join(', ')}, or null`);
  }
}

/** Each calendar must be known. Together they must leave business days to which due dates can be shifted (H2). */
function checkCalendars({ CountryCalendars }: ProductRecord, place: Place): void {
  const { lending, otherCalendars, report } = place;
  if (lending === undefined || CountryCalendars.length === 0) return;
  const isKnown = (name: string): boolean =>
    findCalendar(name, { catalogue: lending.calendars, others: otherCalendars }) !== undefined;
  const unknown = CountryCalendars.filter((name) => !isKnown(name));
  for (const name of unknown) {
    const message = `names the calendar ${name}, which is not known: add it to calendars, or name a country or TARGET`;
    report(`CountryCalendars[${CountryCalendars.indexOf(name)}]`, message);
  }
  if (unknown.length === 0 && !isKnown(CountryCalendars.join('+'))) {
    report('CountryCalendars', 'must leave at least one business day when combined: remove one');
  }
}

/** The schedule types must be known and support the product type (S1, S4). */
function checkScheduleTypes({ PaymentScheduleTypes, BankingProductType }: ProductRecord, place: Place): void {
  const { lending, report } = place;
  if (lending === undefined) return;
  for (const [index, name] of PaymentScheduleTypes.entries()) {
    const type = lending.findScheduleType(name)?.type;
    const field = `PaymentScheduleTypes[${index}]`;
    if (type === undefined) report(field, describeMissing('schedule-type', name));
    else if (isProductType(BankingProductType) && !servesProductType(type, BankingProductType)) {
      const message = `names ${name}, which does not support products of type ${BankingProductType}: name another`;
      report(field, message);
    }
  }
}

/** A simulation needs a schedule type and an interest (Q2, Q3), so a product must have both or neither. */
function checkOffer({ PaymentScheduleTypes, InterestsAndCommissions }: ProductRecord, place: Place): void {
  const hasTypes = PaymentScheduleTypes.length > 0;
  const hasInterests = InterestsAndCommissions.some(({ InterestList }) => InterestList !== null);
  // An item without either list is reported separately.
  const isHalf = InterestsAndCommissions.some(
    ({ InterestList, CommissionList }) => InterestList === null && CommissionList === null,
  );
  const only = 'a product without both can only be looked up';
  if (hasInterests && !hasTypes) {
    const message = `must name a schedule type, or no item may have an InterestList: ${only}`;
    place.report('PaymentScheduleTypes', message);
  }
  if (hasTypes && !hasInterests && !isHalf) {
    const message = `must have an item with an InterestList, or PaymentScheduleTypes must be empty: ${only}`;
    place.report('InterestsAndCommissions', message);
  }
}
