/** Simulates all products of a catalogue with their schedule types, interest types and bounds. */

import { Decimal } from 'decimal.js';
import { type CalendarDate, formatCalendarDate } from '../../../shared/lending/dates/calendar-date.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import { buildCatalogue } from '../../../shared/product/validation/build-catalogue.ts';
import type { CatalogueRecord } from '../../../shared/product/catalogue/catalogue-record.ts';
import { type CatalogueView, selectEntries } from '../../../shared/product/catalogue/catalogue-view.ts';
import { findLoanRange } from '../../../shared/product/validation/loan-range.ts';
import { INTEREST_OPTION_IDS, type InterestType } from '../../../shared/product/catalogue/list-records.ts';
import type { ProductRecord } from '../../../shared/product/catalogue/product-record.ts';
import type { FormulaInput, SimulateRequest } from '../../../shared/product/simulation/simulate-request.ts';
import { simulate } from '../../../shared/product/simulation/simulate.ts';
import { findPeriodicity } from '../../../shared/lending/dates/periodicity.ts';
import { date } from '../builders/lending-loan.ts';

/** A day on which all products of the example catalogue are valid. */
const DAY: CalendarDate = date('2025-06-30');
const PAYMENT_PERCENT = 5;

/** The faults of simulations of a valid catalogue; empty if all succeed. Throws on an invalid catalogue. */
export function refusalsOf(records: readonly CatalogueRecord[]): readonly string[] {
  const outcome = buildCatalogue(records);
  if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.faults));
  const { catalogue } = outcome;
  return selectEntries(records, 'product').flatMap(({ record }) =>
    catalogue.product(record.Code, DAY) === record ? refusalsOfProduct(record, catalogue) : [],
  );
}

function refusalsOfProduct(product: ProductRecord, catalogue: CatalogueView): readonly string[] {
  return product.PaymentScheduleTypes.flatMap((scheduleType) =>
    interestTypesOf(product, catalogue).flatMap((interestType) =>
      loansOf(product, catalogue).flatMap((loan) => {
        const request = { ...loan, scheduleType, ...fixedPaymentFor(scheduleType, loan, catalogue) };
        const outcome = simulate(
          { ...request, interestType: INTEREST_OPTION_IDS[interestType], ...inputsOf(product, catalogue) },
          {
            catalogue,
            calendars: {
              find: (name) => findCalendar(name, { catalogue: catalogue.lending.calendars }),
              defaultName: 'RO',
            },
            requestDay: DAY,
          },
        );
        const name = `${product.Code} ${scheduleType} ${interestType} ${String(loan.amount)}/${loan.loanPeriod}`;
        return outcome.kind === 'simulation'
          ? []
          : outcome.faults.map(({ path, message }) => `${name}: ${path} ${message}`);
      }),
    ),
  );
}

/** The types of the interests that are available on the day. */
function interestTypesOf(product: ProductRecord, catalogue: CatalogueView): readonly InterestType[] {
  const day = formatCalendarDate(DAY);
  const lists = product.InterestsAndCommissions.flatMap(
    ({ InterestList }) => catalogue.list('interest-list', InterestList) ?? [],
  );
  const interests = lists.flatMap(({ Interests }) => Interests);
  const offered = interests.filter(
    ({ Status, IsPenalty, Type, Values }) =>
      Status === 'Active' &&
      !IsPenalty &&
      (Type === 'Collection' ||
        Type === 'BankingFormula' ||
        Values.some(
          ({ ValueStatus, ValidFrom, ValidTo }) =>
            ValueStatus === 'Active' && (ValidFrom ?? day) <= day && day <= (ValidTo ?? day),
        )),
  );
  return [...new Set(offered.map(({ Type }) => Type))];
}

/** The smallest loan with the shortest term, and a large loan with the longest term. */
function loansOf(
  product: ProductRecord,
  { lending }: CatalogueView,
): readonly Pick<SimulateRequest, 'amount' | 'loanPeriod' | 'downPayment' | 'productCode'>[] {
  const periodicity = findPeriodicity(product.GeneralData.PeriodicityType, lending.periodicities);
  const range = periodicity && findLoanRange(product.Availability, periodicity, () => undefined);
  if (range === undefined) throw new Error(`${product.Code} has no range`);
  const { MinimumAdvance, MaximumAmount } = product.Availability;
  const unit = 10 ** range.digits;
  const isTypeWithOneRow = product.PaymentScheduleTypes.includes('Once');
  const longest = isTypeWithOneRow ? range.leastPeriods : range.mostPeriods;
  return [
    { minor: range.leastAmount, loanPeriod: range.leastPeriods },
    { minor: MaximumAmount === null ? 1_000_000 * unit : range.mostAmount, loanPeriod: longest },
  ].map(({ minor, loanPeriod }) => ({
    productCode: product.Code,
    amount: new Decimal(minor).dividedBy(unit),
    loanPeriod,
    downPayment: new Decimal(Math.ceil((minor * (MinimumAdvance ?? 0)) / 100)).dividedBy(unit),
  }));
}

/** A payment for schedule types whose formulas use it. */
function fixedPaymentFor(name: string, { amount }: { readonly amount: Decimal }, { lending }: CatalogueView) {
  const type = lending.findScheduleType(name);
  if (type?.namesRead.has('LockedInstallment') !== true) return {};
  return { installmentValue: amount.times(PAYMENT_PERCENT).dividedBy(100).toDecimalPlaces(0) };
}

/** Arguments for all formulas in the lists of a product. */
function inputsOf(
  product: ProductRecord,
  catalogue: CatalogueView,
): Pick<SimulateRequest, 'jsonInputFormula'> {
  const formulas = product.InterestsAndCommissions.flatMap(({ InterestList, CommissionList }) => [
    ...(catalogue.list('interest-list', InterestList)?.Interests ?? []),
    ...(catalogue.list('commission-list', CommissionList)?.Commissions ?? []),
  ]).flatMap(({ Formula }) => Formula ?? []);
  const names = new Set(formulas.flatMap(({ Inputs }) => Inputs));
  const inputs: readonly FormulaInput[] = [...names].map((name) => ({ name, value: new Decimal(5) }));
  return { jsonInputFormula: { interestInput: inputs, commissionInput: inputs } };
}
