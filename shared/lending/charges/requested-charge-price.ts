/** The price of one charge of a commission or insurance: an amount or a percentage (F1, F2, F5). */

import type { Decimal } from 'decimal.js';
import type { CompletedCharge } from './catalogue-match.ts';
import type { ExactRatio } from '../numbers/exact-ratio.ts';
import type { ChargeDefaults } from '../schedule-types/known-charges.ts';
import { checkAmount, checkRate } from '../request/field-checks.ts';
import { partOfYear, type Periodicity } from '../dates/periodicity.ts';
import type { Validation } from '../request/validation.ts';
import { type ChargeBase, checkBase } from './charge-base.ts';
import type { ChargeInput } from './charge-input.ts';

export type ChargePrice =
  /** Minor units per charge. */
  | { readonly kind: 'value'; readonly amount: number }
  | {
      readonly kind: 'percent';
      readonly percent: Decimal;
      readonly rate: ExactRatio;
      /** Fraction of a year to which an annual percentage applies; undefined for a rate per charge (F2). */
      readonly partOfYear: readonly [numerator: number, denominator: number] | undefined;
      readonly base: ChargeBase;
    }
  /** Percent a year of the unused amount, for the days of each row (F5). */
  | { readonly kind: 'unusage'; readonly percent: Decimal; readonly rate: ExactRatio };

interface PriceContext {
  readonly digits: number;
  readonly bases: readonly ChargeBase[];
}

/** Undefined without exactly one valid SourceValue or SourcePercent, or if `periodicity` is needed but undefined. */
export function parseChargePrice(
  { input, settings }: CompletedCharge,
  periodicity: Periodicity | undefined,
  { digits, bases }: PriceContext,
  validation: Validation,
): ChargePrice | undefined {
  const amount = checkAmount(validation, `${input.path}.SourceValue`, input.value, digits);
  const percent = { least: 0, unit: 'percent' };
  const rate = checkRate(validation, `${input.path}.SourcePercent`, input.percent, percent);
  const base = checkBase(`${input.path}.PercentAppliedTo`, settings.appliedTo, bases, validation);
  const message = sourceFault(input.value !== undefined, input.percent !== undefined);
  if (message !== undefined)
    return validation.reportConflict(`${input.path}.SourceValue`, message, 'mutually-exclusive');
  if (input.percent === undefined) {
    warnBesideValue(input, validation);
    return amount === undefined ? undefined : { kind: 'value', amount };
  }
  if (rate === undefined) return undefined;
  warnFromCatalogue(input, settings, validation);
  if (settings.isForUnusage) {
    warnBesideUnusage(input, base, validation);
    return { kind: 'unusage', percent: input.percent, rate };
  }
  if (periodicity === undefined) return undefined;
  if (settings.perAnnum && periodicity.unit === 'Once') {
    const allowed = 'must be false with the periodicity Once, which is no part of a year';
    return validation.reject(`${input.path}.PerAnnum`, 'not-allowed', allowed);
  }
  const part = settings.perAnnum ? partOfYear(periodicity) : undefined;
  return { kind: 'percent', percent: input.percent, rate, partOfYear: part, base: base ?? 'FinancedAmount' };
}

/** The message for a charge that does not have exactly one of SourceValue and SourcePercent (F1), else undefined. */
export function sourceFault(hasValue: boolean, hasPercent: boolean): string | undefined {
  if (hasValue !== hasPercent) return undefined;
  return `must have exactly one of SourceValue and SourcePercent, ${hasValue ? 'not both' : 'but has neither'}`;
}

/** Warns of each omitted field whose catalogue default changes the price of a percentage (S6). */
function warnFromCatalogue(input: ChargeInput, settings: ChargeDefaults, validation: Validation): void {
  const add = (field: string) => validation.warn(`${input.path}.${field}`, 'from-catalogue');
  if (settings.isForUnusage) {
    if (input.isForUnusage === undefined) add('IsForUnusage');
    return;
  }
  const base = settings.appliedTo?.trim().toLowerCase() ?? 'financedamount';
  if (input.appliedTo === undefined && base !== 'financedamount') add('PercentAppliedTo');
  if (input.perAnnum === undefined && settings.perAnnum) add('PerAnnum');
}

function warnBesideValue(input: ChargeInput, validation: Validation): void {
  if (input.appliedTo !== undefined) validation.warn(`${input.path}.PercentAppliedTo`);
  if (input.perAnnum === true) validation.warn(`${input.path}.PerAnnum`);
  if (input.isForUnusage === true) validation.warn(`${input.path}.IsForUnusage`);
}

/** Warns of another base and of IsUpfront: a charge for unusage is on the unused amount, for each row's days (F5). */
function warnBesideUnusage(input: ChargeInput, base: ChargeBase | undefined, validation: Validation): void {
  if (base !== undefined && base !== 'UnusedAmount') validation.warn(`${input.path}.PercentAppliedTo`);
  if (input.isUpfront === true) validation.warn(`${input.path}.IsUpfront`);
}
