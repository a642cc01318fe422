import type { Action } from '../../../shared/contract/actions/actions.ts';

/** What the ingress has to know of an action to carry it: no more, so that a new action changes nothing here. */
export type ActionContract = Pick<
  Action,
  'name' | 'topic' | 'requestType' | 'replyType' | 'read' | 'effort' | 'render'
>;

/** Actions by their name in lower case: names match in any case (E4). */
export type ActionRegistry = ReadonlyMap<string, ActionContract>;
