import type { ProductDocumentsPayload } from '../../shared/contract/product/replies.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import type { SelectorRequest } from '../../shared/product/look-up/product-selection.ts';
import { lookUpDocuments, type ProductDocument } from '../../shared/product/look-up/product-documents.ts';
import { answerLookUp } from './answer-look-up.ts';

/** Answers a GetProductDocumentsRequest: the documents of a product (L1). Pure. */
export function createGetProductDocumentsHandler(catalogue: CatalogueView): Handler {
  return answerLookUp<SelectorRequest, readonly ProductDocument[]>(
    {
      replyType: 'GetProductDocumentsReply',
      find: lookUpDocuments,
      payloadOf: (documents): ProductDocumentsPayload => ({ documents }),
    },
    catalogue,
  );
}
