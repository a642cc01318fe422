/** How an item of a request is charged: what is sent, else what the catalogue says, else the default (S6). */

import { findCharge, type ChargeMatch } from './catalogue-match.ts';
import type { ChargeDefaults, KnownCharges } from './known-charges.ts';
import type { SentCharge } from './charge-input.ts';

/** An item with what the catalogue adds to it. */
export interface SettledCharge {
  readonly sent: SentCharge;
  readonly match: ChargeMatch;
  readonly settings: ChargeDefaults;
  /** What a schedule type knows it by, in lower case, as far as the request or the catalogue tells (F1, F4). */
  readonly typeNames: readonly string[];
}

/** The item as the catalogue completes it; undefined catalogue: it adds nothing. */
export function settledCharge(sent: SentCharge, known: KnownCharges | undefined): SettledCharge {
  const match = findCharge(sent, known);
  return {
    sent,
    match,
    settings: settingsOf(sent, match.agreement?.defaults),
    typeNames: typeNamesOf(sent, match),
  };
}

/** What is sent wins; what the catalogue says of percentages does not concern an amount, nor does a base a charge for unusage. */
export function settingsOf(sent: SentCharge, defaults: ChargeDefaults | undefined): ChargeDefaults {
  const ofPercent = sent.percent === undefined ? undefined : defaults;
  const isForUnusage = sent.isForUnusage ?? ofPercent?.isForUnusage ?? false;
  const isByUnusage = isForUnusage && sent.percent !== undefined;
  return {
    appliedTo: sent.appliedTo ?? (isByUnusage ? undefined : ofPercent?.appliedTo),
    perAnnum: sent.perAnnum ?? ofPercent?.perAnnum ?? false,
    isForUnusage,
  };
}

/** A class that is sent is the one that counts, whatever the catalogue says. */
function typeNamesOf({ kind, typeNames }: SentCharge, { agreement }: ChargeMatch): readonly string[] {
  if (agreement === undefined || (kind === 'insurance' && typeNames.length > 0)) return typeNames;
  const { FeeName, FeeId, InsuranceClassName, InsuranceClassId } = agreement.names;
  const known = [FeeName, FeeId, InsuranceClassName, InsuranceClassId].flatMap((name) => name ?? []);
  return [...new Set([...typeNames, ...known])];
}
