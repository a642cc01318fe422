/** Interests and commissions of a product as look-ups answer them (interface section 2.2, L2). */

import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import { invariantDate } from './answer-dates.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { CommissionRecord, InterestRecord } from '../catalogue/list-records.ts';
import type { InterestCommissionItem, ProductRecord } from '../catalogue/product-record.ts';
import { isActive, isWithin, valuesOn } from '../catalogue/valid-values.ts';

/** Dimensions.InterestsAndCommissions: one entry for each item of the product, in catalogue order. */
export function interestsAndCommissions(product: ProductRecord, catalogue: CatalogueView, day: CalendarDate) {
  return product.InterestsAndCommissions.map((item) => offerOf(item, catalogue, day));
}

/** A list that is not in force counts as none: its name is null and nothing of it is answered. */
function offerOf(item: InterestCommissionItem, catalogue: CatalogueView, day: CalendarDate) {
  const commissions =
    item.CommissionList === null ? undefined : catalogue.commissionList(item.CommissionList);
  const interests = item.InterestList === null ? undefined : catalogue.interestList(item.InterestList);
  return {
    InterestCommissionItemName: item.Name,
    CommissionListName: commissions?.Name ?? null,
    InterestListName: interests?.Name ?? null,
    Commissions: (commissions?.Commissions ?? [])
      .filter(isActive)
      .map((commission) => commissionOf(commission, day)),
    Interests: (interests?.Interests ?? []).filter(isActive).map((interest) => interestOf(interest, day)),
  };
}

function commissionOf(commission: CommissionRecord, day: CalendarDate) {
  return {
    Name: commission.Name,
    Type: commission.Type,
    PeriodicityType: commission.PeriodicityType,
    Currency: commission.Currency,
    Status: commission.Status,
    IsForUnusage: commission.IsForUnusage,
    ValueIsPercent: commission.ValueIsPercent,
    IncludedInRepaymentSchedule: commission.IncludedInRepaymentSchedule,
    AutomaticLoadOnContract: commission.AutomaticLoadOnContract,
    MandatoryForApplicant: commission.MandatoryForApplicant,
    UseBankingFormula: commission.UseBankingFormula,
    IsForContractVersion: commission.IsForContractVersion,
    PercentAppliedTo: commission.PercentAppliedTo,
    Percent: commission.Percent,
    Values: valuesOn(commission.Values, day).map((value) => ({
      CommissionValue: value.CommissionValue,
      CommissionPercent: value.CommissionPercent,
      Status: value.Status,
      ValueValidFrom: invariantDate(value.ValidFrom),
      ValueValidTo: invariantDate(value.ValidTo),
    })),
  };
}

/** A Collection interest by utilised amount has a shape of its own. */
function interestOf(interest: InterestRecord, day: CalendarDate) {
  const isBanded = interest.Type === 'Collection' && interest.BandedInterests.length > 0;
  return isBanded ? bandedInterest(interest, day) : standardInterest(interest, day);
}

function standardInterest(interest: InterestRecord, day: CalendarDate) {
  return {
    Name: interest.Name,
    Code: interest.Code,
    AppliedToLoanItemIfOverdue: interest.AppliedToLoanItemIfOverdue,
    Description: interest.Description,
    IsDefault: interest.IsDefault,
    UseBankingFormula: interest.UseBankingFormula,
    IsPenalty: interest.IsPenalty,
    IsGeneral: interest.IsGeneral,
    IsForSightDeposit: interest.IsForSightDeposit,
    IsForOverdraft: interest.IsForOverdraft,
    IsCreditLine: interest.IsCreditLine,
    IsDebitOrder: interest.IsDebitOrder,
    Type: interest.Type,
    Values: valuesOn(interest.Values, day).map((value) => ({
      Value: value.Value,
      ValueStatus: value.ValueStatus,
      ValueValidFrom: invariantDate(value.ValidFrom),
      ValueValidTo: invariantDate(value.ValidTo),
    })),
    CollectionInterests: interest.CollectionInterests.filter((range) =>
      isWithin(day, range.InterestStartDate, range.InterestEndDate),
    ).map((range) => ({
      InterestName: range.InterestName,
      InterestStartPeriod: range.InterestStartPeriod,
      InterestEndPeriod: range.InterestEndPeriod,
      InterestStartDate: invariantDate(range.InterestStartDate),
      InterestEndDate: invariantDate(range.InterestEndDate),
    })),
  };
}

function bandedInterest(interest: InterestRecord, day: CalendarDate) {
  return {
    InterestName: interest.Name,
    InterestCode: interest.Code,
    InterestType: interest.Type,
    IsForOverdraft: interest.IsForOverdraft,
    BandedInterests: interest.BandedInterests.filter((band) =>
      isWithin(day, band.CollectionValidFrom, band.CollectionValidTo),
    ).map((band) => ({
      InterestName: band.InterestName,
      MinUtilizedAmount: band.MinUtilizedAmount,
      MaxUtilizedAmount: band.MaxUtilizedAmount,
      IsForOverdraft: band.IsForOverdraft,
      CollectionValidFrom: band.CollectionValidFrom,
      CollectionValidTo: band.CollectionValidTo,
      Value: band.Value,
      ValueMessage: band.ValueMessage,
    })),
  };
}
