/** What schedules and annual rates cost beside the same work of others, in one run and in turns. */

import { renderRepaymentSchedule } from '../../../shared/contract/schedule/render-schedule.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import {
  effectiveAnnualRate,
  effectiveInterestRate,
} from '../../../shared/lending/annual-rate/effective-rates.ts';
import type { ScheduledLoan } from '../../../shared/lending/annual-rate/rate-flows.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import {
  referenceDae,
  referenceEir,
  referenceSchedule,
  type ReferenceOutcome,
} from '../../../test/support/reference/schedule.ts';
import { decimalSchedule, sumOfPayments } from './decimal-schedule.ts';
import { costsOf, timesOf, type Work } from '../interleaved.ts';
import {
  amortised,
  answered,
  dated,
  loanWithCharges,
  plainLoan,
  planned,
  REQUEST_DAY,
  scheduled,
  shiftedLoan,
  withBothRates,
} from './loans.ts';
import {
  datedAnnuity,
  floatAnnuity,
  peers,
  rateByFinancial,
  rateByFormulajs,
  rateByXirr,
  type DatedAmount,
  type Peer,
} from './peers.ts';
import { NAMES, ratiosOf } from './ratios.ts';
import type { CostPerCall, Ratio } from '../measurement.ts';

/** Thirty years of months, the longest loan that is usual. */
const ROWS = 360;
/** Parts of the measured seconds that one work gets in a round. */
const SLICES = 16;
const DAY_MS = 86_400_000;
const MINOR_PER_MAJOR = 100;
const MONTHS_PER_YEAR = 12;
const PERCENT = 100;
/** Last digit of a rate in percent. */
const RATE_STEP = 0.0001;

/** Figures of the lending part. */
export interface LendingResults {
  readonly costs: readonly CostPerCall[];
  readonly ratios: readonly Ratio[];
  readonly peers: readonly Peer[];
}

/** Measures the engine and its peers in turns. */
export function benchLending(options: {
  readonly rounds: number;
  readonly measureMs: number;
  readonly progress: (text: string) => void;
}): LendingResults {
  const works = allWorks();
  const times = timesOf(works, { ...options, sliceMs: options.measureMs / SLICES });
  return { costs: costsOf(times), ratios: ratiosOf(times), peers: peers() };
}

function allWorks(): readonly Work[] {
  const charged = loanWithCharges(ROWS);
  const loan = scheduled(charged, ROWS);
  return [
    ...engineWorks(charged, loan),
    ...phaseWorks(charged),
    ...schedulePeers(charged),
    ...ratePeers(loan),
  ];
}

function engineWorks(charged: RepaymentScheduleRequest, loan: ReturnType<typeof scheduled>): readonly Work[] {
  const withRates = { ...charged, CalculateDAE: 2 };
  const plain = plainLoan(ROWS);
  const shifted = { ...shiftedLoan(ROWS), CalculateDAE: 2 };
  const answer = calculated(withRates);
  // Dates moved by holidays lie whole months and some days apart.
  const movedLoan = { ...loan, rows: calculated(shifted).rows };
  const mostRows = 1_200;
  const long = loanWithCharges(mostRows);
  const short = loanWithCharges(mostRows / 10);
  const { periodicity } = loan.terms;
  return [
    {
      name: NAMES.whole,
      run: () => withInterestRate(calculated(withRates), loan),
    },
    { name: NAMES.rows, run: () => calculated(charged) },
    { name: NAMES.plain, run: () => calculated(plain) },
    { name: NAMES.shifted, run: () => withInterestRate(calculated(shifted), loan) },
    // A request may ask for 1,200 rows at most; the phases behind that check take any number.
    { name: NAMES.long, run: () => withBothRates(charged, 10 * ROWS) },
    { name: NAMES.steps, run: () => withBothRates(charged, ROWS) },
    { name: NAMES.medium, run: () => calculated(long) },
    { name: NAMES.short, run: () => calculated(short) },
    { name: NAMES.render, run: () => Buffer.from(renderRepaymentSchedule(answer)) },
    { name: NAMES.eir, run: () => effectiveInterestRate(loan) },
    { name: NAMES.dae, run: () => effectiveAnnualRate(loan, periodicity) },
    { name: NAMES.daeOfDays, run: () => effectiveAnnualRate(movedLoan, periodicity) },
  ];
}

/** A schedule answers with one of both rates; "everything" is both. */
function withInterestRate(schedule: RepaymentSchedule, loan: ScheduledLoan): unknown {
  return [schedule, effectiveInterestRate({ ...loan, rows: schedule.rows })];
}

/** Each phase with those before it: what a phase costs is the difference to the line above. */
function phaseWorks(charged: RepaymentScheduleRequest): readonly Work[] {
  const plan = () => planned(charged, dated(charged, ROWS));
  return [
    { name: NAMES.dates, run: () => dated(charged, ROWS) },
    { name: NAMES.planned, run: plan },
    { name: NAMES.amortised, run: () => amortised(plan()) },
    {
      name: NAMES.answered,
      run: () => {
        const known = plan();
        return answered(amortised(known), known, 2);
      },
    },
  ];
}

function schedulePeers(charged: RepaymentScheduleRequest): readonly Work[] {
  const reference = (): Extract<ReferenceOutcome, { kind: 'schedule' }> => {
    const outcome = referenceSchedule(charged, { requestDay: REQUEST_DAY, calendar: () => undefined });
    if (outcome.kind === 'refused') throw new Error(`the sample is refused: ${outcome.reason}`);
    return outcome;
  };
  checkSums(charged, reference());
  return [
    { name: NAMES.datedPeer, run: datedAnnuity(ROWS) },
    { name: NAMES.floatPeer, run: floatAnnuity(ROWS) },
    {
      name: NAMES.reference,
      run: () => {
        const outcome = reference();
        return [referenceDae(outcome), referenceEir(outcome)];
      },
    },
    { name: NAMES.referenceRows, run: reference },
    { name: NAMES.decimalRows, run: () => decimalSchedule(ROWS) },
  ];
}

/** Engine, reference and plain loop must have calculated the same, or comparing their times says nothing. */
function checkSums(
  charged: RepaymentScheduleRequest,
  reference: Extract<ReferenceOutcome, { kind: 'schedule' }>,
): void {
  const sums = [
    totalOf(calculated(charged).rows),
    totalOf(reference.rows),
    sumOfPayments(decimalSchedule(ROWS)),
  ];
  if (new Set(sums).size > 1) throw new Error(`the calculations differ: ${sums.join(', ')}`);
}

function totalOf(rows: readonly { readonly totalInstallment: number }[]): string {
  return (rows.reduce((sum, row) => sum + row.totalInstallment, 0) / MINOR_PER_MAJOR).toFixed(2);
}

function ratePeers(loan: ScheduledLoan): readonly Work[] {
  const flows = flowsOf(loan);
  const amounts = flows.map(({ amount }) => amount);
  const dates = flows.map(({ when }) => when);
  checkRates(loan, [rateByXirr(flows), rateByFormulajs(amounts, dates)]);
  const shortLoan = scheduled(plainLoan(MONTHS_PER_YEAR), MONTHS_PER_YEAR);
  const shortAmounts = flowsOf(shortLoan).map(({ amount }) => amount);
  return [
    { name: NAMES.xirr, run: () => rateByXirr(flows) },
    { name: NAMES.formulajs, run: () => rateByFormulajs(amounts, dates) },
    { name: NAMES.financial, run: () => rateByFinancial(shortAmounts) },
    { name: NAMES.ownShort, run: () => effectiveInterestRate(shortLoan) },
  ];
}

/** As above, for the rates. */
function checkRates(loan: ScheduledLoan, others: readonly number[]): void {
  const own = effectiveInterestRate(loan);
  for (const rate of others) {
    const differs = Math.abs(rate * PERCENT - Number(own)) > RATE_STEP;
    if (differs || own === null) throw new Error(`the rates differ: ${own}, ${rate * PERCENT}`);
  }
}

/** The flows of the effective interest rate, as spreadsheets want them. */
function flowsOf({ startDate, drawn, rows }: ScheduledLoan): readonly DatedAmount[] {
  return [
    flow(-drawn, startDate),
    ...rows.map((row) => flow(row.interest + row.principal + row.managementFee, row.dueDate)),
  ];
}

function flow(minor: number, day: number): DatedAmount {
  return { amount: minor / MINOR_PER_MAJOR, when: new Date(day * DAY_MS) };
}

function calculated(request: RepaymentScheduleRequest): RepaymentSchedule {
  const outcome = calculateRepaymentSchedule(request, {
    requestDay: REQUEST_DAY,
    calendars: { find: (name) => findCalendar(name, {}) },
  });
  if (outcome.kind === 'schedule') return outcome;
  throw new Error(`the sample is refused: ${JSON.stringify(outcome.faults)}`);
}
