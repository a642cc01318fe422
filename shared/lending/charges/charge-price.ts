/** What one charge of a commission or insurance costs: a value or a percentage (F1, F2, F5). */

import type { Decimal } from 'decimal.js';
import type { SettledCharge } from './charge-settings.ts';
import { CHARGE_BASES, type ChargeBase, type ChargePrice } from './charge-terms.ts';
import { ratioOfPercent, type ExactRatio } from '../numbers/exact-ratio.ts';
import type { ChargeDefaults } from './known-charges.ts';
import {
  checkAmount,
  checkName,
  LARGEST_RATE_DECIMALS,
  LARGEST_RATE_PERCENT,
} from '../request/member-checks.ts';
import { daysPerPeriod, monthsPerPeriod, type Periodicity } from '../dates/periodicity.ts';
import type { Findings } from '../request/refusal.ts';
import type { SentCharge } from './charge-input.ts';

const MONTHS_PER_YEAR = 12;
const DAYS_PER_YEAR = 365;

/** What prices depend on besides the item itself. */
interface PriceContext {
  /** Decimal digits of the currency (M2). */
  readonly digits: number;
  /** What a percentage may be of with the schedule type. */
  readonly bases: readonly ChargeBase[];
}

/**
 * The price of an item, or undefined when its members do not give one; notes what is wrong and what has no effect. The
 * periodicity is undefined when its name is not known.
 */
export function chargePriceOf(
  { sent, settings }: SettledCharge,
  periodicity: Periodicity | undefined,
  { digits, bases }: PriceContext,
  findings: Findings,
): ChargePrice | undefined {
  const amount = checkAmount(findings, `${sent.path}.SourceValue`, sent.value, digits);
  const rate = checkPercent(findings, `${sent.path}.SourcePercent`, sent.percent);
  const base = checkBase({ path: sent.path, appliedTo: settings.appliedTo }, bases, findings);
  if (!hasOneSource(sent, findings)) return undefined;
  if (sent.percent === undefined) {
    warnBesideValue(sent, findings);
    return amount === undefined ? undefined : { kind: 'value', amount };
  }
  if (rate === undefined) return undefined;
  warnOfCatalogue(sent, settings, findings);
  if (settings.isForUnusage) {
    warnBesideUnusage(sent, base, findings);
    return { kind: 'unusage', percent: sent.percent, rate };
  }
  if (periodicity === undefined) return undefined;
  const partOfYear = settings.perAnnum ? partOfYearOf(periodicity) : undefined;
  return { kind: 'percent', percent: sent.percent, rate, partOfYear, base: base ?? 'FinancedAmount' };
}

function hasOneSource({ path, value, percent }: SentCharge, findings: Findings): boolean {
  if (value !== undefined && percent !== undefined) {
    findings.contradict(path, 'must have exactly one of SourceValue and SourcePercent, not both');
    return false;
  }
  if (value === undefined && percent === undefined) {
    findings.missing(path, 'must have exactly one of SourceValue and SourcePercent, but has neither');
    return false;
  }
  return true;
}

function checkBase(
  { path, appliedTo }: Pick<SentCharge, 'path' | 'appliedTo'>,
  bases: readonly ChargeBase[],
  findings: Findings,
): ChargeBase | undefined {
  const basePath = `${path}.PercentAppliedTo`;
  const base = checkName(findings, basePath, appliedTo, CHARGE_BASES);
  if (base === undefined || bases.includes(base)) return base;
  const message = `must be one of ${bases.join(', ')}; this schedule type calculates the others from the charges`;
  findings.refuse(basePath, 'not-allowed', message);
  return undefined;
}

/** A percentage from 0 on as an exact fraction (M4, M6), within the limits of size and decimals. */
function checkPercent(findings: Findings, path: string, value: Decimal | undefined): ExactRatio | undefined {
  if (value === undefined) return undefined;
  if (!(value.greaterThanOrEqualTo(0) && value.lessThanOrEqualTo(LARGEST_RATE_PERCENT))) {
    findings.refuse(path, 'out-of-range', `must be from 0 to ${LARGEST_RATE_PERCENT} percent`);
    return undefined;
  }
  if (value.decimalPlaces() > LARGEST_RATE_DECIMALS) {
    findings.refuse(path, 'too-many-decimals', `must have at most ${LARGEST_RATE_DECIMALS} decimals`);
    return undefined;
  }
  return ratioOfPercent(value);
}

/** Part of a year that one period of a charge is: months over 12, days over 365 (F2). */
function partOfYearOf(periodicity: Periodicity): readonly [numerator: number, denominator: number] {
  const months = monthsPerPeriod(periodicity);
  return months > 0 ? [months, MONTHS_PER_YEAR] : [daysPerPeriod(periodicity), DAYS_PER_YEAR];
}

/** What the catalogue says of a percentage that the request leaves open changes what it costs (S6). */
function warnOfCatalogue(sent: SentCharge, settings: ChargeDefaults, findings: Findings): void {
  const add = (field: string) => findings.warn(`${sent.path}.${field}`, 'from-catalogue');
  if (settings.isForUnusage) {
    if (sent.isForUnusage === undefined) add('IsForUnusage');
    return;
  }
  const base = settings.appliedTo?.trim().toLowerCase() ?? 'financedamount';
  if (sent.appliedTo === undefined && base !== 'financedamount') add('PercentAppliedTo');
  if (sent.perAnnum === undefined && settings.perAnnum) add('PerAnnum');
}

function warnBesideValue(sent: SentCharge, findings: Findings): void {
  if (sent.appliedTo !== undefined) findings.warn(`${sent.path}.PercentAppliedTo`);
  if (sent.perAnnum === true) findings.warn(`${sent.path}.PerAnnum`);
  if (sent.isForUnusage === true) findings.warn(`${sent.path}.IsForUnusage`);
}

/** Such a charge is of the unused amount, per annum and by the days of each row, whatever else is sent (F5). */
function warnBesideUnusage(sent: SentCharge, base: ChargeBase | undefined, findings: Findings): void {
  if (base !== undefined && base !== 'UnusedAmount') findings.warn(`${sent.path}.PercentAppliedTo`);
  if (sent.isUpfront === true) findings.warn(`${sent.path}.IsUpfront`);
}
