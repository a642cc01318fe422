/** Builds the loan of a simulation, without interest and charges, within the bounds of its product (Q1, Q2, Q6). */

import { Decimal } from 'decimal.js';
import { addDays, addMonths, type CalendarDate } from '../../lending/dates/calendar-date.ts';
import {
  dayAfterPeriods,
  findPeriodicity,
  monthsPerPeriod,
  type Periodicity,
} from '../../lending/dates/periodicity.ts';
import { DEFAULT_CURRENCY_DIGITS, currencyDigits } from '../../lending/numbers/money.ts';
import type { RoundingMode } from '../../lending/numbers/rounding.ts';
import { MAX_INSTALLMENTS, checkAmount } from '../../lending/request/field-checks.ts';
import { Validation } from '../../lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import { checkInterestType } from '../../lending/terms/repayment-terms.ts';
import { hasChargeFormulas, type CompiledScheduleType } from '../../lending/schedule-types/schedule-type.ts';
import { codeKey } from '../catalogue/catalogue-record.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { Availability, PeriodType, ProductRecord } from '../catalogue/product-record.ts';
import { fraction, percentOf, roundToMinor, scaledDecimal, toExact } from './exact-figures.ts';
import { readRequestedTerms } from './requested-terms.ts';
import type { SimulateRequest } from './simulation.ts';
import { compareValues } from '../../lending/formula/arithmetic.ts';

const NOTHING = new Decimal(0);

/** Terms that all offers of a simulation share. Amounts are minor units, those in `terms` major units. */
export interface SimulatedLoan {
  readonly amount: number;
  readonly downPayment: number;
  /** `amount` less `downPayment`, above zero (Q1). */
  readonly financed: number;
  readonly currency: string;
  readonly digits: number;
  readonly rounding: RoundingMode;
  readonly periodicity: Periodicity;
  readonly periodicities: readonly Periodicity[];
  readonly start: CalendarDate;
  readonly installmentsNo: number;
  /** True if the first period is a whole one (C2). */
  readonly startsRegular: boolean;
  /** True if the schedule type has an expiry date (B5): bands for overdrafts then apply. */
  readonly isOverdraft: boolean;
  /** True if the schedule type has charges by formula, which may depend on others. */
  readonly hasChargeFormulas: boolean;
  readonly terms: RepaymentScheduleRequest;
}

/** Adds all faults (422). A loan outside the bounds is returned nevertheless; undefined means no loan can be built. */
export function buildLoan(
  request: SimulateRequest,
  product: ProductRecord,
  { catalogue, requestDay }: { readonly catalogue: CatalogueView; readonly requestDay: CalendarDate },
  validation: Validation,
): SimulatedLoan | undefined {
  const { Currency } = product.Availability;
  const digits = currencyDigits(Currency) ?? DEFAULT_CURRENCY_DIGITS;
  const amounts = readAmounts(request, product, digits, validation);
  const scheduleType = findAttachedType(request, product, catalogue, validation);
  checkInterestType(request.InterestType, scheduleType, validation);
  const { periodicities } = catalogue.lending;
  const periodicity = findPeriodicity(product.GeneralData.PeriodicityType, periodicities);
  if (periodicity === undefined) {
    const message = `must be a product whose periodicity is known, not ${product.GeneralData.PeriodicityType}`;
    validation.reject('productCode', 'unknown-periodicity', message);
  }
  const periods = readPeriods(request, product, { periodicity, start: requestDay }, validation);
  const rows = periodicity?.unit === 'Once' ? 1 : periods;
  const term = { periodicity, start: requestDay, rows };
  const requested = readRequestedTerms(request, product, term, validation);
  if (!amounts || !scheduleType || !periodicity || periods === undefined) return undefined;
  const installmentsNo = rows ?? periods;
  const common = { start: requestDay, periodicity, periodicities, installmentsNo };
  const { type } = scheduleType;
  if (request.Offer === true && type.interestCapitalization) {
    validation.reject('Offer', 'not-allowed', `must be false: ${type.name} is a deposit, which has no cost`);
  }
  return {
    ...amounts,
    ...common,
    startsRegular: startsRegular(requested, common),
    currency: Currency,
    digits,
    rounding: type.rounding,
    isOverdraft: type.useExpiryDate,
    hasChargeFormulas: hasChargeFormulas(scheduleType),
    terms: {
      ScheduleType: type.name,
      ProductType: product.BankingProductType,
      Amount: amounts.downPayment === 0 ? request.amount : scaledDecimal(BigInt(amounts.financed), digits),
      InstallmentsNo: installmentsNo,
      PeriodicityType: periodicity.name,
      ActivationDate: requestDay,
      ...requested,
      ...(periodicity.unit === 'Once' && {
        FirstDueDate: addPeriods(requestDay, periods, product.Availability.PeriodType),
      }),
      ...readHolidayShift(product),
      ...readPercentages(product, scheduleType, { financed: amounts.financed, digits }),
      // If the type does not read AdvanceAmount, a schedule request with these terms would get a warning (E5).
      ...(scheduleType.namesRead.has('AdvanceAmount') && { AdvanceAmount: request.downPayment }),
      ...(scheduleType.namesRead.has('ContractPeriod') && { ContractPeriod: periods }),
      CalculateDAE: 0,
      Currency,
      installmentValue: request.installmentValue,
      principalValue: request.principalValue,
      InterestType: request.InterestType,
    },
  };
}

function readAmounts(
  request: SimulateRequest,
  { Availability }: ProductRecord,
  digits: number,
  validation: Validation,
): Pick<SimulatedLoan, 'amount' | 'downPayment' | 'financed'> | undefined {
  const sent = { amount: request.amount, downPayment: request.downPayment ?? NOTHING };
  if (sent.amount.isZero()) validation.reject('amount', 'out-of-range', 'must be more than zero');
  const amount = checkAmount(validation, 'amount', sent.amount, digits);
  const downPayment = request.downPayment
    ? checkAmount(validation, 'downPayment', request.downPayment, digits)
    : 0;
  if (!amount || downPayment === undefined) return undefined;
  checkAmountBounds(sent, Availability, validation);
  if (downPayment < amount) return { amount, downPayment, financed: amount - downPayment };
  return validation.reject('downPayment', 'out-of-range', 'must be less than amount');
}

/** Finds the schedule type of the request, which must be one that the product names (Q2). */
function findAttachedType(
  { scheduleType }: SimulateRequest,
  { PaymentScheduleTypes }: ProductRecord,
  { lending }: CatalogueView,
  validation: Validation,
): CompiledScheduleType | undefined {
  const wanted = lending.findScheduleType(scheduleType);
  const attached = PaymentScheduleTypes.flatMap((name) => lending.findScheduleType(name) ?? []);
  const found = attached.find(({ type }) => type.id === wanted?.type.id);
  if (found !== undefined) return found;
  const names = attached.map(({ type }) => type.name).join(', ');
  const message =
    names === ''
      ? 'must be attached to the product, which has no active schedule type'
      : `must be a schedule type of the product: ${names}`;
  return validation.reject('scheduleType', 'unknown-schedule-type', message);
}

/** loanPeriod counts periods of the product's periodicity, but for Once units of its PeriodType. */
function readPeriods(
  { loanPeriod }: SimulateRequest,
  { Availability }: ProductRecord,
  { periodicity, start }: { readonly periodicity: Periodicity | undefined; readonly start: CalendarDate },
  validation: Validation,
): number | undefined {
  if (!Number.isInteger(loanPeriod) || loanPeriod < 1 || loanPeriod > MAX_INSTALLMENTS) {
    const unit = describePeriodUnit(periodicity, Availability.PeriodType);
    const message = `must be a whole number of ${unit}, from 1 to ${MAX_INSTALLMENTS}`;
    return validation.reject('loanPeriod', 'out-of-range', message);
  }
  if (periodicity === undefined) return undefined;
  checkPeriodBounds({ periods: loanPeriod, periodicity, start }, Availability, validation);
  return loanPeriod;
}

function readPercentages(
  { CapitalPercent, ResidualPercent }: ProductRecord,
  { type, principal, namesRead }: CompiledScheduleType,
  { financed, digits }: Pick<SimulatedLoan, 'financed' | 'digits'>,
): Partial<RepaymentScheduleRequest> {
  const residualOf = (percent: number) => percentOf(fraction(financed, 10 ** digits), toExact(percent));
  const isCapitalRead = principal.kind === 'CapitalPercent' || namesRead.has('CapitalPercent');
  return {
    ...(CapitalPercent !== null && isCapitalRead && { CapitalPercent: new Decimal(CapitalPercent) }),
    ...(ResidualPercent !== null && {
      ResidualValue: scaledDecimal(roundToMinor(residualOf(ResidualPercent), digits, type.rounding), digits),
    }),
  };
}

/** Combines the product's calendars; a business day must be one in all of them (H2). */
function readHolidayShift({ GeneralData, CountryCalendars }: ProductRecord) {
  if (!GeneralData.HolidayShiftForRepaymentInstallments) return {};
  const calendars = [...new Map(CountryCalendars.map((name) => [codeKey(name), name.trim()])).values()];
  return {
    HolidayShift: true,
    HolidayCountry: calendars.length === 0 ? undefined : calendars.join('+'),
    HolidayMethod: GeneralData.HolidayShiftMethod ?? undefined,
    DeferDueDate: GeneralData.DeferDueDate,
  };
}

const DAYS_PER_WEEK = 7;
const MONTHS_PER_YEAR = 12;

interface SimulatedTerm {
  readonly periods: number;
  readonly periodicity: Periodicity;
  readonly start: CalendarDate;
}

const BOUNDS = [
  ['Minimum', -1, 'at least'],
  ['Maximum', 1, 'at most'],
] as const;

function checkAmountBounds(
  { amount, downPayment }: { readonly amount: Decimal; readonly downPayment: Decimal },
  bounds: Availability,
  validation: Validation,
): void {
  for (const [end, sign, limit] of BOUNDS) {
    const bound = bounds[`${end}Amount`];
    if (bound === null || amount.cmp(bound) !== sign) continue;
    const message = `must be ${limit} ${bound} ${bounds.Currency}, the product's ${end}Amount`;
    validation.reject('amount', 'out-of-range', message);
  }
  for (const [end, sign, limit] of BOUNDS) {
    const percent = bounds[`${end}Advance`];
    if (percent === null) continue;
    const share = percentOf(toExact(amount), toExact(percent));
    if (compareValues(toExact(downPayment), share) * sign <= 0) continue;
    const message = `must be ${limit} ${percent} % of amount, the product's ${end}Advance`;
    validation.reject('downPayment', 'out-of-range', message);
  }
}

/** Describes the unit of loanPeriod, such as `Monthly periods`, or `months` for Once. */
export function describePeriodUnit(periodicity: Periodicity | undefined, periodType: PeriodType): string {
  if (periodicity === undefined) return 'periods';
  return periodicity.unit === 'Once' ? periodType.toLowerCase() : `${periodicity.name} periods`;
}

/** Adds a fault (422) for each bound that the term breaks. Bounds are counted in the product's PeriodType (Q6). */
function checkPeriodBounds(term: SimulatedTerm, bounds: Availability, validation: Validation): void {
  const { PeriodType } = bounds;
  const units = PeriodType.toLowerCase();
  for (const [end, sign, limit] of BOUNDS) {
    const count = bounds[`${end}Period`];
    if (count === null) continue;
    const whole = sign < 0 ? Math.ceil(count) : Math.floor(count);
    if (compareTerm(term, whole, PeriodType) * sign <= 0) continue;
    const counted = `${count} ${count === 1 ? units.slice(0, -1) : units}, the product's ${end}Period`;
    const unit = describePeriodUnit(term.periodicity, PeriodType);
    const message = `must come to ${limit} ${counted}; loanPeriod counts ${unit}`;
    validation.reject('loanPeriod', 'out-of-range', message);
  }
}

/** Returns the shortest and the longest loanPeriod within the bounds (Q6); undefined if there is none. */
export function findPeriodRange(term: Omit<SimulatedTerm, 'periods'>, bounds: Availability) {
  const isAllowed = (periods: number): boolean => {
    const validation = new Validation();
    checkPeriodBounds({ ...term, periods }, bounds, validation);
    return validation.faults.length === 0;
  };
  const terms = Array.from({ length: MAX_INSTALLMENTS }, (_, index) => index + 1);
  const shortest = terms.find(isAllowed);
  const longest = terms.findLast(isAllowed);
  return shortest === undefined || longest === undefined ? undefined : { shortest, longest };
}

/** Compares days with months by the calendar: 60 days from 1 January 2025 exceed two months, from 1 July do not. */
function compareTerm(
  { periods, periodicity, start }: SimulatedTerm,
  count: number,
  unit: PeriodType,
): number {
  if (periodicity.unit === 'Once') return periods - count;
  const months = monthsPerPeriod(periodicity);
  const monthsOfUnit = unit === 'Months' ? 1 : unit === 'Years' ? MONTHS_PER_YEAR : 0;
  if (months > 0 && monthsOfUnit > 0) return periods * months - count * monthsOfUnit;
  return dayAfterPeriods(periodicity, start, periods) - addPeriods(start, count, unit);
}

/** True if the start is an instalment day, and the first due date the next one (C2). */
function startsRegular(
  { InstallmentDay, FirstDueDate }: Pick<RepaymentScheduleRequest, 'InstallmentDay' | 'FirstDueDate'>,
  { periodicity, start }: Omit<SimulatedTerm, 'periods'>,
): boolean {
  const [own, next] = [0, 1].map((periods) => dayAfterPeriods(periodicity, start, periods, InstallmentDay));
  return own === start && (FirstDueDate ?? next) === next;
}

function addPeriods(start: CalendarDate, count: number, unit: PeriodType): CalendarDate {
  if (unit === 'Days') return addDays(start, count);
  if (unit === 'Weeks') return addDays(start, count * DAYS_PER_WEEK);
  return addMonths(start, unit === 'Years' ? count * MONTHS_PER_YEAR : count);
}
