/** The addresses of the catalogue, for operators and their tools. */

import {
  catalogueProduct,
  catalogueVersion,
  productPage,
  PRODUCTS_PATH,
  productQuery,
} from '../../operations/products.ts';
import { queryParameters } from './operations.ts';
import { parameterReference, pathParameter, type ApiPart } from './part.ts';
import { readOperation } from './responses.ts';

const IF_CHANGED = parameterReference('If-None-Match');
const CODE = pathParameter('code', 'Code of the product; case does not matter.', {
  type: 'string',
  maxLength: 64,
});
const VERSION = pathParameter('version', 'Number of the version.', {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: 9_999_999_999,
});

export function cataloguePart(): ApiPart {
  return {
    tag: {
      name: 'Catalogue',
      description:
        'The products of the catalogue with all of their versions, for callers with the scope `operations:read`.',
    },
    paths: {
      [PRODUCTS_PATH]: {
        get: readOperation('listProducts', 'Lists the products of the catalogue', productPage, {
          description: 'By code, in pages, each with its versions. Also drafts and closed ones.',
          parameters: [...queryParameters(productQuery), IF_CHANGED],
          hasTag: true,
          otherProblems: [500],
        }),
      },
      [`${PRODUCTS_PATH}/{code}`]: {
        get: readOperation('getCatalogueProduct', 'Returns the versions of a product', catalogueProduct, {
          description: 'All versions, also drafts and closed ones.',
          parameters: [CODE, IF_CHANGED],
          hasTag: true,
          otherProblems: [404, 500],
        }),
      },
      [`${PRODUCTS_PATH}/{code}/versions/{version}`]: {
        get: readOperation('getProductVersion', 'Returns a version of a product', catalogueVersion, {
          description:
            'The whole record, and the lists to which it refers. Lists have versions of their own: a product uses those in ' +
            'force, whichever of its own versions is valid.',
          parameters: [CODE, VERSION, IF_CHANGED],
          hasTag: true,
          otherProblems: [404, 500],
        }),
      },
    },
  };
}
