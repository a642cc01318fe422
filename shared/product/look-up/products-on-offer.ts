/** Lists the products on offer with the bounds of their loans (L5). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { formatDateTime } from './product-by-code.ts';
import { resolveDay, type LookUp, type LookUpContext } from './product-look-ups.ts';

export const MAX_LISTED_PRODUCTS = 200;
export const DEFAULT_LISTED_PRODUCTS = 50;
/** Most codes that a page goes through: those without a version of the day take time too. */
export const MAX_CODES_OF_PAGE = 2_000;

export interface ProductListRequest {
  /** The code after which the page begins. @default the first product */
  readonly after?: string | undefined;
  /** From 1 to {@link MAX_LISTED_PRODUCTS}. @default {@link DEFAULT_LISTED_PRODUCTS} */
  readonly limit?: number | undefined;
  /** The day on which the products must be valid. @default the request day */
  readonly Date?: CalendarDate | undefined;
}

/** Lists the Approved versions of the day by code; `Next` is the last code of the page, null if no code follows. */
export function lookUpProductList(request: ProductListRequest, context: LookUpContext) {
  const { catalogue } = context;
  const { after, limit = DEFAULT_LISTED_PRODUCTS } = request;
  const day = resolveDay(request, context);
  const last = codeKey(after ?? '');
  const codes = catalogue.productCodes().filter((code) => code > last);
  const end = Math.min(codes.length, MAX_CODES_OF_PAGE);
  const found: ProductRecord[] = [];
  let place = 0;
  for (; place < end && found.length < limit; place += 1) {
    const product = catalogue.product(codes[place] ?? '', day);
    if (product !== undefined) found.push(product);
  }
  const Next = place < codes.length ? (codes[place - 1] ?? null) : null;
  const answer = { Products: found.map(describeProduct), Next };
  return { kind: 'found', answer, warnings: [] } as const satisfies LookUp<object>;
}

export function describeProduct({ Availability: bounds, ...product }: ProductRecord) {
  return {
    ProductId: product.Id,
    BankingProductCode: product.Code,
    Name: product.Name,
    BankingProductType: product.BankingProductType,
    StartDate: formatDateTime(product.StartDate),
    EndDate: formatDateTime(product.EndDate),
    PeriodicityType: product.GeneralData.PeriodicityType,
    PaymentScheduleTypes: product.PaymentScheduleTypes,
    Currency: bounds.Currency,
    MinimumAmount: bounds.MinimumAmount,
    MaximumAmount: bounds.MaximumAmount,
    MinimumAdvance: bounds.MinimumAdvance,
    MaximumAdvance: bounds.MaximumAdvance,
    PeriodType: bounds.PeriodType,
    MinimumPeriod: bounds.MinimumPeriod,
    MaximumPeriod: bounds.MaximumPeriod,
  };
}
