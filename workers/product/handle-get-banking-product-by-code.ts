import type { ProductByCodePayload } from '../../shared/contract/product/replies.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { lookUpProduct, type ProductByCodeRequest } from '../../shared/product/look-up/product-by-code.ts';
import { answerLookUp } from './answer-look-up.ts';

/** Answers a GetBankingProductByCodeRequest: a product with the sections that are asked for (L1, L2). Pure. */
export function createGetBankingProductByCodeHandler(catalogue: CatalogueView): Handler {
  return answerLookUp<ProductByCodeRequest, object>(
    {
      replyType: 'GetBankingProductByCodeReply',
      find: lookUpProduct,
      payloadOf: (answer): ProductByCodePayload => ({ json: JSON.stringify(answer) }),
    },
    catalogue,
  );
}
