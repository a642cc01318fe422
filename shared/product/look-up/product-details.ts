/** Looks up the display data of a product (interface sections 2.3 and 4.5). */

import {
  isProduct,
  type LookUpContext,
  type SelectorRequest,
  selectRequestedProduct,
} from './product-selection.ts';

/** Looks up the display data of the product with the code or id of the request; images are JSON text. */
export function lookUpDetails(request: SelectorRequest, context: LookUpContext) {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const { ProductImage: images, Benefits, DisplayConditions, NoOfDebtor } = product.Display;
  const named = images?.map(({ Name, RealName }) => ({ Name, RealName }));
  const ProductImage = named === undefined ? null : JSON.stringify(named);
  const answer = { Name: product.Name, ProductImage, Benefits, DisplayConditions, NoOfDebtor };
  return { kind: 'found', answer, warnings: [] } as const;
}
