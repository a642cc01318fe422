/** Request and result of a simulation (interface 4.4, Q4). Absent and null fields of a request are undefined (M6). */

import type { Decimal } from 'decimal.js';
import type {
  InterestRateRange,
  RepaymentScheduleRequest,
} from '../../lending/request/repayment-schedule-request.ts';
import type { ChargePlace } from './charge-selection.ts';
import type { OfferFigures } from './offer-figures.ts';
import type { NamedFigure } from '../catalogue/item-filters.ts';
import type { Periodicity } from '../../lending/dates/periodicity.ts';
import type { CalendarDate } from '../../lending/dates/calendar-date.ts';
import type { RequestFault, RequestWarning } from '../../lending/request/validation.ts';
import type { UsedCalendar } from '../../lending/request/repayment-schedule.ts';

export interface SimulateRequest {
  readonly productCode: string;
  /** Contract amount in major units of the product's currency, the down payment included (Q1). */
  readonly amount: Decimal;
  /** Number of periods of the product's periodicity; with Once, of its PeriodType (Q6). */
  readonly loanPeriod: number;
  /** Name or code of a schedule type that the product names (Q2). */
  readonly scheduleType: string;
  readonly downPayment?: Decimal | undefined;
  /** One of INTEREST_OPTION_IDS (Q3). */
  readonly interestType?: string | undefined;
  readonly interestTypeName?: string | undefined;
  /** Optional discounts to apply, like those in `discount` (Q5). */
  readonly optional?: readonly Omit<ChosenDiscount, 'ProductCode'>[] | undefined;
  readonly discount?: readonly ChosenDiscount[] | undefined;
  readonly jsonFilterCommission?: readonly NamedFigure[] | undefined;
  readonly jsonInsuranceFilter?: readonly NamedFigure[] | undefined;
  readonly jsonDiscountFilter?: readonly NamedFigure[] | undefined;
  readonly jsonInputFormula?: FormulaInputs | undefined;
  /** Rates by range of instalments. They replace those of a Collection interest (Q7). */
  readonly jsonMultipleInterestRates?: readonly InterestRateRange[] | undefined;
  /** The fixed payment in major units; zero means not fixed (B2). */
  readonly installmentValue?: Decimal | undefined;
  /** The fixed principal in major units; zero means not fixed (B2). */
  readonly principalValue?: Decimal | undefined;
  /** 1: payments in advance (B7). @default 0: in arrears */
  readonly InterestType?: number | undefined;
  /** True: each record has the figures of an offer, and its rows due dates (Q8). */
  readonly Offer?: boolean | undefined;
  /** The day as of which the product is simulated. @default the day of the request */
  readonly Date?: CalendarDate | undefined;
  /** True: the figures of an offer are explained. */
  readonly Explain?: boolean | undefined;
  /** @default one period after the start (Q2) */
  readonly FirstDueDate?: CalendarDate | undefined;
  /** Day of month of the due dates. @default that of FirstDueDate, else of the start */
  readonly InstallmentDay?: number | undefined;
  /** Rows without principal (G1). */
  readonly GracePeriodPrincipal?: number | undefined;
  /** Rows that do not collect interest, which the product's GraceType then treats (G2). */
  readonly GracePeriodInterest?: number | undefined;
  readonly OptionalCommissions?: readonly NamedChoice<'FeeId'>[] | undefined;
  readonly OptionalInsurances?: readonly NamedChoice<'InsuranceId'>[] | undefined;
  /** The income of a month in major units, above zero; used only for a limit of payment to income (Q9). */
  readonly Income?: Decimal | undefined;
}

/** What a request chooses by a name, an id, or both. */
export type NamedChoice<IdField extends string> = {
  readonly [Field in 'Name' | IdField]?: string | undefined;
};

/** ProductCode, if present, must be that of the request. */
export interface ChosenDiscount extends NamedChoice<'ProductDiscountId'> {
  readonly ProductCode?: string | undefined;
}

export interface FormulaInput {
  readonly name: string;
  readonly value: Decimal;
}

export const FORMULA_INPUT_PARTS = [
  'interestInput',
  'commissionInput',
  'insuranceInput',
  'discountInput',
] as const;
export type FormulaInputPart = (typeof FORMULA_INPUT_PARTS)[number];

/** Arguments of banking formulas, by the kind of item that has the formula (Q7). */
export type FormulaInputs = { readonly [Part in FormulaInputPart]?: readonly FormulaInput[] | undefined };

/** An instalment, or row 0 with the down payment (Q1). Amounts are whole minor units. */
export interface SimulationRow {
  readonly InstallmentNo: number;
  readonly remainingValue: number;
  readonly pmt: number;
  readonly interest: number;
  readonly principal: number;
  readonly managementFee: number;
  readonly totalInstallment: number;
  /** As shown; in row 0 the start. Answers have it only with the figures of an offer. */
  readonly dueDate: CalendarDate;
  /** Present only when the offer has insurances (F4). */
  readonly insurance?: number;
  /** Interest that is added to the balance; present only if there is any (M3). */
  readonly capitalisedInterest?: number;
}

/**
 * The rate of an offer in percent is basePercent less discountPercent percent of it, less discountValue points (Q5).
 * With several rates the figures are those of row 1, or of the band that contains the financed amount (Q4).
 */
export interface OfferedInterest {
  readonly basePercent: Decimal;
  readonly discountValue: Decimal;
  readonly discountPercent: Decimal;
}

/**
 * A price in money is baseValue less discountPercent percent of it, less discountValue. A percentage is basePercent
 * less discountPercent percent of it. A discount in money turns a percentage into a price; baseValue is then what
 * basePercent comes to per charge (Q5). Money is in major units; formulas and discounts give at most ten decimals.
 */
export interface OfferedCharge {
  readonly name: string;
  /** Money per charge. */
  readonly value: Decimal | null;
  readonly percent: Decimal | null;
  /** Of the percentage: its base (F2), and whether it is annual. */
  readonly appliedTo: string;
  readonly perAnnum: boolean;
  readonly baseValue: Decimal | null;
  readonly basePercent: Decimal | null;
  readonly discountValue: Decimal | null;
  readonly discountPercent: Decimal | null;
  readonly valueIsPercent: boolean;
  readonly currencyId: string;
  /** As the catalogue writes the name of `periodicity`. */
  readonly periodicityType: string;
  readonly periodicity: Periodicity;
  /** Start of the first period: the day of the request (Q6). */
  readonly date: CalendarDate;
  readonly id: string;
  readonly isUpfront: boolean | null;
  readonly isCompulsory: boolean;
  /** Where the charge counts; answers have it only with the figures of an offer (Q8). */
  readonly place: ChargePlace;
}

/** An offer: an interest of an interest-commission item, its schedule and charges. `number` amounts are minor units. */
export interface SimulationRecord {
  /** Number of decimals of the currency (M2). */
  readonly currencyDigits: number;
  readonly interestPercent: string;
  /** Internal rate of return, such as `8.2413%`; null if there is none (A3, A4). */
  readonly irr: string | null;
  readonly firstInstallment: number;
  readonly firstInsurance: number;
  readonly totalInsurance: number;
  readonly firstFee: number;
  readonly totalFee: number;
  readonly total: number;
  readonly rows: readonly SimulationRow[];
  readonly interestId: string;
  readonly interestListId: string;
  readonly interestCommissionItemId: string;
  /** Null if the item has no commission list in force. */
  readonly commissionListId: string | null;
  /** Number of distinct interests in all records (Q4). */
  readonly cntInterestId: number;
  /** Number of distinct interest-commission items in all records (Q4). */
  readonly cntInterestCommissionItemId: number;
  readonly interest: OfferedInterest;
  readonly commissions: readonly OfferedCharge[];
  readonly insurances: readonly OfferedCharge[];
  /** The holiday calendar that the due dates were checked against, if any (H2). */
  readonly calendar: UsedCalendar | undefined;
  /** Terms for which `CalculateRepaymentSchedule` returns the same rows, except row 0. */
  readonly terms: RepaymentScheduleRequest;
  /** Present only if the request asks for an offer (Q8). */
  readonly offer?: OfferFigures;
}

export type SimulationOutcome =
  | {
      readonly kind: 'simulation';
      readonly records: readonly SimulationRecord[];
      readonly calendar: UsedCalendar | undefined;
      readonly warnings: readonly RequestWarning[];
    }
  | {
      readonly kind: 'refused';
      readonly faults: readonly RequestFault[];
      /** True if the code has no Approved version on the day (404, L1). */
      readonly unknownProduct?: true;
    };
