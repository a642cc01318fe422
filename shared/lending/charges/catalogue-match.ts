/** Matches a charge of a request to the catalogue (F1), which supplies the settings that the request omits (S6). */

import type { ChargeInput, ChargeName } from './charge-input.ts';
import {
  findAgreement,
  type Agreement,
  type ChargeDefaults,
  type KnownCharge,
  type KnownCharges,
} from '../schedule-types/known-charges.ts';
import type { Validation } from '../request/validation.ts';

interface ChargeMatch {
  readonly agreement: Agreement | undefined;
  readonly unknown: readonly ChargeName[];
  /** The sent name that does not belong to the charge of the names before it; undefined if all belong together. */
  readonly contradicting: ChargeName | undefined;
}

export interface CompletedCharge {
  readonly input: ChargeInput;
  readonly match: ChargeMatch;
  readonly settings: ChargeDefaults;
  /** Names and ids by which columns of a schedule type refer to the charge, in lower case (F1, F4). */
  readonly typeNames: readonly string[];
}

/** Completes an item from the catalogue (F1, S6); without `known` no name is looked up. */
export function completeCharge(input: ChargeInput, known: KnownCharges | undefined): CompletedCharge {
  const match = findCharge(input, known);
  return {
    input,
    match,
    settings: completeSettings(input, match.agreement?.defaults),
    typeNames: completeTypeNames(input, match),
  };
}

/** Returns the first name. Refuses missing or contradictory ones; warns of unknown ones and ambiguous settings (S6). */
export function checkChargeName(
  { input, match }: CompletedCharge,
  validation: Validation,
): string | undefined {
  const first = input.names.find(({ value }) => value !== '');
  if (first === undefined) {
    const fields = input.names.map(({ field }) => field);
    return validation.reportMissing(`${input.path}.${fields[0]}`, describeNoName(fields));
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

/** The message for a charge that has none of the `fields` that identify it (F1). */
export function describeNoName(fields: readonly string[]): string {
  return `is missing; one of ${fields.join(', ')} must identify the charge`;
}

const NO_MATCH: ChargeMatch = { agreement: undefined, unknown: [], contradicting: undefined };

/**
 * A commission's name and id belong together: an unknown one contradicts a known one. The known names of an insurance
 * must belong to one charge; a charge without a value for a field fits any name sent there.
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
  // The id is looked up first: it identifies one commission, while many may share a name.
  const [first, ...rest] = isCommission ? others.toReversed() : others;
  const named = first && known.named(first.field, first.value);
  if (named === undefined) return { ...NO_MATCH, unknown: reported };
  let left: readonly KnownCharge[] = named.charges;
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

/** False for a class field that no charge of the catalogue has: a class sent in it is not reported as unknown (F1). */
function knowsField(known: KnownCharges, field: ChargeName['field']): boolean {
  return field === 'InsuranceName' || known.uses(field);
}

function isCalled(name: string | undefined, value: string): boolean {
  return name === undefined || name === value.toLowerCase();
}

/** Sent settings take precedence. The catalogue adds none to an amount, and no base to a charge for unusage (S6). */
function completeSettings(input: ChargeInput, defaults: ChargeDefaults | undefined): ChargeDefaults {
  const ofPercent = input.percent === undefined ? undefined : defaults;
  const isForUnusage = (input.isForUnusage ?? ofPercent?.isForUnusage) === true;
  const isByUnusage = isForUnusage && input.percent !== undefined;
  return {
    appliedTo: input.appliedTo ?? (isByUnusage ? undefined : ofPercent?.appliedTo),
    perAnnum: (input.perAnnum ?? ofPercent?.perAnnum) === true,
    isForUnusage,
  };
}

/** Sent names except InsuranceName, and those of the catalogue, which adds none to an insurance sent with a class. */
function completeTypeNames({ kind, names }: ChargeInput, { agreement }: ChargeMatch): readonly string[] {
  const sent = names
    .filter(({ field, value }) => field !== 'InsuranceName' && value !== '')
    .map(({ value }) => value.toLowerCase());
  if (agreement === undefined || (kind === 'insurance' && sent.length > 0)) return sent;
  const { FeeName, FeeId, InsuranceClassName, InsuranceClassId } = agreement.names;
  const known = [FeeName, FeeId, InsuranceClassName, InsuranceClassId].flatMap((name) => name ?? []);
  return [...new Set([...sent, ...known])];
}

function changeFigures(input: ChargeInput, distinct: readonly ChargeDefaults[]): boolean {
  return new Set(distinct.map((defaults) => JSON.stringify(completeSettings(input, defaults)))).size > 1;
}
