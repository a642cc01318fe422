/** Checks interest lists (Q3, R1, R2). */

import { codeKey } from '../catalogue/catalogue-record.ts';
import type {
  BandedInterest,
  CollectionInterest,
  InterestListRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import { daysOverlap, isActive, isWithin, bandDays, rangeDays } from '../catalogue/valid-versions.ts';
import type { ValidDays } from '../catalogue/record-parts.ts';
import { below, type ReportFault } from './check-context.ts';
import {
  checkDays,
  checkFormula,
  checkNames,
  checkBounds,
  checkPercent,
  checkValues,
  RATE_LIMITS,
} from './check-parts.ts';
import { splitAtChanges } from './days-of-change.ts';

/** Reports contradictory interests, and ranges whose interest has no rate. */
export function checkInterests({ Interests }: InterestListRecord, report: ReportFault): void {
  checkNames(
    Interests.map(({ Name }) => Name),
    (place) => `Interests[${place}].Name`,
    report,
  );
  checkDefaults(Interests, report);
  const rates = new Set(Interests.filter(givesRate).map(({ Name }) => codeKey(Name)));
  for (const [place, interest] of Interests.entries()) {
    const reportItem = below(`Interests[${place}]`, report);
    checkValues(interest.Values, reportItem);
    for (const [index, { Value }] of interest.Values.entries()) {
      checkPercent(`Values[${index}].Value`, Value, RATE_LIMITS, reportItem);
    }
    checkType(interest, reportItem);
    checkRanges(interest.CollectionInterests, rates, reportItem);
    checkBands(interest.BandedInterests, reportItem);
  }
}

/** Without a type a simulation uses the default interest, so there is at most one (Q3). */
function checkDefaults(interests: readonly InterestRecord[], report: ReportFault): void {
  const first = interests.findIndex(isDefault);
  for (const [place, interest] of interests.entries()) {
    if (place === first || !isDefault(interest)) continue;
    report(
      `Interests[${place}].IsDefault`,
      `must be false, or that of Interests[${first}]: only one is the default`,
    );
  }
}

function isDefault(interest: InterestRecord): boolean {
  return interest.IsDefault && isActive(interest) && !interest.IsPenalty;
}

/** Only interests with values of their own can be the rate of a range. */
function givesRate({ Type, Status }: InterestRecord): boolean {
  return (Type === 'Fixed' || Type === 'Variable') && Status === 'Active';
}

/** The type of an interest decides which field holds its rate; the others would have no effect. */
function checkType(interest: InterestRecord, report: ReportFault): void {
  const { Type, CollectionInterests, BandedInterests, Formula } = interest;
  const isCollection = Type === 'Collection';
  const isFormula = Type === 'BankingFormula';
  if (isCollection && CollectionInterests.length > 0 === BandedInterests.length > 0) {
    report(
      'CollectionInterests',
      'must have items, or BandedInterests must, but not both: the Type is Collection',
    );
  }
  if (!isCollection && CollectionInterests.length > 0) {
    report('CollectionInterests', `must be left out, or Type be Collection, not ${Type}`);
  }
  if (!isCollection && BandedInterests.length > 0) {
    report('BandedInterests', `must be left out, or Type be Collection, not ${Type}`);
  }
  if (isFormula && Formula === null)
    report('Formula', 'is missing; must be there: the Type is BankingFormula');
  if (!isFormula && Formula !== null)
    report('Formula', `must be left out, or Type be BankingFormula, not ${Type}`);
  if (interest.UseBankingFormula !== isFormula) {
    report('UseBankingFormula', `must be ${isFormula ? 'true' : 'false'}: the Type is ${Type}`);
  }
  if (Formula !== null) checkFormula(Formula, RATE_LIMITS, report);
}

function checkRanges(
  ranges: readonly CollectionInterest[],
  rates: ReadonlySet<string>,
  report: ReportFault,
): void {
  for (const [place, range] of ranges.entries()) {
    const reportItem = below(`CollectionInterests[${place}]`, report);
    if (!rates.has(codeKey(range.InterestName))) {
      reportItem(
        'InterestName',
        `names ${range.InterestName}, which is no Active interest of Type Fixed or Variable in this list: add it, or name another`,
      );
    }
    if (range.InterestStartPeriod === 0) reportItem('InterestStartPeriod', 'must be at least 1, or null');
    const first = ['InterestStartPeriod', range.InterestStartPeriod] as const;
    checkBounds(first, ['InterestEndPeriod', range.InterestEndPeriod], reportItem);
    checkDays(['InterestStartDate', 'InterestEndDate'], rangeDays(range), reportItem);
  }
  const spans = ranges.map((range) => ({
    days: rangeDays(range),
    from: range.InterestStartPeriod ?? 1,
    to: (range.InterestEndPeriod ?? Number.POSITIVE_INFINITY) + 1,
  }));
  reportOverlaps(spans, 'CollectionInterests', report);
  checkCover(ranges, report);
}

function checkBands(bands: readonly BandedInterest[], report: ReportFault): void {
  for (const [place, band] of bands.entries()) {
    const reportItem = below(`BandedInterests[${place}]`, report);
    const least = ['MinUtilizedAmount', band.MinUtilizedAmount] as const;
    checkBounds(least, ['MaxUtilizedAmount', band.MaxUtilizedAmount], reportItem);
    if (band.MaxUtilizedAmount === (band.MinUtilizedAmount ?? 0)) {
      reportItem(
        'MaxUtilizedAmount',
        'must be above MinUtilizedAmount, or null: nothing would lie between them',
      );
    }
    checkPercent('Value', band.Value, RATE_LIMITS, reportItem);
    checkDays(['CollectionValidFrom', 'CollectionValidTo'], bandDays(band), reportItem);
  }
  const spans = bands.map((band) => ({
    days: bandDays(band),
    from: band.MinUtilizedAmount ?? 0,
    to: band.MaxUtilizedAmount ?? Number.POSITIVE_INFINITY,
  }));
  reportOverlaps(spans, 'BandedInterests', report);
}

/** A half-open range of instalments or amounts. */
interface Span {
  readonly days: ValidDays;
  readonly from: number;
  readonly to: number;
}

/** An instalment, or an amount, has one rate on any day. */
function reportOverlaps(spans: readonly Span[], list: string, report: ReportFault): void {
  for (const [place, span] of spans.entries()) {
    const earlier = spans
      .slice(0, place)
      .findIndex(
        (other) => daysOverlap(span.days, other.days) && span.from < other.to && other.from < span.to,
      );
    if (earlier >= 0) {
      report(`${list}[${place}]`, `must not overlap ${list}[${earlier}]: end one before the other starts`);
    }
  }
}

/**
 * Reports gaps (R1): on each day on which any range is valid, the valid ranges begin with instalment 1 and are contiguous.
 * The end of the last one is checked with the product.
 */
function checkCover(ranges: readonly CollectionInterest[], report: ReportFault): void {
  const reported = new Set<number>();
  const placed = ranges.map((range, place) => ({ ...range, place, first: range.InterestStartPeriod ?? 1 }));
  for (const { day } of splitAtChanges(ranges.map(rangeDays))) {
    const valid = placed.filter((range) => isWithin(day, range.InterestStartDate, range.InterestEndDate));
    let covered = 0;
    for (const { InterestEndPeriod, place, first } of valid.toSorted(
      (one, other) => one.first - other.first,
    )) {
      if (first > covered + 1 && !reported.has(place)) {
        reported.add(place);
        const message = `must be ${covered + 1}: no instalment may be without a rate`;
        report(`CollectionInterests[${place}].InterestStartPeriod`, message);
      }
      covered = Math.max(covered, InterestEndPeriod ?? Number.POSITIVE_INFINITY);
    }
  }
}
