/** Pairwise coverage: combinations of features in which every two compatible values occur together at least once. */

import type { Picks } from './pick.ts';

/** Features by name with their values. */
export type Features = Readonly<Record<string, readonly string[]>>;

/** One value for each feature. */
export type Combination<F extends Features> = { readonly [Name in keyof F]: F[Name][number] };

/** A covering table. */
export interface Covering<F extends Features> {
  readonly combinations: readonly Combination<F>[];
  /** Pairs that occur in no calculable combination, as `feature=value & feature=value`. */
  readonly impossiblePairs: readonly string[];
}

/** The input of a covering table. */
export interface CoveringPlan<F extends Features> {
  readonly features: F;
  /** The reason why a combination cannot be calculated; undefined when it can. */
  readonly reasonAgainst: (combination: Combination<F>) => string | undefined;
  readonly picks: Picks;
  /** Minimum number of combinations, including refused ones. */
  readonly least: number;
}

const CANDIDATES = 12;
/** Maximum number of attempts to find a calculable combination with a given pair. */
const MAX_TRIES = 400;

function pairsOf(combination: Readonly<Record<string, string>>): string[] {
  const entries = Object.entries(combination).map(([name, value]) => `${name}=${value}`);
  return entries.flatMap((one, index) => entries.slice(index + 1).map((other) => `${one} & ${other}`));
}

/** All pairs of values of different features. */
export function allPairs(features: Features): string[] {
  const names = Object.keys(features);
  return names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .flatMap((other) =>
        features[one]!.flatMap((first) =>
          features[other]!.map((second) => `${one}=${first} & ${other}=${second}`),
        ),
      ),
  );
}

function randomCombination<F extends Features>({ features, picks }: CoveringPlan<F>): Combination<F> {
  const entries = Object.entries(features).map(([name, values]) => [name, picks.of(...values)]);
  return Object.fromEntries(entries) as Combination<F>;
}

function pairValues(pair: string): Readonly<Record<string, string>> {
  return Object.fromEntries(pair.split(' & ').map((value) => value.split('=')));
}

/** A calculable combination with the pair; undefined when none was found. */
function combinationWith<F extends Features>(
  plan: CoveringPlan<F>,
  pair: string,
): Combination<F> | undefined {
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const combination = { ...randomCombination(plan), ...pairValues(pair) } as Combination<F>;
    if (plan.reasonAgainst(combination) === undefined) return combination;
  }
  return undefined;
}

/**
 * A table in which every pair occurs in a calculable combination, or, if there is none, in one that cannot be
 * calculated. Random combinations fill it up to the minimum number.
 */
export function coveringTable<F extends Features>(plan: CoveringPlan<F>): Covering<F> {
  const missing = new Set(allPairs(plan.features));
  const combinations: Combination<F>[] = [];
  const impossiblePairs: string[] = [];
  const add = (combination: Combination<F>) => {
    combinations.push(combination);
    if (plan.reasonAgainst(combination) === undefined) {
      for (const pair of pairsOf(combination)) missing.delete(pair);
    }
  };
  while (missing.size > 0) {
    const [pair = ''] = missing;
    missing.delete(pair);
    const found = Array.from({ length: CANDIDATES }, () => combinationWith(plan, pair));
    const possible = found.filter((combination) => combination !== undefined);
    const counts = possible.map((one) => pairsOf(one).filter((held) => missing.has(held)).length);
    const best = possible[counts.indexOf(Math.max(...counts))];
    if (best === undefined) impossiblePairs.push(pair);
    add(best ?? { ...randomCombination(plan), ...pairValues(pair) });
  }
  while (combinations.length < plan.least) add(randomCombination(plan));
  return { combinations, impossiblePairs };
}
