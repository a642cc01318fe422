/** Measures the cost of schedules and annual rates alternately with other packages, in the same run. */

import { renderScheduleBytes } from '../../../shared/contract/schedule/render-schedule.ts';
import { calculateRepaymentSchedule } from '../../../shared/lending/calculate-repayment-schedule.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';
import {
  effectiveAnnualRate,
  effectiveInterestRate,
} from '../../../shared/lending/annual-rate/effective-rates.ts';
import type { ScheduledLoan } from '../../../shared/lending/annual-rate/effective-rates.ts';
import { MAX_INSTALLMENTS } from '../../../shared/lending/request/max-installments.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import type { RepaymentSchedule } from '../../../shared/lending/request/repayment-schedule.ts';
import {
  referenceDae,
  referenceEir,
  referenceSchedule,
  type ReferenceOutcome,
} from '../../../test/support/reference/schedule.ts';
import { decimalSchedule, sumOfPayments } from './decimal-schedule.ts';
import {
  atLeast,
  atMost,
  type BenchOptions,
  type Comparison,
  compareTimes,
  type CostPerCall,
  costsOf,
  type PartResults,
  type Ratio,
  type RoundTimes,
  timeCalls,
  toKnow,
  type Work,
} from '../rounds.ts';
import { costTable, ratioTable, table } from '../tables.ts';
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

/** Thirty years of months, the longest usual loan. */
const ROWS = 360;
/** The share of the measured seconds that one task gets in a round. */
const SLICES = 16;
const DAY_MS = 86_400_000;
const MINOR_PER_MAJOR = 100;
const MONTHS_PER_YEAR = 12;
const PERCENT = 100;
/** The step of a rate in percent, its last digit. */
const RATE_STEP = 0.0001;

/** Target: ten times as many rows cost at most this many times as much. */
const MAX_TIMES_FOR_TEN = 11;

/** Targets, as multiples of the engine's time. */
const AIM = { datedPeer: 50, decimal: 8, annualRate: 5 } as const;

/** Display names of the tasks. */
const NAMES = {
  whole: '360 rows, 3 charges, DAE and EIR',
  rows: '360 rows, 3 charges, no rates',
  plain: '360 rows, no charges, no rates',
  shifted: '360 rows, 3 charges, DAE and EIR, holidays of RO',
  long: '3,600 rows, all steps after the row limit check',
  steps: '360 rows, all steps after the row limit check',
  medium: '1,200 rows, 3 charges, no rates',
  short: '120 rows, 3 charges, no rates',
  render: 'JSON answer of 360 rows as bytes',
  eir: 'EIR of 360 dated flows',
  dae: 'DAE of 360 dated flows',
  daeOfDays: 'DAE of 360 dated flows with remaining days',
  dates: 'phase: fields and dates',
  planned: 'phase: as before, day counts and charges placed',
  amortised: 'phase: as before, payment and rows',
  answered: 'phase: as before, rows with charges',
  datedPeer: 'loan-schedule.js: 360 rows, no charges, no rates',
  floatPeer: 'loanjs: 360 rows in floating point, no dates',
  reference: 'decimal.js reference (60 digits): 360 rows, 3 charges, DAE and EIR',
  referenceRows: 'decimal.js reference (60 digits): 360 rows, 3 charges, no rates',
  decimalRows: 'decimal.js loop (34 digits): 360 rows, 3 charges, no rates',
  xirr: 'xirr: 360 dated flows',
  formulajs: 'formulajs XIRR: 360 dated flows',
  financial: 'financial irr: 12 equal periods',
  ownShort: 'EIR of 12 dated flows',
} as const;

interface LendingFigures {
  readonly costs: readonly CostPerCall[];
  readonly ratios: readonly Ratio[];
  readonly peers: readonly Peer[];
}

/** Measures the engine and its peers alternately. */
export async function benchLending(
  options: Pick<BenchOptions, 'rounds' | 'measureMs' | 'progress'>,
): Promise<PartResults<LendingFigures>> {
  const times = await timeCalls(allWorks(), { ...options, sliceMs: options.measureMs / SLICES });
  const figures = { costs: costsOf(times), ratios: ratiosOf(times), peers: peers() };
  const versions = figures.peers.map(({ name, version }) => [name, version]);
  const tables = [
    costTable('schedules and rates, per call', figures.costs),
    ratioTable(figures.ratios),
    table(['package', 'version'], versions),
  ];
  return { figures, tables };
}

/** All comparisons of a run. */
function ratiosOf(times: RoundTimes): readonly Ratio[] {
  const of = (slower: keyof typeof NAMES, faster: keyof typeof NAMES): Comparison =>
    compareTimes(times.get(NAMES[slower]) ?? [], times.get(NAMES[faster]) ?? []);
  const datedPeer = 'loan-schedule.js (no charges, no rates)';
  return [
    atLeast(`${datedPeer} / 360 rows with everything`, of('datedPeer', 'whole'), AIM.datedPeer),
    atLeast(
      `${datedPeer} / 360 rows with everything and holidays`,
      of('datedPeer', 'shifted'),
      AIM.datedPeer,
    ),
    atLeast('decimal.js reference / 360 rows with everything', of('reference', 'whole'), AIM.decimal),
    atLeast('decimal.js reference / engine, no rates', of('referenceRows', 'rows'), AIM.decimal),
    toKnow('decimal.js loop of 34 digits / engine, no rates', of('decimalRows', 'rows')),
    atLeast('xirr / EIR of 360 dated flows', of('xirr', 'eir'), AIM.annualRate),
    atLeast('xirr / DAE of 360 dated flows', of('xirr', 'dae'), AIM.annualRate),
    toKnow('xirr / DAE of 360 dated flows with remaining days', of('xirr', 'daeOfDays')),
    toKnow('formulajs XIRR / EIR of 360 dated flows', of('formulajs', 'eir')),
    toKnow('financial irr of 12 equal periods / EIR of 12 dated flows', of('financial', 'ownShort')),
    toKnow('loanjs (floating point, no dates) / 360 rows, no charges, no rates', of('floatPeer', 'plain')),
    atMost('3,600 rows / 360 rows, all steps', of('long', 'steps'), MAX_TIMES_FOR_TEN),
    atMost('1,200 rows / 120 rows, no rates', of('medium', 'short'), MAX_TIMES_FOR_TEN),
    toKnow('360 rows with everything / writing their JSON answer', of('whole', 'render')),
  ];
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
  // Between due dates that are shifted off holidays there are whole months and some days.
  const movedLoan = { ...loan, rows: calculated(shifted).rows };
  const mostRows = MAX_INSTALLMENTS;
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
    // A request may have at most 1,200 rows; the phases after that check accept any number.
    { name: NAMES.long, run: () => withBothRates(charged, 10 * ROWS) },
    { name: NAMES.steps, run: () => withBothRates(charged, ROWS) },
    { name: NAMES.medium, run: () => calculated(long) },
    { name: NAMES.short, run: () => calculated(short) },
    { name: NAMES.render, run: () => renderScheduleBytes(answer) },
    { name: NAMES.eir, run: () => effectiveInterestRate(loan) },
    { name: NAMES.dae, run: () => effectiveAnnualRate(loan, periodicity) },
    { name: NAMES.daeOfDays, run: () => effectiveAnnualRate(movedLoan, periodicity) },
  ];
}

/** A schedule has only one of the two rates; "everything" includes both. */
function withInterestRate(schedule: RepaymentSchedule, loan: ScheduledLoan): unknown {
  return [schedule, effectiveInterestRate({ ...loan, rows: schedule.rows })];
}

/** Each phase includes the previous ones, so its cost is the difference from the line above. */
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

/** Engine, reference and plain loop must calculate the same, or comparing their times is meaningless. */
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

/** The same check for the rates. */
function checkRates(loan: ScheduledLoan, others: readonly number[]): void {
  const own = effectiveInterestRate(loan);
  for (const rate of others) {
    const differs = Math.abs(rate * PERCENT - Number(own)) > RATE_STEP;
    if (differs || own === null) throw new Error(`the rates differ: ${own}, ${rate * PERCENT}`);
  }
}

/** The flows of the effective interest rate, in the form that spreadsheet functions expect. */
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
