/** One offer of a simulation: its rates and charges after discounts, its schedule and its figures (Q3-Q6). */

import { internalRateOfReturn } from '../../lending/annual-rate/internal-rate-of-return.ts';
import {
  calculateRepaymentSchedule,
  type ScheduleContext,
} from '../../lending/calculate-repayment-schedule.ts';
import { formatMinorUnits, MAX_FIGURE_MINOR } from '../../lending/numbers/money.ts';
import type { Validation } from '../../lending/request/validation.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../lending/request/repayment-schedule.ts';
import type { CommissionListRecord } from '../catalogue/list-records.ts';
import { type Discount, appliesToCharge, appliesToInterest } from './discounts.ts';
import { fraction, scaledDecimal } from './exact-figures.ts';
import type { Offer } from './interest-choice.ts';
import { calculateRates } from './interest-rates.ts';
import type { CatalogueCharge } from './contract-charges.ts';
import {
  toCommissionItems,
  toInsuranceItems,
  type DiscountedCharge,
  priceChargeOnce,
  sumUpFrontCharges,
} from './discounted-charges.ts';
import type { FormulaArguments } from './product-formula.ts';
import type { SimulateRequest } from './simulate-request.ts';
import type { SimulatedLoan } from './simulated-loan.ts';
import { addFaults } from './simulation-faults.ts';
import type { SimulationRecord, SimulationRow } from './simulation-result.ts';

/** An offer with its commissions. */
export interface CompleteOffer extends Offer {
  readonly commissionList: CommissionListRecord | undefined;
  readonly commissions: readonly CatalogueCharge[];
}

/** Terms that all offers of a request share. */
export interface SharedTerms {
  readonly request: SimulateRequest;
  readonly loan: SimulatedLoan;
  readonly discounts: readonly Discount[];
  readonly insurances: readonly CatalogueCharge[];
  /** Arguments of formulas of interests. */
  readonly inputs: FormulaArguments;
  readonly schedule: ScheduleContext;
  readonly cntInterestId: number;
  readonly cntInterestCommissionItemId: number;
}

/** Calculates the record of an offer; undefined, with the faults added, when that is impossible. */
export function calculateOffer(
  offer: CompleteOffer,
  shared: SharedTerms,
  validation: Validation,
): SimulationRecord | undefined {
  const { interest, list, item } = offer;
  const { request, loan } = shared;
  const rates = calculateRates(interest, list, {
    requestDay: loan.start,
    installmentsNo: loan.installmentsNo,
    financed: fraction(loan.financed, 10 ** loan.digits),
    isOverdraft: loan.isOverdraft,
    sentRates: request.jsonMultipleInterestRates ?? [],
    inputs: shared.inputs,
    discounts: shared.discounts.filter(({ record }) => appliesToInterest(record, interest)),
  });
  const commissions = priceCharges(offer.commissions, shared, validation);
  const insurances = priceCharges(shared.insurances, shared, validation);
  if (rates === undefined || validation.faults.length > 0) return undefined;
  const terms = { ...loan.terms, ...rates.terms, ...buildChargeTerms(commissions, insurances, loan) };
  const outcome = calculateRepaymentSchedule(terms, shared.schedule);
  if (outcome.kind === 'refused') {
    const charged = { commissions: selectRepeated(commissions), insurances: selectRepeated(insurances) };
    addFaults(outcome.faults, { request, terms, interest, ...charged }, validation);
    return undefined;
  }
  // The warnings of the calculation are dropped: they concern terms of the product, not fields of the request.
  const figures = summariseSchedule(outcome, loan);
  if (figures.total > MAX_FIGURE_MINOR) {
    const largest = formatMinorUnits(MAX_FIGURE_MINOR, loan.digits);
    validation.reject('amount', 'amount-too-large', `must give a total of at most ${largest}`);
    return undefined;
  }
  return {
    interestPercent: rates.percent,
    ...figures,
    interestId: interest.Id,
    interestListId: list.Id,
    interestCommissionItemId: item.Id,
    commissionListId: offer.commissionList?.Id ?? null,
    cntInterestId: shared.cntInterestId,
    cntInterestCommissionItemId: shared.cntInterestCommissionItemId,
    interest: rates.shown,
    commissions: commissions.map(({ shown }) => shown),
    insurances: insurances.map(({ shown }) => shown),
    calendar: outcome.calendar,
    terms,
  };
}

/** The charges that are part of the schedule. */
function selectRepeated(charges: readonly DiscountedCharge[]): readonly DiscountedCharge[] {
  return charges.filter(({ isOnce }) => !isOnce);
}

function priceCharges(
  charges: readonly CatalogueCharge[],
  { discounts, loan }: SharedTerms,
  validation: Validation,
): readonly DiscountedCharge[] {
  return charges.flatMap((charge) => {
    const lowering = discounts.filter(({ record }) => appliesToCharge(record, charge));
    return priceChargeOnce(charge, lowering, loan, validation) ?? [];
  });
}

function buildChargeTerms(
  commissions: readonly DiscountedCharge[],
  insurances: readonly DiscountedCharge[],
  loan: SimulatedLoan,
): Pick<RepaymentScheduleRequest, 'Commission' | 'Insurance' | 'UpFrontValue'> {
  const fees = toCommissionItems(selectRepeated(commissions), loan);
  const premiums = toInsuranceItems(selectRepeated(insurances), loan);
  const upFront = sumUpFrontCharges([...commissions, ...insurances], loan);
  return {
    ...(fees.length === 0 ? {} : { Commission: fees }),
    ...(premiums.length === 0 ? {} : { Insurance: premiums }),
    ...(upFront === 0n ? {} : { UpFrontValue: scaledDecimal(upFront, loan.digits) }),
  };
}

/** The first figures are those of row 1, the totals are column sums; `total` includes the down payment of row 0 (Q4). */
function summariseSchedule(schedule: RepaymentSchedule, loan: SimulatedLoan) {
  const down = downPaymentRow(loan);
  const rows: SimulationRow[] = [down];
  const flows: number[] = [];
  const sums = { insurance: 0, fee: 0, total: down.totalInstallment };
  for (const row of schedule.rows) {
    rows.push(row);
    // A residual row is due on the day of the row before it, so it belongs to the same period (A3, B1).
    if (row.installmentTypeId === INSTALLMENT_TYPE_IDS.Residual)
      flows.push((flows.pop() ?? 0) + lenderFlow(row));
    else flows.push(lenderFlow(row));
    sums.insurance += row.insurance ?? 0;
    sums.fee += row.managementFee;
    sums.total += row.totalInstallment;
  }
  const [first] = schedule.rows;
  return {
    currencyDigits: schedule.currencyDigits,
    irr: internalRateOfReturn(loan.financed, flows, loan.periodicity),
    firstInstallment: first?.totalInstallment ?? 0,
    firstInsurance: first?.insurance ?? 0,
    totalInsurance: sums.insurance,
    firstFee: first?.managementFee ?? 0,
    totalFee: sums.fee,
    total: sums.total,
    rows,
  };
}

/** The lender's share of an instalment: premiums go to the insurer (A3). */
function lenderFlow({ interest, principal, managementFee }: ScheduleRow): number {
  return interest + principal + managementFee;
}

/** Row 0 shows the whole amount and the down payment (Q1). */
function downPaymentRow({ amount, downPayment }: SimulatedLoan): SimulationRow {
  return {
    InstallmentNo: 0,
    remainingValue: amount,
    pmt: 0,
    interest: 0,
    principal: downPayment,
    managementFee: 0,
    totalInstallment: downPayment,
  };
}
