import { formatMinorUnits } from '../../shared/lending/numbers/money.ts';
import type { DuplicateIds } from '../../shared/portfolio/input-faults.ts';
import {
  type CurrencyTotals,
  largestMovers,
  type Mover,
  type Tally,
  totalsByCurrency,
} from '../../shared/portfolio/tally.ts';
import { bySum, type ScheduleSums, SUM_NAMES, type SumName } from '../../shared/portfolio/comparison.ts';

export interface RunEnd {
  readonly runId: string;
  readonly outcome: 'complete' | 'aborted';
  readonly reason?: string | undefined;
  readonly resumeWith?: string | undefined;
  readonly elapsedMs: number;
  readonly sessions: number;
  readonly withMovers: boolean;
  readonly duplicateIds?: DuplicateIds | undefined;
}

/** The output of --json. Amounts are decimal strings, so that every parser keeps them exact. */
export type Report = ReturnType<typeof createReport>;

export function createReport(tally: Tally, end: RunEnd) {
  const { runId, outcome, reason, resumeWith, elapsedMs, sessions, withMovers, duplicateIds } = end;
  const read = tally.calculated + tally.failed;
  const seconds = elapsedMs / 1_000;
  return {
    runId,
    outcome,
    // An empty input is probably a mistake, although nothing failed.
    warning: outcome === 'complete' && read === 0 ? 'the input did not contain a contract' : undefined,
    reason,
    resumeWith,
    read,
    calculated: tally.calculated,
    failed: tally.failed,
    failuresByCode: Object.fromEntries(
      [...tally.failuresByCode].toSorted(([, left], [, right]) => right - left),
    ),
    withWarnings: tally.warned,
    duplicateIds: duplicateIds?.count ? duplicateIds : undefined,
    installments: tally.rows,
    totals: totalsByCurrency(tally).map(reportedTotals),
    former: { compared: tally.compared, changed: tally.changed, unreadable: tally.formerUnreadable },
    unreadableFormerLines: tally.formerUnreadable > 0 ? tally.formerUnreadableLines : undefined,
    largestMovers: withMovers ? largestMovers(tally).map(reportedMover) : undefined,
    durationSeconds: Math.round(elapsedMs) / 1_000,
    contractsPerSecond: seconds > 0 ? Math.round(read / seconds) : 0,
    sessions,
  };
}

function reportedTotals(totals: CurrencyTotals) {
  const { currency, digits, contracts, compared, after, before, difference } = totals;
  const texts = (sums: ScheduleSums) => bySum((name) => formatMinorUnits(sums[name], digits));
  const comparedTotals = compared > 0 && {
    contracts: compared,
    before: texts(before),
    after: texts(bySum((name) => before[name] + difference[name])),
    difference: texts(difference),
  };
  return { currency, contracts, ...texts(after), compared: comparedTotals || undefined };
}

function reportedMover({ line, id, currency, digits, before, after }: Mover) {
  const money = (minor: bigint): string => formatMinorUnits(minor, digits);
  const change = { before: money(before), after: money(after), difference: money(after - before) };
  return { line, id, currency, ...change };
}

export function reportLines(report: Report): string[] {
  const { outcome, reason, resumeWith, runId, failuresByCode, sessions, durationSeconds } = report;
  const codes = Object.entries(failuresByCode).map(([code, count]) => `${code} ${grouped(String(count))}`);
  const again = sessions > 1 ? ` in ${sessions} sessions` : '';
  return [
    `run ${runId}: ${outcome === 'complete' ? 'complete' : `aborted, ${reason ?? 'for no known reason'}`}`,
    ...(report.warning === undefined ? [] : [`  warning: ${report.warning}`]),
    `  read          ${grouped(String(report.read))}`,
    `  calculated    ${grouped(String(report.calculated))}  (${grouped(String(report.installments))} installments)`,
    `  failed        ${grouped(String(report.failed))}${codes.length > 0 ? `  (${codes.join(', ')})` : ''}`,
    ...(report.withWarnings > 0 ? [`  with warnings ${grouped(String(report.withWarnings))}`] : []),
    ...duplicateLines(report),
    ...report.totals.flatMap(totalLines),
    ...formerLines(report),
    ...(report.largestMovers ?? []).map(moverLine),
    `  took          ${durationText(durationSeconds)}${again}, ${grouped(String(report.contractsPerSecond))} contracts/s`,
    ...(resumeWith === undefined ? [] : [`resume with: ${resumeWith}`]),
  ];
}

function duplicateLines({ duplicateIds }: Report): string[] {
  if (duplicateIds === undefined) return [];
  const { count, listed } = duplicateIds;
  const shown = listed.map(({ id, line, firstLine }) => `${id} (lines ${firstLine} and ${line})`).join(', ');
  return [`  duplicate ids ${grouped(String(count))}: ${shown}${count > listed.length ? ', ...' : ''}`];
}

function totalLines(totals: Report['totals'][number]): string[] {
  const { currency, contracts, compared } = totals;
  const name = `${currency ?? 'no currency'}, ${grouped(String(contracts))} contracts`;
  if (compared === undefined) return [`  ${name}: ${amounts(totals)}`];
  const of = `${grouped(String(compared.contracts))} with a previous schedule`;
  return [
    `  ${name}: ${amounts(totals)}`,
    `    ${of}, before: ${amounts(compared.before)}`,
    `    ${of}, after:  ${amounts(compared.after)}`,
    `    ${of}, change: ${amounts(compared.difference)}`,
  ];
}

function amounts(texts: Readonly<Record<SumName, string>>): string {
  return SUM_NAMES.map((name) => `${name} ${grouped(texts[name])}`).join(', ');
}

/** With --compare there is a line even if no contract has a previous schedule. */
function formerLines({ former, largestMovers: movers, unreadableFormerLines: lines = [] }: Report): string[] {
  const { compared, changed, unreadable } = former;
  if (compared + unreadable === 0) {
    return movers === undefined ? [] : ['  compared      0: no line has a previous schedule'];
  }
  const more = unreadable > lines.length ? ', ...' : '';
  const faulty =
    unreadable > 0
      ? `, ${grouped(String(unreadable))} previous schedules unreadable (line ${lines.join(', ')}${more})`
      : '';
  return [`  compared      ${grouped(String(compared))}, ${grouped(String(changed))} changed${faulty}`];
}

function moverLine(mover: ReturnType<typeof reportedMover>): string {
  const { line, id, currency } = mover;
  const [before, after, difference] = [mover.before, mover.after, mover.difference].map(grouped);
  const unit = currency === null ? '' : ` ${currency}`;
  return `  largest change: ${id} (line ${line}) ${before} -> ${after}, ${difference}${unit}`;
}

/** Renders 1234567.89 as 1 234 567.89, since a comma is the decimal separator in some languages. */
function grouped(text: string): string {
  const [whole = '', decimals] = text.split('.');
  const parts = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  return decimals === undefined ? parts : `${parts}.${decimals}`;
}

/** Gives `12.0 s` below a minute, then `1 min 12 s` or `1 h 1 min 12 s`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor((whole % 3_600) / 60);
  return `${hours > 0 ? `${hours} h ` : ''}${minutes} min ${whole % 60} s`;
}
