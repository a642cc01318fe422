/** Checks interest lists (Q3, R1, R2). */

import { codeKey } from '../catalogue/catalogue-record.ts';
import type {
  BandedInterest,
  CollectionInterest,
  InterestListRecord,
  InterestRecord,
} from '../catalogue/list-records.ts';
import { daysOverlap, isActive, bandDays, rangeDays } from '../catalogue/valid-versions.ts';
import type { ValidDays } from '../catalogue/record-kinds.ts';
import { checkItems, type ReportFault } from './check-context.ts';
import {
  checkDays,
  checkFormula,
  checkNames,
  checkBounds,
  checkPercent,
  checkValues,
  RATE_LIMITS,
} from './check-parts.ts';

/** Reports contradictory interests, and ranges that refer to an interest without a rate. */
export function checkInterests({ Interests }: InterestListRecord, report: ReportFault): void {
  checkNames('Interests', Interests, report);
  checkDefaults(Interests, report);
  const rates = new Set(Interests.filter(givesRate).map(({ Name }) => codeKey(Name)));
  checkItems('Interests', Interests, report, (interest, reportItem) => {
    checkValues(interest.Values, reportItem);
    checkItems('Values', interest.Values, reportItem, ({ Value }, reportValue) =>
      checkPercent('Value', Value, RATE_LIMITS, reportValue),
    );
    checkType(interest, reportItem);
    checkRanges(interest.CollectionInterests, rates, reportItem);
    checkBands(interest.BandedInterests, reportItem);
  });
}

/** A list has at most one default interest, which simulations without an interest type use (Q3). */
function checkDefaults(interests: readonly InterestRecord[], report: ReportFault): void {
  const first = interests.findIndex(isDefault);
  for (const [place, interest] of interests.entries()) {
    if (place === first || !isDefault(interest)) continue;
    report(
      `Interests[${place}].IsDefault`,
      `must be false here or in Interests[${first}]: only one interest can be the default`,
    );
  }
}

function isDefault(interest: InterestRecord): boolean {
  return interest.IsDefault && isActive(interest) && !interest.IsPenalty;
}

/** Only an interest with values can be the rate of a range. */
function givesRate({ Type, Status }: InterestRecord): boolean {
  return (Type === 'Fixed' || Type === 'Variable') && Status === 'Active';
}

/** The type of an interest determines which field holds its rate; the others would have no effect. */
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
    report('CollectionInterests', `must be left out, because the Type is ${Type}, not Collection`);
  }
  if (!isCollection && BandedInterests.length > 0) {
    report('BandedInterests', `must be left out, because the Type is ${Type}, not Collection`);
  }
  if (isFormula && Formula === null) {
    report('Formula', 'is missing; must be set, because the Type is BankingFormula');
  }
  if (!isFormula && Formula !== null) {
    report('Formula', `must be left out, because the Type is ${Type}, not BankingFormula`);
  }
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
  checkItems('CollectionInterests', ranges, report, (range, reportItem) => {
    if (!rates.has(codeKey(range.InterestName))) {
      reportItem(
        'InterestName',
        `names ${range.InterestName}, which is not an Active interest of Type Fixed or Variable in this list: add it, or name another`,
      );
    }
    if (range.InterestStartPeriod === 0) reportItem('InterestStartPeriod', 'must be at least 1, or null');
    const first = ['InterestStartPeriod', range.InterestStartPeriod] as const;
    checkBounds(first, ['InterestEndPeriod', range.InterestEndPeriod], reportItem);
    checkDays(['InterestStartDate', 'InterestEndDate'], rangeDays(range), reportItem);
  });
  const spans = ranges.map((range) => ({
    days: rangeDays(range),
    from: range.InterestStartPeriod ?? 1,
    to: (range.InterestEndPeriod ?? Number.POSITIVE_INFINITY) + 1,
  }));
  reportOverlaps(spans, 'CollectionInterests', report);
}

function checkBands(bands: readonly BandedInterest[], report: ReportFault): void {
  checkItems('BandedInterests', bands, report, (band, reportItem) => {
    const least = ['MinUtilizedAmount', band.MinUtilizedAmount] as const;
    checkBounds(least, ['MaxUtilizedAmount', band.MaxUtilizedAmount], reportItem);
    if (band.MaxUtilizedAmount === (band.MinUtilizedAmount ?? 0)) {
      reportItem('MaxUtilizedAmount', 'must be above MinUtilizedAmount, or null: the band is empty');
    }
    checkPercent('Value', band.Value, RATE_LIMITS, reportItem);
    checkDays(['CollectionValidFrom', 'CollectionValidTo'], bandDays(band), reportItem);
  });
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

/** On any day an instalment, or an amount, has only one rate. */
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
