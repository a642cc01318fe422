/** Reads the requests of the product look-ups. */

import type { Fault } from '../../platform/problem.ts';
import type { z } from 'zod';
import { missingSelector, type SelectorRequest } from '../../product/look-up/product-selection.ts';
import type { ProductByCodeRequest } from '../../product/look-up/product-by-code.ts';
import { createBodyReader } from '../json/body-input.ts';
import {
  insuranceListMembers,
  productByCodeMembers,
  productDetailsMembers,
  productDocumentsMembers,
} from './requests.ts';
import { isAbsent, shapeFault } from '../json/faults.ts';

/** The insurance list's request as it is read: figures are exact decimals (M1). */
export type InsuranceListInput = z.output<typeof insuranceListMembers>;

/** Readers of bodies and checks of requests that came in Avro, one for each look-up. */
export const productByCodeInput = createBodyReader<ProductByCodeRequest>({
  members: productByCodeMembers,
});
export const productDetailsInput = createBodyReader<SelectorRequest>({
  members: productDetailsMembers,
  between: codeOr('productId'),
});
export const insuranceListInput = createBodyReader<InsuranceListInput>({
  members: insuranceListMembers,
  between: codeOr('productId'),
});
export const productDocumentsInput = createBodyReader<SelectorRequest>({
  members: productDocumentsMembers,
  between: codeOr('bankingProductId'),
});

/** One of the two selectors has to be sent (L1). */
function codeOr(idMember: string) {
  return (sent: Readonly<Record<string, unknown>>): readonly Fault[] =>
    isAbsent(sent['productCode']) && isAbsent(sent[idMember])
      ? [shapeFault('productCode', 'missing', missingSelector(idMember))]
      : [];
}
