/** Lists the products on offer with the bounds of their loans (L5). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { formatDateTime } from './product-by-code.ts';
import { resolveDay, type LookUp, type LookUpContext } from './product-look-ups.ts';

export const MAX_LISTED_PRODUCTS = 200;
export const DEFAULT_LISTED_PRODUCTS = 50;

export interface ProductListRequest {
  /** The code after which the page begins. @default the first product */
  readonly after?: string | undefined;
  /** From 1 to {@link MAX_LISTED_PRODUCTS}. @default {@link DEFAULT_LISTED_PRODUCTS} */
  readonly limit?: number | undefined;
  /** The day on which the products must be valid. @default the request day */
  readonly Date?: CalendarDate | undefined;
}

/** Lists the Approved versions of the day by code; `Next` is the code after which the next page begins, if any. */
export function lookUpProductList(request: ProductListRequest, context: LookUpContext) {
  const { catalogue } = context;
  const { after, limit = DEFAULT_LISTED_PRODUCTS } = request;
  const day = resolveDay(request, context);
  const first = after === undefined ? '' : codeKey(after);
  const found: ProductRecord[] = [];
  for (const code of catalogue.productCodes()) {
    const product = code > first ? catalogue.product(code, day) : undefined;
    if (product !== undefined) found.push(product);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const Next = found.length > limit ? (page.at(-1)?.Code ?? null) : null;
  const answer = { Products: page.map(describeProduct), Next };
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
