/** The file of a product version: what JSON it holds (docs/catalogue.md). */

import type { z } from 'zod';
import {
  PERIOD_TYPES,
  PRODUCT_STATUSES,
  type ProductRecord,
} from '../../product/catalogue/product-record.ts';
import {
  code,
  filters,
  flagOrFalse,
  recordId,
  items,
  maybe,
  maybeCount,
  maybeDay,
  maybeFlag,
  maybeNumber,
  maybeText,
  name,
  number,
  oneOf,
  recordOf,
  version,
} from './record-field-kinds.ts';

const display = recordOf({
  ProductImage: maybe(items(recordOf({ Name: name(), RealName: name() }))),
  Benefits: maybeText(),
  DisplayConditions: maybeText(),
  NoOfDebtor: maybeCount(),
});

const generalData = recordOf({
  BankAccountType: maybeText(),
  IsRevolving: flagOrFalse(),
  AutoDisbursement: flagOrFalse(),
  MaxNoDisbursements: maybeCount(),
  ActivationTranchesOnDocumentSubmission: flagOrFalse(),
  IsGuaranteed: flagOrFalse(),
  AllowCollateralPartialRelease: maybeFlag(),
  AllowCoDebtor: flagOrFalse(),
  AllowRefinancing: flagOrFalse(),
  MaxNoOfCodebtors: maybeCount(),
  PeriodicityType: name(),
  RepaymentAllocationMethod: maybeText(),
  HolidayShiftForRepaymentInstallments: flagOrFalse(),
  HolidayShiftMethod: maybeText(),
  DeferDueDate: flagOrFalse(),
  GraceType: maybeText(),
  ProductGrace: maybeText(),
  GraceDaysForRepayment: maybeCount(),
  PenaltyForGracePeriod: flagOrFalse(),
});

const covenant = recordOf({
  Name: name(),
  Type: maybeText(),
  Value: maybe(number()),
  ValidFrom: maybeDay(),
  ValidTo: maybeDay(),
  ReviewFrequencyMonths: maybeCount(),
});

const availability = recordOf({
  Currency: name(),
  PeriodType: oneOf(PERIOD_TYPES),
  MaxPeriodForDisbursement: maybeCount(),
  MinimumPeriod: maybeCount(),
  MaximumPeriod: maybeCount(),
  MinimumEarlyRepaymentValue: maybeNumber(),
  MinimumAmount: maybeNumber(),
  MaximumAmount: maybeNumber(),
  UnusageStartPeriod: maybeCount(),
  MinimumAdvance: maybeNumber(),
  MaximumAdvance: maybeNumber(),
  AvailabilityItemFilters: items(
    recordOf({
      Filter: name(),
      FilterScope: maybeText(),
      FilterType: maybeText(),
      Description: maybeText(),
    }),
  ),
  ProductCovenants: items(covenant),
  MandatoryRoles: items(recordOf({ Name: name(), SearchLimit: flagOrFalse() })),
});

const guarantee = recordOf({
  ProductGuaranteeName: name(),
  GuaranteeType: maybeText(),
  MaxAcceptedCoveringPercent: maybeNumber(),
});

const tranche = recordOf({
  Name: name(),
  TranchePercent: maybeNumber(),
  InterestPercent: maybe(number()),
  StartMonthFromActivation: maybeCount(),
  UnusageCommissionPercent: maybeNumber(),
});

const offer = recordOf({
  Id: recordId(),
  Name: name(),
  InterestList: maybe(code()),
  CommissionList: maybe(code()),
  Filters: filters(),
});

const insuranceItem = recordOf({
  Id: recordId(),
  Name: name(),
  Code: code(),
  InsuranceList: code(),
  StartDate: maybeDay(),
  EndDate: maybeDay(),
  Filters: filters(),
});

const question = recordOf({
  Name: name(),
  QuestionType: maybeText(),
  AnswerEntity: maybeText(),
  AnswerField: maybeText(),
  IsForSolicitant: flagOrFalse(),
  IsForCoborrower: flagOrFalse(),
});

const document = recordOf({
  ReportId: recordId(),
  DisplayName: name(),
  IsMandatory: maybeFlag(),
  IsAccord: maybeFlag(),
});

/** A file of products/, or an item of its list. */
export const PRODUCT_SHAPE: z.ZodType<ProductRecord> = recordOf({
  Code: code(),
  Version: version(),
  Id: recordId(),
  Status: oneOf(PRODUCT_STATUSES),
  Name: name(),
  StartDate: maybeDay(),
  EndDate: maybeDay(),
  BankingProductType: name(),
  Display: display,
  GeneralData: generalData,
  CountryCalendars: items(name()),
  PaymentScheduleTypes: items(name()),
  CapitalPercent: maybeNumber(),
  ResidualPercent: maybeNumber(),
  Guarantees: items(guarantee),
  DestinationTypes: items(recordOf({ ProductDestinationTypeName: name(), IsDefault: flagOrFalse() })),
  DisbursementMatrix: items(tranche),
  AssociatedProducts: items(recordOf({ AssociatedProductName: name(), AssociatedProductCode: code() })),
  Availability: availability,
  InterestsAndCommissions: items(offer),
  Insurances: items(insuranceItem),
  Discounts: items(code()),
  Questions: items(question),
  Documents: items(document),
});
