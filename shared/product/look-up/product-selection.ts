/** Selects the product of a look-up by code or id and day, with the common result types of look-ups. */

import { type CalendarDate, formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { type RequestFault, Validation, type RequestWarning } from '../../lending/request/validation.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';

/** The context of a look-up besides its request. */
export interface LookUpContext {
  readonly catalogue: CatalogueView;
  /** UTC day of the request's timestamp, so that a replay returns the same answer (L1). */
  readonly requestDay: CalendarDate;
}

/** The answer, an unknown product (404), or a contradictory request (400). */
export type LookUp<Answer> =
  | { readonly kind: 'found'; readonly answer: Answer; readonly warnings: readonly RequestWarning[] }
  | FailedLookUp;

/** No valid version of a product with the code or id (L1), or a contradictory request. */
export interface FailedLookUp {
  readonly kind: 'unknown-product' | 'refused';
  readonly faults: readonly RequestFault[];
}

/** The code or the id of a product, or both, with its field in the request. */
interface ProductSelector {
  readonly code?: SentSelector | undefined;
  readonly id?: SentSelector | undefined;
}

interface SentSelector {
  readonly field: string;
  readonly value: string;
}

/** Fields of a request that identify a product by productCode or by an id. */
export interface SelectorRequest {
  readonly productCode?: string | undefined;
  readonly productId?: string | undefined;
  readonly bankingProductId?: string | undefined;
  /** Extension: the day whose product is looked up; absent: the day of the request. */
  readonly Date?: CalendarDate | undefined;
}

/** Selects the product of a request by its code, its id, or both, like {@link selectProduct}. */
export function selectRequestedProduct(
  request: SelectorRequest,
  context: LookUpContext,
): ProductRecord | FailedLookUp {
  const { productCode, productId, bankingProductId } = request;
  const field = productId === undefined ? 'bankingProductId' : 'productId';
  const id = productId ?? bankingProductId;
  const selector: ProductSelector = {
    code: productCode === undefined ? undefined : { field: 'productCode', value: productCode },
    id: id === undefined ? undefined : { field, value: id },
  };
  return selectProduct(selector, context.catalogue, resolveDay(request, context));
}

/** The day of a look-up, on which validity is determined (L1). */
export function resolveDay(request: { readonly Date?: CalendarDate | undefined }, context: LookUpContext) {
  return request.Date ?? context.requestDay;
}

/**
 * Selects the version of the product that is valid on the day (L1). A code or an id without such a version is an unknown
 * product; code and id of different products contradict each other. Throws without code and id, which is a bug.
 */
export function selectProduct(
  { code, id }: ProductSelector,
  catalogue: CatalogueView,
  day: CalendarDate,
): ProductRecord | FailedLookUp {
  const validation = new Validation();
  const byCode = code === undefined ? undefined : catalogue.product(code.value, day);
  const byId = id === undefined ? undefined : catalogue.productById(id.value, day);
  if (code !== undefined && byCode === undefined) {
    validation.reject(
      code.field,
      'unknown-product',
      `must be the code of a product with an Approved version that is valid on ${formatCalendarDate(day)}`,
    );
  }
  if (id !== undefined && byId === undefined) {
    validation.reject(
      id.field,
      'unknown-product',
      `must be the id of an Approved version of a product that is valid on ${formatCalendarDate(day)}`,
    );
  }
  if (validation.faults.length > 0) return { kind: 'unknown-product', faults: validation.faults };
  if (code !== undefined && id !== undefined && byCode?.Id !== byId?.Id) {
    validation.reportConflict(id.field, `must name the same product as ${code.field}, or be left out`);
  }
  const product = byCode ?? byId;
  if (product === undefined) throw new Error('a look-up needs the code or the id of a product');
  return validation.faults.length > 0 ? { kind: 'refused', faults: validation.faults } : product;
}

/** True for a product, false for a failed look-up. */
export function isProduct(selected: ProductRecord | FailedLookUp): selected is ProductRecord {
  return 'Code' in selected;
}
