/** Looks up the documents of a product (interface sections 2.3 and 4.6). */

import {
  isProduct,
  type LookUp,
  type LookUpContext,
  type SelectorRequest,
  selectRequestedProduct,
} from './product-selection.ts';

/** One document: its relation to the product, and its report. */
export interface ProductDocument {
  readonly Doc: {
    /** GUID. */
    readonly ReportId: string;
    readonly IsMandatory: boolean | null;
    readonly IsAccord: boolean | null;
  };
  readonly Report: { readonly DisplayName: string };
}

/** Looks up the documents of the product with the code or id of the request, in catalogue order. */
export function lookUpDocuments(
  request: SelectorRequest,
  context: LookUpContext,
): LookUp<readonly ProductDocument[]> {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const answer = product.Documents.map(({ ReportId, IsMandatory, IsAccord, DisplayName }) => ({
    Doc: { ReportId, IsMandatory, IsAccord },
    Report: { DisplayName },
  }));
  return { kind: 'found', answer, warnings: [] };
}
