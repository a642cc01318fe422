/** Looks up the documents of a product (interface sections 2.3 and 4.6). */

import {
  isProduct,
  type LookUpContext,
  type SelectorRequest,
  selectRequestedProduct,
} from './product-selection.ts';

/** Looks up the documents of the product with the code or id of the request, in catalogue order, each with its report. */
export function lookUpDocuments(request: SelectorRequest, context: LookUpContext) {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const answer = product.Documents.map(({ ReportId, IsMandatory, IsAccord, DisplayName }) => ({
    Doc: { ReportId, IsMandatory, IsAccord },
    Report: { DisplayName },
  }));
  return { kind: 'found', answer, warnings: [] } as const;
}
