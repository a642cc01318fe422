/** Looks up the insurance lists of a product that are available to an applicant (interface section 4.3, L3). */

import { Validation } from '../../lending/request/validation.ts';
import { collectInsuranceFilters, findInsuranceItems } from '../catalogue/catalogue-view.ts';
import { readFigures, type NamedFigure, passesFilters } from '../catalogue/item-filters.ts';
import {
  resolveDay,
  isProduct,
  type LookUpContext,
  type SelectorRequest,
  selectRequestedProduct,
} from './product-selection.ts';
import { isWithin } from '../catalogue/valid-versions.ts';

export interface InsuranceListRequest extends SelectorRequest {
  /** Figures of the applicant or the contract, such as an age or an amount; absent: none. */
  readonly filterList?: readonly NamedFigure[] | undefined;
}

/**
 * Looks up the insurance items of the product that are valid on the day and whose filters all pass, in catalogue order. A
 * figure that no filter of the product's insurances uses is ignored with a warning (L3).
 */
export function lookUpInsuranceList(request: InsuranceListRequest, context: LookUpContext) {
  const { catalogue } = context;
  const day = resolveDay(request, context);
  const product = selectRequestedProduct(request, context);
  if (!isProduct(product)) return product;
  const offered = findInsuranceItems(product, catalogue);
  const validation = new Validation();
  // Figures for filters of single insurances are accepted too, so that callers can send the same figures as for a
  // simulation.
  const figures = readFigures('filterList', request.filterList, collectInsuranceFilters(offered), validation);
  if (validation.faults.length > 0) return { kind: 'refused', faults: validation.faults } as const;
  const answer = offered
    .filter(({ item }) => isWithin(day, item.StartDate, item.EndDate))
    .filter(({ item }) => passesFilters(item.Filters, figures, catalogue))
    .map(({ item, list }) => ({
      ItemName: item.Name,
      ItemCode: item.Code,
      // The list's version in force.
      InsuranceListId: list.Id,
      InsuranceListName: list.Name,
    }));
  return { kind: 'found', answer, warnings: validation.warnings } as const;
}
