/** The documents of a product (interface sections 2.3 and 4.6). */

import {
  dayOf,
  isProduct,
  type LookUp,
  type LookUpContext,
  selectorOf,
  type SelectorRequest,
  selectProduct,
} from './product-selection.ts';

/** One document: how it belongs to the product, and the report that it is. */
export interface ProductDocument {
  readonly Doc: {
    /** GUID. */
    readonly ReportId: string;
    readonly IsMandatory: boolean | null;
    readonly IsAccord: boolean | null;
  };
  readonly Report: { readonly DisplayName: string };
}

/** The documents of the product that the request names by code or id, in catalogue order. */
export function productDocuments(
  request: SelectorRequest,
  context: LookUpContext,
): LookUp<readonly ProductDocument[]> {
  const product = selectProduct(selectorOf(request), context.catalogue, dayOf(request, context));
  if (!isProduct(product)) return product;
  const answer = product.Documents.map(({ ReportId, IsMandatory, IsAccord, DisplayName }) => ({
    Doc: { ReportId, IsMandatory, IsAccord },
    Report: { DisplayName },
  }));
  return { kind: 'found', answer, warnings: [] };
}
