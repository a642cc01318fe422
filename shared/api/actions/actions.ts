/** The actions of the interface. A new action needs an entry in `ACTIONS` and a request in schemas/messages.ts. */

import type { Action } from '../json/action-definition.ts';
import { VERIFICATIONS } from '../notification/verification-operations.ts';
import { CALCULATE_PMT } from './pmt-action.ts';
import { PRODUCT_LISTS } from './product-list-actions.ts';
import { LOOK_UPS } from './look-up-actions.ts';
import { CREATE_OFFER_DOCUMENT } from './offer-document-action.ts';
import { CALCULATE_RATE } from './rate-action.ts';
import { CALCULATE_REPAYMENT_SCHEDULE } from './schedule-action.ts';
import { SIMULATE } from './simulate-action.ts';

/** All actions, in the order in which `/docs` and the OpenAPI and AsyncAPI documents list them. */
export const ACTIONS: readonly Action[] = [
  CALCULATE_REPAYMENT_SCHEDULE,
  CALCULATE_PMT,
  CALCULATE_RATE,
  ...LOOK_UPS,
  ...PRODUCT_LISTS,
  SIMULATE,
  CREATE_OFFER_DOCUMENT,
];

/** All that has requests and replies on topics: the actions, and the operations of verifications (N10). */
export const REQUEST_ACTIONS: readonly Action[] = [...ACTIONS, ...VERIFICATIONS];

/** All actions by their names in lower case, because callers may use any case (E4). */
export const ACTIONS_BY_NAME: ReadonlyMap<string, Action> = new Map(
  ACTIONS.map((action) => [action.name.toLowerCase(), action]),
);

/** Finds an action by its name, ignoring case (E4). */
export function findAction(name: string): Action | undefined {
  return ACTIONS_BY_NAME.get(name.toLowerCase());
}
