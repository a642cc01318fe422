/** Looks up the display data, documents and insurance lists of a product (interface 2.3, 4.3, 4.5 and 4.6, L1, L3). */

import { type CalendarDate, formatCalendarDate } from '../../lending/dates/calendar-date.ts';
import { type RequestFault, Validation, type RequestWarning } from '../../lending/request/validation.ts';
import {
  type CatalogueView,
  collectInsuranceFilters,
  findInsuranceItems,
} from '../catalogue/catalogue-view.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';
import { readFigures, type NamedFigure, passesFilters } from '../catalogue/item-filters.ts';
import { isWithin } from '../catalogue/version-in-force.ts';

export interface LookUpContext {
  readonly catalogue: CatalogueView;
  /** UTC day of the request's timestamp, so that a replay returns the same answer (L1). */
  readonly requestDay: CalendarDate;
}

/** The answer, an unknown product (404), or a contradictory request (400). */
export type LookUp<Answer> =
  | { readonly kind: 'found'; readonly answer: Answer; readonly warnings: readonly RequestWarning[] }
  | FailedLookUp;

interface FailedLookUp {
  readonly kind: 'unknown-product' | 'refused';
  readonly faults: readonly RequestFault[];
}

/** The code or the id of a product, or both, each with the name of its request field. */
type ProductSelector = Readonly<Partial<Record<'code' | 'id', { field: string; value: string } | undefined>>>;

/** The product, by code, id or both. Look-ups throw Error if the code and both ids are absent. */
export interface SelectorRequest {
  readonly productCode?: string | undefined;
  readonly productId?: string | undefined;
  /** The name of `productId` in the request for documents; ignored if `productId` is sent. */
  readonly bankingProductId?: string | undefined;
  /** Extension: the day on which the product must be valid. @default the request day */
  readonly Date?: CalendarDate | undefined;
}

/** Selects the product of a look-up by code, id or both (L1). */
export function selectRequestedProduct(request: SelectorRequest, context: LookUpContext) {
  const { productCode, productId, bankingProductId } = request;
  const field = productId === undefined ? 'bankingProductId' : 'productId';
  const id = productId ?? bankingProductId;
  const selector: ProductSelector = {
    code: productCode === undefined ? undefined : { field: 'productCode', value: productCode },
    id: id === undefined ? undefined : { field, value: id },
  };
  return selectProduct(selector, context.catalogue, resolveDay(request, context));
}

/** Returns the day on which the product must be valid: `Date` of the request, otherwise the request day (L1). */
export function resolveDay(request: { readonly Date?: CalendarDate | undefined }, context: LookUpContext) {
  return request.Date ?? context.requestDay;
}

/** Selects the product's version that is valid on the day (L1). Throws Error without code and id, which is a bug. */
export function selectProduct(
  { code, id }: ProductSelector,
  catalogue: CatalogueView,
  day: CalendarDate,
): ProductRecord | FailedLookUp {
  const validation = new Validation();
  const byCode = code && catalogue.product(code.value, day);
  const byId = id && catalogue.productById(id.value, day);
  const valid = `that is valid on ${formatCalendarDate(day)}`;
  if (code !== undefined && byCode === undefined) {
    const message = `must be the code of a product with an Approved version ${valid}`;
    validation.reject(code.field, 'unknown-product', message);
  }
  if (id !== undefined && byId === undefined) {
    const message = `must be the id of an Approved version of a product ${valid}`;
    validation.reject(id.field, 'unknown-product', message);
  }
  if (validation.faults.length > 0) return { kind: 'unknown-product', faults: validation.faults };
  if (code !== undefined && id !== undefined && byCode?.Id !== byId?.Id) {
    validation.reportConflict(id.field, `must name the same product as ${code.field}, or be left out`);
  }
  const product = byCode ?? byId;
  if (product === undefined) throw new Error('a look-up needs the code or the id of a product');
  return validation.faults.length > 0 ? { kind: 'refused', faults: validation.faults } : product;
}

export function isProduct(selected: ProductRecord | FailedLookUp): selected is ProductRecord {
  return 'Code' in selected;
}

/** Looks up the display data; `ProductImage` is the JSON text of the images' names, or null. */
export function lookUpDetails(request: SelectorRequest, context: LookUpContext) {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const { ProductImage: images, Benefits, DisplayConditions, NoOfDebtor } = product.Display;
  const named = images?.map(({ Name, RealName }) => ({ Name, RealName }));
  const ProductImage = named === undefined ? null : JSON.stringify(named);
  const answer = { Name: product.Name, ProductImage, Benefits, DisplayConditions, NoOfDebtor };
  return { kind: 'found', answer, warnings: [] } as const;
}

/** Looks up the documents of the product, in catalogue order (L1). */
export function lookUpDocuments(request: SelectorRequest, context: LookUpContext) {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const answer = product.Documents.map(({ ReportId, IsMandatory, IsAccord, DisplayName }) => ({
    Doc: { ReportId, IsMandatory, IsAccord },
    Report: { DisplayName },
  }));
  return { kind: 'found', answer, warnings: [] } as const;
}

export interface InsuranceListRequest extends SelectorRequest {
  readonly filterList?: readonly NamedFigure[] | undefined;
}

/**
 * Looks up the product's insurance items that are valid on the day and whose filters pass, in catalogue order (L3).
 * Refuses two different figures for one name. Warns with `unknown-filter` of a name that no filter has.
 */
export function lookUpInsuranceList(request: InsuranceListRequest, context: LookUpContext) {
  const { catalogue } = context;
  const day = resolveDay(request, context);
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const offered = findInsuranceItems(product, catalogue);
  const validation = new Validation();
  // Filters of single insurances have no effect here. But a simulation reads them, so their names are known.
  const figures = readFigures('filterList', request.filterList, collectInsuranceFilters(offered), validation);
  if (validation.faults.length > 0) return { kind: 'refused', faults: validation.faults } as const;
  const answer = offered
    .filter(({ item }) => isWithin(day, item.StartDate, item.EndDate))
    .filter(({ item }) => passesFilters(item.Filters, figures, catalogue))
    .map(({ item, list }) => ({
      ItemName: item.Name,
      ItemCode: item.Code,
      InsuranceListId: list.Id,
      InsuranceListName: list.Name,
    }));
  return { kind: 'found', answer, warnings: validation.warnings } as const;
}
