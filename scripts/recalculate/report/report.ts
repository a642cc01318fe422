/** The final report of a recalculation, as a value for machines and as lines for people. */

import { formatMinorUnits } from '../../../shared/lending/numbers/money.ts';
import type { Mover } from './largest-movers.ts';
import { bySum, SUM_NAMES, type ScheduleSums, type SumName } from './schedule-sums.ts';
import type { CurrencyTotals, Tally } from './tally.ts';

/** How a run ended. */
export interface RunEnd {
  readonly runId: string;
  /** `complete`: every line of the input was dealt with. */
  readonly outcome: 'complete' | 'aborted';
  /** Why it was given up. */
  readonly reason?: string | undefined;
  /** The command that goes on with it; undefined when it is complete, or cannot be resumed. */
  readonly resumeWith?: string | undefined;
  /** Of all sessions together. */
  readonly elapsedMs: number;
  readonly sessions: number;
  /** Whether the largest movers were asked for. */
  readonly withMovers: boolean;
}

/** Amounts are decimal text: exact whatever reads them. */
type AmountTexts = Readonly<Record<SumName, string>>;

export interface Report {
  readonly runId: string;
  readonly outcome: RunEnd['outcome'];
  /** What is likely to be a mistake although nothing failed. */
  readonly warning?: string | undefined;
  readonly reason?: string | undefined;
  readonly resumeWith?: string | undefined;
  readonly read: number;
  readonly calculated: number;
  readonly failed: number;
  readonly failuresByCode: Readonly<Record<string, number>>;
  readonly withWarnings: number;
  readonly installments: number;
  readonly totals: readonly ReportedTotals[];
  readonly former: { readonly compared: number; readonly changed: number; readonly unreadable: number };
  /** The lines of the first ten former schedules that could not be read; absent where all could. */
  readonly unreadableFormerLines?: readonly number[] | undefined;
  readonly largestMovers?: readonly ReportedMover[] | undefined;
  readonly durationSeconds: number;
  readonly contractsPerSecond: number;
  readonly sessions: number;
}

interface ReportedTotals extends AmountTexts {
  readonly currency: string | null;
  readonly contracts: number;
  /** Of the contracts that have a former schedule. */
  readonly compared?: {
    readonly contracts: number;
    readonly before: AmountTexts;
    readonly after: AmountTexts;
    readonly difference: AmountTexts;
  };
}

interface ReportedMover {
  readonly line: number;
  readonly id: string | number;
  readonly currency: string | null;
  readonly before: string;
  readonly after: string;
  readonly difference: string;
}

const SECOND_MS = 1_000;

export function createReport(tally: Tally, end: RunEnd): Report {
  const { runId, outcome, reason, resumeWith, elapsedMs, sessions, withMovers } = end;
  const read = tally.calculated + tally.failed;
  const seconds = elapsedMs / SECOND_MS;
  return {
    runId,
    outcome,
    warning: outcome === 'complete' && read === 0 ? 'the input held no contract' : undefined,
    reason,
    resumeWith,
    read,
    calculated: tally.calculated,
    failed: tally.failed,
    failuresByCode: Object.fromEntries(
      [...tally.failuresByCode].toSorted(([, left], [, right]) => right - left),
    ),
    withWarnings: tally.warned,
    installments: tally.rows,
    totals: [...tally.totals.values()].toSorted(byCurrency).map(reportedTotals),
    former: { compared: tally.compared, changed: tally.changed, unreadable: tally.formerUnreadable },
    unreadableFormerLines: tally.formerUnreadable > 0 ? tally.formerUnreadableLines : undefined,
    largestMovers: withMovers ? tally.movers.map(reportedMover) : undefined,
    durationSeconds: Math.round(elapsedMs) / SECOND_MS,
    contractsPerSecond: seconds > 0 ? Math.round(read / seconds) : 0,
    sessions,
  };
}

function byCurrency(left: CurrencyTotals, right: CurrencyTotals): number {
  if (left.currency === right.currency) return left.digits - right.digits;
  return (left.currency ?? '') < (right.currency ?? '') ? -1 : 1;
}

function reportedTotals(totals: CurrencyTotals): ReportedTotals {
  const { currency, digits, contracts, compared, after, before, difference } = totals;
  const texts = (sums: ScheduleSums): AmountTexts => bySum((name) => formatMinorUnits(sums[name], digits));
  const own = { currency, contracts, ...texts(after) };
  if (compared === 0) return own;
  const now = bySum((name) => before[name] + difference[name]);
  return {
    ...own,
    compared: {
      contracts: compared,
      before: texts(before),
      after: texts(now),
      difference: texts(difference),
    },
  };
}

function reportedMover({ line, id, currency, digits, before, after }: Mover): ReportedMover {
  const money = (minor: bigint): string => formatMinorUnits(minor, digits);
  return {
    line,
    id,
    currency,
    before: money(before),
    after: money(after),
    difference: money(after - before),
  };
}

/** The report for people, one item a line. */
export function reportLines(report: Report): string[] {
  const { outcome, reason, resumeWith, runId, failuresByCode, sessions } = report;
  const codes = Object.entries(failuresByCode).map(([code, count]) => `${code} ${grouped(String(count))}`);
  const again = sessions > 1 ? ` in ${sessions} sessions` : '';
  const seconds = report.durationSeconds;
  return [
    `run ${runId}: ${outcome === 'complete' ? 'complete' : `aborted, ${reason ?? 'for no known reason'}`}`,
    ...(report.warning === undefined ? [] : [`  warning: ${report.warning}`]),
    `  read          ${grouped(String(report.read))}`,
    `  calculated    ${grouped(String(report.calculated))}  (${grouped(String(report.installments))} installments)`,
    `  failed        ${grouped(String(report.failed))}${codes.length > 0 ? `  (${codes.join(', ')})` : ''}`,
    ...(report.withWarnings > 0 ? [`  with warnings ${grouped(String(report.withWarnings))}`] : []),
    ...report.totals.flatMap(totalLines),
    ...formerLines(report),
    ...(report.largestMovers ?? []).map(moverLine),
    `  took          ${durationText(seconds)}${again}, ${grouped(String(report.contractsPerSecond))} contracts/s`,
    ...(resumeWith === undefined ? [] : [`go on with: ${resumeWith}`]),
  ];
}

function totalLines(totals: ReportedTotals): string[] {
  const { currency, contracts, compared } = totals;
  const name = `${currency ?? 'no currency'}, ${grouped(String(contracts))} contracts`;
  if (compared === undefined) return [`  ${name}: ${amounts(totals)}`];
  const of = `${grouped(String(compared.contracts))} with a former schedule`;
  return [
    `  ${name}: ${amounts(totals)}`,
    `    ${of}, before: ${amounts(compared.before)}`,
    `    ${of}, after:  ${amounts(compared.after)}`,
    `    ${of}, change: ${amounts(compared.difference)}`,
  ];
}

function amounts(texts: AmountTexts): string {
  return SUM_NAMES.map((name) => `${name} ${grouped(texts[name])}`).join(', ');
}

/** With --compare also that there was nothing to compare with. */
function formerLines({ former, largestMovers, unreadableFormerLines: lines = [] }: Report): string[] {
  const { compared, changed, unreadable } = former;
  if (compared + unreadable === 0) {
    return largestMovers === undefined ? [] : ['  compared      0: no line has a former schedule'];
  }
  const more = unreadable > lines.length ? ', ...' : '';
  const faulty =
    unreadable > 0
      ? `, ${grouped(String(unreadable))} former schedules unreadable (line ${lines.join(', ')}${more})`
      : '';
  return [`  compared      ${grouped(String(compared))}, ${grouped(String(changed))} changed${faulty}`];
}

function moverLine({ line, id, currency, before, after, difference }: ReportedMover): string {
  const unit = currency === null ? '' : ` ${currency}`;
  return `  moves most: ${id} (line ${line}) ${grouped(before)} -> ${grouped(after)}, ${grouped(difference)}${unit}`;
}

/** 1234567.89 as 1 234 567.89: a comma would be a decimal sign to some readers. */
function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const parts = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  return decimals === undefined ? parts : `${parts}.${decimals}`;
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function durationText(seconds: number): string {
  if (seconds < MINUTE_S) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / HOUR_S);
  const minutes = Math.floor((whole % HOUR_S) / MINUTE_S);
  return `${hours > 0 ? `${hours} h ` : ''}${minutes} min ${whole % MINUTE_S} s`;
}
