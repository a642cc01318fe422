/** Calculates the cost of an offer, its annual rate and its regular payment (Q8). */

import { annualRateFlows } from '../../lending/annual-rate/dae-and-eir.ts';
import { solveEffectiveRate } from '../../lending/annual-rate/proven-rate.ts';
import type { RepaymentScheduleRequest } from '../../lending/request/repayment-schedule-request.ts';
import {
  INSTALLMENT_TYPE_IDS,
  type RepaymentSchedule,
  type ScheduleRow,
} from '../../lending/request/repayment-schedule.ts';
import { costAtStart, type DiscountedCharge } from './charge-prices.ts';
import type { SimulatedLoan } from './loan-within-bounds.ts';
import { explainOffer, type ChargeAtStart, type ShownPayments } from './offer-explanations.ts';
import { applyLimits, readLimitedOffer, type ProductLimits } from './national-limits.ts';
import type { OfferFigures } from './offer-figures.ts';

interface OfferOrigin {
  readonly productVersion: number;
  readonly explains: boolean;
  readonly limits: ProductLimits | undefined;
  /** Those of the schedule. */
  readonly terms: RepaymentScheduleRequest;
}

/** Calculates the figures from a schedule and from all charges of the offer. Sums may exceed the safe integers. */
export function calculateOffer(
  schedule: RepaymentSchedule,
  charges: readonly DiscountedCharge[],
  loan: SimulatedLoan,
  { productVersion, explains, limits, terms }: OfferOrigin,
): OfferFigures {
  const atStart = charges
    .filter(({ isOnce }) => isOnce)
    .map((priced): ChargeAtStart => ({ priced, amount: Number(costAtStart(priced, loan)) }));
  const startCost = sum(
    atStart.filter(({ priced }) => priced.charge.place.inAprc).map(({ amount }) => amount),
  );
  const { rows } = schedule;
  const parts = {
    installments: sum(rows.map(({ totalInstallment }) => totalInstallment)),
    startCost,
    besides: sum(rows.map(({ onlyInRate = 0 }) => onlyInRate)),
    uncounted: sum(rows.map(({ onlyInRows = 0 }) => onlyInRows)),
    financed: loan.financed,
  };
  const totalCostOfCredit = parts.installments + startCost + parts.besides - parts.uncounted - parts.financed;
  const rated = { startDate: schedule.startDate, drawn: loan.financed - startCost, rows: rows.map(countRow) };
  const rateFlows = annualRateFlows(rated, loan.periodicity);
  const calculated = { totalCostOfCredit, rateFlows, terms, rows, loan };
  const payments = selectPayments(rows);
  const { regular, first, last } = payments;
  const installmentAmount = regular?.pmt ?? null;
  const figures: OfferFigures = {
    totalUpfront: sum(atStart.map(({ amount }) => amount)),
    totalCostOfCredit,
    totalAmountPayable: loan.financed + totalCostOfCredit,
    aprc: solveEffectiveRate(rateFlows),
    installmentAmount,
    ...(first !== undefined && first.pmt !== installmentAmount && { firstInstallmentAmount: first.pmt }),
    ...(last !== undefined && last.pmt !== installmentAmount && { lastInstallmentAmount: last.pmt }),
    productVersion,
    calendar: schedule.calendar,
    startDate: schedule.startDate,
    ...(limits && { limits: applyLimits(limits, readLimitedOffer(calculated, limits.income)) }),
  };
  if (!explains) return figures;
  return { ...figures, explanation: explainOffer(figures, { atStart, parts, rateFlows, payments, loan }) };
}

function countRow({ dueDate, totalInstallment, onlyInRate = 0, onlyInRows = 0 }: ScheduleRow) {
  return { dueDate, totalInstallment: totalInstallment + onlyInRate - onlyInRows };
}

/** Finds the first of the regular rows whose payment most of them have. */
function selectPayments(rows: readonly ScheduleRow[]): ShownPayments {
  const regular = rows.filter(({ installmentTypeId }) => installmentTypeId === INSTALLMENT_TYPE_IDS.Regular);
  const byPayment = [...Map.groupBy(regular, ({ pmt }) => pmt).values()];
  const [most = []] = byPayment.toSorted((one, other) => other.length - one.length);
  const isRegular = most.length > 1 || byPayment.length === 1;
  return { regular: isRegular ? most[0] : undefined, first: rows[0], last: rows.at(-1) };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
