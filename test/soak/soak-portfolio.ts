/** A synthetic portfolio, and the check of its recalculation against schedules that are calculated in this process. */

import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { repaymentScheduleRequest } from '../../shared/api/actions/schedule-action.ts';
import { renderRepaymentSchedule } from '../../shared/api/actions/render-schedule.ts';
import { calculateRepaymentSchedule } from '../../shared/lending/calculate-repayment-schedule.ts';
import type { CalendarDate } from '../../shared/lending/dates/calendar-date.ts';
import { BUILT_IN_ENVIRONMENT } from '../support/builders/lending-environment.ts';
import { Picks } from '../support/random/pick.ts';

type Terms = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, number>>;

const SEED = 20_260_501;
/** Start date of contracts without dates (D2). */
export const AS_OF = '2026-05-01';
const DAY_MS = 86_400_000;
const LATEST_START_MS = Date.UTC(2026, 0, 1);
const DAYS_BACK = 3_000;
const MINOR_PER_UNIT = 100;
/** One contract in this number has a numeric id. */
const NUMBERED_EVERY = 7;
/** One contract in this number includes its previous schedule; one in each would make the file a hundred times larger. */
const FORMER_EVERY = 100;
const MAX_NAMED = 20;

function contractId(index: number): string | number {
  return index % NUMBERED_EVERY === 0 ? index + 1 : `C-${String(index + 1).padStart(7, '0')}`;
}

/** Terms that can be calculated without a catalogue. Some have no dates: a resumed run must keep those of its start (D2). */
function termsOf(index: number): Terms {
  const picks = new Picks(Math.imul(SEED, 1_000_003) + index);
  const InstallmentsNo = picks.whole(12, 360);
  const type = picks.of(
    'EqualInstallments',
    'EqualInstallments',
    'EqualPrincipal',
    'InterestOnly',
    'Balloon',
  );
  const amount = picks.whole(1_000, 500_000);
  const startMs = LATEST_START_MS - picks.whole(0, DAYS_BACK) * DAY_MS;
  const fee = { FeeName: 'Administration', FeePeriodicityType: 'Annual', FeeDate: '2018-01-01' };
  const insurance = {
    InsuranceName: 'Life',
    InsurancePeriodicityType: 'Annual',
    InsuranceDate: '2018-01-01',
  };
  return {
    ScheduleType: type,
    Amount: amount,
    InstallmentsNo,
    // Long loans are scheduled by month only.
    PeriodicityType: InstallmentsNo > 120 ? 'Monthly' : picks.of('Monthly', 'Quarterly', 'Semestrial'),
    InstallmentDay: picks.whole(1, 31),
    InterestPercent: picks.whole(100, 24_999) / 1_000,
    ...(picks.chance(90) ? { ActivationDate: new Date(startMs).toISOString().slice(0, 10) } : {}),
    ...(type === 'Balloon' ? { ResidualValue: Math.floor(amount / 5) } : {}),
    ...(picks.chance(40)
      ? { InterestCalculationMethod: picks.of('30/360', 'Actual/365', 'Actual/Actual') }
      : {}),
    ...(picks.chance(25)
      ? { HolidayShift: true, HolidayCountry: 'RO+TARGET', HolidayMethod: 'Forward' }
      : {}),
    ...(picks.chance(35) ? { Commission: [{ ...fee, SourceValue: picks.whole(0, 50) }] } : {}),
    ...(picks.chance(15) ? { Insurance: [{ ...insurance, SourceValue: picks.whole(1, 200) }] } : {}),
    ...(picks.chance(15) ? { GracePeriodPrincipal: picks.whole(1, 6) } : {}),
    ...(picks.chance(30) ? { CalculateDAE: picks.of(0, 2) } : {}),
  };
}

/** The body of the response to valid terms, as text. */
function expectedSchedule(jsonParam: Terms): string {
  const { catalogue, calendars } = BUILT_IN_ENVIRONMENT;
  const read = repaymentScheduleRequest.read({ jsonParam }, catalogue);
  if (read.kind === 'invalid') throw new Error(`the contract cannot be read: ${JSON.stringify(read)}`);
  const requestDay = Math.floor(Date.parse(AS_OF) / DAY_MS) as CalendarDate;
  const outcome = calculateRepaymentSchedule(read.payload, { requestDay, catalogue, calendars });
  if (outcome.kind === 'refused')
    throw new Error(`the contract is refused: ${JSON.stringify(outcome.faults)}`);
  return renderRepaymentSchedule(outcome);
}

/** The previous schedule as JSON, at another rate; undefined where the file has none. */
function formerSchedule(index: number): string | undefined {
  if (index % FORMER_EVERY !== 0) return undefined;
  const terms = termsOf(index);
  return expectedSchedule({ ...terms, InterestPercent: Number(terms['InterestPercent']) + 1 });
}

/** Writes a portfolio as NDJSON, one contract per line. */
export async function writePortfolio(file: string, contracts: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let index = 0; index < contracts; index += 1) {
    const former = formerSchedule(index);
    const line = JSON.stringify({ id: contractId(index), jsonParam: termsOf(index) });
    const whole = former === undefined ? line : `${line.slice(0, -1)},"schedule":${former}}`;
    if (!stream.write(`${whole}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

/** How the results of a run differ from the portfolio. */
export interface ResultFigures {
  readonly lines: number;
  /** Lines that are not those of the contract at this place: missing, repeated, unknown or out of order. */
  readonly misplaced: number;
  readonly compared: number;
  readonly wrong: readonly string[];
  readonly failures: number;
}

/** Reads every line, and compares one in `sampleEvery` with a calculation in this process. */
export async function checkResults(
  files: { readonly output: string; readonly failures: string },
  sampleEvery: number,
): Promise<ResultFigures> {
  const figures = { lines: 0, misplaced: 0, compared: 0, failures: 0 };
  const wrong: string[] = [];
  for await (const line of linesOf(files.output)) {
    const index = figures.lines;
    figures.lines += 1;
    if (!line.startsWith(`{"id":${JSON.stringify(contractId(index))},`)) figures.misplaced += 1;
    else if (index % sampleEvery === 0) {
      figures.compared += 1;
      if (!isRight(line, index) && wrong.length < MAX_NAMED) wrong.push(`${contractId(index)} differs`);
    }
  }
  if (existsSync(files.failures)) for await (const _ of linesOf(files.failures)) figures.failures += 1;
  return { ...figures, wrong };
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file) });
}

interface ResultLine {
  readonly schedule: unknown;
  readonly comparison?: Readonly<Record<'before' | 'after' | 'difference', { readonly total: number }>>;
}

function isRight(text: string, index: number): boolean {
  const { schedule, comparison } = JSON.parse(text) as ResultLine;
  const rows = JSON.parse(expectedSchedule(termsOf(index))) as Row[];
  const former = formerSchedule(index);
  if (!isDeepStrictEqual(schedule, rows)) return false;
  if (former === undefined) return comparison === undefined;
  const [before, after] = [totalMinor(JSON.parse(former) as Row[]), totalMinor(rows)];
  const reported = [comparison?.before, comparison?.after, comparison?.difference].map((sums) =>
    Math.round((sums?.total ?? Number.NaN) * MINOR_PER_UNIT),
  );
  return isDeepStrictEqual(reported, [before, after, after - before]);
}

function totalMinor(rows: readonly Row[]): number {
  const total = (row: Row): number => row['TotalInstallment'] ?? row['totalInstallment'] ?? Number.NaN;
  return rows.reduce((sum, row) => sum + Math.round(total(row) * MINOR_PER_UNIT), 0);
}
