/** Checks Approved products: dangling references and inverted bounds (L1, Q2, Q6). */

import { HOLIDAY_METHODS } from '../../lending/due-dates/shift-due-date.ts';
import { findCalendar } from '../../lending/calendars/find-calendar.ts';
import {
  PRODUCT_TYPE_CODES,
  isProductType,
  servesProductType,
} from '../../lending/schedule-types/schedule-type.ts';
import { GRACE_TYPES } from '../../lending/terms/repayment-terms.ts';
import {
  WHOLE_PERCENT,
  checkBounds,
  checkCurrency,
  checkDays,
  checkFilters,
  checkItems,
  checkListName,
  checkPeriodicity,
  describeMissing,
  nestReport,
  type RecordContext,
  type ReportFault,
} from './check-fields.ts';
import type { Availability, ProductRecord } from '../catalogue/product-record.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import { productDays } from '../catalogue/version-in-force.ts';

/** Reports faults that prevent looking up or simulating the product. */
export function checkProduct(product: ProductRecord, context: RecordContext, report: ReportFault): void {
  const { BankingProductType } = product;
  checkDays(['StartDate', 'EndDate'], productDays(product), report);
  if (!isProductType(BankingProductType)) {
    report('BankingProductType', `must be one of ${PRODUCT_TYPE_CODES.join(', ')}, or the name of one`);
  }
  for (const field of ['CapitalPercent', 'ResidualPercent'] as const) {
    if ((product[field] ?? 0) > WHOLE_PERCENT) report(field, `must be at most ${WHOLE_PERCENT}, or null`);
  }
  checkAvailability(product.Availability, nestReport('Availability', report));
  checkGeneralData(product, context, nestReport('GeneralData', report));
  checkCalendars(product, context, report);
  checkScheduleTypes(product, context, report);
  checkOffer(product, report);
  checkOffers(product, context, report);
  checkInsuranceItems(product, context, report);
  checkDiscountLists(product, context, report);
  checkItems('AssociatedProducts', product.AssociatedProducts, report, (associated, reportItem) => {
    const code = associated.AssociatedProductCode;
    if (context.hasProduct(code)) return;
    const message = `names the product ${code}, which is not in the catalogue: add it to products, or name another`;
    reportItem('AssociatedProductCode', message);
  });
}

function checkAvailability(availability: Availability, report: ReportFault): void {
  checkCurrency(availability.Currency, report);
  for (const bound of ['Period', 'Amount', 'Advance'] as const) {
    const [least, most] = [`Minimum${bound}`, `Maximum${bound}`] as const;
    checkBounds([least, availability[`Minimum${bound}`]], [most, availability[`Maximum${bound}`]], report);
  }
  for (const field of ['MinimumAdvance', 'MaximumAdvance'] as const) {
    if ((availability[field] ?? 0) > WHOLE_PERCENT) {
      report(field, `must be at most ${WHOLE_PERCENT}: it is a percentage of the amount`);
    }
  }
  checkItems('ProductCovenants', availability.ProductCovenants, report, (covenant, reportItem) =>
    checkDays(['ValidFrom', 'ValidTo'], covenant, reportItem),
  );
}

function checkGeneralData({ GeneralData }: ProductRecord, context: RecordContext, report: ReportFault): void {
  const { PeriodicityType, HolidayShiftMethod, GraceType } = GeneralData;
  checkPeriodicity('PeriodicityType', PeriodicityType, context, report);
  if (HolidayShiftMethod !== null && !HOLIDAY_METHODS.some((known) => known === HolidayShiftMethod)) {
    report('HolidayShiftMethod', `must be one of ${HOLIDAY_METHODS.join(', ')}, or null`);
  }
  if (GraceType !== null && !GRACE_TYPES.some((known) => known === GraceType)) {
    report('GraceType', `must be one of ${GRACE_TYPES.join(', ')}, or null`);
  }
}

/** Each calendar must be known, and all of them combined must leave business days to which due dates can be shifted (H2). */
function checkCalendars(
  { CountryCalendars }: ProductRecord,
  context: RecordContext,
  report: ReportFault,
): void {
  const { lending, otherCalendars } = context;
  if (lending === undefined || CountryCalendars.length === 0) return;
  const isKnown = (name: string): boolean =>
    findCalendar(name, { catalogue: lending.calendars, others: otherCalendars }) !== undefined;
  const unknown = CountryCalendars.filter((name) => !isKnown(name));
  for (const name of unknown) {
    report(
      `CountryCalendars[${CountryCalendars.indexOf(name)}]`,
      `names the calendar ${name}, which is not known: add it to calendars, or name a country or TARGET`,
    );
  }
  if (unknown.length === 0 && !isKnown(CountryCalendars.join('+'))) {
    report('CountryCalendars', 'must leave at least one business day when combined: remove one');
  }
}

/** The schedule types must be known and support the product type (S1, S4). */
function checkScheduleTypes(product: ProductRecord, context: RecordContext, report: ReportFault): void {
  const { lending } = context;
  if (lending === undefined) return;
  const isKnownType = isProductType(product.BankingProductType);
  for (const [place, name] of product.PaymentScheduleTypes.entries()) {
    const found = lending.findScheduleType(name);
    const reportItem = (message: string): void => report(`PaymentScheduleTypes[${place}]`, message);
    if (found === undefined) reportItem(describeMissing('schedule-type', name));
    else if (isKnownType && !servesProductType(found.type, product.BankingProductType)) {
      reportItem(
        `names ${name}, which does not support products of type ${product.BankingProductType}: name another`,
      );
    }
  }
}

/** A simulation needs a schedule type and an interest (Q2, Q3); a product without both can only be looked up. */
function checkOffer(
  { PaymentScheduleTypes, InterestsAndCommissions }: ProductRecord,
  report: ReportFault,
): void {
  const hasTypes = PaymentScheduleTypes.length > 0;
  const hasInterests = InterestsAndCommissions.some(({ InterestList }) => InterestList !== null);
  // An item without either list is reported separately.
  const isHalf = InterestsAndCommissions.some(
    ({ InterestList, CommissionList }) => InterestList === null && CommissionList === null,
  );
  const only = 'a product without both can only be looked up';
  if (hasInterests && !hasTypes) {
    report('PaymentScheduleTypes', `must name a schedule type, or no item may have an InterestList: ${only}`);
  }
  if (hasTypes && !hasInterests && !isHalf) {
    const message = `must have an item with an InterestList, or PaymentScheduleTypes must be empty: ${only}`;
    report('InterestsAndCommissions', message);
  }
}

function checkOffers(product: ProductRecord, context: RecordContext, report: ReportFault): void {
  checkItems('InterestsAndCommissions', product.InterestsAndCommissions, report, (item, reportItem) => {
    const { InterestList, CommissionList } = item;
    if (InterestList === null && CommissionList === null) {
      reportItem('InterestList', 'is missing; InterestList or CommissionList must name a list');
    }
    checkListName(['InterestList', 'interest-list', InterestList], context, reportItem);
    checkListName(['CommissionList', 'commission-list', CommissionList], context, reportItem);
    checkFilters(item.Filters, context, reportItem);
  });
}

/** Naming a list twice has no effect (Q5). */
function checkDiscountLists({ Discounts }: ProductRecord, context: RecordContext, report: ReportFault): void {
  const keys = Discounts.map(codeKey);
  for (const [place, code] of Discounts.entries()) {
    const field = `Discounts[${place}]`;
    const first = keys.indexOf(codeKey(code));
    if (first === place) checkListName([field, 'discount-list', code], context, report);
    else {
      report(field, `names the discount list ${code}, as Discounts[${first}] does: remove one of them`);
    }
  }
}

function checkInsuranceItems(product: ProductRecord, context: RecordContext, report: ReportFault): void {
  checkItems('Insurances', product.Insurances, report, (item, reportItem) => {
    checkDays(['StartDate', 'EndDate'], productDays(item), reportItem);
    checkListName(['InsuranceList', 'insurance-list', item.InsuranceList], context, reportItem);
    checkFilters(item.Filters, context, reportItem);
  });
}
