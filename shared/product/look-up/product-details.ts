/** Looks up the display data of a product (interface sections 2.3 and 4.5). */

import {
  isProduct,
  type LookUp,
  type LookUpContext,
  type SelectorRequest,
  selectRequestedProduct,
} from './product-selection.ts';

/** Display data of a product. */
export interface ProductDetails {
  readonly Name: string;
  /** JSON text of a list of {Name, RealName}. */
  readonly ProductImage: string | null;
  readonly Benefits: string | null;
  readonly DisplayConditions: string | null;
  readonly NoOfDebtor: number | null;
}

/** Looks up the display data of the product with the code or id of the request. */
export function lookUpDetails(request: SelectorRequest, context: LookUpContext): LookUp<ProductDetails> {
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const { ProductImage: images, Benefits, DisplayConditions, NoOfDebtor } = product.Display;
  const named = images?.map(({ Name, RealName }) => ({ Name, RealName }));
  const ProductImage = named === undefined ? null : JSON.stringify(named);
  const answer = { Name: product.Name, ProductImage, Benefits, DisplayConditions, NoOfDebtor };
  return { kind: 'found', answer, warnings: [] };
}
