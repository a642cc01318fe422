/**
 * Which commission or insurance of the catalogue an item of a request means (F1), and how the catalogue completes it: what
 * is input, else what the catalogue says, else the default (S6).
 */

import type { ChargeInput, ChargeName } from './charge-input.ts';
import {
  findAgreement,
  type Agreement,
  type ChargeDefaults,
  type KnownCharge,
  type KnownCharges,
} from '../schedule-types/known-charges.ts';
import type { Validation } from '../request/validation.ts';

/** What the catalogue makes of the names of an item. */
interface ChargeMatch {
  /** What the charges that are meant have in common; undefined: the catalogue knows none of them. */
  readonly agreement: Agreement | undefined;
  /** Names that the catalogue does not know. */
  readonly unknown: readonly ChargeName[];
  /** The name that belongs to another charge than the one before it. */
  readonly contradicting: ChargeName | undefined;
}

/** An item with what the catalogue adds to it. */
export interface CompletedCharge {
  readonly input: ChargeInput;
  readonly match: ChargeMatch;
  readonly settings: ChargeDefaults;
  /** What a schedule type knows it by, in lower case, as far as the request or the catalogue says (F1, F4). */
  readonly typeNames: readonly string[];
}

/** The item as the catalogue completes it; undefined catalogue: it adds nothing. */
export function completeCharge(input: ChargeInput, known: KnownCharges | undefined): CompletedCharge {
  const match = findCharge(input, known);
  return {
    input,
    match,
    settings: completeSettings(input, match.agreement?.defaults),
    typeNames: completeTypeNames(input, match),
  };
}

/**
 * What the request calls the item. Without any name it is refused; a name that the catalogue does not know is accepted
 * with a warning, and so is one that leaves open which of different charges it means; names of different charges
 * contradict each other (F1).
 */
export function checkChargeName(
  { input, match }: CompletedCharge,
  validation: Validation,
): string | undefined {
  const first = input.names.find(({ value }) => value !== '');
  if (first === undefined) {
    const fields = input.names.map(({ field }) => field);
    const message = `is missing; one of ${fields.join(', ')} must say what is charged`;
    validation.reportMissing(`${input.path}.${fields[0]}`, message);
    return undefined;
  }
  const { agreement, contradicting, unknown } = match;
  if (contradicting !== undefined) {
    const message =
      input.kind === 'commission'
        ? 'must be the id of the commission that FeeName names'
        : `must be the class of the insurance that ${first.field} names`;
    validation.reportConflict(`${input.path}.${contradicting.field}`, message);
  }
  for (const { field } of unknown) validation.warn(`${input.path}.${field}`, 'unknown-name');
  const { distinct = [] } = agreement ?? {};
  if (distinct.length > 1 && changeFigures(input, distinct)) {
    validation.warn(`${input.path}.${first.field}`, 'ambiguous-name');
  }
  return first.value;
}

const NO_MATCH: ChargeMatch = { agreement: undefined, unknown: [], contradicting: undefined };

/**
 * The charges that all names of an item mean together. A commission's name and id belong together, so that one of them
 * unknown beside a known other one contradicts it. An insurance has its class beside its name as far as the catalogue
 * has classes; a class that it does not have contradicts nothing. Without a catalogue nothing is found, and nothing is unknown.
 */
function findCharge(input: ChargeInput, known: KnownCharges | undefined): ChargeMatch {
  if (known === undefined) return NO_MATCH;
  const given = input.names.filter(({ value }) => value !== '');
  const unknown = given.filter(({ field, value }) => known.named(field, value) === undefined);
  const isCommission = input.kind === 'commission';
  const [firstUnknown] = unknown;
  if (isCommission && firstUnknown !== undefined && unknown.length < given.length) {
    return { agreement: undefined, unknown: [], contradicting: given[1] };
  }
  const reported = unknown.filter(({ field }) => isCommission || knowsField(known, field));
  const others = given.filter((name) => !unknown.includes(name));
  // An id means one commission, a name may mean many.
  const [first, ...rest] = isCommission ? others.toReversed() : others;
  const named = first && known.named(first.field, first.value);
  if (named === undefined) return { ...NO_MATCH, unknown: reported };
  let left: readonly KnownCharge[] = [...named.charges];
  for (const name of rest) {
    left = left.filter(({ names }) => isCalled(names[name.field], name.value));
    if (left.length === 0) {
      const contradicting = isCommission ? given[1] : name;
      return { agreement: undefined, unknown: reported, contradicting };
    }
  }
  const agreement = rest.length === 0 ? named.agreement : findAgreement(left);
  return { agreement, unknown: reported, contradicting: undefined };
}

/** A class is unknown only to a catalogue that has classes: one may well list insurances by their names alone. */
function knowsField(known: KnownCharges, field: ChargeName['field']): boolean {
  return field === 'InsuranceName' || known.uses(field);
}

/** True unless the catalogue calls it something else. */
function isCalled(name: string | undefined, value: string): boolean {
  return name === undefined || name === value.toLowerCase();
}

/** What is sent wins; what the catalogue says of percentages does not concern an amount, nor does a base a charge for unusage. */
function completeSettings(input: ChargeInput, defaults: ChargeDefaults | undefined): ChargeDefaults {
  const ofPercent = input.percent === undefined ? undefined : defaults;
  const isForUnusage = input.isForUnusage ?? ofPercent?.isForUnusage ?? false;
  const isByUnusage = isForUnusage && input.percent !== undefined;
  return {
    appliedTo: input.appliedTo ?? (isByUnusage ? undefined : ofPercent?.appliedTo),
    perAnnum: input.perAnnum ?? ofPercent?.perAnnum ?? false,
    isForUnusage,
  };
}

/**
 * A commission's name and id, an insurance's class: as sent, and as the catalogue adds them. A class that is sent is the
 * one that counts, whatever the catalogue says.
 */
function completeTypeNames({ kind, names }: ChargeInput, { agreement }: ChargeMatch): readonly string[] {
  const sent = names
    .filter(({ field, value }) => field !== 'InsuranceName' && value !== '')
    .map(({ value }) => value.toLowerCase());
  if (agreement === undefined || (kind === 'insurance' && sent.length > 0)) return sent;
  const { FeeName, FeeId, InsuranceClassName, InsuranceClassId } = agreement.names;
  const known = [FeeName, FeeId, InsuranceClassName, InsuranceClassId].flatMap((name) => name ?? []);
  return [...new Set([...sent, ...known])];
}

/** True when different defaults change what is left open by the item. */
function changeFigures(input: ChargeInput, distinct: readonly ChargeDefaults[]): boolean {
  return new Set(distinct.map((defaults) => JSON.stringify(completeSettings(input, defaults)))).size > 1;
}
