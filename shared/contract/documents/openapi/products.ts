/** The addresses of the catalogue, for operators and their tools. */

import type { z } from 'zod';
import {
  catalogueProduct,
  catalogueVersion,
  productPage,
  PRODUCTS_PATH,
  productQuery,
} from '../../operations/products.ts';
import { queryParameters } from './operations.ts';
import { parameterReference, pathParameter, type ApiPart, type Operation } from './part.ts';
import { answer, headerReferences, problemReferences } from './responses.ts';

const PROBLEMS = [400, 401, 403, 405, 408, 429, 431, 500, 503];
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
        get: get('listProducts', 'Lists the products of the catalogue', {
          description: 'By code, in pages, each with its versions. Also drafts and closed ones.',
          schema: productPage,
          parameters: queryParameters(productQuery),
          problems: PROBLEMS,
        }),
      },
      [`${PRODUCTS_PATH}/{code}`]: {
        get: get('getCatalogueProduct', 'Returns the versions of a product', {
          description: 'All versions, also drafts and closed ones.',
          schema: catalogueProduct,
          parameters: [CODE],
          problems: [...PROBLEMS, 404],
        }),
      },
      [`${PRODUCTS_PATH}/{code}/versions/{version}`]: {
        get: get('getProductVersion', 'Returns a version of a product', {
          description:
            'The whole record, and the lists to which it refers. Lists have versions of their own: a product uses those in ' +
            'force, whichever of its own versions is valid.',
          schema: catalogueVersion,
          parameters: [CODE, VERSION],
          problems: [...PROBLEMS, 404],
        }),
      },
    },
  };
}

interface Answered {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly parameters: readonly object[];
  readonly problems: readonly number[];
}

function get(operationId: string, summary: string, answered: Answered): Operation {
  return {
    operationId,
    summary,
    description: answered.description,
    parameters: [...answered.parameters, parameterReference('If-None-Match')],
    responses: {
      200: answer(`${summary}.`, {
        headers: ['X-Correlation-Id', 'ETag'],
        schema: answered.schema,
      }),
      304: {
        description: 'The answer is that of `If-None-Match`.',
        headers: headerReferences(['X-Correlation-Id', 'ETag']),
      },
      ...problemReferences(answered.problems),
    },
  };
}
