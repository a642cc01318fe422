import type { Handler } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import type { SelectorRequest } from '../../shared/product/look-up/product-selection.ts';
import { lookUpDetails, type ProductDetails } from '../../shared/product/look-up/product-details.ts';
import { answerLookUp } from './answer-look-up.ts';

/** Answers a GetBankingProductDetailsRequest: how a product is displayed (L1). Pure. */
export function createGetBankingProductDetailsHandler(catalogue: CatalogueView): Handler {
  return answerLookUp<SelectorRequest, ProductDetails>(
    {
      replyType: 'GetBankingProductDetailsReply',
      find: lookUpDetails,
      payloadOf: (answer) => answer,
    },
    catalogue,
  );
}
