/** Which commission or insurance an item is (F1). */

import type { Findings } from './refusal.ts';
import type { SentCharge, SentName } from './sent-charge.ts';

/** The charges that a catalogue knows; keys are in lower case. */
export interface KnownCharges {
  /** From each commission's name, and from its id, to one and the same identity. */
  readonly commissions: ReadonlyMap<string, string>;
  /** Names of insurances, and names and ids of their classes. */
  readonly insurances: ReadonlySet<string>;
}

interface NamedMember {
  readonly path: string;
  readonly value: string;
}

/**
 * What the request calls the item. Without any name it is refused; a name that no catalogue knows is accepted with a
 * warning; a name and an id of different commissions contradict each other (F1). Undefined catalogue: all are known.
 */
export function chargeNameOf(
  sent: SentCharge,
  known: KnownCharges | undefined,
  findings: Findings,
): string | undefined {
  const named = sent.names.flatMap((name) => namedMember(sent.path, name));
  const [first] = named;
  if (first === undefined) {
    const members = sent.names.map(({ member }) => member);
    const message = `is missing; one of ${members.join(', ')} must say what is charged`;
    findings.missing(`${sent.path}.${members[0]}`, message);
    return undefined;
  }
  if (known === undefined) return first.value;
  if (sent.kind === 'commission') checkCommission(named, known, findings);
  else warnUnknown(named, (name) => known.insurances.has(name), findings);
  return first.value;
}

function namedMember(path: string, { member, value }: SentName): readonly NamedMember[] {
  const text = value?.trim() ?? '';
  return text === '' ? [] : [{ path: `${path}.${member}`, value: text }];
}

/** A known name beside an unknown id, or the other way round, disagree too: the known one has another partner. */
function checkCommission(named: readonly NamedMember[], known: KnownCharges, findings: Findings): void {
  const [first, second] = named.map(({ value }) => known.commissions.get(value.toLowerCase()));
  const other = named[1];
  if (other !== undefined && first !== second) {
    findings.contradict(other.path, 'must be the id of the commission that FeeName names');
    return;
  }
  warnUnknown(named, (name) => known.commissions.has(name), findings);
}

function warnUnknown(
  named: readonly NamedMember[],
  isKnown: (name: string) => boolean,
  findings: Findings,
): void {
  for (const { path, value } of named) {
    if (!isKnown(value.toLowerCase())) findings.warn(path, 'unknown-name');
  }
}
