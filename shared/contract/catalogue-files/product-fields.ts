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
  flag,
  guid,
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
  IsRevolving: flag(),
  AutoDisbursement: flag(),
  MaxNoDisbursements: maybeCount(),
  ActivationTranchesOnDocumentSubmission: flag(),
  IsGuaranteed: flag(),
  AllowCollateralPartialRelease: maybeFlag(),
  AllowCoDebtor: flag(),
  AllowRefinancing: flag(),
  MaxNoOfCodebtors: maybeCount(),
  PeriodicityType: name(),
  RepaymentAllocationMethod: maybeText(),
  HolidayShiftForRepaymentInstallments: flag(),
  HolidayShiftMethod: maybeText(),
  DeferDueDate: flag(),
  GraceType: maybeText(),
  ProductGrace: maybeText(),
  GraceDaysForRepayment: maybeCount(),
  PenaltyForGracePeriod: flag(),
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
  MandatoryRoles: items(recordOf({ Name: name(), SearchLimit: flag() })),
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
  Id: guid(),
  Name: name(),
  InterestList: maybe(code()),
  CommissionList: maybe(code()),
  Filters: filters(),
});

const insuranceItem = recordOf({
  Id: guid(),
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
  IsForSolicitant: flag(),
  IsForCoborrower: flag(),
});

const document = recordOf({
  ReportId: guid(),
  DisplayName: name(),
  IsMandatory: maybeFlag(),
  IsAccord: maybeFlag(),
});

/** A file of products/, or an item of its list. */
export const PRODUCT_SHAPE: z.ZodType<ProductRecord> = recordOf({
  Code: code(),
  Version: version(),
  Id: guid(),
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
  DestinationTypes: items(recordOf({ ProductDestinationTypeName: name(), IsDefault: flag() })),
  DisbursementMatrix: items(tranche),
  AssociatedProducts: items(recordOf({ AssociatedProductName: name(), AssociatedProductCode: code() })),
  Availability: availability,
  InterestsAndCommissions: items(offer),
  Insurances: items(insuranceItem),
  Discounts: items(code()),
  Questions: items(question),
  Documents: items(document),
});
