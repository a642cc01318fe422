/** The availability of a product as look-ups answer it (interface section 2.2). */

import { invariantDate } from './answer-dates.ts';
import type { ProductRecord } from '../catalogue/product-record.ts';

/** Availability with its filters and covenants, but without its roles (L2). */
export function availability({ Availability: product }: ProductRecord) {
  return {
    Currency: product.Currency,
    PeriodType: product.PeriodType,
    MaxPeriodForDisbursement: product.MaxPeriodForDisbursement,
    MinimumPeriod: product.MinimumPeriod,
    MaximumPeriod: product.MaximumPeriod,
    MinimumEarlyRepaymentValue: product.MinimumEarlyRepaymentValue,
    MinimumAmount: product.MinimumAmount,
    MaximumAmount: product.MaximumAmount,
    UnusageStartPeriod: product.UnusageStartPeriod,
    MinimumAdvance: product.MinimumAdvance,
    MaximumAdvance: product.MaximumAdvance,
    AvailabilityItemFilters: product.AvailabilityItemFilters.map((filter) => ({
      Filter: filter.Filter,
      FilterScope: filter.FilterScope,
      FilterType: filter.FilterType,
      Description: filter.Description,
    })),
    ProductCovenants: product.ProductCovenants.map((covenant) => ({
      Name: covenant.Name,
      Type: covenant.Type,
      Value: covenant.Value,
      ValidFrom: invariantDate(covenant.ValidFrom),
      ValidTo: invariantDate(covenant.ValidTo),
      ReviewFrequencyMonths: covenant.ReviewFrequencyMonths,
    })),
  };
}

/** Availability.MandatoryRoles. */
export function mandatoryRoles({ Availability }: ProductRecord) {
  return Availability.MandatoryRoles.map((role) => ({ Name: role.Name, SearchLimit: role.SearchLimit }));
}
