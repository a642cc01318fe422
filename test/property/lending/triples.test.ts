/**
 * Tests of triples: every three compatible variants of features occur together in a schedule that keeps M3. Compared to
 * the pairwise tests there are also negative and zero rates, capitalised deposits, payments below the interest, and
 * blocked amounts and prepayments of nearly the whole balance, which the reference does not calculate.
 */

import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { INSTALLMENT_TYPE_IDS } from '../../../shared/lending/request/repayment-schedule.ts';
import type { RepaymentScheduleRequest } from '../../../shared/lending/request/repayment-schedule-request.ts';
import { engineOf, requestText } from '../../support/reference/compare-with-reference.ts';
import { featureRequest, reasonAgainst } from '../../support/random/feature-requests.ts';
import { AMOUNT, FEATURES, money, type FeatureSet } from '../../support/random/features.ts';
import { Picks } from '../../support/random/pick.ts';
import { brokenInvariant } from '../../support/reference/schedule-invariants.ts';

const FORMS = {
  ...FEATURES,
  rates: [...FEATURES.rates, 'zero', 'negative', 'negative, then positive'],
  lock: [...FEATURES.lock, 'below interest'],
  recalculation: [...FEATURES.recalculation, 'nearly all blocked'],
  early: [...FEATURES.early, 'nearly all', 'nearly all, kept', 'all'],
  capitalised: ['no', 'yes'],
} as const;

type Forms = { readonly [Name in keyof typeof FORMS]: (typeof FORMS)[Name][number] };

const NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];
/** The number of the first variant of each feature among all variants. */
const OFFSETS = NAMES.map((_, index) =>
  NAMES.slice(0, index).reduce((sum, name) => sum + FORMS[name].length, 0),
);
const ALL_FORMS = NAMES.reduce((sum, name) => sum + FORMS[name].length, 0);
const REFUSED_WITH_SOME_TYPES = new Set<string | undefined>([
  'gracePrincipal',
  'graceInterest',
  'fee',
  'insurance',
  'lock',
  'recalculation',
  'unused',
  'realInstallments',
]);
const LEVEL_TYPES = new Set(['EqualInstallments', 'Balloon', 'EffectiveRate', 'Leasing']);

const SEED = 20_251_122;
/** The number of random combinations; further combinations are built for the triples that these do not cover. */
const RANDOM_COMBINATIONS = 30_000;
/** Maximum number of attempts to find a calculated combination with three given variants. */
const MAX_TRIES = 30;
const MAX_REPORTS = 3;

/** The variant of each feature, by number. */
type Chosen = readonly number[];

function chooseRandomly(picks: Picks): number[] {
  return NAMES.map((name) => picks.whole(0, FORMS[name].length - 1));
}

/** Random variants with the three given ones, without other variants that some schedule types refuse. */
function withGiven(picks: Picks, triple: readonly Place[]): Chosen {
  const chosen = chooseRandomly(picks).map((form, feature) =>
    REFUSED_WITH_SOME_TYPES.has(NAMES[feature]) ? 0 : form,
  );
  for (const { feature, form } of triple) chosen[feature] = form;
  const hasResidual = triple.some(({ feature }) => NAMES[feature] === 'residual');
  if (!hasResidual) chosen[NAMES.indexOf('residual')] = picks.whole(1, 2);
  return chosen;
}

function formsOf(chosen: Chosen): Forms {
  return Object.fromEntries(NAMES.map((name, index) => [name, FORMS[name][chosen[index] ?? 0]])) as Forms;
}

/** The combination with the variants of the pairwise tests in place of those that only this file has. */
function plainForms(forms: Forms): FeatureSet {
  const { capitalised: _, ...known } = forms;
  return {
    ...known,
    rates: (FEATURES.rates as readonly string[]).includes(forms.rates)
      ? (forms.rates as FeatureSet['rates'])
      : 'one',
    lock: 'none',
    recalculation:
      forms.recalculation === 'nearly all blocked' ? 'locked with blocked amounts' : forms.recalculation,
    early: forms.early.includes('all') ? 'decrease' : (forms.early as FeatureSet['early']),
  };
}

function requestOf(forms: Forms): RepaymentScheduleRequest | undefined {
  const plain = plainForms(forms);
  if (reasonAgainstForms(forms) !== undefined) return undefined;
  const request = {
    ...featureRequest(plain),
    ...ratesOf(forms),
    ...lockOf(forms, plain),
    ...(forms.type === 'Deposit' ? { InterestCapitalization: forms.capitalised === 'yes' ? 1 : 0 } : {}),
  };
  if (forms.recalculation === 'nearly all blocked') {
    const BlockAmount = AMOUNT.minus(request.ResidualValue ?? 0).minus(money(plain, 0.1));
    // The balance after the blocked amount is less than the usual prepayments.
    const EarlyRepayments = request.EarlyRepayments?.map((item) => ({ ...item, Amount: money(plain, 0.05) }));
    return withEarlyAmount(forms, { ...request, BlockAmount, EarlyRepayments }, plain);
  }
  return withEarlyAmount(forms, request, plain);
}

function reasonAgainstForms(forms: Forms): string | undefined {
  return reasonAgainst({ ...plainForms(forms), lock: forms.lock === 'none' ? 'none' : 'lower' });
}

function ratesOf({ rates, type }: Forms): Partial<RepaymentScheduleRequest> {
  const positive = { InterestRate: new Decimal(4) };
  const byRows = type === 'Once' ? [positive] : [{ InterestRate: new Decimal(-9), ToInstNo: 5 }, positive];
  if (rates === 'negative, then positive')
    return { InterestPercent: undefined, MultipleInterestRates: byRows };
  if (rates === 'negative') return { InterestPercent: new Decimal(-9) };
  return rates === 'zero' ? { InterestPercent: new Decimal(0) } : {};
}

function lockOf({ lock, type }: Forms, plain: FeatureSet): Partial<RepaymentScheduleRequest> {
  if (lock === 'none') return {};
  const value = money(plain, { lower: 8, higher: 15, 'below interest': 0.01 }[lock]);
  if (!LEVEL_TYPES.has(type)) return { principalValue: value };
  return { installmentValue: value, AllowNegativeAmortisation: lock === 'below interest' };
}

/** The prepayment set to nearly all, or all, of the balance on its date in the schedule without it. */
function withEarlyAmount(
  forms: Forms,
  request: RepaymentScheduleRequest,
  plain: FeatureSet,
): RepaymentScheduleRequest {
  const { EarlyRepayments: [early] = [], ...without } = request;
  if (!forms.early.includes('all') || early === undefined) return request;
  const outcome = engineOf(without);
  if (outcome.kind === 'refused') return request;
  const row = outcome.rows.find(
    ({ dueDate, installmentTypeId }) =>
      dueDate >= early.Date && installmentTypeId !== INSTALLMENT_TYPE_IDS.EarlyRepayment,
  );
  const balance = new Decimal(row?.remainingValue ?? 0).div(10 ** outcome.currencyDigits);
  const least = forms.early === 'all' ? new Decimal(0) : Decimal.min(money(plain, 0.1), balance.div(2));
  const Amount = balance.minus(least).toDecimalPlaces(Number(plain.digits), Decimal.ROUND_UP);
  return {
    ...without,
    EarlyRepayments: [{ ...early, Amount, DecreaseInstallment: forms.early !== 'nearly all, kept' }],
  };
}

/** The triples of variants covered so far, by number. */
class Triples {
  readonly #held = new Uint8Array(ALL_FORMS ** 3);
  count = 0;

  add(chosen: Chosen): void {
    const forms = chosen.map((form, index) => (OFFSETS[index] ?? 0) + form);
    for (const [at, first] of forms.entries()) {
      for (let second = at + 1; second < forms.length; second += 1) {
        for (let third = second + 1; third < forms.length; third += 1) {
          const key = (first * ALL_FORMS + (forms[second] ?? 0)) * ALL_FORMS + (forms[third] ?? 0);
          this.count += 1 - (this.#held[key] ?? 0);
          this.#held[key] = 1;
        }
      }
    }
  }

  has(forms: readonly Place[]): boolean {
    const key = forms.reduce((sum, { feature, form }) => sum * ALL_FORMS + (OFFSETS[feature] ?? 0) + form, 0);
    return this.#held[key] === 1;
  }
}

interface Place {
  readonly feature: number;
  readonly form: number;
}

/** All triples of variants of three features, in the order of the features. */
function allTriples(): readonly (readonly [Place, Place, Place])[] {
  const places = NAMES.flatMap((name, feature) => FORMS[name].map((_, form) => ({ feature, form })));
  const after = ({ feature }: Place) => places.filter((place) => place.feature > feature);
  return places.flatMap((first) =>
    after(first).flatMap((second) => after(second).map((third) => [first, second, third] as const)),
  );
}

/** Calculates combinations; collects the covered triples and the schedules that break an invariant. */
class Search {
  readonly broken: string[] = [];
  readonly triples = new Triples();
  calculated = 0;
  /** True if the request is calculated; records the invariant that its schedule breaks. */
  try(chosen: Chosen): boolean {
    const request = requestOf(formsOf(chosen));
    if (request === undefined) return false;
    const outcome = engineOf(request);
    if (outcome.kind === 'refused') return false;
    const broken = brokenInvariant(request, outcome);
    if (broken !== undefined) this.broken.push(`${broken}: ${requestText(request)}`);
    this.calculated += 1;
    this.triples.add(chosen);
    return true;
  }
}

/** Runs random combinations, then further ones for each triple that is not covered. */
function runSearch(): { search: Search; all: number; missing: (readonly Place[])[] } {
  const picks = new Picks(SEED);
  const search = new Search();
  for (let turn = 0; turn < RANDOM_COMBINATIONS; turn += 1) search.try(chooseRandomly(picks));
  const missing: (readonly Place[])[] = [];
  const triples = allTriples();
  for (const triple of triples) {
    if (search.triples.has(triple)) continue;
    let isFound = false;
    for (let turn = 0; turn < MAX_TRIES && !isFound; turn += 1)
      isFound = search.try(withGiven(picks, triple));
    if (!isFound) missing.push(triple);
  }
  return { search, all: triples.length, missing };
}

/** True if a rule refuses the triple even with the simplest variants of all other features. */
function isRefused(triple: readonly Place[]): boolean {
  const chosen: number[] = NAMES.map((name) => (name === 'residual' ? 1 : 0));
  for (const { feature, form } of triple) chosen[feature] = form;
  return reasonAgainstForms(formsOf(chosen)) !== undefined;
}

function tripleText(places: readonly Place[]): string {
  return places
    .map(({ feature, form }) => `${NAMES[feature]}=${FORMS[NAMES[feature] ?? 'type'][form]}`)
    .join(' & ');
}

describe('triples of features', () => {
  const { search, all, missing } = runSearch();
  it(`keep all schedule invariants (M3) in ${search.calculated} calculated requests`, () => {
    expect(search.broken.slice(0, MAX_REPORTS)).toEqual([]);
  });

  it(`are covered in ${search.triples.count} of ${all} cases; rules refuse the others`, () => {
    expect(missing.filter((places) => !isRefused(places)).map(tripleText)).toEqual([]);
    expect(search.triples.count + missing.length).toBe(all);
    expect(missing.length).toBeLessThan(all / 30);
  });
});
