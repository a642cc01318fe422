/** Which commission or insurance an item is (F1). */

import { settingsOf } from './charge-settings.ts';
import type { ChargeMatch } from './catalogue-match.ts';
import type { ChargeDefaults } from './known-charges.ts';
import type { Findings } from '../request/refusal.ts';
import type { SentCharge } from './charge-input.ts';

/**
 * What the request calls the item. Without any name it is refused; a name that the catalogue does not know is accepted
 * with a warning, and so is one that leaves open which of different charges it means; names of different charges
 * contradict each other (F1).
 */
export function chargeNameOf(sent: SentCharge, match: ChargeMatch, findings: Findings): string | undefined {
  const first = sent.names.find(({ value }) => value !== '');
  if (first === undefined) {
    const members = sent.names.map(({ member }) => member);
    const message = `is missing; one of ${members.join(', ')} must say what is charged`;
    findings.missing(`${sent.path}.${members[0]}`, message);
    return undefined;
  }
  const { agreement, contradicting, unknown } = match;
  if (contradicting !== undefined) {
    const message =
      sent.kind === 'commission'
        ? 'must be the id of the commission that FeeName names'
        : `must be the class of the insurance that ${first.member} names`;
    findings.contradict(`${sent.path}.${contradicting.member}`, message);
  }
  for (const { member } of unknown) findings.warn(`${sent.path}.${member}`, 'unknown-name');
  const { distinct = [] } = agreement ?? {};
  if (distinct.length > 1 && changeFigures(sent, distinct)) {
    findings.warn(`${sent.path}.${first.member}`, 'ambiguous-name');
  }
  return first.value;
}

/** True when different defaults change what is left open by the item. */
function changeFigures(sent: SentCharge, distinct: readonly ChargeDefaults[]): boolean {
  return new Set(distinct.map((defaults) => JSON.stringify(settingsOf(sent, defaults)))).size > 1;
}
