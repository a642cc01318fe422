import type { Handlers } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { createGetBankingProductByCodeHandler } from './handle-get-banking-product-by-code.ts';
import { createGetBankingProductDetailsHandler } from './handle-get-banking-product-details.ts';
import { createGetProductDocumentsHandler } from './handle-get-product-documents.ts';
import { createGetProductInsuranceListHandler } from './handle-get-product-insurance-list.ts';

/** The handlers of this worker by the type of the request. */
export function createHandlers(catalogue: CatalogueView): Handlers {
  return {
    GetBankingProductByCodeRequest: createGetBankingProductByCodeHandler(catalogue),
    GetBankingProductDetailsRequest: createGetBankingProductDetailsHandler(catalogue),
    GetProductInsuranceListRequest: createGetProductInsuranceListHandler(catalogue),
    GetProductDocumentsRequest: createGetProductDocumentsHandler(catalogue),
  };
}
