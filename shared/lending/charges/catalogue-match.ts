/** The commission or insurance of the catalogue that an item of a request means (F1). */

import { agreementOf, type Agreement, type KnownCharge, type KnownCharges } from './known-charges.ts';
import type { SentCharge, SentName } from './charge-input.ts';

/** What the catalogue makes of the names of an item. */
export interface ChargeMatch {
  /** What the charges that are meant have in common; undefined: the catalogue knows none of them. */
  readonly agreement: Agreement | undefined;
  /** Names that the catalogue does not know. */
  readonly unknown: readonly SentName[];
  /** The name that belongs to another charge than the one before it. */
  readonly contradicting: SentName | undefined;
}

const NO_MATCH: ChargeMatch = { agreement: undefined, unknown: [], contradicting: undefined };

/**
 * The charges that all names of an item mean together. A commission's name and id belong together, so that one of them
 * unknown beside a known other one contradicts it. An insurance has its class beside its name as far as the catalogue
 * tells classes; a class that it does not tell contradicts nothing. Without a catalogue nothing is found, or missed.
 */
export function findCharge(sent: SentCharge, known: KnownCharges | undefined): ChargeMatch {
  if (known === undefined) return NO_MATCH;
  const given = sent.names.filter(({ value }) => value !== '');
  const unknown = given.filter(({ member, value }) => known.named(member, value) === undefined);
  const isCommission = sent.kind === 'commission';
  const [firstUnknown] = unknown;
  if (isCommission && firstUnknown !== undefined && unknown.length < given.length) {
    return { agreement: undefined, unknown: [], contradicting: given[1] };
  }
  const told = unknown.filter(({ member }) => isCommission || judges(known, member));
  const others = given.filter((name) => !unknown.includes(name));
  // An id means one commission, a name may mean many.
  const [first, ...rest] = isCommission ? others.toReversed() : others;
  const named = first && known.named(first.member, first.value);
  if (named === undefined) return { ...NO_MATCH, unknown: told };
  let left: readonly KnownCharge[] = [...named.charges];
  for (const name of rest) {
    left = left.filter(({ names }) => isCalled(names[name.member], name.value));
    if (left.length === 0) {
      const contradicting = isCommission ? given[1] : name;
      return { agreement: undefined, unknown: told, contradicting };
    }
  }
  const agreement = rest.length === 0 ? named.agreement : agreementOf(left);
  return { agreement, unknown: told, contradicting: undefined };
}

/** Classes are judged only by a catalogue that has any: it may well tell of insurances by their names alone. */
function judges(known: KnownCharges, member: SentName['member']): boolean {
  return member === 'InsuranceName' || known.uses(member);
}

/** True unless the catalogue calls it something else. */
function isCalled(name: string | undefined, value: string): boolean {
  return name === undefined || name === value.toLowerCase();
}
