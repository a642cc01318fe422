import type { InsuranceListInput } from '../../shared/contract/product/look-ups.ts';
import type { Handler } from '../../shared/messaging/handler/request.ts';
import type { CatalogueView } from '../../shared/product/catalogue/catalogue-view.ts';
import { lookUpInsuranceList, type InsuranceListItem } from '../../shared/product/look-up/insurance-list.ts';
import { answerLookUp } from './answer-look-up.ts';

/** Answers a GetProductInsuranceListRequest: the insurance lists of a product whose filters pass (L1, L3). Pure. */
export function createGetProductInsuranceListHandler(catalogue: CatalogueView): Handler {
  return answerLookUp<InsuranceListInput, readonly InsuranceListItem[]>(
    {
      replyType: 'GetProductInsuranceListReply',
      find: ({ filterList, ...request }, context) =>
        lookUpInsuranceList({ ...request, filterList: filterList?.map(namedFigure) }, context),
      payloadOf: (Insurances, warnings) => ({ Insurances, warnings }),
    },
    catalogue,
  );
}

/** Filters hold JSON numbers: a figure is compared as the number that stands for the same decimal. */
function namedFigure({ name, value }: NonNullable<InsuranceListInput['filterList']>[number]) {
  return { name, value: value.toNumber() };
}
