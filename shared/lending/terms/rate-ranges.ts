/** The annual rates of the rows, or of bands of the balance (R1, R2, S4). */

import type { Decimal } from 'decimal.js';
import type { CompiledScheduleType } from '../schedule-types/schedule-type.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import { checkAmount, checkName, checkRate, checkWhole } from '../request/field-checks.ts';
import type { Validation } from '../request/validation.ts';
import type {
  InterestRateBand,
  InterestRateRange,
  RepaymentScheduleRequest,
} from '../request/repayment-schedule-request.ts';

/** An annual rate as an exact fraction and as percent text; `path` is the field that contains it. */
export interface AnnualRate {
  readonly rate: ExactRatio;
  readonly percent: string;
  readonly path: string;
}

/** A rate in force from an original row number (counted from 1) until the row of the next rate. */
export interface RateFrom extends AnnualRate {
  readonly fromRow: number;
}

/** A rate for the balance from `from`, in minor units, up to the start of the next band. */
interface RateBand extends AnnualRate {
  readonly from: number;
}

/** The rates of a loan: by rows (a single rate applies from row 1 on), or by bands of the balance. */
export type RateTerms =
  | { readonly kind: 'rows'; readonly rates: readonly RateFrom[] }
  | {
      readonly kind: 'bands';
      readonly bands: readonly RateBand[];
      /** Largest balance in minor units for which there is a rate; Infinity if there is no limit. */
      readonly limit: number;
      readonly whole: boolean;
    };

interface RateContext {
  readonly validation: Validation;
  readonly compiled: CompiledScheduleType | undefined;
  readonly installmentsNo: number | undefined;
  readonly currencyDigits: number;
}

/** The message for a request without any interest rate (S4). */
export const NO_RATE =
  'is missing; must be a number unless MultipleInterestRates or BandedInterestRates is sent';

/** Slices: each slice of a balance earns the rate of its band; Whole: the whole balance earns that of its band (R2). */
export const BAND_METHODS = ['Slices', 'Whole'] as const;

/** InterestPercent is mandatory unless ranges or bands replace it (S4); ranges without a rate use it (R1). */
export function parseRateTerms(
  request: RepaymentScheduleRequest,
  context: RateContext,
): RateTerms | undefined {
  const { validation, installmentsNo } = context;
  const { InterestPercent, MultipleInterestRates: ranges = [], BandedInterestRates: bands = [] } = request;
  const method = checkName(validation, 'BandMethod', request.BandMethod, BAND_METHODS);
  if (bands.length === 0 && method !== undefined) validation.warn('BandMethod');
  const isRangeOpen = ranges.some(({ InterestRate }) => InterestRate === undefined);
  const hasOtherRates = ranges.length + bands.length > 0;
  if (InterestPercent === undefined && !hasOtherRates) {
    validation.reportMissing('InterestPercent', NO_RATE);
  }
  if (InterestPercent !== undefined && hasOtherRates && !isRangeOpen) validation.warn('InterestPercent');
  const single = parseAnnualRate(InterestPercent, 'InterestPercent', validation);
  if (ranges.length > 0 && bands.length > 0) {
    const message = 'must be left out when MultipleInterestRates is sent';
    return validation.reject('BandedInterestRates', 'not-allowed', message);
  }
  if (ranges.length > 0) {
    if (isRangeOpen && single === undefined && InterestPercent !== undefined) return undefined;
    return parseRateRanges(ranges, installmentsNo, single, validation);
  }
  if (bands.length > 0) return parseRateBands(bands, method === 'Whole', context);
  return single === undefined ? undefined : { kind: 'rows', rates: [{ ...single, fromRow: 1 }] };
}

interface Range extends RateFrom {
  readonly toRow: number;
  readonly item: string;
}

/** Requires that the ranges cover each row exactly once, in any order (R1). */
function parseRateRanges(
  items: readonly InterestRateRange[],
  installmentsNo: number | undefined,
  single: AnnualRate | undefined,
  validation: Validation,
): RateTerms | undefined {
  const faultsBefore = validation.faults.length;
  const ranges: Range[] = [];
  let previousEnd = 0;
  for (const [index, item] of items.entries()) {
    const path = `MultipleInterestRates[${index}]`;
    const usesSingle = item.InterestRate === undefined && single !== undefined;
    const annual = usesSingle
      ? single
      : requireAnnualRate(item.InterestRate, `${path}.InterestRate`, validation);
    if (installmentsNo === undefined) continue;
    const rows = { min: 1, max: installmentsNo };
    const fromRow = checkWhole(validation, `${path}.FromInstNo`, item.FromInstNo ?? previousEnd + 1, rows);
    const toRow = checkWhole(validation, `${path}.ToInstNo`, item.ToInstNo ?? installmentsNo, rows);
    if (fromRow !== undefined && toRow !== undefined && fromRow > toRow) {
      validation.reject(`${path}.ToInstNo`, 'out-of-range', `must not be below FromInstNo, ${fromRow}`);
    } else if (annual !== undefined && fromRow !== undefined && toRow !== undefined) {
      ranges.push({ ...annual, fromRow, toRow, item: path });
    }
    previousEnd = toRow ?? previousEnd;
  }
  if (installmentsNo === undefined || validation.faults.length > faultsBefore) return undefined;
  const rates = ranges.toSorted((a, b) => a.fromRow - b.fromRow);
  checkCover(rates, installmentsNo, validation);
  return validation.faults.length > faultsBefore ? undefined : { kind: 'rows', rates };
}

function checkCover(ranges: readonly Range[], installmentsNo: number, validation: Validation): void {
  let covered = 0;
  for (const { fromRow, toRow, item: path } of ranges) {
    if (fromRow <= covered) {
      const message = `must be after the end of the previous range, ${covered}`;
      validation.reject(`${path}.FromInstNo`, 'rates-overlap', message);
    } else if (fromRow > covered + 1) {
      const message = `must be ${covered + 1}: no row may be without a rate`;
      validation.reject(`${path}.FromInstNo`, 'rates-incomplete', message);
    }
    covered = Math.max(covered, toRow);
  }
  const last = ranges.at(-1);
  if (last !== undefined && covered < installmentsNo) {
    const message = `must be ${installmentsNo} or left out: the ranges must cover every row`;
    validation.reject(`${last.item}.ToInstNo`, 'rates-incomplete', message);
  }
}

interface DraftBand extends RateBand {
  readonly limit: number | undefined;
  readonly item: string;
}

/** A band ends at the minimum of the next, the last one at its maximum. With Slices the first must start at 0 (R2). */
function parseRateBands(
  items: readonly InterestRateBand[],
  whole: boolean,
  context: RateContext,
): RateTerms | undefined {
  const { validation, currencyDigits: digits } = context;
  checkTakesBands(context);
  const faultsBefore = validation.faults.length;
  const drafts: DraftBand[] = [];
  for (const [index, item] of items.entries()) {
    const path = `BandedInterestRates[${index}]`;
    const annual = requireAnnualRate(item.Value, `${path}.Value`, validation);
    const from = checkAmount(validation, `${path}.MinUtilizedAmount`, item.MinUtilizedAmount, digits) ?? 0;
    const limit = checkAmount(validation, `${path}.MaxUtilizedAmount`, item.MaxUtilizedAmount, digits);
    if (limit !== undefined && limit <= from) {
      validation.reject(`${path}.MaxUtilizedAmount`, 'out-of-range', 'must be more than MinUtilizedAmount');
    }
    if (annual !== undefined) drafts.push({ ...annual, from, limit, item: path });
  }
  if (validation.faults.length > faultsBefore) return undefined;
  const bands = drafts.toSorted((a, b) => a.from - b.from);
  for (const [index, band] of bands.entries()) {
    if (index > 0 && band.from === bands[index - 1]?.from) {
      const message = 'must differ from that of every other band';
      validation.reject(`${band.item}.MinUtilizedAmount`, 'bands-overlap', message);
    }
  }
  reportUnusedLimits(bands, validation);
  const first = bands[0];
  if (first !== undefined && first.from > 0 && !whole) {
    const message = 'must be 0 or null in one band: every part of the balance needs a rate';
    validation.reject(`${first.item}.MinUtilizedAmount`, 'outside-bands', message);
  }
  if (validation.faults.length > faultsBefore) return undefined;
  return { kind: 'bands', bands, limit: bands.at(-1)?.limit ?? Number.POSITIVE_INFINITY, whole };
}

/** Warns of a band's maximum if the next band starts neither there nor one minor unit above (E5). */
function reportUnusedLimits(bands: readonly DraftBand[], validation: Validation): void {
  for (const [index, { limit, item }] of bands.entries()) {
    const next = bands[index + 1];
    if (next === undefined || limit === undefined) continue;
    if (limit !== next.from && limit !== next.from - 1) validation.warn(`${item}.MaxUtilizedAmount`);
  }
}

/** Refuses bands if a formula gives the interest or reads InterestPercent, which is one rate per row (R2, S2). */
function checkTakesBands({ compiled, validation }: RateContext): void {
  if (compiled === undefined) return;
  if (compiled.interest.kind !== 'Formula' && !compiled.namesRead.has('InterestPercent')) return;
  const message = `must be left out: the formulas of ${compiled.type.name} take one rate, from InterestPercent or MultipleInterestRates`;
  validation.reject('BandedInterestRates', 'not-allowed', message);
}

function requireAnnualRate(
  value: Decimal | undefined,
  path: string,
  validation: Validation,
): AnnualRate | undefined {
  if (value === undefined) validation.reportMissing(path, 'is missing; must be an annual rate in percent');
  return parseAnnualRate(value, path, validation);
}

function parseAnnualRate(
  value: Decimal | undefined,
  path: string,
  validation: Validation,
): AnnualRate | undefined {
  const rate = checkRate(validation, path, value);
  return rate === undefined || value === undefined ? undefined : { rate, percent: value.toFixed(), path };
}
